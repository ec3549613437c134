//! `tightfit plan-touches SCENE`: poses to touch that tell most about what is unknown.

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use clap::Args;
use serde_json::json;
use tightfit::calibration::{Experiment, Quantity, TouchOptions, plan_touches};
use tightfit::scene::Scene;

use crate::commands::numbers::within;
use crate::output::{put, say};
use crate::progress;
use crate::table::Table;

#[derive(Args)]
pub(crate) struct PlanTouchesArguments {
    /// Plan for this built-in scene or scene file.
    scene: String,
    /// Tell about these quantities, separated by commas, named as for `tightfit identify --fit`.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = ["diameter", "fixed-pose", "friction"].map(String::from))]
    fit: Vec<String>,
    /// Propose this many touches.
    #[arg(long, value_name = "COUNT", default_value_t = 8)]
    count: usize,
    /// Choose from this many candidates.
    #[arg(long, value_name = "COUNT", default_value_t = 600)]
    candidates: usize,
    /// Touch with at most this force [N].
    #[arg(long, value_name = "N", default_value_t = 20.0, allow_negative_numbers = true)]
    force_n: f64,
    /// Draw the candidates from this seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &PlanTouchesArguments) -> Result<ExitCode> {
    let scene = Scene::find(&arguments.scene)?;
    let experiment = Experiment::new(&scene, 0.01)?;
    let (unknowns, wear) = experiment.unknowns(&arguments.fit, &[], [None, None])?;
    let options = TouchOptions {
        count: within("--count", arguments.count as f64, 1.0, 1000.0)? as usize,
        candidates: within("--candidates", arguments.candidates as f64, 1.0, 1e5)? as usize,
        force: within("--force-n", arguments.force_n, 0.1, 1e4)?,
        seed: arguments.seed,
        ..TouchOptions::default()
    };
    let bar = progress::bar("candidates");
    let done = AtomicUsize::new(0);
    let touches = plan_touches(&experiment, scene.drives.first(), &unknowns, wear, &options, || {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        progress::set(&bar, done as f64 / options.candidates as f64);
    });
    bar.finish_and_clear();
    let touches = touches?;
    let names: Vec<String> = unknowns
        .iter()
        .filter(|own| !matches!(own.quantity, Quantity::Wear(_)))
        .map(|own| own.quantity.name())
        .collect();
    if arguments.json {
        let of = |touch: &tightfit::calibration::Touch| {
            let (p, q) = (touch.world_from_part.translation, touch.world_from_part.rotation);
            json!({
                "position_m": [p.x, p.y, p.z], "quaternion_wxyz": [q.w, q.i, q.j, q.k],
                "expected_wrench": touch.wrench, "gain": touch.gain,
                "left_of_prior": names.iter().zip(&touch.left).collect::<std::collections::BTreeMap<_, _>>(),
            })
        };
        say!("{}", serde_json::to_string_pretty(&touches.iter().map(of).collect::<Vec<_>>())?);
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&[
        "touch",
        "x [mm]",
        "y",
        "z",
        "about x [deg]",
        "about y",
        "about z",
        "force [N]",
        "gain",
    ]);
    for (number, touch) in touches.iter().enumerate() {
        let p = touch.world_from_part.translation * 1e3;
        let (x, y, z) = touch.world_from_part.rotation.euler_angles();
        let force = touch.wrench[..3].iter().map(|own| own * own).sum::<f64>().sqrt();
        let mut cells = vec![(number + 1).to_string()];
        cells.extend([p.x, p.y, p.z].map(|own| format!("{own:.3}")));
        cells.extend([x, y, z].map(|own| format!("{:.3}", own.to_degrees())));
        cells.extend([format!("{force:.1}"), format!("{:.2}", touch.gain)]);
        table.row(cells);
    }
    put!("{table}");
    if let Some(last) = touches.last() {
        say!("\nleft of what was unknown after all touches:");
        for (name, left) in names.iter().zip(&last.left) {
            let told = if *left > 0.5 { "  not told by these touches" } else { "" };
            say!("  {name}: {:.2} %{told}", 100.0 * left);
        }
    }
    Ok(ExitCode::SUCCESS)
}
