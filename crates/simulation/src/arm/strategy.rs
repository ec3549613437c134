//! A strategy instead of a drive: it is queried once per step, from the state alone.

use tightfit_robot::control::Posed;
use tightfit_robot::strategy::StrategyMemory;
use tightfit_spatial::Vector3;

use super::{Arm, TorquePoint, Wanted};
use crate::{Parameters, Scene, State};

impl Arm {
    /// Set-point of the strategy for the step after a state, and its memory after that step.
    pub(crate) fn ask_strategy(
        &self,
        scene: &Scene,
        parameters: &Parameters,
        state: &State,
    ) -> Option<(Wanted, StrategyMemory)> {
        let motion = state.arm.as_deref()?;
        let (strategy, memory) = (self.strategy.as_ref()?, motion.strategy.as_ref()?);
        let inertia = parameters.bodies[self.body].inertia?;
        let felt = self.felt(motion, &inertia, scene.gravity, TorquePoint::Frame);
        // Pose of the part by the joints; the true pose may differ.
        let world_from_part = self.model.posture(&motion.joints.angles).world_from_tip;
        let seen = strategy.perceive(memory, &world_from_part, &felt);
        let next = strategy.ask(memory, &seen, parameters.dt);
        let [now, then] = [memory, &next].map(|memory| strategy.world_from_set_point(memory));
        let posed = Posed::between(&now, &then, parameters.dt);
        Some((Wanted { posed, force: Vector3::zeros() }, next))
    }
}
