//! `tightfit fit SHAFT.step HOUSING.step`: finds how one part goes into another, and runs it.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;
use tightfit::shape::cad::{File, Limits, Mating, Solid, mate};
use tightfit::spatial::{Pose, UnitQuaternion};

use super::run::{self, RunArguments};
use super::within_tolerance::{self, Sizes};
use crate::output::{put, say};
use crate::progress;

#[derive(Args)]
pub(crate) struct FitArguments {
    /// STEP file of the part that goes in.
    shaft: PathBuf,
    /// STEP file of the part that it goes into.
    housing: PathBuf,
    /// Choose this body of the shaft's file.
    #[arg(long, value_name = "NAME")]
    shaft_body: Option<String>,
    /// Choose this body of the housing's file.
    #[arg(long, value_name = "NAME")]
    housing_body: Option<String>,
    /// Write the scene of the insertion to this file.
    #[arg(long, value_name = "OUT", default_value = "fit.toml")]
    scene: PathBuf,
    /// Start this far beside the axis [mm].
    #[arg(long, value_name = "MM", default_value_t = 0.0, allow_negative_numbers = true)]
    offset_mm: f64,
    /// Compare the clearance of the files with this fit of ISO 286, such as H7/g6, write its limits into the scene as ranges, and
    /// run the tightest and the loosest pair and some drawn between them.
    #[arg(long, value_name = "FIT")]
    tolerance: Option<String>,
    /// Run this many pairs drawn within the tolerance.
    #[arg(long, value_name = "N", default_value_t = 4, requires = "tolerance", value_parser = clap::value_parser!(u32).range(..=1000))]
    draws: u32,
    /// Seed of the draws.
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "tolerance")]
    seed: u64,
    /// Write an HTML report of the insertion, with a 3-D view of it.
    #[arg(long, value_name = "OUT", conflicts_with_all = ["no_run", "json"])]
    report: Option<PathBuf>,
    /// Print the fit and write the scene, but do not run it.
    #[arg(long)]
    no_run: bool,
    /// Print the fit as JSON, without running it.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &FitArguments) -> Result<ExitCode> {
    let shaft = open(&arguments.shaft, arguments.shaft_body.as_deref())?;
    let housing = open(&arguments.housing, arguments.housing_body.as_deref())?;
    let mating = progress::spin("fitting the parts", || mate(&shaft, &housing))?;
    // drawings give nominal sizes to a tenth of a millimetre; the rest is the fit
    let nominal = 1e-4 * (1e4 * (mating.bores[0].radius + mating.bores[1].radius)).round();
    let limits = arguments.tolerance.as_deref().map(|name| Limits::of(name, nominal)).transpose()?;
    let sizes = limits.map(|limits| Sizes::new(nominal, limits, mating.bores.map(|bore| 2.0 * bore.radius)));
    let scene = scene_text(arguments, &mating, sizes.as_ref())?;
    std::fs::write(&arguments.scene, scene)
        .with_context(|| format!("cannot write {}", arguments.scene.display()))?;
    if arguments.json {
        say!("{}", serde_json::to_string_pretty(&json(&mating, limits.as_ref()))?);
        return Ok(ExitCode::SUCCESS);
    }
    put!("{}", table(arguments, &mating, limits.as_ref())?);
    if arguments.no_run {
        return Ok(ExitCode::SUCCESS);
    }
    let as_drawn = run::run(&RunArguments::audited(&arguments.scene, arguments.report.clone()))?;
    let Some(sizes) = sizes else { return Ok(as_drawn) };
    let is_good = within_tolerance::run(&arguments.scene, &sizes, arguments.draws, arguments.seed)?;
    Ok(if is_good { as_drawn } else { worse(as_drawn) })
}

/// The exit code of a fit whose drawn sizes do not all go in: that of the run, unless it was a success.
fn worse(code: ExitCode) -> ExitCode {
    if code == ExitCode::SUCCESS { ExitCode::from(1) } else { code }
}

fn open(path: &Path, body: Option<&str>) -> Result<Solid> {
    let file = File::open(path)?;
    file.solid(body).with_context(|| path.display().to_string())
}

fn table(arguments: &FitArguments, mating: &Mating, limits: Option<&Limits>) -> Result<String> {
    let mut text = String::new();
    let [a, b] = mating.bores;
    let clearance = 2.0 * (b.radius - a.radius);
    writeln!(text, "{} into {}", arguments.shaft.display(), arguments.housing.display())?;
    writeln!(text, "  common axis   shaft {:.4} mm, bore {:.4} mm", 2e3 * a.radius, 2e3 * b.radius)?;
    writeln!(text, "  clearance     {:.1} um in the diameter", 1e6 * clearance)?;
    if let (Some(name), Some(limits)) = (&arguments.tolerance, limits) {
        let [least, most] = limits.clearance().map(|x| 1e6 * x);
        let verdict = match 1e6 * clearance {
            own if own < least => "tighter than that",
            own if own > most => "looser than that",
            _ => "within it",
        };
        let [hole, shaft] =
            [limits.hole, limits.shaft].map(|[low, high]| format!("{:+.1} to {:+.1}", 1e6 * low, 1e6 * high));
        writeln!(
            text,
            "  {name:<13} hole {hole} um, shaft {shaft} um: {least:.1} to {most:.1} um; the files are {verdict}"
        )?;
    }
    writeln!(
        text,
        "  way in        {:.3} mm, cylinders overlap over {:.3} mm",
        1e3 * mating.travel,
        1e3 * mating.engaged
    )?;
    writeln!(text, "  mouth         takes the tip up to {:.3} mm beside the axis", 1e3 * mating.catch)?;
    let play = |x: f64| if x.is_nan() { "free".to_string() } else { format!("{:.1} um", 1e6 * x) };
    writeln!(text, "  play across   {} and {}", play(mating.play[0]), play(mating.play[1]))?;
    let turning = match mating.turning_play {
        angle if angle.is_nan() => "free".to_string(),
        angle => format!("{:.3} deg", angle.to_degrees()),
    };
    writeln!(text, "  play about    {turning}")?;
    writeln!(
        text,
        "\n  {:<10} {:>10} {:>10} {:>14} {:>14}",
        "faces", "shaft", "housing", "diameter [mm]", "clearance [um]"
    )?;
    for pair in &mating.pairs {
        let diameter = if pair.diameter > 0.0 { format!("{:.4}", 1e3 * pair.diameter) } else { "-".into() };
        let [own, other] = pair.faces.map(|id| format!("#{id}"));
        writeln!(
            text,
            "  {:<10} {own:>10} {other:>10} {diameter:>14} {:>14.2}",
            pair.kind,
            1e6 * pair.clearance
        )?;
    }
    writeln!(text, "\nwrote {}\n", arguments.scene.display())?;
    Ok(text)
}

fn json(mating: &Mating, limits: Option<&Limits>) -> serde_json::Value {
    let [a, b] = mating.bores;
    let pairs: Vec<_> = mating
        .pairs
        .iter()
        .map(|pair| {
            json!({
                "kind": pair.kind,
                "faces": pair.faces,
                "diameter_m": pair.diameter,
                "clearance_m": pair.clearance,
            })
        })
        .collect();
    json!({
        "shaft_diameter_m": 2.0 * a.radius,
        "bore_diameter_m": 2.0 * b.radius,
        "travel_m": mating.travel,
        "engaged_m": mating.engaged,
        "catch_m": mating.catch,
        "play_m": mating.play,
        "turning_play_rad": mating.turning_play,
        "tolerated_clearance_m": limits.map(Limits::clearance),
        "pairs": pairs,
    })
}

/// A scene that pushes the shaft in along the axis in three seconds.
fn scene_text(arguments: &FitArguments, mating: &Mating, sizes: Option<&Sizes>) -> Result<String> {
    let end = mating.end();
    let waypoint = |time: f64, pose: &Pose| {
        let [x, y, z] = pose.translation.map(|x| 1e3 * x).into();
        let [a, b, c] = angles(&pose.rotation);
        format!(
            "{{ time_s = {time:.1}, position_mm = [{x:.9}, {y:.9}, {z:.9}], rotation_deg = [{a:.9}, {b:.9}, {c:.9}] }}"
        )
    };
    let body =
        |name: &Option<String>| name.as_ref().map_or(String::new(), |name| format!(", body = {name:?}"));
    let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let mut text = String::new();
    writeln!(text, "name = \"fit\"")?;
    writeln!(text, "description = \"The shaft goes into the housing along their common axis\"")?;
    writeln!(text, "gravity_m_s2 = [0, 0, 0]\nfriction = 0.1\n")?;
    let file = |path: &Path| format!("{:?}", absolute(path).display().to_string());
    writeln!(text, "[parts.housing]")?;
    writeln!(
        text,
        "shape = {{ kind = \"step\", file = {}{} }}",
        file(&arguments.housing),
        body(&arguments.housing_body)
    )?;
    writeln!(text, "motion = \"fixed\"\n\n[parts.shaft]")?;
    writeln!(
        text,
        "shape = {{ kind = \"step\", file = {}{} }}",
        file(&arguments.shaft),
        body(&arguments.shaft_body)
    )?;
    let mouth = mating.direction.dot(&end.translation) - mating.engaged;
    // all but what friction and the compliance of the drive leave
    let depth = mating.engaged - (0.02 * mating.engaged).min(1e-4);
    let [x, y, z] = mating.direction.into();
    writeln!(text, "\n[task]\nkind = \"insert\"\ninto = \"housing\"\nalong = [{x:.12}, {y:.12}, {z:.12}]")?;
    writeln!(text, "from_mm = {:.6}\ndepth_mm = {:.6}\nengaged_mm = 0", 1e3 * mouth, 1e3 * depth)?;
    writeln!(text, "\n[drive]\npart = \"shaft\"\nstiffness_n_m = [20000, 20000, 20000]")?;
    writeln!(
        text,
        "turning_stiffness_nm_rad = [20, 20, 20]\ndamping_per_s = 50\noffset_mm = {}",
        arguments.offset_mm
    )?;
    writeln!(
        text,
        "waypoints = [\n    {},\n    {},\n]\nhold_s = 0.5",
        waypoint(0.0, &mating.start),
        waypoint(3.0, &end)
    )?;
    if let Some(sizes) = sizes {
        text += &sizes.uncertainty();
    }
    Ok(text)
}

/// Rotations about the world's x, then y, then z axis [deg].
fn angles(rotation: &UnitQuaternion<f64>) -> [f64; 3] {
    let (roll, pitch, yaw) = rotation.euler_angles();
    [roll, pitch, yaw].map(f64::to_degrees)
}
