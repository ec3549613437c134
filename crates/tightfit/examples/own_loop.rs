//! A controller of one's own around `step`: `cargo run --release --example own_loop`
//!
//! No drive: every 10 ms the loop reads the state, forms a wrench and takes one step. The peg is pulled down softly and
//! held upright; sideways it is free, so the chamfer leads it in.
#![allow(clippy::print_stdout, reason = "an example talks to people")]

use tightfit::scene::{Input, Parameters, Scene, State, Workspace, step};
use tightfit::spatial::{Vector3, Wrench};

fn main() -> anyhow::Result<()> {
    let scene = Scene::find_with("peg-in-hole", &["offset_mm=0.3".into()])?;
    let parameters = Parameters::of(&scene);
    let mut state = State::start(&scene, &parameters);
    let mut input = Input::none(&state);
    // scratch memory; it could be thrown away after every step without changing a bit
    let mut workspace = Workspace::default();

    let start = state.motions[0].center.z;
    println!("  time s  depth mm  sideways um  contacts  penetration um");
    for index in 1..=300 {
        let peg = &state.motions[0];
        let (v, w) = (peg.twist.linear_in_world, peg.twist.angular_in_body);
        // 15 N down against a damper that allows 25 mm/s; a spring and damper against tilt, in body axes
        let force = Vector3::new(0.0, 0.0, -15.0) - v.component_mul(&Vector3::new(10.0, 10.0, 600.0));
        let torque = -peg.rotation.scaled_axis() * 2.0 - w * 0.02;
        input.wrenches[0] = Wrench::new(force, torque);
        let certificate = step(&scene, &parameters, &mut state, &input, &mut workspace);
        if index % 30 == 0 {
            let peg = &state.motions[0];
            println!(
                "{:8.2}  {:8.3}  {:11.1}  {:8}  {:14.3}",
                state.step as f64 * scene.step,
                // the scene starts the tip 3 mm above the mouth
                (start - peg.center.z) * 1e3 - 3.0,
                peg.center.x.hypot(peg.center.y) * 1e6,
                certificate.active,
                certificate.penetration * 1e6,
            );
        }
    }
    Ok(())
}
