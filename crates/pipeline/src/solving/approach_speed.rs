//! Allowed approach speeds of both contact stages, in one pass over the contacts (MATH 4.3).
//!
//! ```text
//! impact   b = φ⁺/T
//! smooth   b = max(0, 2φ⁺/T + v₀ₙ)        φ⁺ = max(φ, 0)
//! ```
//!
//! φ gap [m], T step [s], v₀ₙ normal speed at the start of the step [m/s].

use tightfit_spatial::{Vectorise, vectorised};

use super::normal_speed;
use crate::make_room;
use crate::records::Contacts;

/// Contacts looked at together: they stay in the nearest cache.
const BLOCK: usize = 256;

/// b of every contact for both stages [m/s].
#[derive(Clone, Debug, Default)]
pub struct ApproachSpeeds {
    /// b of the impact stage.
    pub impact: Vec<f64>,
    /// b of the smooth stage.
    pub smooth: Vec<f64>,
}

impl ApproachSpeeds {
    /// Makes room for so many contacts.
    pub fn make_room(&mut self, contacts: usize) {
        make_room(&mut self.impact, contacts);
        make_room(&mut self.smooth, contacts);
    }

    /// Fills both for the stacked velocities at the start; returns min(v₀ₙ + φ⁺/T), at most zero: how much
    /// faster than the impact stage allows some contact closes.
    pub fn fill(&mut self, contacts: &Contacts, step: f64, velocity: &[f64]) -> f64 {
        let count = contacts.len();
        self.impact.resize(count, 0.0);
        self.smooth.resize(count, 0.0);
        vectorised(Fill { speeds: self, contacts, step, velocity })
    }
}

/// The loop of [`ApproachSpeeds::fill`].
struct Fill<'a> {
    speeds: &'a mut ApproachSpeeds,
    contacts: &'a Contacts,
    step: f64,
    velocity: &'a [f64],
}

impl Vectorise for Fill<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let Self { speeds: ApproachSpeeds { impact, smooth }, contacts, step, velocity } = self;
        let count = contacts.len();
        let mut worst = 0.0_f64;
        let mut block = [0.0; BLOCK];
        for start in (0..count).step_by(BLOCK) {
            let end = (start + BLOCK).min(count);
            let speeds = &mut block[..end - start];
            normal_speed::fill_relative(contacts, start, velocity, speeds);
            let columns = impact[start..end].iter_mut().zip(&mut smooth[start..end]);
            for ((speed, gap), (impact, smooth)) in
                speeds.iter_mut().zip(&contacts.gap[start..end]).zip(columns)
            {
                let gap = if *gap > 0.0 { *gap } else { 0.0 };
                *impact = gap / step;
                *speed += *impact;
                let sum = *speed + *impact;
                *smooth = if sum > 0.0 { sum } else { 0.0 };
            }
            worst = worst.min(normal_speed::minimum(speeds));
        }
        worst
    }
}
