//! `tightfit view`: show a scene or a log in the browser.

use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use tightfit::scene::Preset;
use tightfit::scene::log;
use tightfit::viewer::server::{Content, Server, ServerOptions};
use tightfit::viewer::{Recording, Session};

use crate::commands::simulate::{SimulationArguments, preset, scene_of};
use crate::output::say;

/// Scene that is shown when none is named.
const DEFAULT_SCENE: &str = "bolting";

#[derive(Args)]
pub(crate) struct ViewArguments {
    /// Built-in scene, scene file, or log of a run (.parquet, .csv) [default: bolting].
    scene: Option<String>,
    /// Replace the scene's methods by a preset; `tightfit presets` lists them.
    #[arg(long, value_name = "NAME", value_parser = preset)]
    preset: Option<Preset>,
    #[command(flatten)]
    simulation: SimulationArguments,
    /// Listen on this port; 0 takes a free one.
    #[arg(long, default_value_t = 8017)]
    port: u16,
    /// Listen on this address. Others than the loopback address let other machines connect.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,
    /// Send at most this many frames per second.
    #[arg(long, value_name = "HZ", default_value_t = 60.0)]
    frame_rate: f64,
}

pub(crate) fn run(arguments: &ViewArguments) -> Result<ExitCode> {
    if !(1.0..=240.0).contains(&arguments.frame_rate) {
        bail!("--frame-rate is {}; allowed: 1 to 240 frames per second", arguments.frame_rate);
    }
    let name = arguments.scene.as_deref().unwrap_or(DEFAULT_SCENE);
    let content = match log::check_name(Path::new(name)) {
        Ok(()) => Content::Recordings(vec![recording_of_log(Path::new(name))?]),
        Err(_) => {
            let scene = scene_of(name, &arguments.simulation, arguments.preset)?;
            Content::Live(Box::new(Session::new(scene, Vec::new())))
        }
    };
    let options = ServerOptions {
        address: SocketAddr::new(arguments.host, arguments.port),
        frame_rate: arguments.frame_rate,
        ..ServerOptions::default()
    };
    let address = options.address;
    let server = Server::bind(content, options)
        .with_context(|| format!("cannot listen on {address}; choose another --port, or 0 for a free one"))?;
    say!("{}", server.url());
    say!("Open this address in a browser. End with Ctrl+C.");
    server.run().context("the server stopped")?;
    Ok(ExitCode::SUCCESS)
}

/// Repeats the run of a log and records it; a run that cannot be repeated is shown without contacts.
pub(crate) fn recording_of_log(path: &Path) -> Result<Recording> {
    let log = log::read(path)?;
    let (recording, is_repeated) = Recording::of_log(&log, &path.display().to_string())
        .with_context(|| format!("the scene of {} cannot be built", path.display()))?;
    if !is_repeated {
        // a closed standard error is no reason to stop
        let _ = writeln!(
            std::io::stderr(),
            "warning: the run of {} cannot be repeated (driven by hand, or by another version); its poses are shown \
             without contacts",
            path.display()
        );
    }
    Ok(recording)
}
