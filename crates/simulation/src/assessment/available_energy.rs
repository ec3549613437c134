//! An upper bound of the energy that a scene can put into its contacts.
//!
//! ```text
//! E = Σ bodies (½ v₀ᵀ M v₀ + m |g| h)  +  drive (K L² + K_r θ² + |F| h)  +  disturbance (|F| h + |τ| θ_d)
//!   + work of kinematic parts + work of an arm's drives
//! ```
//! h is the distance that a body can fall or be pushed, L the length of the drive's path with its offset, θ the angle that
//! it turns. The bound is coarse: it is compared with a hundredfold of itself.

use std::f64::consts::{PI, TAU};

use tightfit_spatial::Vector3;

use crate::{Disturbance, Drive, Simulation, State, Summary};

/// Longest fall or push [m].
const LONGEST_FALL: f64 = 10.0;
/// Largest turn under a disturbing torque [rad].
const LARGEST_TURN: f64 = TAU;

pub(super) fn of_run(run: &Simulation, summary: &Summary) -> f64 {
    let (scene, time) = (&run.scene, run.time());
    let fall = |acceleration: f64| (0.5 * acceleration * time * time).min(LONGEST_FALL);
    let gravity = scene.gravity.norm();
    let start = State::start(scene, &run.parameters);
    let mut energy = summary.kinematic_work_magnitude + summary.arm_work;
    for (motion, inertia) in start.motions.iter().zip(run.parameters.free_inertia()) {
        let (v, w) = (motion.twist.linear_in_world, motion.twist.angular_in_body);
        energy += 0.5 * (inertia.mass * v.norm_squared() + w.dot(&(inertia.moment * w)));
        energy += inertia.mass * gravity * fall(gravity);
    }
    energy += scene.drives.iter().map(|drive| of_drive(drive, time)).sum::<f64>();
    if let Some(Disturbance { force, torque }) = run.disturbance {
        let root_3 = 3_f64.sqrt();
        energy += root_3 * (force * LONGEST_FALL + torque * LARGEST_TURN);
    }
    energy
}

fn of_drive(drive: &Drive, time: f64) -> f64 {
    let pairs = || drive.waypoints.iter().zip(drive.waypoints.iter().skip(1));
    let mut path = drive.offset.abs();
    let mut turn = drive.tilt.abs();
    path += pairs().map(|(a, b)| (b.position - a.position).norm()).sum::<f64>();
    turn += pairs().map(|(a, b)| (b.angle - a.angle).abs()).sum::<f64>();
    if let Some(wiggle) = drive.wiggle {
        let span = wiggle.span[1] - wiggle.span[0];
        path += 4.0 * wiggle.shift[0].abs() * wiggle.shift[1] * span;
        turn += 4.0 * wiggle.tilt[0].abs() * wiggle.tilt[1] * span;
    }
    if let Some(stream) = &drive.stream {
        // the table is sampled: its rows are not public
        let samples = 1000;
        let at = |index: usize| stream.at(stream.duration() * index as f64 / samples as f64).translation;
        path += (0..samples).map(|index| (at(index + 1) - at(index)).norm()).sum::<f64>();
        turn += PI;
    }
    let largest = |stiffness: Vector3<f64>| stiffness.amax();
    let pushed = if drive.force == Vector3::zeros() { 0.0 } else { LONGEST_FALL.min(path + time) };
    largest(drive.stiffness) * path * path
        + largest(drive.turning_stiffness) * turn * turn
        + drive.force.norm() * pushed
}
