//! Description of a serial arm: a chain of joints, each with the link that it moves.

mod built_in;
mod error;
mod urdf;

pub use error::ChainError;

use nalgebra::Vector3;
use tightfit_spatial::{Inertia, Pose};

use crate::{JointVector, MAX_JOINTS};

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Turns about its axis.
    Turning,
    /// Slides along its axis.
    Sliding,
}

/// Limits of a joint; infinite where there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLimits {
    /// Lowest angle [rad] or position [m].
    pub lower: f64,
    /// Highest angle [rad] or position [m].
    pub upper: f64,
    /// Highest speed [rad/s or m/s], positive.
    pub speed: f64,
    /// Highest effort of the drive [N·m or N], positive.
    pub effort: f64,
}

impl JointLimits {
    /// No limit.
    pub const NONE: Self =
        Self { lower: f64::NEG_INFINITY, upper: f64::INFINITY, speed: f64::INFINITY, effort: f64::INFINITY };

    /// The middle of the range, or zero for an unbounded range.
    #[must_use]
    pub fn middle(&self) -> f64 {
        let middle = f64::midpoint(self.lower, self.upper);
        if middle.is_finite() { middle } else { 0.0 }
    }
}

/// One joint and the link that moves with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name in the description.
    pub name: String,
    /// Turning or sliding.
    pub kind: JointKind,
    /// Frame of the joint at zero, in the frame of the previous link; for the first joint, in the base frame.
    pub previous_from_joint: Pose,
    /// Unit axis in the joint's frame; positive angles turn right-handed about it.
    pub axis: Vector3<f64>,
    /// Range, speed and effort.
    pub limits: JointLimits,
    /// Viscous friction [N·m·s/rad or N·s/m].
    pub damping: f64,
    /// Coulomb friction [N·m or N].
    pub friction: f64,
    /// Inertia that moves with the joint, in the joint's frame; `None` for a massless link between two joints.
    pub inertia: Option<Inertia>,
}

/// A serial arm.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    name: String,
    joints: Vec<Joint>,
    world_from_base: Pose,
    last_from_tip: Pose,
    tip_name: String,
    sticking_speed: f64,
}

/// Default v_s [rad/s or m/s].
const STICKING_SPEED: f64 = 1e-6;

impl Chain {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its joints from base to tip.
    #[must_use]
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Number of joints.
    #[must_use]
    pub fn count(&self) -> usize {
        self.joints.len()
    }

    /// Pose of the base.
    #[must_use]
    pub fn world_from_base(&self) -> Pose {
        self.world_from_base
    }

    /// The tip frame, which controllers move, in the frame of the last joint.
    #[must_use]
    pub fn last_from_tip(&self) -> Pose {
        self.last_from_tip
    }

    /// Name of the link whose frame is the tip.
    #[must_use]
    pub fn tip_name(&self) -> &str {
        &self.tip_name
    }

    /// The same arm with its base at another pose.
    #[must_use]
    pub fn with_base(mut self, world_from_base: Pose) -> Self {
        self.world_from_base = world_from_base;
        self
    }

    /// The same arm with another tip frame, given in the frame of the present tip.
    #[must_use]
    pub fn with_tip(mut self, tip_from_new_tip: Pose) -> Self {
        self.last_from_tip = self.last_from_tip * tip_from_new_tip;
        self
    }

    /// The same arm with a part fixed to its tip: the model of a controller that knows the payload.
    #[must_use]
    pub fn with_payload(mut self, tip_from_part: &Pose, part: &Inertia) -> Self {
        let last_from_part = self.last_from_tip * *tip_from_part;
        if let Some(joint) = self.joints.last_mut() {
            let part = part.transformed(&last_from_part);
            joint.inertia = Some(joint.inertia.map_or(part, |own| own.combined(&part)));
        }
        self
    }

    /// v_s: creep speed of a joint held by dry friction [rad/s or m/s].
    #[must_use]
    pub fn sticking_speed(&self) -> f64 {
        self.sticking_speed
    }

    /// The same arm with another creep speed of joints held by dry friction [rad/s or m/s], at least 1e-9. A higher
    /// speed improves the conditioning of the contact problem.
    #[must_use]
    pub fn with_sticking_speed(mut self, speed: f64) -> Self {
        self.sticking_speed = speed.max(1e-9);
        self
    }

    /// The same arm with frictionless joints.
    #[must_use]
    pub fn without_friction(mut self) -> Self {
        for joint in &mut self.joints {
            joint.damping = 0.0;
            joint.friction = 0.0;
        }
        self
    }

    /// The same arm without joint limits.
    #[must_use]
    pub fn without_limits(mut self) -> Self {
        self.joints.iter_mut().for_each(|joint| joint.limits = JointLimits::NONE);
        self
    }

    /// Values of the arm's joints as a vector; missing values are zero, surplus values are ignored.
    #[must_use]
    pub fn joints_from(&self, values: &[f64]) -> JointVector {
        let mut vector = JointVector::zeros();
        for (entry, value) in vector.iter_mut().zip(values).take(self.count()) {
            *entry = *value;
        }
        vector
    }

    /// One value per joint as a vector.
    #[must_use]
    pub fn of_joints(&self, mut number: impl FnMut(&Joint) -> f64) -> JointVector {
        let mut vector = JointVector::zeros();
        for (entry, joint) in vector.iter_mut().zip(&self.joints) {
            *entry = number(joint);
        }
        vector
    }

    /// Builds and checks a chain; see [`Chain::from_urdf`].
    fn new(
        name: String,
        joints: Vec<Joint>,
        last_from_tip: Pose,
        tip_name: String,
    ) -> Result<Self, ChainError> {
        if joints.is_empty() {
            return Err(ChainError::NoJoint { robot: name });
        }
        if joints.len() > MAX_JOINTS {
            return Err(ChainError::TooManyJoints { robot: name, count: joints.len() });
        }
        let chain = Self {
            name,
            joints,
            world_from_base: Pose::identity(),
            last_from_tip,
            tip_name,
            sticking_speed: STICKING_SPEED,
        };
        // A joint that moves no inertia makes M singular in every posture, so one generic posture suffices for the
        // test.
        let bent = chain.of_joints(|joint| joint.limits.middle() + 0.3);
        let mass = chain.mass_matrix(&chain.posture(&bent));
        for (index, joint) in chain.joints.iter().enumerate().rev() {
            let leading = mass.view((index, index), (chain.count() - index, chain.count() - index));
            if leading.clone_owned().cholesky().is_none() {
                return Err(ChainError::NoInertia { joint: joint.name.clone() });
            }
        }
        Ok(chain)
    }
}
