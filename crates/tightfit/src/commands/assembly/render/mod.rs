//! `tightfit render`: pictures and animations of a scene or a log.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use clap::Args;
use tightfit::scene::{Preset, Simulation, log};
use tightfit::viewer::{Recording, glb, mcap, page};

use super::view::recording_of_log;
use crate::commands::output_file::{self, write_bytes};
use crate::commands::simulate::{SimulationArguments, preset, scene_of};
use crate::output::say;

/// Where Debian, Fedora, Homebrew and Google put the browser.
const BROWSERS: [&str; 6] = [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/usr/bin/google-chrome-stable",
    "/opt/homebrew/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

#[derive(Args)]
pub(crate) struct RenderArguments {
    /// Built-in scene, scene file, or log of a run (.parquet, .csv).
    scene: String,
    /// Write this file: a picture (.png), an animation for Blender and three.js (.glb), a run for Foxglove (.mcap), or a
    /// page (.html).
    #[arg(long, value_name = "OUT")]
    out: PathBuf,
    /// Replace the scene's methods by a preset; `tightfit presets` lists them.
    #[arg(long, value_name = "NAME", value_parser = preset)]
    preset: Option<Preset>,
    #[command(flatten)]
    simulation: SimulationArguments,
    /// Show the state at this time [s] [default: the end].
    #[arg(long, value_name = "S")]
    time: Option<f64>,
    /// Cut the parts open: 0 not at all, 1 through the axis.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    cutaway: f64,
    /// Draw gaps this many times as large.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    exaggerate: f64,
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

pub(crate) fn run(arguments: &RenderArguments) -> Result<ExitCode> {
    output_file::check("--out", Some(&arguments.out))?;
    for (name, value, [low, high]) in
        [("--cutaway", arguments.cutaway, [0.0, 1.6]), ("--exaggerate", arguments.exaggerate, [1.0, 100.0])]
    {
        if !(low..=high).contains(&value) {
            bail!("{name} is {value}; allowed: {low} to {high}");
        }
    }
    let extension = arguments.out.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    // an unusual name or a missing browser is reported before the run
    let browser = match extension.as_deref() {
        Some("png") => Some(browser()?),
        Some("glb" | "html" | "mcap") => None,
        _ => bail!("--out is {}; allowed: .png, .glb, .mcap, .html", arguments.out.display()),
    };
    let recording = recording(arguments)?;
    match (extension.as_deref(), browser) {
        (Some("glb"), _) => write_bytes(&arguments.out, &glb(&recording))?,
        (Some("mcap"), _) => write_bytes(&arguments.out, &mcap(&recording))?,
        (_, Some(browser)) => picture(&browser, &recording, arguments)?,
        _ => write_bytes(&arguments.out, page::recording_html(&arguments.scene, &[recording]).as_bytes())?,
    }
    say!("{}", arguments.out.display());
    Ok(ExitCode::SUCCESS)
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

/// The browser that draws pictures.
fn browser() -> Result<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    let found = named.or_else(|| BROWSERS.iter().map(PathBuf::from).find(|path| path.exists()));
    found.context(
        "pictures are drawn by Chromium, which was not found; install `chromium`, set CHROMIUM to its path, or write .glb \
         or .html instead",
    )
}

/// Opens the page in a headless browser and takes a picture of it.
fn picture(browser: &Path, recording: &Recording, arguments: &RenderArguments) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("tightfit-render-{}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let [html, png] = ["page.html", "picture.png"].map(|name| folder.join(name));
    let drawn = (|| {
        std::fs::write(&html, page::recording_html(&arguments.scene, std::slice::from_ref(recording)))?;
        let time = arguments.time.unwrap_or(f64::from(u32::MAX));
        let bare = if arguments.bare { "&bare=1" } else { "" };
        let address = format!(
            "file://{}#time={time}&cut={}&exaggerate={}{bare}",
            html.display(),
            arguments.cutaway,
            arguments.exaggerate
        );
        let [width, height] = arguments.size;
        let status = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--hide-scrollbars", "--no-first-run", "--disable-sync"])
            .args(["--disable-background-networking", "--disable-component-update", "--ignore-gpu-blocklist"])
            .args(["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--virtual-time-budget=6000"])
            .arg(format!("--user-data-dir={}", folder.join("profile").display()))
            .arg(format!("--window-size={width},{height}"))
            .arg(format!("--screenshot={}", png.display()))
            .arg(address)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .with_context(|| format!("{} could not be started", browser.display()))?;
        if !status.success() {
            bail!("{} ended with {status}", browser.display());
        }
        let bytes = std::fs::read(&png).context("the browser wrote no picture")?;
        write_bytes(&arguments.out, &bytes)
    })();
    let _ = std::fs::remove_dir_all(&folder);
    drawn
}
