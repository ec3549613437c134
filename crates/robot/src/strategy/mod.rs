//! Assembly strategies: set-points of an arm from force feedback, until two parts are assembled.
//!
//! ```text
//! joints, wrist sensor ─► Perception ─► Strategy::ask ─► StrategyMemory: phase, set-point ─► controller
//!                                           ▲                  │
//!                                           └──── last step ───┘
//! ```
//!
//! A strategy is queried once per step. It knows only what a robot knows: the pose of the held part by the joints,
//! the reading of the sensor, and the nominal pose of the other part (`goal`). It returns the set-point at the end of
//! the step. Its whole state is its memory: the same memory and perception give the same result.
//!
//! All positions, forces and tilts are in the axes of the goal: origin at the mouth of a hole or the foot of a bolt's
//! thread, z out of the hole or towards the tip of the bolt.

mod back_turn;
mod chamfer_search;
mod error;
mod insertion;
mod memory;
mod motion;
mod phase;
mod placement;
mod spiral_search;
#[cfg(test)]
mod tests;
mod tightening;
mod tilt_and_align;
mod touch;

pub use back_turn::BackTurn;
pub use chamfer_search::ChamferSearch;
pub use error::StrategyError;
pub use insertion::Insertion;
pub use memory::StrategyMemory;
pub use motion::Pressing;
pub use phase::{Failure, Phase};
pub use placement::{Perception, Placement};
pub use spiral_search::SpiralSearch;
pub use tightening::Tightening;
pub use tilt_and_align::TiltAndAlign;
pub use touch::Touch;

use tightfit_spatial::Pose;

/// One of the strategies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StrategyKind {
    /// A peg slides over the surface on a spiral until it drops into the hole.
    Spiral(SpiralSearch),
    /// A tilted peg enters the hole with its lower edge, is pushed against the wall and set upright.
    Tilt(TiltAndAlign),
    /// A peg probes the surface until it detects the slope of a chamfer, and slides down the slope.
    Chamfer(ChamferSearch),
    /// A nut turns backwards until the thread starts pass one another and it drops, then turns on.
    BackTurn(BackTurn),
    /// As `BackTurn`, then tightened against a seat up to a torque.
    Tighten(Tightening),
}

/// A strategy with its goal and its limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strategy {
    /// Nominal frame of the other part.
    world_from_goal: Pose,
    kind: StrategyKind,
    limits: StrategyLimits,
}

/// Limits beyond which a strategy fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrategyLimits {
    /// Longest time [s].
    pub time: f64,
    /// Largest measured force [N].
    pub force: f64,
    /// Largest measured torque about the part's frame [N·m].
    pub torque: f64,
}

impl Default for StrategyLimits {
    fn default() -> Self {
        Self { time: 60.0, force: 80.0, torque: 10.0 }
    }
}

impl Strategy {
    /// Checks the numbers.
    ///
    /// # Errors
    /// With the first number that is not allowed.
    pub fn new(
        world_from_goal: Pose,
        kind: StrategyKind,
        limits: StrategyLimits,
    ) -> Result<Self, StrategyError> {
        StrategyError::check("limits.time_s", limits.time, 1.0)?;
        StrategyError::check("limits.force_n", limits.force, 1.0)?;
        StrategyError::check("limits.torque_nm", limits.torque, 1.0)?;
        match &kind {
            StrategyKind::Spiral(spiral) => spiral.check()?,
            StrategyKind::Tilt(tilt) => tilt.check()?,
            StrategyKind::Chamfer(chamfer) => chamfer.check()?,
            StrategyKind::BackTurn(back_turn) => back_turn.check()?,
            StrategyKind::Tighten(tightening) => tightening.check()?,
        }
        Ok(Self { world_from_goal, kind, limits })
    }

    /// Its kind and settings.
    #[must_use]
    pub fn kind(&self) -> &StrategyKind {
        &self.kind
    }

    /// Limits beyond which it fails.
    #[must_use]
    pub fn limits(&self) -> &StrategyLimits {
        &self.limits
    }

    /// The memory at the start, with the part at its estimated pose.
    #[must_use]
    pub fn start(&self, world_from_part: &Pose) -> StrategyMemory {
        let goal_from_part = self.world_from_goal.inverse() * *world_from_part;
        StrategyMemory::start(Placement::of(&goal_from_part, 0.0))
    }

    /// Set-point of a memory, in the world.
    #[must_use]
    pub fn world_from_set_point(&self, memory: &StrategyMemory) -> Pose {
        self.world_from_goal * memory.command.pose()
    }

    /// The reading of joints and sensor in the axes of the goal. `wrench` acts from the environment on the part,
    /// about the part's frame, world axes [N, N·m].
    #[must_use]
    pub fn perceive(
        &self,
        memory: &StrategyMemory,
        world_from_part: &Pose,
        wrench: &nalgebra::Vector6<f64>,
    ) -> Perception {
        let goal_from_part = self.world_from_goal.inverse() * *world_from_part;
        let to_goal = self.world_from_goal.rotation.inverse();
        let (force, torque) = crate::kinematics::halves(wrench);
        Perception {
            part: Placement::of(&goal_from_part, memory.command.turn),
            force: to_goal * force,
            torque: to_goal * torque,
        }
    }

    /// The memory after a step of `step` seconds; its set-point is that of the end of the step.
    #[must_use]
    pub fn ask(&self, memory: &StrategyMemory, seen: &Perception, step: f64) -> StrategyMemory {
        let mut next = *memory;
        if memory.phase.is_over() {
            return next;
        }
        next.time += step;
        next.since += step;
        if seen.force.norm() > self.limits.force {
            next.fail(Failure::ForceLimit);
        } else if seen.torque.norm() > self.limits.torque {
            next.fail(Failure::TorqueLimit);
        } else if next.time > self.limits.time {
            next.fail(Failure::TimeOut);
        } else {
            match &self.kind {
                StrategyKind::Spiral(spiral) => spiral.go_on(&mut next, seen, step),
                StrategyKind::Tilt(tilt) => tilt.go_on(&mut next, seen, step),
                StrategyKind::Chamfer(chamfer) => chamfer.go_on(&mut next, seen, step),
                StrategyKind::BackTurn(back_turn) => back_turn.go_on(&mut next, seen, step),
                StrategyKind::Tighten(tightening) => tightening.go_on(&mut next, seen, step),
            }
        }
        next
    }
}
