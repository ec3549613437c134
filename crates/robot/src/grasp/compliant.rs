//! A part in soft fingers: a spring and damper in six directions, which slips under too high a load.
//!
//! ```text
//! λ = K ε + (T/2 K + B)(J q̄̇ − V̄)             midpoint rule (docs/design/math.md §1.4)
//! r² = |f|²/f_max² + |τ|²/τ_max²  of [f; τ] = K ε ;   r > 1:  the part settles in the hand until ε is ε/r
//! ```
//!
//! The limit is an ellipsoid, a close approximation of the sliding friction of a patch (R. D. Howe, M. R. Cutkosky,
//! "Practical force-motion models for sliding manipulation", IJRR 15(6), 1996). Settling dissipates energy: the load
//! at the limit times the displacement. If λ, computed with the contact impulse of the last step, exceeds the limit,
//! the step is repeated with λ/r as a constant load. A new contact may bring λ beyond the limit for one step.

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};
use tightfit_pipeline::integration::BodyMotion;
use tightfit_spatial::Pose;

use super::{Held, Tie};
use crate::control::ControlError;
use crate::kinematics::halves;
use crate::{Posture, rotation_about};

/// Compliance of a sliding part relative to that of the fingers [-]: the load is constant to a millionth.
const SLIDING: f64 = 1e6;

/// Loads at which a held part begins to slip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlipLimit {
    /// f_max: force without torque [N].
    pub force: f64,
    /// τ_max: torque without force [N·m].
    pub torque: f64,
}

/// Spring, damper and slip of a grasp, diagonal in the axes of the arm's tip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompliantGrasp {
    stiffness: Vector6<f64>,
    damping: Vector6<f64>,
    limit: Option<SlipLimit>,
}

/// Slip of the part in the hand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Slip {
    /// r: ratio of the load to the limit before slipping [-]; the part slips above one.
    pub ratio: f64,
    /// Dissipated energy [J].
    pub dissipated: f64,
}

impl CompliantGrasp {
    /// Stiffness [N/m, N·m/rad] and damping [N·s/m, N·m·s/rad] along and about the tip's axes.
    ///
    /// # Errors
    /// When a stiffness or damping is not positive, or a limit is not.
    pub fn new(
        stiffness: Vector6<f64>,
        damping: Vector6<f64>,
        limit: Option<SlipLimit>,
    ) -> Result<Self, ControlError> {
        stiffness
            .iter()
            .try_for_each(|&value| ControlError::check_positive("stiffness of the grasp", value))?;
        damping.iter().try_for_each(|&value| ControlError::check_positive("damping of the grasp", value))?;
        if let Some(SlipLimit { force, torque }) = limit {
            ControlError::check_positive("force at which the grasp slips", force)?;
            ControlError::check_positive("torque at which the grasp slips", torque)?;
        }
        Ok(Self { stiffness, damping, limit })
    }

    /// The tie over one step of `step` seconds, for the error ε at its start and the axes of the tip in `posture`.
    #[must_use]
    pub fn tie(&self, error: &Vector6<f64>, posture: &Posture, step: f64) -> Tie {
        let compliance = (self.stiffness * (step / 2.0) + self.damping).map(|resistance| 1.0 / resistance);
        let compliance = self.in_world(posture, &compliance);
        Tie { compliance, catch_up: compliance * (self.in_world(posture, &self.stiffness) * error) }
    }

    /// The tie of a part that slides in the hand under a constant load; `None` if λ is within the limit.
    #[must_use]
    pub fn sliding_tie(&self, load: &Vector6<f64>, posture: &Posture, step: f64) -> Option<Tie> {
        let ratio = self.ratio(load);
        let compliance = self.tie(&Vector6::zeros(), posture, step).compliance * SLIDING;
        (ratio > 1.0).then(|| Tie { compliance, catch_up: compliance * load / ratio })
    }

    /// r of a load; zero without a limit.
    fn ratio(&self, load: &Vector6<f64>) -> f64 {
        let (force, torque) = halves(load);
        self.limit.map_or(0.0, |limit| libm::hypot(force.norm() / limit.force, torque.norm() / limit.torque))
    }

    /// Elastic energy of the spring [J].
    #[must_use]
    pub fn potential(&self, error: &Vector6<f64>, posture: &Posture) -> f64 {
        error.dot(&(self.in_world(posture, &self.stiffness) * error)) / 2.0
    }

    /// Moves the nominal pose towards the part if its load is beyond the limit.
    pub fn slip(&self, held: &mut Held, posture: &Posture, body: &BodyMotion) -> Slip {
        let error = held.error(posture, body);
        let ratio = self.ratio(&(self.in_world(posture, &self.stiffness) * error));
        if ratio <= 1.0 {
            return Slip { ratio, dissipated: 0.0 };
        }
        let (shift, turn) = halves(&(error / ratio));
        let angle = turn.norm();
        let rotation = match angle > 0.0 {
            true => rotation_about(turn / angle, angle) * body.rotation,
            false => body.rotation,
        };
        let wanted = Pose::new(body.center + shift, rotation);
        held.tip_from_center = posture.world_from_tip.inverse() * wanted;
        // The load at the limit times the displacement: [Kε/r]ᵀ(ε − ε/r).
        Slip { ratio, dissipated: 2.0 * self.potential(&error, posture) * (1.0 - 1.0 / ratio) / ratio }
    }

    /// A diagonal in the tip's axes as a matrix in world axes.
    fn in_world(&self, posture: &Posture, diagonal: &Vector6<f64>) -> Matrix6<f64> {
        let turn = posture.world_from_tip.rotation.to_rotation_matrix().into_inner();
        let block = |values: Vector3<f64>| turn * Matrix3::from_diagonal(&values) * turn.transpose();
        let (linear, angular) = halves(diagonal);
        let mut matrix = Matrix6::zeros();
        matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&block(linear));
        matrix.fixed_view_mut::<3, 3>(3, 3).copy_from(&block(angular));
        matrix
    }
}
