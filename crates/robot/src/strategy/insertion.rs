//! Pushing a peg into its hole once its tip is in the mouth.
//!
//! ```text
//! pressing along the axis,   F_xy → 0,   τ_xy → 0 about the tip      contact alone aligns the peg
//! ```
//!
//! A peg that is pushed at its tip without torque does not jam: its force lies within Whitney's jamming parallelogram
//! at every depth. D. E. Whitney, "Quasi-static assembly of compliantly supported rigid parts", J. Dyn. Sys. Meas.
//! Control 104(1), 1982.

use super::motion::across;
use super::{Failure, Perception, Phase, Pressing, StrategyError, StrategyMemory};

/// How a peg is pushed in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Insertion {
    /// Force and speed.
    pub pressing: Pressing,
    /// Estimated depth at which the insertion is done [m].
    pub depth: f64,
    /// Time without progress after which the peg counts as stuck [s].
    pub patience: f64,
}

/// Lateral force that indicates a slope, as a share of the axial force [-].
const SLOPE: f64 = 0.3;
/// Least increase of depth that counts as progress [m].
const PROGRESS: f64 = 0.1e-3;

impl Insertion {
    /// Pushing with a force and speed to a depth [N, m/s, m].
    #[must_use]
    pub fn new(force: f64, speed: f64, depth: f64) -> Self {
        Self { pressing: Pressing::new(force, speed), depth, patience: 1.5 }
    }

    pub(super) fn check(&self) -> Result<(), StrategyError> {
        self.pressing.check("insertion.insert_n", "insertion.insert_speed_mm_s")?;
        StrategyError::check("insertion.depth_mm", self.depth, 1e-3)
    }

    /// Begins the phase.
    pub(super) fn begin(memory: &mut StrategyMemory, seen: &Perception) {
        memory.enter(Phase::Insert);
        memory.height = seen.part.position.z;
    }

    /// Pushes for one step; true once the peg is stuck.
    pub(super) fn is_stuck(&self, memory: &mut StrategyMemory, seen: &Perception, step: f64) -> bool {
        self.pressing.press(memory, seen, step);
        memory.shift_with(seen, 0.0, step);
        // On a slope the peg only shifts: the torque of a one-sided contact would tilt it.
        if across(seen.force).norm() < SLOPE * seen.force.z {
            memory.tilt_with(seen, step);
        }
        if seen.part.position.z < memory.height - PROGRESS {
            memory.height = seen.part.position.z;
            memory.since = 0.0;
        }
        if seen.part.position.z <= -self.depth {
            memory.enter(Phase::Done);
        }
        memory.since > self.patience
    }

    /// As [`Self::is_stuck`], for strategies that fail when the peg is stuck.
    pub(super) fn go_on(&self, memory: &mut StrategyMemory, seen: &Perception, step: f64) {
        if self.is_stuck(memory, seen, step) {
            memory.fail(Failure::Stalled);
        }
    }
}
