//! The scene as JSON: what a page needs once, before the frames.

use serde_json::{Value, json};
use tightfit_robot::chain::JointKind;
use tightfit_shape::{Part, Symmetry};
use tightfit_simulation::{Assessment, Limit, Motion, Preset, Simulation, Task, built_in_scenes};
use tightfit_spatial::Pose;

use crate::channels::CHANNELS;
use crate::story::PHASES;

/// Largest residual of a converged step [m/s], as in `Certificate::converged`.
const CONVERGED: f64 = 1e-5;

/// Position [m] and quaternion x, y, z, w.
fn pose_json(pose: &Pose) -> Value {
    let (p, q) = (pose.translation, pose.rotation.coords);
    json!([p.x, p.y, p.z, q.x, q.y, q.z, q.w])
}

/// The description of a running scene. `changes` are those of the command `set`.
pub(crate) fn describe(simulation: &Simulation, generation: u32, changes: &[String]) -> Value {
    let scene = &simulation.scene;
    let driven = scene.led_body();
    let tolerance = Assessment::of(simulation, &[]).tolerance;
    let clearance = simulation.task_clearance();
    let parts: Vec<Value> = scene
        .body_ids()
        .map(|body| {
            let (own, part) = (&scene.bodies[body], &simulation.parameters.bodies[body].part);
            let bounds = part.aabb().map(|aabb| {
                let corner = |v: tightfit_spatial::Vector3<f64>| [v.x, v.y, v.z];
                [corner(aabb.min), corner(aabb.max)]
            });
            let (symmetry, pitch) = match part.symmetry() {
                Symmetry::None => ("none", None),
                Symmetry::Revolved => ("revolved", None),
                Symmetry::Screw { pitch } => ("screw", Some(pitch)),
            };
            json!({
                "name": own.name,
                "kind": kind(part),
                "motion": match own.motion {
                    Motion::Fixed => "fixed",
                    Motion::Kinematic => "kinematic",
                    Motion::Free => "free",
                },
                "driven": body == driven,
                "pose": pose_json(&own.world_from_part),
                "box": bounds,
                "symmetry": symmetry,
                "pitch": pitch,
                "mass": own.inertia.map(|inertia| inertia.mass),
            })
        })
        .collect();
    let task = scene.task.map(|task| match task {
        Task::Insert { into, depth, engaged, along, .. } => {
            let along = [along.x, along.y, along.z];
            json!({ "kind": "insert", "fixed": into.index(), "depth": depth, "engaged": engaged, "along": along })
        }
        Task::Thread { onto, turns, engaged, torque } => {
            json!({ "kind": "thread", "fixed": onto.index(), "turns": turns, "engaged": engaged, "torque": torque })
        }
    });
    let arm = scene.arm.as_ref().map(|arm| {
        let joints: Vec<Value> = arm
            .chain
            .joints()
            .iter()
            .map(|joint| {
                let axis = joint.axis;
                json!({
                    "name": joint.name,
                    "kind": if joint.kind == JointKind::Turning { "turning" } else { "sliding" },
                    "axis": [axis.x, axis.y, axis.z],
                    "previous_from_joint": pose_json(&joint.previous_from_joint),
                })
            })
            .collect();
        json!({
            "name": arm.chain.name(),
            "holds": arm.body.index(),
            "base": pose_json(&arm.chain.world_from_base()),
            "last_from_tip": pose_json(&arm.chain.last_from_tip()),
            "joints": joints,
            "strategy": arm.strategy.is_some(),
        })
    });
    let lamp = |label: &str, channel: &str, worst: &str, limit: f64| json!({ "label": label, "channel": channel, "worst": worst, "limit": limit });
    let lamps = [
        lamp("penetration", "penetration", "worst_penetration", tolerance),
        lamp("Coulomb", "coulomb", "worst_coulomb", CONVERGED),
        lamp("complementarity", "complementarity", "worst_complementarity", CONVERGED),
        lamp("cone", "cone", "worst_cone", 1e-6),
        lamp("energy", "energy_injected", "energy_injected", 1e-9),
        lamp("unconverged", "unconverged", "unconverged", 0.5),
        lamp("limits hit", "limited", "limited", 0.5),
    ];
    let scenes: Vec<Value> = built_in_scenes()
        .iter()
        .map(|scene| {
            let line = scene.text.lines().find_map(|line| line.strip_prefix("description = "));
            json!({ "name": scene.name, "description": line.unwrap_or_default().trim_matches('"') })
        })
        .collect();
    let friction = simulation.parameters.friction.first();
    let gravity = scene.gravity;
    json!({
        "type": "scene",
        "protocol": crate::VERSION,
        "version": env!("CARGO_PKG_VERSION"),
        "generation": generation,
        "name": scene.name,
        "description": scene.description,
        "dt": simulation.parameters.dt,
        "duration": scene.duration(),
        "gravity": [gravity.x, gravity.y, gravity.z],
        "friction": friction,
        "preset": simulation.parameters.methods.preset.name(),
        "presets": Preset::ALL.map(Preset::name),
        "clearance": clearance,
        "clearance_adjustable": crate::clearance::is_adjustable(simulation),
        "parts": parts,
        "task": task,
        "arm": arm,
        "channels": CHANNELS,
        "phases": PHASES,
        "limits": Limit::ALL.map(Limit::name),
        "lamps": lamps,
        "scenes": scenes,
        "changes": changes,
        "toml": scene.source.text,
    })
}

/// Kind of a part, which chooses its material.
fn kind(part: &Part) -> &'static str {
    match part {
        Part::Sectioned(solid) if solid.inner_radius() > 0.0 => "hole",
        Part::Sectioned(_) => "peg",
        Part::Bolt(_) => "bolt",
        Part::Nut(_) => "nut",
        Part::HalfSpace => "half-space",
        Part::Block(_) => "block",
        Part::Capsule(_) => "ball",
        Part::Mesh(_) => "mesh",
        Part::Cad(_) => "cad",
        Part::Nodes(_) => "nodes",
    }
}
