//! A peg slides down the chamfer of a hole (Whitney 1982, chamfer crossing).
//!
//! ```text
//! F_z/F_x = (sin α + μ cos α)/(cos α − μ sin α) = 1.353 for α = 45°, μ = 0.15
//! ```
//!
//! α angle of the chamfer from the axis. The support does not turn: the peg touches at one point.

use tightfit_pipeline::integration::Coupling;
use tightfit_spatial::{Pose, UnitQuaternion, Vector3};

use super::Verdict;
use super::peg_fit::{CLEARANCE, center_of_mass, fit};
use crate::SceneError;

const FRICTION: f64 = 0.15;
/// Lateral offset of the support [m], half of the chamfer.
const OFFSET: f64 = 1e-3;

pub(super) fn run(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let mut trial = fit(CLEARANCE, FRICTION, 2.0 * OFFSET)?;
    let arm = center_of_mass(&trial);
    // The edge of the tip touches the chamfer one offset below the mouth.
    let start = Vector3::new(OFFSET, 0.0, -0.9 * OFFSET);
    trial.body_mut().center = start + arm;
    let (mut along, mut across) = (0.0, 0.0);
    for step in 0..100 {
        let target =
            |step: f64| Pose::new(start + arm - Vector3::z() * (0.01e-3 * step), UnitQuaternion::identity());
        trial.input.couplings[0] = Some(Coupling {
            stiffness: Vector3::new(2000.0, 2000.0, 1e5),
            damping: Vector3::new(100.0, 100.0, 400.0),
            turning_stiffness: Vector3::from_element(1e5),
            turning_damping: Vector3::from_element(50.0),
            target: target(f64::from(step)),
            next_target: target(f64::from(step + 1)),
            twist: 0.0,
        });
        trial.step();
        if step >= 50 {
            let [force, _] = trial.contact_wrench();
            along += force.z;
            across -= force.x;
        }
    }
    // α = 45°
    let truth = (1.0 + FRICTION) / (1.0 - FRICTION);
    Ok(vec![Verdict::within_part(format!("{case}.ratio"), "-", truth, along / across, 0.01)])
}
