//! Spring and damper between the part and the recorded poses: the source of the load of a prediction.
//!
//! ```text
//! F = −k e − b ė            per axis, at the centre of mass: e along world axes, rotation about the part's
//! b = k h/2                 the least damping that removes e within a step of length h
//! ```
//!
//! Over a step from e₀ to e₁ the midpoint rule gives k (e₀ + e₁)/2 + b (e₁ − e₀)/h. With b = k h/2 that is k e₁: a part
//! without load is back at its target at the end of the step, for any stiffness, and does not oscillate.

use serde::{Deserialize, Deserializer, Serialize};
use tightfit_simulation::Coupling;
use tightfit_spatial::{Pose, Vector3};

/// Stiffness and damping by axis.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct HoldingSpring {
    /// k along the world's x, y, z [N/m].
    #[serde(deserialize_with = "by_axis")]
    pub stiffness: [f64; 3],
    /// b along the world's x, y, z [N·s/m].
    #[serde(deserialize_with = "by_axis")]
    pub damping: [f64; 3],
    /// k about the part's x, y, z [N·m/rad].
    #[serde(deserialize_with = "by_axis")]
    pub turning_stiffness: [f64; 3],
    /// b about the part's x, y, z [N·m·s/rad].
    #[serde(deserialize_with = "by_axis")]
    pub turning_damping: [f64; 3],
}

/// Three numbers, or one for all axes as in older files.
fn by_axis<'de, D: Deserializer<'de>>(source: D) -> Result<[f64; 3], D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Numbers {
        One(f64),
        Three([f64; 3]),
    }
    Ok(match Numbers::deserialize(source)? {
        Numbers::One(number) => [number; 3],
        Numbers::Three(numbers) => numbers,
    })
}

impl Default for HoldingSpring {
    /// A hand on a robot: deflects by a tenth of a millimetre and half a milliradian under usual loads, damped within a
    /// few steps.
    fn default() -> Self {
        Self::even(1e5, 500.0, 200.0, 1.0)
    }
}

impl HoldingSpring {
    /// The same along all axes [N/m, N·s/m] and about all axes [N·m/rad, N·m·s/rad].
    #[must_use]
    pub fn even(stiffness: f64, damping: f64, turning_stiffness: f64, turning_damping: f64) -> Self {
        Self {
            stiffness: [stiffness; 3],
            damping: [damping; 3],
            turning_stiffness: [turning_stiffness; 3],
            turning_damping: [turning_damping; 3],
        }
    }

    /// With these stiffnesses [N/m, N·m/rad], damped so that it does not oscillate with this step [s].
    #[must_use]
    pub fn settling(stiffness: [f64; 3], turning_stiffness: [f64; 3], step: f64) -> Self {
        let damped = |stiffness: [f64; 3]| stiffness.map(|k| k * step / 2.0);
        Self {
            stiffness,
            damping: damped(stiffness),
            turning_stiffness,
            turning_damping: damped(turning_stiffness),
        }
    }

    /// Softened for poses with a standard deviation of `scatter` [m] at a lever of `lever` [m] and loads with a root
    /// mean square of `loads` by axis [N, N·m]. The stiffness of unloaded axes stays.
    ///
    /// A gap g = C f + δ with δ ~ N(0, s²) and f ~ N(0, φ²) has its most likely load at f = g C/(C² + s²/φ²): a spring
    /// with the compliance C + s²/(φ² C).
    #[must_use]
    pub fn softened(&self, scatter: f64, lever: f64, loads: [f64; 6], step: f64) -> Self {
        let soften = |stiffness: f64, scatter: f64, load: f64| {
            let soft = scatter / load * stiffness;
            if soft.is_finite() { stiffness / (1.0 + soft * soft) } else { stiffness }
        };
        let along = |axis: usize| soften(self.stiffness[axis], scatter, loads[axis]);
        let about = |axis: usize| soften(self.turning_stiffness[axis], scatter / lever, loads[3 + axis]);
        Self::settling(std::array::from_fn(along), std::array::from_fn(about), step)
    }

    /// Coupling for a step from one recorded pose of the centre of mass to the next.
    #[must_use]
    pub fn coupling(&self, target: Pose, next_target: Pose) -> Coupling {
        Coupling {
            stiffness: Vector3::from(self.stiffness),
            damping: Vector3::from(self.damping),
            turning_stiffness: Vector3::from(self.turning_stiffness),
            turning_damping: Vector3::from(self.turning_damping),
            target,
            next_target,
            // The part is never half a turn behind.
            twist: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uncertain_poses_soften_a_stiff_spring_and_leave_a_soft_one() {
        let spring = HoldingSpring::settling([1e5; 3], [30.0; 3], 0.01);
        let exact = spring.softened(0.0, 0.03, [10.0; 6], 0.01);
        assert_eq!(exact, spring);
        // 0.1 mm are 10 N at 1e5 N/m, as much as the loads: half of the stiffness is left
        let known_to_a_tenth = spring.softened(1e-4, 0.03, [10.0, 10.0, 0.0, 10.0, 10.0, 10.0], 0.01);
        assert!((known_to_a_tenth.stiffness[0] - 5e4).abs() < 1e-6);
        assert!((known_to_a_tenth.stiffness[2] - 1e5).abs() < 1e-6, "nothing was loaded along z");
        assert!(known_to_a_tenth.turning_stiffness[0] > 29.99);
    }

    #[test]
    fn files_with_one_number_for_all_axes_are_read() {
        let old =
            r#"{ "stiffness": 1e5, "damping": 500.0, "turning_stiffness": 200.0, "turning_damping": 1.0 }"#;
        let read: HoldingSpring = serde_json::from_str(old).expect("a spring");
        assert_eq!(read, HoldingSpring::default());
        let text = serde_json::to_string(&read).expect("written");
        assert_eq!(serde_json::from_str::<HoldingSpring>(&text).expect("a spring"), read);
    }
}
