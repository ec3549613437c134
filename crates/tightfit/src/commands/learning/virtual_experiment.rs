//! `tightfit virtual-experiment SCENE`: writes synthetic recordings of a part that a person guides, with simulated sensor
//! readings. A fingerprint identifies the data.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use serde_json::json;
use tightfit::interaction_training::virtual_experiment::{
    Disturbance, VirtualOptions, generate, thread_scene,
};
use tightfit::learning::recordings::{Recording, fingerprint};
use tightfit::scene::Scene;
use tightfit::shape::preset::PAPER_PAIRS;

use crate::commands::numbers::{numbers, within};
use crate::commands::output_file::write_text;
use crate::output::say;
use crate::progress;

#[derive(Args)]
pub(crate) struct VirtualExperimentArguments {
    /// Use this built-in scene, scene file, or size of the paper's nuts and bolts such as 48x5 or 47.2x5.
    #[arg(required_unless_present = "table_2")]
    scene: Option<String>,
    /// Generate recordings of the ten pairs of the paper's Table II, one folder per pair.
    #[arg(long, conflicts_with = "scene")]
    table_2: bool,
    /// Generate this many trials per scene.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    trials: u32,
    /// Draw from this seed; the same seed gives the same recordings.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Set the length of a trial [s].
    #[arg(long, default_value_t = 10.0, value_name = "S", allow_negative_numbers = true)]
    seconds: f64,
    /// Set the step of the simulation [ms]; 10 must be a multiple.
    #[arg(long, default_value_t = 2.0, value_name = "MS", allow_negative_numbers = true)]
    step_ms: f64,
    /// Set the standard deviation of the bolt's radius along the thread [um].
    #[arg(long, default_value_t = 3.0, value_name = "UM", allow_negative_numbers = true)]
    waviness_um: f64,
    /// Set the stiffness of the grasp, along and about every axis [N/m, N·m/rad].
    #[arg(long, default_value = "1e5,200", value_name = "K,KR")]
    grasp: String,
    /// Set the standard deviation of a slow error of recorded poses [um, urad]: the arm's kinematics, the fixed part's pose.
    #[arg(long, default_value = "0,0", value_name = "UM,URAD")]
    pose_error: String,
    /// Leave these disturbances out, separated by commas; motions and other disturbances stay the same.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "NAMES")]
    without: Vec<LeftOut>,
    /// Write to this folder; a scene that has recordings there already is refused.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum LeftOut {
    PoseNoise,
    SensorNoise,
    Waviness,
    Friction,
}

impl From<LeftOut> for Disturbance {
    fn from(own: LeftOut) -> Self {
        match own {
            LeftOut::PoseNoise => Self::PoseNoise,
            LeftOut::SensorNoise => Self::SensorNoise,
            LeftOut::Waviness => Self::Waviness,
            LeftOut::Friction => Self::Friction,
        }
    }
}

pub(crate) fn run(arguments: &VirtualExperimentArguments) -> Result<ExitCode> {
    // A wave of more than a tenth of the pitch would destroy the thread.
    let waviness = within("--waviness-um", arguments.waviness_um, 0.0, 500.0)? * 1e-6;
    let options = VirtualOptions {
        seed: arguments.seed,
        seconds: arguments.seconds,
        step: arguments.step_ms * 1e-3,
        waviness: [waviness, VirtualOptions::default().waviness[1]],
        grasp: two("--grasp", &arguments.grasp, [[1.0, 1e9], [1e-3, 1e9]])?,
        pose_error: two("--pose-error", &arguments.pose_error, [[0.0, 5000.0], [0.0, 1e5]])?
            .map(|own| own * 1e-6),
        ..VirtualOptions::default()
    };
    let left_out = arguments.without.iter().copied().map(Disturbance::from);
    let options = left_out.fold(options, VirtualOptions::without);
    let jobs: Vec<(Scene, PathBuf)> = match &arguments.scene {
        Some(name) => vec![(scene_of(name)?, arguments.out.clone())],
        None => {
            let job = |(diameter, pitch): &(f64, f64)| {
                Ok((thread_scene(*diameter, *pitch)?, arguments.out.join(format!("{diameter}x{pitch}"))))
            };
            PAPER_PAIRS.iter().map(job).collect::<Result<_>>()?
        }
    };
    let mut all = Vec::new();
    for (scene, folder) in &jobs {
        let recordings = write(scene, folder, &options, arguments.trials as usize)?;
        let samples: usize = recordings.iter().map(|recording| recording.samples.len()).sum();
        let hash = format!("{:016x}", fingerprint(&recordings));
        match arguments.json {
            true => all.push(json!({
                "scene": scene.name, "folder": folder, "trials": recordings.len(), "samples": samples,
                "fingerprint": hash, "synthetic": true,
            })),
            false => say!(
                "{}: {} synthetic trials, {samples} samples, fingerprint {hash}",
                folder.display(),
                recordings.len()
            ),
        }
    }
    if arguments.json {
        say!("{}", serde_json::to_string_pretty(&all)?);
    }
    Ok(ExitCode::SUCCESS)
}

/// Two numbers of an option, each within its range.
fn two(option: &str, text: &str, ranges: [[f64; 2]; 2]) -> Result<[f64; 2]> {
    let numbers: Vec<f64> = numbers(text, ',').map_err(|wrong| anyhow!("{option}: {wrong}"))?;
    let [first, second] = numbers[..] else {
        bail!("{option} is `{text}`; give two numbers with a comma between them");
    };
    let [[least, most], [second_least, second_most]] = ranges;
    Ok([within(option, first, least, most)?, within(option, second, second_least, second_most)?])
}

/// A scene by name, or by the size of a pair.
fn scene_of(name: &str) -> Result<Scene> {
    let size = name
        .split_once('x')
        .and_then(|(diameter, pitch)| Some((diameter.parse::<f64>().ok()?, pitch.parse::<f64>().ok()?)));
    Ok(match size {
        Some((diameter, pitch)) => thread_scene(diameter, pitch)?,
        None => Scene::find(name)?,
    })
}

fn write(scene: &Scene, folder: &Path, options: &VirtualOptions, trials: usize) -> Result<Vec<Recording>> {
    if folder.join("experiment.json").exists() {
        bail!("{} holds an experiment already; name another folder or delete it", folder.display());
    }
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let bar = progress::bar(&format!("{}: trials", scene.name));
    let done = AtomicUsize::new(0);
    let recordings = generate(scene, options, trials, || {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        progress::set(&bar, done as f64 / trials as f64);
    });
    bar.finish_and_clear();
    let recordings = recordings?;
    let note = format!("SYNTHETIC: simulated by tightfit {}, no real sensor", env!("CARGO_PKG_VERSION"));
    for recording in &recordings {
        recording.save(&folder.join(format!("{}.csv", recording.name)), &note)?;
    }
    // The copy beside the recordings must still find its meshes.
    write_text(&folder.join("scene.toml"), &scene.source.text_for_any_folder()?)?;
    let experiment = json!({
        "synthetic": true,
        "scene": scene.name,
        "options_si": options,
        "fingerprint": format!("{:016x}", fingerprint(&recordings)),
        "made_by": format!("tightfit {}", env!("CARGO_PKG_VERSION")),
    });
    write_text(&folder.join("experiment.json"), &(serde_json::to_string_pretty(&experiment)? + "\n"))?;
    Ok(recordings)
}
