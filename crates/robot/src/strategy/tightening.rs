//! Torque-limited tightening: thread start by back-turning, run-down, then slowly up to the torque.
//!
//! ```text
//! τ_d = k_ψ (ψ_d − ψ):   a nut on its seat stands still, the torque grows by k_ψ ψ̇_d a second
//! what the sensor still does not show when the limit is reached:  k_ψ ψ̇_d × its delay            1 % at the default rate
//! ```
//!
//! Two rates, as nutrunners have them: fast until the torque is above what the thread's friction takes (snug), slow from there on,
//! and fast again where it falls: that was no seat.
//! J. H. Bickford, "Introduction to the design and behavior of bolted joints", 4th ed., CRC 2007.

use std::f64::consts::TAU;

use super::back_turn::FRICTION;
use super::{BackTurn, Failure, Perception, Phase, StrategyError, StrategyMemory};

/// A tightening.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tightening {
    /// How the thread is begun; its turns are the most that are made to the seat.
    pub start: BackTurn,
    /// Torque at which it is done [N·m].
    pub torque: f64,
    /// Share of it at which the nut is snug [-].
    pub snug: f64,
    /// How fast the set-point is turned from there on [rad/s].
    pub rate: f64,
}

impl Tightening {
    /// For a thread start that finds its seat within these turns.
    #[must_use]
    pub fn after(start: BackTurn) -> Self {
        Self { start: BackTurn { turn: 6.0 * TAU, ..start }, torque: 3.0, snug: 0.3, rate: 0.05 }
    }

    pub(super) fn check(&self) -> Result<(), StrategyError> {
        self.start.check()?;
        StrategyError::check("torque_nm", self.torque, 1.0)?;
        let is_share = self.snug > 0.0 && self.snug < 1.0;
        StrategyError::unless(is_share, "snug_share", self.snug, "more than 0 and less than 1")?;
        StrategyError::check("tighten_deg_s", self.rate, 1_f64.to_radians())
    }

    pub(super) fn go_on(&self, memory: &mut StrategyMemory, seen: &Perception, step: f64) {
        // what resists the turn
        let torque = -self.start.on() * seen.torque.z;
        match memory.phase {
            Phase::Tighten => {
                self.start.touch.pressing.press(memory, seen, step);
                memory.shift_with(seen, FRICTION, step);
                memory.tilt_with(seen, step);
                if torque >= self.torque {
                    memory.enter(Phase::Done);
                    return;
                }
                memory.command.turn += self.start.on() * self.rate * step;
                // a thread that was stiff for a moment is no seat
                if torque < 0.5 * self.snug * self.torque {
                    memory.enter(Phase::Engage);
                } else if memory.since > LONGEST {
                    memory.fail(Failure::NoSeat);
                }
            }
            Phase::Engage if torque > self.snug * self.torque => memory.enter(Phase::Tighten),
            Phase::Engage if self.start.turned_on(memory) > self.start.turn => memory.fail(Failure::NoSeat),
            _ => self.start.start_thread(memory, seen, step),
        }
    }
}

/// Longest time from snug to tight [s].
const LONGEST: f64 = 30.0;
