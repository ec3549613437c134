//! One moment, several futures: `cargo run --release --example branch`
//!
//! The peg is driven to where it touches the chamfer. From a snapshot of that moment it goes on with several frictions;
//! the first is taken twice, to show that a restored run is the same to the last bit.
#![allow(clippy::print_stdout, reason = "an example talks to people")]

use tightfit::scene::{Scene, Simulation, Snapshot};

fn main() -> anyhow::Result<()> {
    let mut run = Simulation::new(Scene::find("peg-in-hole")?, 1);
    let step = run.scene.dt;
    let steps = |seconds: f64| (seconds / step).round() as usize;
    for _ in 0..steps(0.3) {
        run.advance();
    }
    // it is plain numbers: as JSON it goes to a file and back without losing a bit
    let text = serde_json::to_string(&run.snapshot())?;
    let snapshot: Snapshot = serde_json::from_str(&text)?;
    println!("branching at {:.2} s; the snapshot is {} bytes of JSON", run.time(), text.len());

    println!("friction  depth mm  largest force N  hash");
    for friction in [0.1, 0.1, 0.2, 0.4] {
        run.restore(&snapshot)?;
        run.parameters.friction.fill(friction);
        let mut largest = 0.0_f64;
        let mut last = run.advance();
        for _ in 1..steps(0.7) {
            last = run.advance();
            largest = largest.max(last.force.norm());
        }
        let depth = -last.pose.translation.z * 1e3;
        println!("{friction:8.1}  {depth:8.3}  {largest:15.2}  {:016x}", last.hash);
    }
    Ok(())
}
