//! Joint angles of the next step for a target pose; redundant joints move towards a preferred posture.
//!
//! ```text
//! q⁺ = q + task + κ posture,     posture: 5 % of the distance per 10 ms, within the speed limits
//! ```
//!
//! κ ≤ 1 is the largest share for which no joint exceeds its speed limit. The task motion comes first: a distant
//! preferred posture does not slow the tip.

use tightfit_spatial::Pose;

use crate::{Chain, JointVector, ReachError, ReachOptions, Reached};

/// Share of the distance to the posture that is covered in [`EVERY`] [-].
const PREFERENCE: f64 = 0.05;
/// Time for [`PREFERENCE`] [s].
const EVERY: f64 = 0.01;

/// The reachable angles nearest to a target pose, and the joint displacement towards them within `step` seconds [rad
/// or m].
///
/// # Errors
/// When a number is not finite.
pub fn next_angles(
    chain: &Chain,
    world_from_tip: &Pose,
    angles: &JointVector,
    preferred: Option<&JointVector>,
    step: f64,
) -> Result<(Reached, JointVector), ReachError> {
    // Continuous joints have no preferred angle: they take over the rotation of the other joints.
    let preferred = preferred.map(|preferred| {
        let mut preferred = *preferred;
        for (index, joint) in chain.joints().iter().enumerate() {
            if !(joint.limits.upper - joint.limits.lower).is_finite() {
                preferred[index] = angles[index];
            }
        }
        preferred
    });
    let options = ReachOptions {
        position_tolerance: 1e-8,
        rotation_tolerance: 1e-8,
        iterations: 20,
        attempts: 1,
        preferred,
        preference: 1.0 - libm::pow(1.0 - PREFERENCE, step / EVERY),
        preference_iterations: 1,
    };
    let reached = chain.nearest(world_from_tip, angles, &options)?;
    let way = reached.angles - angles;
    let allowed = chain.of_joints(|joint| joint.limits.speed * step);
    let is_fast = (0..chain.count()).any(|joint| way[joint].abs() > allowed[joint]);
    if !is_fast || preferred.is_none() {
        return Ok((reached, way));
    }
    let reached = chain.nearest(world_from_tip, angles, &ReachOptions { preferred: None, ..options })?;
    let task = reached.angles - angles;
    let posture = way - task;
    let share = (0..chain.count()).fold(1.0_f64, |share, joint| {
        let left = allowed[joint].copysign(posture[joint]) - task[joint];
        if posture[joint] == 0.0 { share } else { share.min((left / posture[joint]).max(0.0)) }
    });
    Ok((reached, task + posture * share))
}
