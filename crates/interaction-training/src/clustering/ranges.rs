//! Ranges of the network's inputs over recorded moments.

use tightfit_interaction::INPUTS;
use tightfit_learning::identification::HoldingSpring;
use tightfit_network::Range;
use tightfit_spatial::Vector3;

use crate::LearningError;
use crate::wrench::{Moment, RecordedScene};

/// Symmetric ranges that contain every input of these moments, for contacts up to `radius` [m] from the centre of mass.
///
/// # Errors
/// Never for finite moments.
pub fn input_ranges(
    recorded: &RecordedScene,
    spring: &HoldingSpring,
    moments: &[Moment],
    radius: f64,
) -> Result<[Range; INPUTS], LearningError> {
    let (mut speed, mut turning, mut force, mut torque) = (1e-3_f64, 1e-2_f64, 0.1_f64, 1e-3_f64);
    let weight = recorded.inertia.mass * recorded.scene.gravity.norm();
    for moment in moments {
        let (motion, [target, next]) = (&moment.motion, &moment.targets);
        let wanted = (next.translation - target.translation) / recorded.scene.dt;
        let turn = (target.rotation.inverse() * motion.rotation).scaled_axis();
        let turned = (target.rotation.inverse() * next.rotation).scaled_axis() / recorded.scene.dt;
        let twist = &motion.twist;
        speed = speed.max(twist.linear_in_world.norm() + radius * twist.angular_in_body.norm());
        turning = turning.max(twist.angular_in_body.norm());
        let by_axis = |by: [f64; 3], vector: Vector3<f64>| Vector3::from(by).component_mul(&vector);
        let pull = by_axis(spring.stiffness, motion.center - target.translation)
            + by_axis(spring.damping, twist.linear_in_world - wanted);
        force = force.max(pull.norm() + weight);
        let twisting = by_axis(spring.turning_stiffness, turn)
            + by_axis(spring.turning_damping, twist.angular_in_body - turned);
        torque = torque.max(twisting.norm());
        if let Some(load) = &moment.load {
            force = force.max(load.force.norm() + weight);
            torque = torque.max(load.torque.norm());
        }
    }
    torque += radius * force;
    let most = [
        [radius; 3],
        [std::f64::consts::PI, 1.0, 1.0],
        [1.0, speed, speed],
        [speed, turning, turning],
        [turning, force, force],
        [force, torque, torque],
    ];
    let mut ranges = [Range { low: -torque, high: torque }; INPUTS];
    for (range, most) in ranges.iter_mut().zip(most.as_flattened()) {
        *range = Range::new("inputs of the interaction network", -most, *most)?;
    }
    Ok(ranges)
}
