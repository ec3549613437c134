//! A scene built in Rust from two parts: `cargo run --release --example own_parts`
#![allow(clippy::print_stdout, reason = "an example talks to people")]

use tightfit::scene::{BodyBuilder, Drive, Outcome, Scene, Simulation, Summary, Task};
use tightfit::shape::Part;
use tightfit::shape::fit::{FitSection, HoleDimensions, PegDimensions};
use tightfit::spatial::Vector3;

fn main() -> anyhow::Result<()> {
    let section = FitSection::Polygon { sides: 6, corner_radius: 1e-3 };
    let [diameter, length, tip_chamfer, tail_chamfer] = [19.97e-3, 40e-3, 0.5e-3, 0.0];
    let peg = PegDimensions { section, diameter, length, tip_chamfer, tail_chamfer };
    let [diameter, depth, chamfer, outer_diameter] = [20.02e-3, 25e-3, 1e-3, 40e-3];
    let hole = HoleDimensions { section, diameter, depth, floor: None, chamfer, outer_diameter };

    let scene = Scene::builder("hexagon-fit")
        .gravity(Vector3::new(0.0, 0.0, -9.81))
        .part("hole", BodyBuilder::fixed(Part::Sectioned(hole.build()?)))
        .part("peg", BodyBuilder::free(Part::Sectioned(peg.build()?)))
        .drive(
            Drive::springs("peg")
                .stiffness(Vector3::repeat(2000.0))
                .turning_stiffness(Vector3::new(2.0, 2.0, 0.5))
                .damping(50.0)
                .waypoint(0.0, Vector3::new(0.2e-3, 0.1e-3, 2e-3))
                .waypoint(1.0, Vector3::new(0.2e-3, 0.1e-3, -17e-3)),
        )
        .task(Task::insert("hole", 15e-3))
        .build()?;
    scene.warnings.iter().for_each(|warning| println!("warning: {warning}"));

    let steps = (scene.duration() / scene.dt).round() as usize;
    let mut run = Simulation::new(scene, 1);
    let records: Vec<_> = (0..steps).map(|_| run.advance()).collect();
    let force = records.iter().map(|record| record.force.norm()).fold(0.0, f64::max);
    let (outcome, certificate) = (Outcome::of(&run, &records), Summary::of(&records));
    println!("inserted: {}, {:.2} mm deep", outcome.completed, 1e3 * outcome.depth.unwrap_or_default());
    println!("largest force {force:.1} N, penetration {:.3} um", 1e6 * certificate.penetration[0]);
    Ok(())
}
