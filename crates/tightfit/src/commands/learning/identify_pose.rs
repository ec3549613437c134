//! `tightfit identify-pose RECORDINGS`: the pose of the fixed part at which the recorded motion penetrates it least.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::json;
use tightfit::learning::identification::identify_fixed_pose;
use tightfit::learning::recordings::load_recordings;
use tightfit::scene::{Body, Motion, Scene};
use tightfit::shape::Part;
use tightfit::spatial::{Pose, Vector3};

use super::identify::{answer_json, answer_table};
use crate::commands::numbers::within;
use crate::commands::output_file::{self, write_text};
use crate::output::{put, say};
use crate::progress;

#[derive(Args)]
pub(crate) struct IdentifyPoseArguments {
    /// Read this folder of recordings, or one recording.
    recordings: PathBuf,
    /// Use this built-in scene or scene file [default: scene.toml in the folder of the recordings].
    #[arg(long)]
    scene: Option<String>,
    /// Find the pose of this fixed part [default: the only one].
    #[arg(long, value_name = "NAME")]
    part: Option<String>,
    /// Use this share of the samples: those with the part deepest in the other, by the centres of their boxes.
    #[arg(long, default_value_t = 0.5, value_name = "SHARE", allow_negative_numbers = true)]
    share: f64,
    /// Use at most this many of them, evenly spread.
    #[arg(long, default_value_t = 100, value_name = "COUNT")]
    poses: usize,
    /// Set the standard deviation of recorded poses [um].
    #[arg(long, default_value_t = 5.0, value_name = "UM", allow_negative_numbers = true)]
    noise_um: f64,
    /// Write the scene with the part at the found pose to this file.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &IdentifyPoseArguments) -> Result<ExitCode> {
    output_file::check("--write", arguments.write.as_ref())?;
    let share = within("--share", arguments.share, 0.01, 1.0)?;
    let noise = within("--noise-um", arguments.noise_um, 1e-3, 1e4)? * 1e-6;
    let count = within("--poses", arguments.poses as f64, 8.0, 1e5)? as usize;
    let scene = arguments.scene()?;
    let (fixed, moving) = (arguments.fixed(&scene)?, moving(&scene)?);
    let samples = load_recordings(&arguments.recordings)?.into_iter().flat_map(|trial| trial.samples);
    let poses: Vec<Pose> = samples.map(|sample| sample.world_from_part).collect();
    let inside = deepest(fixed, moving, &poses, share, count);
    let (found, answer) = progress::spin("pose of the fixed part", || {
        identify_fixed_pose(&fixed.part, &moving.part, &inside, fixed.world_from_part, noise)
    });
    if answer.estimates.is_empty() {
        let reasons: Vec<&str> = answer.refusals.iter().map(|own| own.reason.as_str()).collect();
        bail!("the pose of `{}` is not identified: {}", fixed.name, reasons.join("; "));
    }
    let position = found.translation * 1e3;
    let (roll, pitch, yaw) = found.rotation.euler_angles();
    let rotation = [roll, pitch, yaw].map(f64::to_degrees);
    if let Some(path) = &arguments.write {
        let key =
            |key: &str, [x, y, z]: [f64; 3]| format!("parts.{}.{key}=[{x:?}, {y:?}, {z:?}]", fixed.name);
        let replaced = [key("position_mm", position.into()), key("rotation_deg", rotation)];
        let placed = Scene::from_source_with(&scene.source, &scene.name, &replaced)?;
        write_text(path, &placed.source.text_for_any_folder()?)?;
    }
    if arguments.json {
        let report = json!({
            "part": fixed.name, "poses": inside.len(), "position_mm": [position.x, position.y, position.z],
            "rotation_deg": rotation, "answer": answer_json("fixed-pose", &answer),
        });
        say!("{}", serde_json::to_string_pretty(&report)?);
        return Ok(ExitCode::SUCCESS);
    }
    say!("pose of `{}` from {} of {} recorded poses", fixed.name, inside.len(), poses.len());
    put!("{}", answer_table(&answer));
    for refusal in &answer.refusals {
        say!("not determined: {}: {}", refusal.name, refusal.reason);
    }
    let [x, y, z] = rotation;
    say!("\nposition_mm = [{:.4}, {:.4}, {:.4}]", position.x, position.y, position.z);
    say!("rotation_deg = [{x:.4}, {y:.4}, {z:.4}]");
    Ok(ExitCode::SUCCESS)
}

impl IdentifyPoseArguments {
    fn scene(&self) -> Result<Scene> {
        if let Some(name) = &self.scene {
            return Ok(Scene::find(name)?);
        }
        let folder = match self.recordings.is_dir() {
            true => self.recordings.clone(),
            false => self.recordings.parent().map(PathBuf::from).unwrap_or_default(),
        };
        let beside = folder.join("scene.toml");
        if !beside.exists() {
            bail!("{} does not exist; name the scene with --scene", beside.display());
        }
        Ok(Scene::load(&beside)?)
    }

    fn fixed<'a>(&self, scene: &'a Scene) -> Result<&'a Body> {
        let all: Vec<&Body> = scene.bodies.iter().filter(|body| body.motion == Motion::Fixed).collect();
        let names: Vec<&str> = all.iter().map(|body| body.name.as_str()).collect();
        match (&self.part, &all[..]) {
            (None, [only]) => Ok(only),
            (None, _) => {
                bail!("`{}` has {} fixed parts; name one with --part: {names:?}", scene.name, all.len())
            }
            (Some(name), _) => all.iter().find(|body| body.name == *name).copied().with_context(|| {
                format!("`{}` has no fixed part `{name}`; fixed parts: {names:?}", scene.name)
            }),
        }
    }
}

fn moving(scene: &Scene) -> Result<&Body> {
    let mut free = scene.bodies.iter().filter(|body| body.motion == Motion::Free);
    match (free.next(), free.next()) {
        (Some(only), None) => Ok(only),
        _ => bail!("`{}` has not exactly one free part, whose poses are recorded", scene.name),
    }
}

/// The poses with the parts deepest in one another: the nearer the centres of their boxes, the deeper.
fn deepest(fixed: &Body, moving: &Body, poses: &[Pose], share: f64, count: usize) -> Vec<Pose> {
    let [of_fixed, of_moving] = [fixed, moving].map(|body| center(&body.part));
    let there = fixed.world_from_part.transform_point(of_fixed);
    let distance = |pose: &Pose| (pose.transform_point(of_moving) - there).norm();
    let mut distances: Vec<f64> = poses.iter().map(distance).collect();
    distances.sort_by(f64::total_cmp);
    let last = (share * distances.len() as f64).ceil() as usize;
    let most = distances.get(last.saturating_sub(1)).copied().unwrap_or(0.0);
    let near: Vec<Pose> = poses.iter().filter(|pose| distance(pose) <= most).copied().collect();
    let every = near.len().div_ceil(count).max(1);
    near.into_iter().step_by(every).collect()
}

fn center(part: &Part) -> Vector3<f64> {
    part.aabb().map_or_else(Vector3::zeros, |own| (own.min + own.max) / 2.0)
}
