//! Allowed approach speeds of both contact stages, in one pass over the contacts (docs/design/math.md §4.3).
//!
//! ```text
//! impact   b = φ⁺/T
//! smooth   b = max(0, 2φ⁺/T + v₀ₙ)        φ⁺ = max(φ − c, 0)
//! ```
//!
//! φ gap [m], T step [s], v₀ₙ normal speed at the start of the step [m/s], c gap that counts as closed [m].

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

    /// Fills both for the stacked velocities at the start, with gaps up to `closed` [m] taken as closed; returns min(v₀ₙ + φ⁺/T),
    /// at most zero: the largest violation of what the impact stage allows, as a negative speed.
    pub fn fill(&mut self, contacts: &Contacts, step: f64, velocity: &[f64], closed: f64) -> f64 {
        let count = contacts.len();
        self.impact.resize(count, 0.0);
        self.smooth.resize(count, 0.0);
        normal_speeds(contacts, 0..count, velocity, &mut self.smooth);
        vectorised(Allowed { speeds: self, gaps: &contacts.gap, closed, per_step: 1.0 / step })
    }
}

/// Both speeds from the gaps and from v₀ₙ in `smooth`.
struct Allowed<'a> {
    speeds: &'a mut ApproachSpeeds,
    gaps: &'a [f64],
    closed: f64,
    per_step: f64,
}

impl Vectorise for Allowed<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let Self { speeds: ApproachSpeeds { impact, smooth }, gaps, closed, per_step } = self;
        let allow = |impact: &mut f64, smooth: &mut f64, gap: f64, worst: &mut f64| {
            let open = gap - closed;
            *impact = (if open > 0.0 { open } else { 0.0 }) * per_step;
            let closing = *smooth + *impact;
            let sum = closing + *impact;
            *smooth = if sum > 0.0 { sum } else { 0.0 };
            *worst = if closing < *worst { closing } else { *worst };
        };
        // Blocks of fixed length with one minimum per lane, so that the compiler vectorises them.
        let mut worst = [0.0; LANES];
        let (impacts, last_impacts) = impact.as_chunks_mut::<LANES>();
        let (smooths, last_smooths) = smooth.as_chunks_mut::<LANES>();
        let (blocks, last_gaps) = gaps.as_chunks::<LANES>();
        for ((impact, smooth), gap) in impacts.iter_mut().zip(smooths).zip(blocks) {
            for lane in 0..LANES {
                allow(&mut impact[lane], &mut smooth[lane], gap[lane], &mut worst[lane]);
            }
        }
        for ((impact, smooth), gap) in last_impacts.iter_mut().zip(last_smooths).zip(last_gaps) {
            allow(impact, smooth, *gap, &mut worst[0]);
        }
        worst.into_iter().fold(0.0, f64::min)
    }
}
