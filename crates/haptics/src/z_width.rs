//! Z-width: the stiffest wall that the loop renders without growing oscillation.
//!
//! ```text
//! m ẍ + b ẋ = f(t_k) + f_0           handle with damping b, pressed on the wall by f_0
//! f(t_k)    = K (p − x_k)            loop with tick T, proxy p on the wall, no clamp, no tank
//! K*        = 2 b / T                Colgate and Schenkel; for a heavy handle the linear limit tends to it
//! ```
//!
//! The handle moves by the exact solution between ticks. A wall counts as stable if a small oscillation about the pressed
//! pose decays. Bisection finds the limit. Whatever the loop adds to the way from sample to force lowers it.

use nalgebra::Matrix3;
use tightfit_simulation::BodyMotion;
use tightfit_spatial::{Inertia, InertiaError, Pose, Twist, UnitQuaternion, Vector3};

use crate::contact_planes::{ContactPlane, HeldPlanes};
use crate::device::{DeviceDescription, DeviceSample};
use crate::haptic_loop::{HapticLoop, LoopOptions, RenderedPart};
use crate::stiffness_clamp::{Sampling, largest_stiffness};

/// Press on the wall [N].
const PRESS: f64 = 20.0;
/// Growth is looked for over this time [s].
const SECONDS: f64 = 4.0;

/// A handle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handle {
    /// m [kg].
    pub mass: f64,
    /// b [N·s/m].
    pub damping: f64,
}

/// Largest stable stiffness of a wall, and the theoretical bound [N/m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ZWidth {
    /// By bisection.
    pub found: f64,
    /// 2b/T.
    pub bound: f64,
}

/// Finds the largest stable stiffness of a wall at a tick [s].
///
/// # Errors
/// When the mass of the handle is none.
pub fn z_width(handle: Handle, tick: f64) -> Result<ZWidth, InertiaError> {
    let bound = largest_stiffness(handle.damping, 0.0, Sampling { period: tick, delay: 0.0 });
    let (mut low, mut high) = (0.1 * bound, 4.0 * bound);
    for _ in 0..20 {
        let middle = f64::midpoint(low, high);
        *(if is_stable(handle, middle, tick)? { &mut low } else { &mut high }) = middle;
    }
    Ok(ZWidth { found: low, bound })
}

/// Whether an oscillation of the handle on a wall decays.
fn is_stable(handle: Handle, stiffness: f64, tick: f64) -> Result<bool, InertiaError> {
    let still =
        BodyMotion { center: Vector3::zeros(), rotation: UnitQuaternion::identity(), twist: Twist::zero() };
    let inertia = Inertia::new(0.5, Vector3::zeros(), Matrix3::identity() * 1e-3)?;
    let part = RenderedPart { motion: still, inertia, gravity: Vector3::zeros(), friction: 0.0 };
    let device = DeviceDescription {
        damping: handle.damping,
        most_force: 1e6,
        most_torque: 1e6,
        ..DeviceDescription::default()
    };
    let options = LoopOptions {
        tick,
        stiffness,
        is_guarded: false,
        is_clamped: false,
        feed_forward: 0.0,
        ..LoopOptions::default()
    };
    let mut haptic_loop = HapticLoop::new(&part, device, options);
    let wall = ContactPlane { arm: Vector3::zeros(), normal: Vector3::z(), gap: 0.0 };
    let (center, rotation) = (Vector3::zeros(), UnitQuaternion::identity());
    haptic_loop.hold(HeldPlanes { center, rotation, planes: vec![wall] });
    // the part is taken on the wall, then the handle starts at its pressed place with a small speed
    haptic_loop.tick(Some(&DeviceSample::at(Pose::identity())), tick);
    let rest = -PRESS / stiffness;
    let (mut height, mut speed) = (rest, 1e-4);
    let mut swings = [0.0_f64; 2];
    let ticks = (SECONDS / tick) as usize;
    let rate = handle.damping / handle.mass;
    let decay = libm::exp(-rate * tick);
    for count in 0..ticks {
        let sample = DeviceSample {
            linear: Vector3::z() * speed,
            ..DeviceSample::at(Pose::from_translation(Vector3::z() * height))
        };
        let force = haptic_loop.tick(Some(&sample), tick).force.z - PRESS;
        let final_speed = force / handle.damping;
        height += final_speed * tick + (speed - final_speed) * (1.0 - decay) / rate;
        speed = final_speed + (speed - final_speed) * decay;
        // amplitudes of the first quarter after the start, and of the last
        let swing = (height - rest).abs();
        if count > ticks / 8 && count < ticks * 3 / 8 {
            swings[0] = swings[0].max(swing);
        } else if count > ticks * 3 / 4 {
            swings[1] = swings[1].max(swing);
        }
    }
    Ok(swings[1] < swings[0] && swings[1].is_finite())
}
