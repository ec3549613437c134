//! Allowed approach speeds of both contact stages, in one pass over the contacts (docs/design/math.md §4.3).
//!
//! ```text
//! impact   b = φ⁺/T
//! smooth   b = max(0, 2φ⁺/T + v₀ₙ)        φ⁺ = max(φ, 0)
//! ```
//!
//! φ gap [m], T step [s], v₀ₙ normal speed at the start of the step [m/s].

use tightfit_spatial::{Vectorise, vectorised};

use crate::make_room;
use crate::records::{Contacts, normal_speeds};

/// Contacts of one pass of the inner loop: two AVX-512 registers.
const LANES: usize = 16;

/// b of every contact for both stages [m/s].
#[derive(Clone, Debug, Default)]
pub struct ApproachSpeeds {
    /// b of the impact stage.
    pub impact: Vec<f64>,
    /// b of the smooth stage.
    pub smooth: Vec<f64>,
}

impl ApproachSpeeds {
    /// Reserves memory for `contacts` contacts.
    pub fn make_room(&mut self, contacts: usize) {
        make_room(&mut self.impact, contacts);
        make_room(&mut self.smooth, contacts);
    }

    /// Fills both for the stacked velocities at the start; returns min(v₀ₙ + φ⁺/T), at most zero: the largest violation of
    /// what the impact stage allows, as a negative speed.
    pub fn fill(&mut self, contacts: &Contacts, step: f64, velocity: &[f64]) -> f64 {
        let count = contacts.len();
        self.impact.resize(count, 0.0);
        self.smooth.resize(count, 0.0);
        normal_speeds(contacts, 0..count, velocity, &mut self.smooth);
        vectorised(Allowed { speeds: self, gaps: &contacts.gap, per_step: 1.0 / step })
    }
}

/// Both speeds from the gaps and from v₀ₙ in `smooth`.
struct Allowed<'a> {
    speeds: &'a mut ApproachSpeeds,
    gaps: &'a [f64],
    per_step: f64,
}

impl Vectorise for Allowed<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let Self { speeds: ApproachSpeeds { impact, smooth }, gaps, per_step } = self;
        // One minimum per lane, so that the loop has no dependent comparisons.
        let mut worst = [0.0; LANES];
        let columns = impact.chunks_mut(LANES).zip(smooth.chunks_mut(LANES)).zip(gaps.chunks(LANES));
        for ((impact, smooth), gaps) in columns {
            for (((impact, smooth), gap), worst) in impact.iter_mut().zip(smooth).zip(gaps).zip(&mut worst) {
                *impact = (if *gap > 0.0 { *gap } else { 0.0 }) * per_step;
                let closing = *smooth + *impact;
                let sum = closing + *impact;
                *smooth = if sum > 0.0 { sum } else { 0.0 };
                *worst = if closing < *worst { closing } else { *worst };
            }
        }
        worst.into_iter().fold(0.0, f64::min)
    }
}
