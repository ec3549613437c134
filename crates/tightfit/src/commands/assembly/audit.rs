//! `tightfit audit`: true penetration along a trajectory from any source.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use serde_json::json;
use tightfit::scene::{Audit, BodyMotion, Motion, Parameters, Scene, State};
use tightfit::spatial::{Pose, Twist, UnitQuaternion, Vector3};

use crate::commands::numbers::numbers;
use crate::output::say;
use crate::progress;

#[derive(Args)]
pub(crate) struct AuditArguments {
    /// Take the parts from this built-in scene or scene file.
    scene: String,
    /// Read poses from this CSV file, one per line: time_s, x, y, z [m], quaternion w, x, y, z of the free part's frame in the
    /// world. A header line and lines that begin with # are skipped.
    #[arg(long, value_name = "FILE")]
    poses: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &AuditArguments) -> Result<ExitCode> {
    let scene = Scene::find(&arguments.scene)?;
    let mut free = scene.body_ids().filter(|body| scene.bodies[*body].motion == Motion::Free);
    let (Some(body), None) = (free.next(), free.next()) else {
        bail!("scene {} must have one free part, whose poses the file holds", scene.name);
    };
    let rows = read(&arguments.poses)?;
    let parameters = Parameters::of(&scene);
    let inertia = parameters.bodies[body].inertia.context("the free part has no mass")?;
    let audit = Audit::new(&scene, &parameters);
    let mut state = State::start(&scene, &parameters);
    let bar = progress::bar(&format!("{} audited", scene.name));
    let (mut sum, mut deepest, mut when) = (0.0, 0.0, 0.0);
    for (index, (time, pose)) in rows.iter().enumerate() {
        state.motions[0] = BodyMotion {
            center: pose.transform_point(inertia.center_of_mass),
            rotation: pose.rotation,
            twist: Twist::new(Vector3::zeros(), Vector3::zeros()),
        };
        let depth = audit.penetration(&scene, &parameters, &state);
        sum += depth;
        if depth > deepest {
            (deepest, when) = (depth, *time);
        }
        progress::set(&bar, index as f64 / rows.len() as f64);
    }
    bar.finish_and_clear();
    let mean = sum / rows.len() as f64;
    match arguments.json {
        true => {
            let report = json!({
                "scene": scene.name,
                "poses": rows.len(),
                "mean_um": mean * 1e6,
                "max_um": deepest * 1e6,
                "max_at_s": when,
            });
            say!("{}", serde_json::to_string_pretty(&report)?);
        }
        false => say!(
            "{}: penetration {:.3} um at the deepest, at {when:.4} s; mean of the deepest over {} poses {:.3} um",
            scene.name,
            deepest * 1e6,
            rows.len(),
            mean * 1e6
        ),
    }
    Ok(ExitCode::SUCCESS)
}

/// Times [s] and poses.
fn read(path: &Path) -> Result<Vec<(f64, Pose)>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let is_number = line.split(',').next().is_some_and(|word| word.trim().parse::<f64>().is_ok());
        let is_remark = line.trim().is_empty() || line.trim_start().starts_with('#');
        // a header may precede the poses; below the first pose such a line is a damaged pose
        if !is_number && (is_remark || rows.is_empty()) {
            continue;
        }
        let place = || format!("{}, line {}", path.display(), index + 1);
        let remedy = "a pose is time_s, x, y, z, qw, qx, qy, qz";
        let row: Vec<f64> =
            numbers(line, ',').map_err(|reason| anyhow!("{}: {reason}; {remedy}", place()))?;
        let [time, x, y, z, qw, qx, qy, qz] = row[..] else {
            bail!("{}: {} numbers; {remedy}", place(), row.len());
        };
        if let Some(column) = row.iter().position(|number| !number.is_finite()) {
            bail!("{}: `{}` in place {} is not finite; {remedy}", place(), row[column], column + 1);
        }
        let length = (qw * qw + qx * qx + qy * qy + qz * qz).sqrt();
        if (length - 1.0).abs() >= 1e-3 {
            bail!("{}: the quaternion has length {length}; it must be 1", place());
        }
        let rotation = UnitQuaternion::new_normalize([qx, qy, qz, qw].into());
        rows.push((time, Pose::new(Vector3::new(x, y, z), rotation)));
    }
    if rows.is_empty() {
        bail!("{} holds no poses", path.display());
    }
    Ok(rows)
}
