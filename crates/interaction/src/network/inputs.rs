//! The inputs X of all contacts of an object at once: an affine function of the point.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use tightfit_network::Range;
use tightfit_spatial::Pose;

/// Length of X.
pub const INPUTS: usize = 19;

/// The inputs X of a contact, in order: the object's state at the contact, in the object's axes.
pub const INPUT_NAMES: [&str; INPUTS] = [
    "point_x_m",
    "point_y_m",
    "point_z_m",
    "rotation_angle_rad",
    "rotation_axis_x",
    "rotation_axis_y",
    "rotation_axis_z",
    "velocity_x_m_s",
    "velocity_y_m_s",
    "velocity_z_m_s",
    "turning_x_rad_s",
    "turning_y_rad_s",
    "turning_z_rad_s",
    "force_x_n",
    "force_y_n",
    "force_z_n",
    "torque_x_nm",
    "torque_y_nm",
    "torque_z_nm",
];

/// State of an object relative to the static part. Its frame is at its centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObjectState {
    /// Pose of the object.
    pub static_from_object: Pose,
    /// Velocity of the centre of mass, static axes [m/s].
    pub linear_in_static: Vector3<f64>,
    /// Angular velocity, the object's axes [rad/s].
    pub angular_in_object: Vector3<f64>,
    /// External force, static axes [N].
    pub force_in_static: Vector3<f64>,
    /// External torque about the centre of mass, the object's axes [N·m].
    pub torque_in_object: Vector3<f64>,
}

/// X = constant + slope p, scaled; p in the axes of the inputs [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct AffineInputs {
    pub(super) constant: [f64; INPUTS],
    pub(super) slope: [[f64; 3]; INPUTS],
}

impl AffineInputs {
    pub(super) fn new(
        state: &ObjectState,
        ranges: &[Range; INPUTS],
        inputs_from_object: UnitQuaternion<f64>,
        quaternion: bool,
    ) -> Self {
        let static_from_inputs = state.static_from_object.rotation * inputs_from_object.inverse();
        let [angle, axis @ ..] = match quaternion {
            true => {
                let Quaternion { coords } = *static_from_inputs.quaternion();
                let sign = if coords.w < 0.0 { -1.0 } else { 1.0 };
                [coords.w, coords.x, coords.y, coords.z].map(|value| sign * value)
            }
            false => angle_and_axis(static_from_inputs),
        };
        let velocity = static_from_inputs.inverse() * state.linear_in_static;
        let turning = inputs_from_object * state.angular_in_object;
        let force = static_from_inputs.inverse() * state.force_in_static;
        let torque = inputs_from_object * state.torque_in_object;
        let mut own = Self { constant: [0.0; INPUTS], slope: [[0.0; 3]; INPUTS] };
        own.constant[3] = angle;
        own.constant[4..7].copy_from_slice(&axis);
        for (first, vector) in [(7, velocity), (10, turning), (13, force), (16, torque)] {
            own.constant[first..first + 3].copy_from_slice(vector.as_slice());
        }
        for axis in 0..3 {
            own.slope[axis][axis] = 1.0;
        }
        // ω×p, and −p×f = f×p
        for (first, vector) in [(7, turning), (16, force)] {
            let cross = vector.cross_matrix();
            for row in 0..3 {
                own.slope[first + row] = [cross[(row, 0)], cross[(row, 1)], cross[(row, 2)]];
            }
        }
        for (row, range) in ranges.iter().enumerate() {
            own.constant[row] = range.scaled(own.constant[row]);
            own.slope[row].iter_mut().for_each(|slope| *slope /= range.half_width());
        }
        own
    }
}

/// Angle from 0 to π [rad] and unit axis; a zero axis for the identity.
fn angle_and_axis(rotation: UnitQuaternion<f64>) -> [f64; 4] {
    let Quaternion { coords } = *rotation.quaternion();
    let sign = if coords.w < 0.0 { -1.0 } else { 1.0 };
    let imaginary = sign * Vector3::new(coords.x, coords.y, coords.z);
    let length = imaginary.norm();
    let axis = if length > 0.0 { imaginary / length } else { imaginary };
    [2.0 * libm::atan2(length, sign * coords.w), axis.x, axis.y, axis.z]
}
