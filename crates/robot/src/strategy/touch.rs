//! Lowering a part until it touches, and letting it settle.

use super::{Failure, Perception, Phase, Pressing, StrategyError, StrategyMemory};

/// How a part is lowered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Force and speed.
    pub pressing: Pressing,
    /// Height below which nothing can be touched any more [m].
    pub lowest: f64,
    /// Time for which the force is kept before the height counts [s].
    pub settling: f64,
}

/// What became of a touch.
pub(super) enum Touched {
    /// Not yet.
    Coming,
    /// The part rests on something; its height is in the memory.
    Resting,
    /// It has gone below where something should have been.
    Through,
}

impl Touch {
    /// Lowering with a force and speed; contact must come above `lowest` [m].
    #[must_use]
    pub fn new(force: f64, speed: f64, lowest: f64) -> Self {
        Self { pressing: Pressing::new(force, speed), lowest, settling: 0.4 }
    }

    pub(super) fn check(&self, force: &'static str, speed: &'static str) -> Result<(), StrategyError> {
        self.pressing.check(force, speed)
    }

    /// Goes on lowering.
    pub(super) fn go_on(&self, memory: &mut StrategyMemory, seen: &Perception, step: f64) -> Touched {
        self.pressing.press(memory, seen, step);
        if !self.pressing.is_felt(seen) {
            memory.since = 0.0;
        }
        memory.height = seen.part.position.z;
        if seen.part.position.z < self.lowest {
            Touched::Through
        } else if memory.since >= self.settling {
            Touched::Resting
        } else {
            Touched::Coming
        }
    }

    /// The same for strategies that must touch something.
    pub(super) fn go_on_or_fail(
        &self,
        memory: &mut StrategyMemory,
        seen: &Perception,
        step: f64,
        then: Phase,
    ) {
        match self.go_on(memory, seen, step) {
            Touched::Coming => {}
            Touched::Resting => memory.enter(then),
            Touched::Through => memory.fail(Failure::NoContact),
        }
    }
}
