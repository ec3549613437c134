//! `tightfit render`: pictures and animations of a scene or a log.

mod film;
mod gif_film;
mod headless_browser;
mod palette;
mod pixels;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use tightfit::scene::{Preset, Simulation, log};
use tightfit::viewer::{Recording, glb, mcap, page};

use self::headless_browser::{HeadlessBrowser, find_browser};
use super::view::recording_of_log;
use crate::commands::output_file::{self, write_bytes};
use crate::commands::simulate::{SimulationArguments, preset, scene_of};
use crate::output::say;
use crate::progress;

#[derive(Args)]
pub(crate) struct RenderArguments {
    /// Built-in scene, scene file, or log of a run (.parquet, .csv).
    scene: String,
    /// Write this file: a picture (.png), a film (.gif, .mp4), an animation for Blender and three.js (.glb), a run for
    /// Foxglove (.mcap), or a page (.html).
    #[arg(long, value_name = "OUT")]
    out: PathBuf,
    /// Replace the scene's methods by a preset; `tightfit presets` lists them.
    #[arg(long, value_name = "NAME", value_parser = preset)]
    preset: Option<Preset>,
    #[command(flatten)]
    simulation: SimulationArguments,
    /// Show the state at this time in a picture [s] [default: the end].
    #[arg(long, value_name = "S")]
    time: Option<f64>,
    /// Begin a film at this time [s].
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    from: f64,
    /// End a film at this time [s] [default: the end].
    #[arg(long, value_name = "S")]
    to: Option<f64>,
    /// Simulated time per time of a film.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    speed: f64,
    /// Pictures per second of a film.
    #[arg(long, value_name = "HZ", default_value_t = 25.0)]
    frame_rate: f64,
    /// Cut the parts open: 0 not at all, 1 through the axis.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    cutaway: f64,
    /// Draw gaps this many times as large.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    exaggerate: f64,
    /// Bring the camera this many times nearer.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    zoom: f64,
    /// Leave out panels, plots and time line.
    #[arg(long)]
    bare: bool,
    /// Size of the picture [pixels].
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", value_parser = size)]
    size: [u32; 2],
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let remedy = "give two numbers from 64 to 8192, WIDTHxHEIGHT: `1280x720`";
    let sides =
        text.split_once('x').and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
    sides
        .filter(|sides| sides.iter().all(|side| (64..=8192).contains(side)))
        .ok_or_else(|| remedy.to_string())
}

/// What a name asks for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Picture,
    Gif,
    Mp4,
    Glb,
    Mcap,
    Page,
}

impl Kind {
    fn of(path: &Path) -> Result<Self> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        Ok(match extension.as_deref() {
            Some("png") => Self::Picture,
            Some("gif") => Self::Gif,
            Some("mp4") => Self::Mp4,
            Some("glb") => Self::Glb,
            Some("mcap") => Self::Mcap,
            Some("html") => Self::Page,
            _ => bail!("--out is {}; allowed: .png, .gif, .mp4, .glb, .mcap, .html", path.display()),
        })
    }
}

pub(crate) fn run(arguments: &RenderArguments) -> Result<ExitCode> {
    output_file::check("--out", Some(&arguments.out))?;
    arguments.check_ranges()?;
    let out = &arguments.out;
    let kind = Kind::of(out)?;
    // a missing browser or encoder is reported before the run
    let browser = match kind {
        Kind::Picture | Kind::Gif | Kind::Mp4 => Some(find_browser()?),
        Kind::Glb | Kind::Mcap | Kind::Page => None,
    };
    if kind == Kind::Mp4 {
        film::check_encoder()?;
    }
    let recording = progress::spin(&arguments.scene, || recording(arguments))?;
    let html = || page::recording_html(&arguments.scene, std::slice::from_ref(&recording));
    match (kind, browser) {
        (Kind::Glb, _) => write_bytes(out, &glb(&recording))?,
        (Kind::Mcap, _) => write_bytes(out, &mcap(&recording))?,
        (Kind::Page, _) | (_, None) => write_bytes(out, html().as_bytes())?,
        (kind, Some(browser)) => {
            let mut browser = HeadlessBrowser::open(&browser, &html(), &arguments.hash(), arguments.size)?;
            draw(kind, &mut browser, &recording, arguments)?;
        }
    }
    say!("{}", out.display());
    Ok(ExitCode::SUCCESS)
}

/// Draws a picture or a film.
fn draw(
    kind: Kind,
    browser: &mut HeadlessBrowser,
    recording: &Recording,
    arguments: &RenderArguments,
) -> Result<()> {
    let out = &arguments.out;
    if kind == Kind::Picture {
        return write_bytes(out, &browser.picture()?);
    }
    let rate = arguments.frame_rate;
    let times = film::instants(arguments.span(recording.end())?, arguments.speed, rate);
    let bar = progress::bar(&out.display().to_string());
    let mut report = |share: f64| progress::set(&bar, share);
    match kind {
        Kind::Mp4 => film::write_mp4(browser, &times, rate, out, &mut report)?,
        _ => film::write_gif(browser, &times, rate, out, &mut report)?,
    }
    bar.finish_and_clear();
    Ok(())
}

impl RenderArguments {
    fn check_ranges(&self) -> Result<()> {
        for (name, value, [low, high]) in [
            ("--cutaway", self.cutaway, [0.0, 1.6]),
            ("--exaggerate", self.exaggerate, [1.0, 100.0]),
            ("--zoom", self.zoom, [0.1, 10.0]),
            ("--speed", self.speed, [0.01, 100.0]),
            ("--frame-rate", self.frame_rate, [1.0, 60.0]),
        ] {
            if !(low..=high).contains(&value) {
                bail!("{name} is {value}; allowed: {low} to {high}");
            }
        }
        Ok(())
    }

    /// Beginning and end of a film of a run that ends at `end` [s].
    fn span(&self, end: f64) -> Result<[f64; 2]> {
        let to = self.to.unwrap_or(end).min(end);
        if !(0.0..=to).contains(&self.from) {
            bail!("--from is {} s; allowed: 0 to {to} s, where the film ends", self.from);
        }
        Ok([self.from, to])
    }

    /// What the page shows, as the part of its address after `#`.
    fn hash(&self) -> String {
        let time = self.time.unwrap_or(f64::from(u32::MAX));
        let bare = if self.bare { "&bare=1" } else { "" };
        let [cut, gaps, zoom] = [self.cutaway, self.exaggerate, self.zoom];
        format!("time={time}&cut={cut}&exaggerate={gaps}&zoom={zoom}{bare}")
    }
}

fn recording(arguments: &RenderArguments) -> Result<Recording> {
    let path = Path::new(&arguments.scene);
    if log::check_name(path).is_ok() {
        return recording_of_log(path);
    }
    let scene = scene_of(&arguments.scene, &arguments.simulation, arguments.preset)?;
    let steps = (scene.duration() / scene.dt).round().clamp(1.0, 1e6) as usize;
    let simulation = Simulation::new(scene, arguments.simulation.seed);
    Ok(Recording::of_simulation(simulation, steps, ""))
}
