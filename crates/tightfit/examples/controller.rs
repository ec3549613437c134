//! A controller around `Simulation`: `cargo run --release --example controller`
//!
//! It lowers the set-point of the peg, more slowly the harder the hole pushes back, and yields to forces sideways.
#![allow(clippy::print_stdout, reason = "an example talks to people")]

use tightfit::scene::{Scene, Simulation};
use tightfit::spatial::{Pose, Vector3};

fn main() -> anyhow::Result<()> {
    let mut simulation = Simulation::new(Scene::find_with("peg-in-hole", &["offset_mm=0.3".into()])?, 1);
    let [peg, hole] = [simulation.scene.body_id("peg")?, simulation.scene.body_id("hole")?];
    let mut target = simulation.world_from_part(peg);
    println!("time s  depth mm  force N  penetration um  converged");
    while simulation.time() < 2.0 {
        let force = simulation.wrench_between(peg, hole).force;
        let down = 0.02 * (1.0 - force.z / 10.0).clamp(0.0, 1.0);
        let velocity = Vector3::new(5e-4 * force.x, 5e-4 * force.y, -down);
        target = Pose::new(target.translation + velocity * simulation.parameters.dt, target.rotation);
        simulation.guide(peg, target);
        let certificate = simulation.step();
        if simulation.state.step_count.is_multiple_of(20) {
            let depth = -simulation.world_from_part(peg).translation.z * 1e3;
            let (force, penetration) = (force.norm(), certificate.penetration * 1e6);
            println!(
                "{:6.2}  {depth:8.3}  {force:7.2}  {penetration:14.3}  {}",
                simulation.time(),
                certificate.converged
            );
        }
    }
    Ok(())
}
