//! A whole run with audit, certificate, log and report: `cargo run --release --example first_run`
#![allow(clippy::print_stdout, reason = "an example talks to people")]

use std::path::Path;

use tightfit::report::{RunSummary, report_html};
use tightfit::scene::log::{self, RunMeta};
use tightfit::scene::{Scene, Simulation, Summary};

fn main() -> anyhow::Result<()> {
    // a built-in scene by name, or a scene file by path
    let scene = Scene::find("peg-in-hole")?;
    let steps = (scene.duration() / scene.dt).round() as usize;

    let seed = 1;
    let mut run = Simulation::new(scene, seed);
    run.with_audit();
    let mut kept = RunSummary::new(&run.scene);
    for _ in 0..steps {
        let record = run.advance();
        kept.follow(&run, record);
    }

    kept.conclude(&run, None);
    if let Some(end) = &kept.conclusion {
        let depth = end.outcome.depth.unwrap_or_default();
        println!("{}, {:.2} mm deep", end.assessment.grade.name(), depth * 1e3);
        end.assessment.reasons.iter().for_each(|reason| println!("  {reason}"));
    }
    let certificate = Summary::of(&kept.records);
    let [deepest, ..] = certificate.audited.unwrap_or_default();
    println!(
        "audited penetration at most {:.3} um, {} steps unconverged",
        deepest * 1e6,
        certificate.unconverged
    );

    let folder = Path::new("tightfit-report");
    std::fs::create_dir_all(folder)?;
    log::write(&folder.join("first_run.parquet"), &run.scene, &RunMeta::new(seed, None), &kept.records)?;
    std::fs::write(folder.join("first_run.html"), report_html(&[kept]))?;
    println!("log and report are in {}", folder.display());
    Ok(())
}
