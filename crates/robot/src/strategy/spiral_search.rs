//! Spiral search: a peg that touches beside its hole slides over the surface on a spiral until it drops.
//!
//! ```text
//! x_d = r (cos φ, sin φ),   r = p φ/2π,   φ̇ = v/√(r² + (p/2π)²)          Archimedes' spiral at constant speed v
//! p ≤ 2 c,   c = chamfer of hole + chamfer of peg + play/2               no point is farther from the way than c
//! ```
//!
//! The peg lags by friction over stiffness, μ F_p/k, which makes its circles smaller by lag²/2r but leaves their pitch. It has
//! found the hole when it is lower than where it touched by the drop. S. R. Chhatpar, M. S. Branicky, "Search strategies for
//! peg-in-hole assemblies with position uncertainty", IROS 2001.

use std::f64::consts::TAU;

use nalgebra::{Vector2, Vector3};

use super::touch::Touched;
use super::{Failure, Insertion, Perception, Phase, StrategyError, StrategyMemory, Touch};

/// A spiral search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpiralSearch {
    /// How the peg is lowered, and what it is pressed on with while it slides.
    pub touch: Touch,
    /// p [m].
    pub pitch: f64,
    /// Radius at which the spiral ends [m].
    pub radius: f64,
    /// v [m/s].
    pub speed: f64,
    /// Drop by which the hole is known [m].
    pub drop: f64,
    /// How it is pushed in.
    pub insertion: Insertion,
}

impl Default for SpiralSearch {
    fn default() -> Self {
        Self {
            touch: Touch::new(6.0, 10e-3, -3e-3),
            pitch: 0.5e-3,
            radius: 2.5e-3,
            speed: 4e-3,
            drop: 0.4e-3,
            insertion: Insertion::new(20.0, 15e-3, 22e-3),
        }
    }
}

impl SpiralSearch {
    pub(super) fn check(&self) -> Result<(), StrategyError> {
        self.touch.check()?;
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
                Touched::Resting => {
                    memory.enter(Phase::Search);
                    memory.progress = 0.0;
                }
                Touched::Through => Insertion::begin(memory, seen),
            },
            Phase::Search => self.search(memory, seen, step),
            Phase::Insert => self.insertion.go_on(memory, seen, step),
            _ => {
                let above = Vector3::new(0.0, 0.0, memory.command.position.z);
                let is_there = memory.glide(above, self.touch.pressing.speed, step);
                if memory.tilt_to(Vector2::zeros(), APPROACH_RATE, step) && is_there {
                    memory.enter(Phase::Touch);
                }
            }
        }
    }

    fn search(&self, memory: &mut StrategyMemory, seen: &Perception, step: f64) {
        let per_radian = self.pitch / TAU;
        let radius = per_radian * memory.progress;
        memory.progress += self.speed / radius.hypot(per_radian) * step;
        let radius = per_radian * memory.progress;
        let (sin, cos) = libm::sincos(memory.progress);
        let position = &mut memory.command.position;
        (position.x, position.y) = (radius * cos, radius * sin);
        self.touch.pressing.press(memory, seen, step);
        if seen.part.position.z < memory.height - self.drop {
            Insertion::begin(memory, seen);
        } else if radius > self.radius {
            memory.fail(Failure::NotFound);
        }
    }
}

/// How fast a part is tilted in free air [rad/s].
pub(super) const APPROACH_RATE: f64 = 0.3;
