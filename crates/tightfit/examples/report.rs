//! Runs scenes and writes their report and logs: `cargo run --example report -- OUT_FOLDER SCENE...`
#![allow(clippy::print_stdout, reason = "an example talks to people")]

use std::path::PathBuf;

use tightfit::report::{RunSummary, report_html};
use tightfit::scene::log::{self, RunMeta};
use tightfit::scene::{Scene, Simulation};

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| ".".into()));
    std::fs::create_dir_all(&folder)?;
    let mut summaries = Vec::new();
    for name in arguments {
        let scene = Scene::find(&name)?;
        let steps = (scene.duration() / scene.dt).round() as usize;
        let mut run = Simulation::new(scene, 1);
        run.with_audit();
        let mut summary = RunSummary::new(&run.scene);
        for _ in 0..steps {
            let record = run.advance();
            summary.follow(&run, record);
        }
        summary.conclude(&run, None);
        let meta = RunMeta::new(1, run.disturbance);
        for extension in ["parquet", "csv"] {
            let path = folder.join(format!("{}.{extension}", run.scene.name));
            log::write(&path, &run.scene, &meta, &summary.records)?;
        }
        summaries.push(summary);
    }
    let path = folder.join("report.html");
    std::fs::write(&path, report_html(&summaries))?;
    println!("{}", path.display());
    Ok(())
}
