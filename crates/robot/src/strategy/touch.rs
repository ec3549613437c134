//! Lowering a part until it touches, and letting it settle.

use super::{Failure, Perception, Phase, Pressing, StrategyError, StrategyMemory};

/// How a part is lowered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Force and speed.
    pub pressing: Pressing,
    /// Height below which no contact is possible [m].
    pub lowest: f64,
    /// Time under the force before the height counts [s].
    pub settling: f64,
}

/// Result of a touch.
pub(super) enum Touched {
    /// No contact yet.
    Coming,
    /// The part rests on a surface; its height is in the memory.
    Resting,
    /// The part is below the lowest height of contact.
    Through,
}

impl Touch {
    /// Lowering with a force [N] and a speed [m/s]; contact must occur above `lowest` [m].
    #[must_use]
    pub fn new(force: f64, speed: f64, lowest: f64) -> Self {
        Self { pressing: Pressing::new(force, speed), lowest, settling: 0.4 }
    }

    pub(super) fn check(&self, force: &'static str, speed: &'static str) -> Result<(), StrategyError> {
        self.pressing.check(force, speed)
    }

    /// Lowers the part for one step.
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

    /// As [`Self::go_on`], for strategies that fail without contact.
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
