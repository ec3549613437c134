//! Tilt and align: the lower edge of a tilted peg enters the hole and is pushed against its wall; then the peg is set
//! upright.
//!
//! ```text
//! lowest point of the tip   x + R (cos θ, 0, −sin θ)         in the hole by the inset i, larger than the error:
//! x_d = R (1 − cos θ) − i                                    tip and mouth cross near y = ±R, the edge is R sin θ deep
//! ```
//!
//! The push towards +x brings the edge to the wall. If the peg is off by e along y, wall and edge touch at the side,
//! at an angle φ from x, with a force along y of tan φ times the push: the peg centres itself. Then x and y are known
//! to the clearance of the fit, whatever the chamfers. The peg turns about its edge until it sinks, or past its
//! estimated upright pose by the overturn, since its true tilt is unknown. H. Bruyninckx, S. Dutré, J. De Schutter,
//! "Peg-on-hole: a model based solution to peg and hole alignment", ICRA 1995.

use nalgebra::{Vector2, Vector3};

use super::motion::GIVING;
use super::spiral_search::APPROACH_RATE;
use super::{Failure, Insertion, Perception, Phase, Pressing, StrategyError, StrategyMemory, Touch};

/// A tilt-and-align insertion, tilted about y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TiltAndAlign {
    /// How the peg is lowered and pressed on.
    pub touch: Touch,
    /// R: radius of the peg [m].
    pub radius: f64,
    /// θ [rad].
    pub tilt: f64,
    /// i [m].
    pub inset: f64,
    /// Force against the wall, and speed of the set-point for it.
    pub push: Pressing,
    /// Rate of setting the peg upright [rad/s].
    pub rate: f64,
    /// Largest rotation past upright [rad]: a little more than the tilt error.
    pub overturn: f64,
    /// How it is pushed in.
    pub insertion: Insertion,
}

impl TiltAndAlign {
    /// Defaults for a peg of this radius [m].
    #[must_use]
    pub fn of_radius(radius: f64) -> Self {
        Self {
            touch: Touch::new(6.0, 10e-3, -8e-3),
            radius,
            tilt: 5_f64.to_radians(),
            inset: 2.5e-3,
            push: Pressing::new(6.0, 4e-3),
            rate: 3_f64.to_radians(),
            overturn: 1.5_f64.to_radians(),
            insertion: Insertion::new(20.0, 15e-3, 22e-3),
        }
    }

    pub(super) fn check(&self) -> Result<(), StrategyError> {
        self.touch.check("insertion.press_n", "insertion.speed_mm_s")?;
        self.push.check("push_n", "push_speed_mm_s")?;
        self.insertion.check()?;
        let tilt = self.tilt.to_degrees();
        StrategyError::unless((0.5..=30.0).contains(&tilt), "tilt_deg", tilt, "0.5 to 30")?;
        StrategyError::check("inset_mm", self.inset, 1e-3)?;
        let overturn = self.overturn.to_degrees();
        StrategyError::unless((0.0..=30.0).contains(&overturn), "overturn_deg", overturn, "0 to 30")?;
        StrategyError::check("align_deg_s", self.rate, 1_f64.to_radians())
    }

    pub(super) fn go_on(&self, memory: &mut StrategyMemory, seen: &Perception, step: f64) {
        match memory.phase {
            Phase::Touch => self.touch.go_on_or_fail(memory, seen, step, Phase::Search),
            Phase::Search => {
                self.push(memory, seen, step);
                if self.is_pushed(seen) && memory.since > self.touch.settling {
                    memory.enter(Phase::Align);
                } else if memory.command.position.x > 2.0 * self.inset {
                    memory.fail(Failure::NotFound);
                }
            }
            Phase::Align => {
                self.push(memory, seen, step);
                let is_over = memory.tilt_to(Vector2::new(0.0, -self.overturn), self.rate, step);
                if is_over || seen.part.position.z < SUNK {
                    Insertion::begin(memory, seen);
                }
            }
            Phase::Insert => self.insertion.go_on(memory, seen, step),
            _ => {
                let x = self.radius * (1.0 - libm::cos(self.tilt)) - self.inset;
                let above = Vector3::new(x, 0.0, memory.command.position.z);
                let is_there = memory.glide(above, self.touch.pressing.speed, step);
                if memory.tilt_to(Vector2::new(0.0, self.tilt), APPROACH_RATE, step) && is_there {
                    memory.enter(Phase::Touch);
                }
            }
        }
    }

    /// Presses down and towards +x, and yields along y.
    fn push(&self, memory: &mut StrategyMemory, seen: &Perception, step: f64) {
        self.touch.pressing.press(memory, seen, step);
        let lacking = self.push.force + seen.force.x;
        let speed = (self.push.gain * lacking).clamp(-self.push.speed, self.push.speed);
        memory.command.position.x += speed * step;
        memory.command.position.y += GIVING * seen.force.y * step;
    }

    /// Whether the wall pushes back.
    fn is_pushed(&self, seen: &Perception) -> bool {
        -seen.force.x > 0.8 * self.push.force
    }
}

/// Estimated height at which the tip is in the hole, whatever the height error [m].
const SUNK: f64 = -4e-3;
