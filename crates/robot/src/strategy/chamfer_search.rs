//! Chamfer search: a peg probes the surface at several places; a lateral force indicates a chamfer.
//!
//! ```text
//! on the flat     |F_xy| ≤ μ F_z                                        friction alone
//! on a chamfer    |F_xy| ≥ F_z tan(45° − atan μ)                         0.82 F_z at μ = 0.1
//! probes          the centre, then n on a circle of radius ρ             covers every error within c + ρ cos(π/n)
//! ```
//!
//! The threshold is a share of F_z between the two bounds. Under a larger lateral force the peg yields and slides
//! down the slope; otherwise it lifts and probes the next place. H. Inoue, "Force feedback in precise assembly
//! tasks", MIT AI Memo 308, 1974.

use std::f64::consts::TAU;

use nalgebra::{Vector2, Vector3};

use super::motion::across;
use super::spiral_search::APPROACH_RATE;
use super::{Failure, Insertion, Perception, Phase, StrategyError, StrategyMemory, Touch};

/// A chamfer search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChamferSearch {
    /// How the peg is lowered.
    pub touch: Touch,
    /// Lateral force that indicates a chamfer, as a share of the axial force [-].
    pub threshold: f64,
    /// ρ [m].
    pub radius: f64,
    /// n.
    pub probes: u32,
    /// Lift between probes [m].
    pub lift: f64,
    /// Drop that indicates the hole [m].
    pub drop: f64,
    /// How it is pushed in.
    pub insertion: Insertion,
}

impl Default for ChamferSearch {
    fn default() -> Self {
        Self {
            touch: Touch::new(8.0, 10e-3, -1.5e-3),
            threshold: 0.35,
            radius: 1.0e-3,
            probes: 6,
            lift: 1.0e-3,
            drop: 0.5e-3,
            insertion: Insertion::new(20.0, 15e-3, 22e-3),
        }
    }
}

/// Longest time on one chamfer [s].
const LONGEST: f64 = 3.0;
/// Shortest time of a contact before its force counts [s].
const SURE: f64 = 0.12;

impl ChamferSearch {
    pub(super) fn check(&self) -> Result<(), StrategyError> {
        self.touch.check("insertion.press_n", "insertion.speed_mm_s")?;
        self.insertion.check()?;
        let is_share = self.threshold > 0.0 && self.threshold < 1.0;
        StrategyError::unless(is_share, "force_threshold", self.threshold, "more than 0 and less than 1")?;
        StrategyError::check("radius_mm", self.radius, 1e-3)?;
        StrategyError::unless(self.probes > 0, "probes", f64::from(self.probes), "1 or more")?;
        StrategyError::check("lift_mm", self.lift, 1e-3)?;
        StrategyError::check("drop_mm", self.drop, 1e-3)
    }

    pub(super) fn go_on(&self, memory: &mut StrategyMemory, seen: &Perception, step: f64) {
        match memory.phase {
            Phase::Touch => self.probe(memory, seen, step),
            Phase::Align => {
                self.touch.pressing.press(memory, seen, step);
                memory.shift_with(seen, 0.0, step);
                if seen.part.position.z < memory.height - self.drop {
                    Insertion::begin(memory, seen);
                } else if memory.since > LONGEST {
                    self.lift(memory, seen);
                }
            }
            Phase::Lift => {
                if memory.rise(self.touch.pressing.speed, step) {
                    memory.enter(Phase::Approach);
                }
            }
            Phase::Insert => {
                if self.insertion.is_stuck(memory, seen, step) {
                    self.lift(memory, seen);
                }
            }
            _ => {
                let above = self.place(memory);
                let is_there = memory.glide(above, self.touch.pressing.speed, step);
                if memory.tilt_to(Vector2::zeros(), APPROACH_RATE, step) && is_there {
                    memory.enter(Phase::Touch);
                }
            }
        }
    }

    /// Place of the next probe, at the height of the set-point.
    fn place(&self, memory: &StrategyMemory) -> Vector3<f64> {
        let height = memory.command.position.z;
        match memory.count {
            0 => Vector3::new(0.0, 0.0, height),
            count => {
                let angle = TAU * f64::from(count - 1) / f64::from(self.probes);
                let (sin, cos) = libm::sincos(angle);
                Vector3::new(self.radius * cos, self.radius * sin, height)
            }
        }
    }

    fn probe(&self, memory: &mut StrategyMemory, seen: &Perception, step: f64) {
        use super::touch::Touched;
        let touched = self.touch.go_on(memory, seen, step);
        let is_slope = across(seen.force).norm() > self.threshold * self.touch.pressing.force;
        match touched {
            Touched::Through => Insertion::begin(memory, seen),
            _ if is_slope && memory.since > SURE => memory.enter(Phase::Align),
            Touched::Resting => self.lift(memory, seen),
            Touched::Coming => {}
        }
    }

    /// Lifts for the next probe, or fails after the last.
    fn lift(&self, memory: &mut StrategyMemory, seen: &Perception) {
        memory.count += 1;
        if memory.count > self.probes {
            memory.fail(Failure::NotFound);
            return;
        }
        memory.lift(seen, self.lift);
    }
}
