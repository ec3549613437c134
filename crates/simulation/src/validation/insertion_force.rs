//! Insertion force of a compliant support (Whitney 1982).
//!
//! ```text
//! F_x = K_x (δ₀ − δ),  M = K_θ (θ₀ − θ)  at the centre of compliance, moved to the tip
//! F_z = 2μM/l − μF_x (1 + 2μr/l)                                          two-point contact, sliding in
//! ```
//!
//! δ, θ offset [m] and tilt [rad] of the peg, with index 0 those of the support; F_x positive towards +x, the side on
//! which the mouth pushes a peg that leans to +x. l depth of the touching edge of the tip [m].

use tightfit_pipeline::integration::Coupling;
use tightfit_spatial::{Pose, Vector3};

use super::Verdict;
use super::peg_fit::{CLEARANCE, RADIUS, center_of_mass, fit};
use crate::SceneError;
use crate::drive::about;

const FRICTION: f64 = 0.15;
/// K_x [N/m] and K_θ [N·m/rad].
const STIFFNESS: f64 = 5000.0;
const TURNING: f64 = 200.0;
/// δ₀ [m] and θ₀ [rad] of the support.
const OFFSET: f64 = 0.1e-3;
const TILT: f64 = 0.02;
/// Speed of insertion [m/s].
const SPEED: f64 = 0.01;

pub(super) fn run(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let mut trial = fit(CLEARANCE, FRICTION, 0.0)?;
    let arm = center_of_mass(&trial);
    trial.body_mut().center = Vector3::new(0.0, 0.0, -9e-3) + arm;
    let mut ratios = Vec::new();
    for step in 0..250 {
        let time = step as f64 * trial.scene.dt;
        let target = |time: f64| {
            Pose::new(arm + Vector3::new(OFFSET, 0.0, -9e-3 - SPEED * time), about(Vector3::y(), TILT))
        };
        trial.input.couplings[0] = Some(Coupling {
            stiffness: Vector3::new(STIFFNESS, STIFFNESS, 1e5),
            damping: Vector3::new(100.0, 100.0, 400.0),
            turning_stiffness: Vector3::from_element(TURNING),
            turning_damping: Vector3::from_element(0.5),
            target: target(time),
            next_target: target(time + trial.scene.dt),
            twist: 0.0,
        });
        trial.step();
        let body = trial.body();
        let axis = body.rotation * Vector3::z();
        let tilt = libm::atan2(axis.x, axis.z);
        let tip = body.center - body.rotation * arm;
        let depth = -tip.z - RADIUS * libm::sin(tilt);
        let across = STIFFNESS * (OFFSET - body.center.x);
        // The support's force acts at the centre of mass, above the tip.
        let moment = TURNING * (TILT - tilt) + across * (body.center.z - tip.z);
        let predicted =
            2.0 * FRICTION * moment / depth - FRICTION * across * (1.0 + 2.0 * FRICTION * RADIUS / depth);
        if step >= 50 {
            ratios.push(trial.contact_wrench()[0].z / predicted);
        }
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    Ok(vec![Verdict::within(format!("{case}.over-predicted"), "-", 1.0, median, 0.05)])
}
