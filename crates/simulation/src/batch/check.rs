//! Checks before a step. The step itself trusts its caller.

use tightfit_pipeline::integration::Coupling;
use tightfit_spatial::{Columns3, Inertia, Pose};

use super::{Fault, Setup};
use crate::{Input, Motion, Scene, State};

const FINITE: &str = "it must be finite";

/// Checks parameters and initial state of an environment of this scene.
pub(super) fn setup(scene: &Scene, setup: &Setup) -> Result<(), Fault> {
    let parameters = &setup.parameters;
    let count = |name: &str, found: usize, wanted: usize| match found == wanted {
        true => Ok(()),
        false => Err(parameter(
            name,
            format!("of length {found}, but the scene has {wanted}"),
            "use `Setup::of` the scene",
        )),
    };
    if !(parameters.dt > 0.0 && parameters.dt <= LONGEST_STEP) {
        return Err(parameter("dt", format!("{} s", parameters.dt), "allowed: more than 0 up to 0.1 s"));
    }
    count("bodies", parameters.bodies.len(), scene.bodies.len())?;
    count("friction", parameters.friction.len(), scene.contacts.len())?;
    for (pair, friction) in scene.contacts.iter().zip(&parameters.friction) {
        if !(0.0..=MOST_FRICTION).contains(friction) {
            let [a, b] = pair.bodies.map(|body| scene.bodies[body].name.as_str());
            let name = format!("friction of {a} and {b}");
            return Err(parameter(&name, friction.to_string(), "allowed: 0 to 10"));
        }
    }
    for (body, own) in scene.bodies.iter().zip(&parameters.bodies) {
        if std::mem::discriminant(&body.part) != std::mem::discriminant(&own.part) {
            let name = format!("part of {}", body.name);
            return Err(parameter(
                &name,
                "of another kind".into(),
                "nodes of the scene lie on its faces: keep the kind",
            ));
        }
        let mut positions = Columns3::default();
        own.part.place(&body.nodes, &mut positions);
        if let Some(bad) = positions.iter().find(|position| !position.iter().all(|value| value.is_finite())) {
            let name = format!("dimension of {}: a node", body.name);
            return Err(parameter(&name, format!("at {:?} m", bad.as_slice()), FINITE));
        }
        match (body.motion, own.inertia) {
            (Motion::Free, None) => {
                let name = format!("inertia of {}", body.name);
                return Err(parameter(&name, "missing".into(), "a free body needs mass and inertia"));
            }
            (Motion::Free, Some(inertia)) => {
                Inertia::new(inertia.mass, inertia.center_of_mass, inertia.moment).map_err(|error| {
                    parameter(
                        &format!("inertia of {}", body.name),
                        error.to_string(),
                        "use values of a real body",
                    )
                })?;
            }
            _ => {}
        }
    }
    let free = scene.bodies.iter().filter(|body| body.motion == Motion::Free).count();
    let kinematic = scene.bodies.iter().filter(|body| body.motion == Motion::Kinematic).count();
    count("free bodies of the state", setup.state.motions.len(), free)?;
    count("spins of the state", setup.state.spins.len(), free)?;
    count("kinematic bodies of the state", setup.state.kinematic.len(), kinematic)?;
    if setup.drives.iter().any(|drive| drive.body.index() >= scene.bodies.len()) {
        return Err(parameter("body of a drive", "not in the scene".into(), "use a body of the scene"));
    }
    let warm = &setup.state.warm;
    let mut numbers = warm.velocity.iter().chain(warm.impulses.iter().flat_map(|impulse| impulse.iter()));
    if !numbers.all(|value| value.is_finite()) {
        return Err(parameter("warm start of the state", "not finite".into(), "clear it"));
    }
    state(&setup.state)
}

/// Longest time step of a scene file [s].
const LONGEST_STEP: f64 = 0.1;
/// Largest μ of a scene file [-].
const MOST_FRICTION: f64 = 10.0;

fn parameter(name: &str, value: String, remedy: &'static str) -> Fault {
    Fault::Parameter { name: name.to_string(), value, remedy }
}

/// Checks a state before a step.
pub(super) fn state(state: &State) -> Result<(), Fault> {
    let fault = |name: String, value: String| Fault::State {
        step: state.step_count + 1,
        name,
        value,
        remedy: FINITE,
    };
    for (index, (motion, spin)) in state.motions.iter().zip(&state.spins).enumerate() {
        let pose = Pose::new(motion.center, motion.rotation);
        if !pose.is_finite() {
            return Err(fault(format!("pose of free body {index}"), format!("{pose:?}")));
        }
        let twist = motion.twist.to_vector();
        if !twist.iter().all(|value| value.is_finite()) {
            return Err(fault(format!("twist of free body {index}"), format!("{:?}", twist.as_slice())));
        }
        if !spin.is_finite() {
            return Err(fault(format!("spin of free body {index}"), spin.to_string()));
        }
    }
    for (index, pose) in state.kinematic.iter().enumerate() {
        if !pose.is_finite() {
            return Err(fault(format!("pose of kinematic body {index}"), format!("{pose:?}")));
        }
    }
    if !(state.tank.is_finite() && state.tank >= 0.0) {
        return Err(fault("tank".into(), state.tank.to_string()));
    }
    Ok(())
}

/// Checks an input for this state.
pub(super) fn input(input: &Input, state: &State) -> Result<(), Fault> {
    let fault = |name: String, value: String, remedy| Fault::Input {
        step: state.step_count + 1,
        name,
        value,
        remedy,
    };
    let counts = [
        ("couplings", input.couplings.len(), state.motions.len()),
        ("wrenches", input.wrenches.len(), state.motions.len()),
        ("kinematic", input.kinematic.len(), state.kinematic.len()),
    ];
    for (name, found, wanted) in counts {
        if found != wanted {
            let value = format!("of length {found}, but the state has {wanted}");
            return Err(fault(name.into(), value, "start from `Input::none`"));
        }
    }
    for (index, wrench) in input.wrenches.iter().enumerate() {
        let mut numbers = wrench.force_in_world.iter().chain(wrench.torque_in_body.iter());
        if !numbers.all(|value| value.is_finite()) {
            return Err(fault(format!("wrench on free body {index}"), format!("{wrench:?}"), FINITE));
        }
    }
    for (index, coupling) in input.couplings.iter().enumerate() {
        if let Some(coupling) = coupling.as_ref().filter(|coupling| !is_sound(coupling)) {
            let remedy = "targets must be finite, stiffness and damping finite and not negative";
            return Err(fault(format!("coupling of free body {index}"), format!("{coupling:?}"), remedy));
        }
    }
    for (index, pose) in input.kinematic.iter().enumerate() {
        if !pose.is_finite() {
            return Err(fault(format!("pose of kinematic body {index}"), format!("{pose:?}"), FINITE));
        }
    }
    Ok(())
}

fn is_sound(coupling: &Coupling) -> bool {
    let gains = [coupling.stiffness, coupling.damping, coupling.turning_stiffness, coupling.turning_damping];
    let are_gains = gains.iter().flat_map(|gain| gain.iter()).all(|value| value.is_finite() && *value >= 0.0);
    are_gains && coupling.target.is_finite() && coupling.next_target.is_finite() && coupling.twist.is_finite()
}
