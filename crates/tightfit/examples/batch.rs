//! 64 pegs at once, each with another friction and position error: `cargo run --release --example batch`
#![allow(clippy::print_stdout, reason = "an example talks to people")]

use tightfit::scene::Scene;
use tightfit::scene::batch::{Batch, Observations, Setup};

fn main() -> anyhow::Result<()> {
    let scene = Scene::find("peg-in-hole")?;
    let drive = scene.drives.first().cloned().ok_or_else(|| anyhow::anyhow!("the scene has no drive"))?;
    let steps = (drive.arrival() / scene.dt).round() as usize;
    let frictions: Vec<f64> = (0..8).map(|row| 0.05 * f64::from(row)).collect();
    let offsets: Vec<f64> = (0..8).map(|column| 0.15e-3 * f64::from(column)).collect();

    // one scene for all; 0 takes a thread per core
    let mut batch = Batch::new(scene, frictions.len() * offsets.len(), 0)?;
    for (row, friction) in frictions.iter().enumerate() {
        for (column, offset) in offsets.iter().enumerate() {
            let mut drive = drive.clone();
            drive.offset = *offset;
            let setup = Setup::of(batch.scene()).with_friction(*friction).with_drive(batch.scene(), drive)?;
            batch.reset(row * offsets.len() + column, setup)?;
        }
    }
    batch.advance(steps);
    for (index, fault) in batch.faults() {
        println!("environment {index} is frozen: {fault}");
    }

    let mut pegs = Observations::default();
    batch.observe("peg", &mut pegs)?;
    println!(
        "depth in mm after {:.1} s, by friction (down) and offset (across)",
        steps as f64 * batch.scene().dt
    );
    let head: Vec<String> = offsets.iter().map(|offset| format!("{:>5.2} mm", offset * 1e3)).collect();
    println!("  mu  {}", head.join(" "));
    for (friction, row) in frictions.iter().zip(pegs.position.z.chunks(offsets.len())) {
        let depths: Vec<String> = row.iter().map(|z| format!("{:>8.2}", -z * 1e3)).collect();
        println!("{friction:4.2}  {}", depths.join(" "));
    }
    let deepest = pegs.penetration.iter().fold(0.0_f64, |deepest, depth| deepest.max(*depth));
    println!("deepest penetration at the end: {:.3} um", deepest * 1e6);
    Ok(())
}
