//! A custom controller around `step`: `cargo run --release --example own_loop`
//!
//! No drive: every 10 ms the loop reads the contact force, moves its set-point and takes one step. Down at 20 mm/s, more
//! slowly the harder the peg is held back, and aside to where the force sideways vanishes: the chamfer guides the peg
//! in.
//!
//! The spring to the set-point is a `Coupling`, which the step solves together with the motion; the same spring as a
//! wrench would be a step late, and a stiff one then shakes itself to pieces.
#![allow(clippy::print_stdout, reason = "an example talks to people")]

use tightfit::scene::{Coupling, Input, Parameters, Scene, State, Workspace, step};
use tightfit::spatial::{Pose, Vector3};

/// Speed downwards without contact [m/s], and the force that stops it [N].
const DOWN: (f64, f64) = (0.02, 10.0);
/// Speed aside per force [m/s/N].
const YIELD: f64 = 0.5e-3;

fn main() -> anyhow::Result<()> {
    let scene = Scene::find_with("peg-in-hole", &["offset_mm=0.3".into()])?;
    let parameters = Parameters::of(&scene);
    let peg = scene.body_id("peg")?;
    let inertia = parameters.bodies[peg].inertia.ok_or_else(|| anyhow::anyhow!("the peg is not free"))?;
    let mut state = State::start(&scene, &parameters);
    let mut input = Input::none(&state);
    // scratch memory; it could be thrown away after every step without changing a bit
    let mut workspace = Workspace::default();
    let mut target = Pose::new(state.motions[0].center, state.motions[0].rotation);

    let start = state.motions[0].center.z;
    println!("  time s  depth mm  aside um  force N  contacts  penetration um");
    for index in 1..=200 {
        // six numbers per free body: contact impulses of the last step, force first; a force sensor measures both
        let impulses = [workspace.generalised_impulse(), workspace.impact_impulse()];
        let impulse = |axis: usize| impulses.iter().filter_map(|impulse| impulse.get(axis)).sum::<f64>();
        let force = Vector3::from_fn(|axis, _| impulse(axis) / scene.dt);
        let down = DOWN.0 * (1.0 - force.z / DOWN.1).clamp(0.0, 1.0);
        let speed = Vector3::new(YIELD * force.x, YIELD * force.y, -down);
        let next_target = Pose::new(target.translation + speed * scene.dt, target.rotation);
        input.couplings[0] = Some(Coupling {
            stiffness: Vector3::from_element(2000.0),
            damping: Vector3::from_element(50.0 * inertia.mass),
            turning_stiffness: Vector3::from_element(2.0),
            turning_damping: inertia.moment.diagonal() * 50.0,
            target,
            next_target,
            twist: state.spins[0],
        });
        let certificate = step(&scene, &parameters, &mut state, &input, &mut workspace);
        target = next_target;
        if index % 20 == 0 {
            let peg = &state.motions[0];
            println!(
                "{:8.2}  {:8.3}  {:8.1}  {:7.2}  {:8}  {:14.3}",
                state.step_count as f64 * scene.dt,
                // the scene starts the tip 3 mm above the mouth
                (start - peg.center.z) * 1e3 - 3.0,
                peg.center.x.hypot(peg.center.y) * 1e6,
                force.norm(),
                certificate.active,
                certificate.penetration * 1e6,
            );
        }
    }
    Ok(())
}
