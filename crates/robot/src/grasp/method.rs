//! The kinds of grasp as one enum.

use nalgebra::Vector6;
use tightfit_pipeline::integration::{BodyMotion, FreeStep};

use super::{CompliantGrasp, Condensation, Held, RigidGrasp, Slip};
use crate::arm::ArmStep;
use crate::{Chain, Posture};

/// How an arm holds a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grasp {
    /// Without play.
    Rigid(RigidGrasp),
    /// In soft fingers that may slip.
    Compliant(CompliantGrasp),
}

impl Grasp {
    /// Arm and part as one body over a step of `step` seconds; `None` if a number is not finite.
    ///
    /// `arm` and `alone` are the steps of the uncoupled arm and part.
    #[must_use]
    pub fn condense(
        &self,
        chain: &Chain,
        held: &Held,
        arm: &ArmStep,
        body: &BodyMotion,
        alone: &FreeStep,
        step: f64,
    ) -> Option<Condensation> {
        let start = chain.posture(&arm.start().angles);
        let error = held.error(&start, body);
        let jacobian = held.jacobian(&arm.posture);
        let with = |tie| Condensation::new(body, alone, arm, &jacobian, &tie, step);
        match self {
            Self::Rigid(grasp) => {
                let bend = match grasp.follows_bend {
                    true => held.bend(chain, &start, arm, &jacobian, step),
                    false => Vector6::zeros(),
                };
                with(grasp.tie(&error, &bend, alone, step))
            }
            Self::Compliant(grasp) => {
                let holding = with(grasp.tie(&error, &start, step))?;
                let load = holding.load(&held.impulse);
                match grasp.sliding_tie(&load, &start, step) {
                    Some(sliding) => with(sliding),
                    None => Some(holding),
                }
            }
        }
    }

    /// Slip of the part in the hand after a step.
    pub fn slip(&self, held: &mut Held, posture: &Posture, body: &BodyMotion) -> Slip {
        match self {
            Self::Rigid(_) => Slip::default(),
            Self::Compliant(grasp) => grasp.slip(held, posture, body),
        }
    }
}
