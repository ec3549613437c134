//! State of a strategy between steps.

use nalgebra::Vector2;

use super::{Failure, Phase, Placement};

/// Phase, set-point and counters of a strategy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrategyMemory {
    /// Current phase.
    pub phase: Phase,
    /// Time since the start [s].
    pub time: f64,
    /// Time since the phase began [s].
    pub since: f64,
    /// The set-point.
    pub command: Placement,
    /// Reference height: of the touch, or the highest or lowest since the phase began [m].
    pub height: f64,
    /// Progress of the phase: angle of a spiral, or turn at the start of the phase [rad].
    pub progress: f64,
    /// Probes made.
    pub count: u32,
}

impl StrategyMemory {
    /// The initial memory, with the set-point at the part's pose.
    pub(super) fn start(part: Placement) -> Self {
        Self {
            phase: Phase::Approach,
            time: 0.0,
            since: 0.0,
            command: part,
            height: 0.0,
            progress: 0.0,
            count: 0,
        }
    }

    /// Begins a phase.
    pub(super) fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.since = 0.0;
    }

    /// Ends the strategy with a failure.
    pub(super) fn fail(&mut self, failure: Failure) {
        self.enter(Phase::Failed(failure));
    }

    /// All numbers of the memory, in a fixed order.
    #[must_use]
    pub fn numbers(&self) -> [f64; 10] {
        let Placement { position, tilt, turn } = self.command;
        let rest = [self.time, self.since, self.height, self.progress];
        let [time, since, height, progress] = rest;
        [position.x, position.y, position.z, tilt.x, tilt.y, turn, time, since, height, progress]
    }

    /// The memory from its phase, numbers and count of probes.
    #[must_use]
    pub fn from_numbers(phase: Phase, numbers: [f64; 10], count: u32) -> Self {
        let [x, y, z, tilt_x, tilt_y, turn, time, since, height, progress] = numbers;
        let command = Placement { position: [x, y, z].into(), tilt: Vector2::new(tilt_x, tilt_y), turn };
        Self { phase, time, since, command, height, progress, count }
    }
}
