//! Thread start by back-turning: a nut on the tip of its bolt turns backwards until the thread starts pass one
//! another and it drops. Then it turns on, in phase and without crossing the thread.
//!
//! ```text
//! z(ψ) = P ψ/2π while the start of one thread climbs the other,   z falls by up to P where they separate    right-hand
//! z_highest − z > drop  →  settle, then turn on by n turns:  z = z₀ − n P
//! ```
//!
//! A little more than one back-turn passes every phase, so the phase need not be known. The nut is pressed on lightly
//! throughout. It yields to lateral force, so that the cones of both parts centre it, and to torque, so that it lies
//! flat on them. E. J. Nicolson, R. S. Fearing, "Compliant control of threaded fastener insertion", ICRA 1993.

use std::f64::consts::TAU;

use nalgebra::{Vector2, Vector3};

use super::spiral_search::APPROACH_RATE;
use super::{Failure, Perception, Phase, StrategyError, StrategyMemory, Touch};

/// Largest lateral friction force, as a share of the axial force [-].
pub(super) const FRICTION: f64 = 0.2;

/// A thread start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BackTurn {
    /// How the nut is lowered and pressed on.
    pub touch: Touch,
    /// Whether the thread is left-handed.
    pub is_left_hand: bool,
    /// Speed of the back-turn [rad/s].
    pub back_rate: f64,
    /// Largest back-turn [rad].
    pub most: f64,
    /// Drop that indicates the thread start [m].
    pub drop: f64,
    /// Speed of turning on [rad/s].
    pub rate: f64,
    /// Angle of turning on after the drop [rad].
    pub turn: f64,
}

impl BackTurn {
    /// Defaults for a bolt whose tip the nut touches when the nut's frame is at this height [m].
    #[must_use]
    pub fn at_height(height: f64) -> Self {
        Self {
            touch: Touch { settling: 0.8, ..Touch::new(12.0, 10e-3, height - 8e-3) },
            is_left_hand: false,
            back_rate: 1.0,
            most: 1.25 * TAU,
            drop: 0.8e-3,
            rate: 1.5,
            turn: 2.0 * TAU,
        }
    }

    pub(super) fn check(&self) -> Result<(), StrategyError> {
        self.touch.check("start.press_n", "start.speed_mm_s")?;
        StrategyError::check("start.back_deg_s", self.back_rate, 1_f64.to_radians())?;
        StrategyError::check("start.back_turns", self.most, TAU)?;
        StrategyError::check("start.drop_mm", self.drop, 1e-3)?;
        StrategyError::check("start.turn_deg_s", self.rate, 1_f64.to_radians())?;
        StrategyError::check("turns", self.turn, TAU)
    }

    pub(super) fn go_on(&self, memory: &mut StrategyMemory, seen: &Perception, step: f64) {
        self.start_thread(memory, seen, step);
        if memory.phase == Phase::Engage && self.turned_on(memory) >= self.turn {
            memory.enter(Phase::Done);
        }
    }

    /// All phases up to turning on, which continues until the caller ends it.
    pub(super) fn start_thread(&self, memory: &mut StrategyMemory, seen: &Perception, step: f64) {
        match memory.phase {
            Phase::Touch => {
                self.touch.go_on_or_fail(memory, seen, step, Phase::BackTurn);
                memory.shift_with(seen, FRICTION, step);
                memory.tilt_with(seen, step);
                memory.progress = memory.command.turn;
            }
            Phase::BackTurn => {
                self.touch.pressing.press(memory, seen, step);
                memory.shift_with(seen, FRICTION, step);
                memory.tilt_with(seen, step);
                memory.command.turn -= self.on() * self.back_rate * step;
                memory.height = memory.height.max(seen.part.position.z);
                if memory.height - seen.part.position.z > self.drop {
                    memory.enter(Phase::Settle);
                } else if (memory.command.turn - memory.progress).abs() > self.most {
                    memory.fail(Failure::NotFound);
                }
            }
            Phase::Settle => {
                self.touch.pressing.press(memory, seen, step);
                memory.shift_with(seen, FRICTION, step);
                if memory.since > self.touch.settling && self.touch.pressing.is_felt(seen) {
                    memory.enter(Phase::Engage);
                    memory.progress = memory.command.turn;
                }
            }
            Phase::Engage => {
                self.touch.pressing.press(memory, seen, step);
                memory.command.turn += self.on() * self.rate * step;
                memory.shift_with(seen, FRICTION, step);
                memory.tilt_with(seen, step);
            }
            _ => {
                let above = Vector3::new(0.0, 0.0, memory.command.position.z);
                let is_there = memory.glide(above, self.touch.pressing.speed, step);
                if memory.tilt_to(Vector2::zeros(), APPROACH_RATE, step) && is_there {
                    memory.enter(Phase::Touch);
                }
            }
        }
    }

    /// Sign of the rotation about z that turns the nut on [-].
    pub(super) fn on(&self) -> f64 {
        if self.is_left_hand { 1.0 } else { -1.0 }
    }

    /// Angle of the set-point since the drop, positive turning on [rad].
    pub(super) fn turned_on(&self, memory: &StrategyMemory) -> f64 {
        self.on() * (memory.command.turn - memory.progress)
    }
}
