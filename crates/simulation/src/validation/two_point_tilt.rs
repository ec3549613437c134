//! Tilt of a peg that touches its hole at two points (Whitney 1982; Simunovic 1979).
//!
//! ```text
//! D = d cos θ + l sin θ,   l cos θ = l_c + r sin θ         tolerance 0.5 µm/l
//! ```
//!
//! l_c depth of the tip's centre [m]. A moment tilts the frictionless peg as far as the hole lets it.

use tightfit_pipeline::integration::Coupling;
use tightfit_spatial::{Pose, Vector3};

use super::Verdict;
use super::peg_fit::{CLEARANCE, DIAMETER, RADIUS, center_of_mass, fit};
use crate::SceneError;

pub(super) fn run(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let mut verdicts = Vec::new();
    for depth_mm in [5.0, 7.5, 10.0, 20.0, 30.0, 40.0] {
        let depth = depth_mm * 1e-3;
        let (truth, measured) = tilts(depth)?;
        let name = format!("{case}.{depth_mm}mm");
        verdicts.push(Verdict::within(name, "mrad", truth * 1e3, measured * 1e3, 0.5e-6 / depth * 1e3));
    }
    Ok(verdicts)
}

/// θ of the formula and of the peg, near a depth l [rad].
fn tilts(depth: f64) -> Result<(f64, f64), SceneError> {
    let expected = tilt(|_| depth);
    let mut trial = fit(CLEARANCE, 0.0, 0.0)?;
    let arm = center_of_mass(&trial);
    let (sin, cos) = libm::sincos(expected);
    let height = RADIUS * sin + (arm.z - depth) * cos;
    trial.body_mut().center = Vector3::new(0.0, 0.0, height);
    let target = Pose::new(trial.body().center, trial.body().rotation);
    trial.input.couplings[0] = Some(Coupling {
        stiffness: Vector3::new(0.0, 0.0, 1e7),
        damping: Vector3::new(200.0, 200.0, 1e5),
        turning_stiffness: Vector3::zeros(),
        turning_damping: Vector3::from_element(0.2),
        target,
        next_target: target,
        twist: 0.0,
    });
    for _ in 0..100 {
        trial.load(Vector3::zeros(), Vector3::new(0.0, 1.0, 0.0));
        trial.step();
    }
    let axis = trial.body().rotation * Vector3::z();
    let tip = trial.body().center - trial.body().rotation * arm;
    // l at the depth of the peg after the deflection of the spring.
    let truth = tilt(|angle| (RADIUS * libm::sin(angle) - tip.z) / libm::cos(angle));
    Ok((truth, libm::atan2(axis.x, axis.z)))
}

/// θ of D = d cos θ + l(θ) sin θ by bisection [rad].
fn tilt(depth: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 0.1);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        let (sin, cos) = libm::sincos(middle);
        // At small angles the peg is narrower than the hole.
        let fits = DIAMETER * cos + depth(middle) * sin < DIAMETER + CLEARANCE;
        *(if fits { &mut low } else { &mut high }) = middle;
    }
    low
}
