//! Joint angles that bring the tip to a pose: damped least squares with joint limits and a preferred posture.
//!
//! ```text
//! Δq = Jᵀ (J Jᵀ + λ² I)⁻¹ e + (I − J⁺J) k (q_p − q),      e = [p_d − p; log(R_d Rᵀ)],      λ² = ½|e|² + 1e-12
//! ```
//!
//! λ decreases with the error, so that the iteration converges fast and does not oscillate for distant targets (T.
//! Sugihara, "Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method", IEEE T-RO 27(5), 2011).
//! A joint that would leave its range is set to its limit and removed from J for the rest of the iteration. Only the
//! first iterations approach the preferred posture q_p. If the target is not reached, the remaining error is
//! reported.

use nalgebra::Matrix6;
use tightfit_spatial::{Pose, SplitMix};

use crate::kinematics::stacked;
use crate::{Chain, Jacobian, JointSet, JointVector, rotation_vector};

/// Largest joint displacement in one iteration [rad or m].
const LONGEST_STEP: f64 = 0.4;
/// λ² at the target [m²]; it keeps singular postures solvable.
const LEAST_DAMPING: f64 = 1e-12;

/// Options of inverse kinematics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReachOptions {
    /// Distance from the target that counts as reached [m].
    pub position_tolerance: f64,
    /// Angle to the target that counts as reached [rad].
    pub rotation_tolerance: f64,
    /// Iterations of one attempt.
    pub iterations: u32,
    /// Attempts: the first starts from the given angles, the others from seeded random angles within the limits.
    pub attempts: u32,
    /// q_p: preferred posture of the redundant joints.
    pub preferred: Option<JointVector>,
    /// k: share of the distance to `preferred` covered per iteration [-].
    pub preference: f64,
    /// Number of first iterations that approach `preferred`.
    pub preference_iterations: u32,
}

impl Default for ReachOptions {
    fn default() -> Self {
        Self {
            position_tolerance: 1e-9,
            rotation_tolerance: 1e-9,
            iterations: 100,
            attempts: 8,
            preferred: None,
            preference: 0.1,
            preference_iterations: 20,
        }
    }
}

/// Angles that reach a target, or come nearest to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// The angles, within their limits.
    pub angles: JointVector,
    /// Remaining distance [m].
    pub position_error: f64,
    /// Remaining angle [rad].
    pub rotation_error: f64,
    /// Iterations of all attempts.
    pub iterations: u32,
    /// Joints at a limit.
    pub at_limit: JointSet,
    /// Whether both errors are within the tolerance.
    pub is_reached: bool,
}

/// Errors of inverse kinematics.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ReachError {
    /// The target or the start holds a number that is not finite.
    #[error("{0} holds a number that is not finite; check where it comes from")]
    NotFinite(&'static str),
    /// The nearest posture found is outside the tolerance.
    #[error(
        "the target is missed by {:.3} mm and {:.3} deg after {iterations} iterations ({at_limit} at a limit); it may be out of reach or need another start",
        .position_error * 1e3, .rotation_error.to_degrees()
    )]
    NotReached {
        /// Remaining distance [m].
        position_error: f64,
        /// Remaining angle [rad].
        rotation_error: f64,
        /// Iterations of all attempts.
        iterations: u32,
        /// Joints at a limit.
        at_limit: JointSet,
    },
}

impl Chain {
    /// Angles within the limits that bring the tip to `world_from_target`, searched from `start`.
    ///
    /// # Errors
    /// When a number is not finite, or no posture within the tolerance was found; the error reports the remaining
    /// distance.
    pub fn reach(
        &self,
        world_from_target: &Pose,
        start: &JointVector,
        options: &ReachOptions,
    ) -> Result<Reached, ReachError> {
        let nearest = self.nearest(world_from_target, start, options)?;
        let Reached { position_error, rotation_error, iterations, at_limit, is_reached, .. } = nearest;
        match is_reached {
            true => Ok(nearest),
            false => Err(ReachError::NotReached { position_error, rotation_error, iterations, at_limit }),
        }
    }

    /// As [`Chain::reach`], but returns the nearest posture if the target is out of reach.
    ///
    /// # Errors
    /// When a number is not finite.
    pub fn nearest(
        &self,
        world_from_target: &Pose,
        start: &JointVector,
        options: &ReachOptions,
    ) -> Result<Reached, ReachError> {
        if !world_from_target.is_finite() {
            return Err(ReachError::NotFinite("the target"));
        }
        if !start.iter().all(|angle| angle.is_finite()) {
            return Err(ReachError::NotFinite("the start"));
        }
        let mut random = SplitMix::stream(0);
        let mut from = self.within_limits(start);
        let mut best = self.approach(world_from_target, from, options);
        let mut iterations = best.iterations;
        for _ in 1..options.attempts {
            if best.is_reached {
                break;
            }
            from = self.of_joints(|joint| {
                let (lower, upper) = (joint.limits.lower.max(-3.0), joint.limits.upper.min(3.0));
                lower + (upper - lower) * random.unit()
            });
            let found = self.approach(world_from_target, from, options);
            iterations += found.iterations;
            let score = |reached: &Reached| reached.position_error + reached.rotation_error;
            if score(&found) < score(&best) {
                best = found;
            }
        }
        Ok(Reached { iterations, ..best })
    }

    /// `angles` clamped to the joint limits.
    #[must_use]
    pub fn within_limits(&self, angles: &JointVector) -> JointVector {
        let mut clamped = JointVector::zeros();
        for (index, joint) in self.joints().iter().enumerate() {
            clamped[index] = angles[index].max(joint.limits.lower).min(joint.limits.upper);
        }
        clamped
    }

    /// One attempt.
    fn approach(&self, target: &Pose, mut angles: JointVector, options: &ReachOptions) -> Reached {
        let mut iterations = 0;
        loop {
            let posture = self.posture(&angles);
            let tip = posture.world_from_tip;
            let shift = target.translation - tip.translation;
            let turn = rotation_vector(&(target.rotation * tip.rotation.inverse()));
            let (position_error, rotation_error) = (shift.norm(), turn.norm());
            let is_reached =
                position_error <= options.position_tolerance && rotation_error <= options.rotation_tolerance;
            let is_drawn = options.preferred.is_some()
                && iterations < options.preference_iterations.min(options.iterations);
            if (is_reached && !is_drawn) || iterations >= options.iterations {
                return Reached {
                    angles,
                    position_error,
                    rotation_error,
                    iterations,
                    at_limit: self.at_limit(&angles),
                    is_reached,
                };
            }
            let wanted = options
                .preferred
                .filter(|_| iterations < options.preference_iterations)
                .map(|preferred| (preferred - angles) * options.preference);
            let error = stacked(shift, turn);
            let full = self.limited_step(&angles, &posture.tip_jacobian(), error, wanted);
            let longest = full.amax();
            angles += full * (LONGEST_STEP / longest.max(LONGEST_STEP));
            angles = self.within_limits(&angles);
            iterations += 1;
        }
    }

    /// Δq with joints that would leave their range set to their limit.
    fn limited_step(
        &self,
        angles: &JointVector,
        jacobian: &Jacobian,
        error: nalgebra::Vector6<f64>,
        wanted: Option<JointVector>,
    ) -> JointVector {
        let mut free = *jacobian;
        let mut left = error;
        let mut fixed = JointVector::zeros();
        let mut held = JointSet::default();
        loop {
            let damping = left.norm_squared() / 2.0 + LEAST_DAMPING;
            let square = free * free.transpose();
            let damped = |damping: f64| (square + Matrix6::from_diagonal_element(damping)).try_inverse();
            let mut step = free.transpose() * (damped(damping).unwrap_or_else(Matrix6::zeros) * left);
            if let (Some(mut wanted), Some(inverse)) = (wanted, damped(LEAST_DAMPING)) {
                held.iter().for_each(|joint| wanted[joint] = 0.0);
                step += wanted - free.transpose() * (inverse * (free * wanted));
            }
            let before = held;
            for (index, joint) in
                self.joints().iter().enumerate().filter(|(index, _)| !before.contains(*index))
            {
                let reached = angles[index] + step[index];
                let allowed = reached.max(joint.limits.lower).min(joint.limits.upper);
                if allowed != reached {
                    fixed[index] = allowed - angles[index];
                    held.insert(index);
                    left -= free.column(index) * fixed[index];
                    free.column_mut(index).fill(0.0);
                }
            }
            if held == before {
                held.iter().for_each(|joint| step[joint] = fixed[joint]);
                return step;
            }
        }
    }

    fn at_limit(&self, angles: &JointVector) -> JointSet {
        let mut set = JointSet::default();
        for (index, joint) in self.joints().iter().enumerate() {
            if angles[index] <= joint.limits.lower || angles[index] >= joint.limits.upper {
                set.insert(index);
            }
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    fn somewhere(chain: &Chain, random: &mut SplitMix) -> JointVector {
        let share: Vec<f64> = (0..chain.count()).map(|_| 0.1 + 0.8 * random.unit()).collect();
        let mut angles = JointVector::zeros();
        for (index, joint) in chain.joints().iter().enumerate() {
            let (lower, upper) = (joint.limits.lower.max(-3.0), joint.limits.upper.min(3.0));
            angles[index] = lower + (upper - lower) * share[index];
        }
        angles
    }

    #[test]
    fn reachable_poses_are_reached_within_the_joint_limits() {
        let mut random = SplitMix::stream(5);
        for chain in [Chain::panda().unwrap(), Chain::panda_turning_gripper().unwrap()] {
            let start = chain.of_joints(|joint| joint.limits.middle());
            for _ in 0..100 {
                let target = chain.posture(&somewhere(&chain, &mut random)).world_from_tip;
                let reached = chain.reach(&target, &start, &ReachOptions::default()).unwrap();
                let tip = chain.posture(&reached.angles).world_from_tip;
                assert!((tip.translation - target.translation).norm() <= 1e-9);
                assert_eq!(chain.within_limits(&reached.angles), reached.angles);
            }
        }
    }

    #[test]
    fn unreachable_poses_are_reported_with_the_remaining_error() {
        let panda = Chain::panda().unwrap();
        let far = Pose::from_translation(Vector3::new(2.0, 0.0, 0.333));
        let start = panda.of_joints(|joint| joint.limits.middle());
        let error = panda.reach(&far, &start, &ReachOptions::default()).unwrap_err();
        let ReachError::NotReached { position_error, .. } = error else { panic!("{error}") };
        // The reach is 0.855 m; the wrist offset of 0.088 m adds little.
        assert!(position_error > 1.0 && position_error < 1.4, "{error}");
        assert!(error.to_string().contains("mm"), "{error}");
        let nowhere = Pose::from_translation(Vector3::new(f64::NAN, 0.0, 0.3));
        assert_eq!(
            panda.reach(&nowhere, &start, &ReachOptions::default()),
            Err(ReachError::NotFinite("the target"))
        );
    }

    #[test]
    fn redundant_joints_move_to_the_preferred_posture() {
        let panda = Chain::panda().unwrap();
        let start = panda.joints_from(&[0.4, -0.6, 0.5, -2.2, 0.1, 1.6, 0.7]);
        let target = panda.posture(&start).world_from_tip;
        // Null-space motion: the tip stays at its pose.
        let jacobian = panda.posture(&start).tip_jacobian().columns(0, 7).clone_owned();
        let idle = nalgebra::SymmetricEigen::new(jacobian.transpose() * jacobian);
        let preferred =
            start + panda.joints_from(idle.eigenvectors.column(idle.eigenvalues.imin()).as_slice()) * 0.5;
        let nudged = Pose::new(target.translation + Vector3::new(0.0, 0.0, 1e-3), target.rotation);
        let towards = ReachOptions { preferred: Some(preferred), ..ReachOptions::default() };
        let plain = panda.reach(&nudged, &start, &ReachOptions::default()).unwrap().angles;
        let drawn = panda.reach(&nudged, &start, &towards).unwrap().angles;
        let distance = |angles: JointVector| (angles - preferred).norm();
        assert!(distance(drawn) < distance(plain) - 0.2, "{} and {}", distance(drawn), distance(plain));
    }
}
