//! Scaling of a command to the effort limits of the drives.
//!
//! ```text
//! τ = forward + s x − r y,     x = back + T/2 led − T/2 K v,   y = D v,     |τ_j| ≤ effort limit of drive j
//! ```
//!
//! The spring is reduced first (s); the damping is reduced only if it exceeds the limit alone (r). So an arm at its
//! effort limits brakes instead of oscillating. Both shares are the same for all joints: the direction of the force
//! at the tip is kept, and r vᵀDv remains dissipation.

use crate::{JointSet, JointVector};

/// Shares of spring and damping effort [-]; both are one within the effort limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// s, 0 to 1 [-].
    pub spring: f64,
    /// r, 0 to 1 [-].
    pub damping: f64,
}

impl Shares {
    /// The whole spring and damping effort.
    pub const WHOLE: Self = Self { spring: 1.0, damping: 1.0 };

    /// The largest shares within the effort limits, at most these; `limited` collects the drives at their limit.
    pub(super) fn weakened(
        self,
        forward: &JointVector,
        [spring, damping]: &[JointVector; 2],
        efforts: &JointVector,
        limited: &mut JointSet,
    ) -> Self {
        let mut next = self;
        for joint in 0..efforts.len() {
            let (limit, forward, x, y) = (efforts[joint], forward[joint], spring[joint], damping[joint]);
            let braked = forward - self.damping * y;
            let total = braked + self.spring * x;
            // Entries beyond the arm's joints are zero.
            if limit == 0.0 || total.abs() <= limit * (1.0 + 1e-9) {
                continue;
            }
            limited.insert(joint);
            let share = (limit.copysign(total) - braked) / x;
            if share.is_finite() && (0.0..=self.spring).contains(&share) {
                next.spring = next.spring.min(share);
            } else {
                next.spring = 0.0;
                let share = (forward - limit.copysign(braked)) / y;
                let is_braking_too_hard = braked.abs() > limit * (1.0 + 1e-9);
                if is_braking_too_hard && (0.0..=self.damping).contains(&share) {
                    next.damping = next.damping.min(share);
                }
            }
        }
        next
    }

    /// The largest shares at known speeds, where x and y do not depend on the shares.
    pub(super) fn largest(
        forward: &JointVector,
        [spring, damping]: &[JointVector; 2],
        efforts: &JointVector,
    ) -> Self {
        // Entries beyond the arm's joints are zero.
        let joints = (0..efforts.len()).filter(|joint| efforts[*joint] > 0.0);
        let within = |constant: &dyn Fn(usize) -> f64, slope: &JointVector| {
            joints.clone().fold([0.0_f64, 1.0_f64], |[low, high], joint| {
                let (limit, constant, slope) = (efforts[joint], constant(joint), slope[joint]);
                if slope == 0.0 {
                    return if constant.abs() > limit { [1.0, 0.0] } else { [low, high] };
                }
                let ends = [-limit, limit].map(|end| (end - constant) / slope);
                [low.max(ends[0].min(ends[1])), high.min(ends[0].max(ends[1]))]
            })
        };
        let [least, most] = within(&|joint| forward[joint] - damping[joint], spring);
        if least <= most {
            return Self { spring: most, damping: 1.0 };
        }
        let [_, most] = within(&|joint| forward[joint], &-damping);
        Self { spring: 0.0, damping: most.max(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn springs_are_reduced_first_and_no_drive_exceeds_its_effort_limit() {
        let of = |values: [f64; 2]| {
            let mut vector = JointVector::zeros();
            vector[0] = values[0];
            vector[1] = values[1];
            vector
        };
        let efforts = of([10.0, 10.0]);
        for (forward, spring, damping, expected) in [
            ([2.0, 0.0], [4.0, -5.0], [1.0, 1.0], [1.0, 1.0]),
            ([2.0, 0.0], [16.0, -5.0], [0.0, 0.0], [0.5, 1.0]),
            ([0.0, 0.0], [5.0, 5.0], [30.0, 1.0], [0.0, 1.0 / 3.0]),
            // The damping alone exceeds the limit; the spring opposes it.
            ([0.0, 0.0], [8.0, 0.0], [14.0, 0.0], [1.0, 1.0]),
        ] {
            let [forward, spring, damping] = [forward, spring, damping].map(of);
            let both = [spring, damping];
            let mut limited = JointSet::default();
            let mut weakened = Shares::WHOLE;
            for _ in 0..3 {
                weakened = weakened.weakened(&forward, &both, &efforts, &mut limited);
            }
            let shares = Shares::largest(&forward, &both, &efforts);
            assert_eq!(weakened, shares);
            assert_eq!(limited.is_empty(), shares == Shares::WHOLE);
            assert!(
                (shares.spring - expected[0]).abs() + (shares.damping - expected[1]).abs() < 1e-12,
                "{shares:?}"
            );
            let total = forward + spring * shares.spring - damping * shares.damping;
            assert!(total.amax() <= 10.0 * (1.0 + 1e-9));
        }
    }
}
