//! Spiral search: a peg that touches beside its hole slides over the surface on a spiral until it drops.
//!
//! ```text
//! x_d = r (cos φ, sin φ),   r = p φ/2π,   φ̇ = v/√(r² + (p/2π)²)          Archimedes' spiral at constant speed v
//! p ≤ 2 c,   c = chamfer of hole + chamfer of peg + play/2               no point is farther from the spiral than c
//! ```
//!
//! The peg lags by friction over stiffness, μ F_p/k, which makes its circles smaller by lag²/2r but keeps their
//! pitch. It has found the hole when it is below the height of the touch by the drop, or when the hole blocks its
//! lateral motion. In the mouth it yields to lateral force before it is pushed in. If it then gets stuck, only an
//! edge had dipped into the mouth (a false drop): it is lifted, set upright, and continues the spiral. S. R.
//! Chhatpar, M. S. Branicky, "Search strategies for peg-in-hole assemblies with position uncertainty", IROS 2001.

use std::f64::consts::TAU;

use nalgebra::{Vector2, Vector3};

use super::motion::across;
use super::touch::Touched;
use super::{Failure, Insertion, Perception, Phase, StrategyError, StrategyMemory, Touch};

/// A spiral search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpiralSearch {
    /// How the peg is lowered, and pressed on while it slides.
    pub touch: Touch,
    /// p [m].
    pub pitch: f64,
    /// Radius at which the spiral ends [m].
    pub radius: f64,
    /// v [m/s].
    pub speed: f64,
    /// Drop that indicates the hole [m].
    pub drop: f64,
    /// How it is pushed in.
    pub insertion: Insertion,
}

impl Default for SpiralSearch {
    fn default() -> Self {
        Self {
            touch: Touch { settling: 0.8, ..Touch::new(6.0, 10e-3, -1.5e-3) },
            pitch: 0.5e-3,
            radius: 2.5e-3,
            speed: 4e-3,
            drop: 0.8e-3,
            insertion: Insertion::new(20.0, 15e-3, 22e-3),
        }
    }
}

impl SpiralSearch {
    pub(super) fn check(&self) -> Result<(), StrategyError> {
        self.touch.check("insertion.press_n", "insertion.speed_mm_s")?;
        self.insertion.check()?;
        StrategyError::check("pitch_mm", self.pitch, 1e-3)?;
        StrategyError::check("radius_mm", self.radius, 1e-3)?;
        StrategyError::check("search_speed_mm_s", self.speed, 1e-3)?;
        StrategyError::check("drop_mm", self.drop, 1e-3)
    }

    pub(super) fn go_on(&self, memory: &mut StrategyMemory, seen: &Perception, step: f64) {
        match memory.phase {
            Phase::Touch => match self.touch.go_on(memory, seen, step) {
                Touched::Coming => {}
                Touched::Resting => memory.enter(Phase::Search),
                Touched::Through => Insertion::begin(memory, seen),
            },
            Phase::Search => self.search(memory, seen, step),
            Phase::Align => {
                self.touch.pressing.press(memory, seen, step);
                memory.shift_with(seen, 0.0, step);
                if memory.since > self.touch.settling {
                    Insertion::begin(memory, seen);
                }
            }
            Phase::Insert => {
                if self.insertion.is_stuck(memory, seen, step) {
                    self.resume(memory, seen);
                }
            }
            Phase::Lift => {
                let is_up = memory.rise(self.touch.pressing.speed, step);
                if memory.tilt_to(Vector2::zeros(), APPROACH_RATE, step) && is_up {
                    memory.enter(Phase::Approach);
                }
            }
            _ => {
                let place = self.place(memory.progress);
                let above = Vector3::new(place.x, place.y, memory.command.position.z);
                let is_there = memory.glide(above, self.touch.pressing.speed, step);
                if memory.tilt_to(Vector2::zeros(), APPROACH_RATE, step) && is_there {
                    memory.enter(Phase::Touch);
                }
            }
        }
    }

    /// Point of the spiral at an angle [m].
    fn place(&self, angle: f64) -> Vector2<f64> {
        let (sin, cos) = libm::sincos(angle);
        Vector2::new(cos, sin) * (self.pitch / TAU * angle)
    }

    /// Continues the spiral after a false drop.
    fn resume(&self, memory: &mut StrategyMemory, seen: &Perception) {
        memory.count += 1;
        if memory.count > FALSE_DROPS {
            memory.fail(Failure::Stalled);
        } else {
            memory.lift(seen, LIFT);
        }
    }

    fn search(&self, memory: &mut StrategyMemory, seen: &Perception, step: f64) {
        let per_radian = self.pitch / TAU;
        let radius = per_radian * memory.progress;
        memory.progress += self.speed / libm::hypot(radius, per_radian) * step;
        let place = self.place(memory.progress);
        (memory.command.position.x, memory.command.position.y) = (place.x, place.y);
        self.touch.pressing.press(memory, seen, step);
        let is_held = across(seen.force).norm() > HELD * self.touch.pressing.force;
        if seen.part.position.z < memory.height - self.drop || is_held {
            memory.enter(Phase::Align);
        } else if place.norm() > self.radius {
            memory.fail(Failure::NotFound);
        }
    }
}

/// Most false drops.
const FALSE_DROPS: u32 = 6;
/// Lift after a false drop [m].
const LIFT: f64 = 1.5e-3;
/// Lateral force beyond friction, as a share of the axial force [-]: the hole blocks the peg.
const HELD: f64 = 0.5;
/// Tilting rate of a part in free air [rad/s].
pub(super) const APPROACH_RATE: f64 = 0.3;
