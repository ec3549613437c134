//! Allowed approach speeds of both contact stages, in one pass over the contacts (docs/design/math.md §4.3).
//!
//! ```text
//! impact   b = φ⁺/T
//! smooth   b = max(0, 2φ⁺/T + v₀ₙ)        φ⁺ = max(φ, 0)
//! ```
//!
//! φ gap [m], T step [s], v₀ₙ normal speed at the start of the step [m/s].

use tightfit_spatial::{Registers, RegistersMut, Simd, Wide, WithSimd, with_registers};

use crate::make_room;
use crate::records::{BodySpeeds, Contacts};

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

    /// Fills both for the stacked velocities at the start; returns min(v₀ₙ + φ⁺/T), at most zero: the largest violation
    /// of what the impact stage allows, as a negative speed.
    pub fn fill(&mut self, contacts: &Contacts, step: f64, velocity: &[f64]) -> f64 {
        let count = contacts.len();
        self.impact.resize(count, 0.0);
        self.smooth.resize(count, 0.0);
        if let (Some(velocity), true) = (velocity.as_array(), contacts.surface_velocity.is_empty()) {
            return with_registers(OneBody { speeds: self, contacts, step, velocity });
        }
        let mut worst = 0.0_f64;
        for i in 0..count {
            let speed = contacts.normal_speed(i, velocity);
            let both = allowed(Wide::one(contacts.gap[i]), Wide::one(speed), Wide::one(1.0 / step));
            (self.impact[i], self.smooth[i]) = (both.impact.value(), both.smooth.value());
            worst = worst.min(both.closing.value());
        }
        worst
    }
}

/// Contacts of one free body with parts at rest.
struct OneBody<'a> {
    speeds: &'a mut ApproachSpeeds,
    contacts: &'a Contacts,
    step: f64,
    velocity: &'a [f64; 6],
}

impl WithSimd for OneBody<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Self { speeds: ApproachSpeeds { impact, smooth }, contacts, step, velocity } = self;
        let whole = contacts.len() / S::F64_LANES;
        let rows = BodySpeeds::new(simd, contacts, 0, whole, velocity);
        let gaps = Registers::of(simd, &contacts.gap, whole);
        let mut impacts = RegistersMut::of(simd, impact, whole);
        let mut smooths = RegistersMut::of(simd, smooth, whole);
        let (per_step, zero) = (Wide::splat(simd, 1.0 / step), Wide::splat(simd, 0.0));
        let mut worst = zero;
        for register in 0..whole {
            let both = allowed(gaps.at(register), rows.at(register, zero), per_step);
            impacts.put(register, both.impact);
            smooths.put(register, both.smooth);
            worst = both.closing.or_less(worst);
        }
        let mut worst = worst.smallest();
        for row in whole * S::F64_LANES..contacts.len() {
            let speed = BodySpeeds::of_one(contacts, row, velocity, 0.0);
            let both = allowed(Wide::one(contacts.gap[row]), Wide::one(speed), Wide::one(1.0 / step));
            (impact[row], smooth[row]) = (both.impact.value(), both.smooth.value());
            worst = worst.min(both.closing.value());
        }
        worst
    }
}

/// b of both stages, and v₀ₙ + φ⁺/T [m/s].
struct Allowed<S: Simd> {
    impact: Wide<S>,
    smooth: Wide<S>,
    closing: Wide<S>,
}

#[inline(always)]
fn allowed<S: Simd>(gap: Wide<S>, speed: Wide<S>, per_step: Wide<S>) -> Allowed<S> {
    let zero = Wide::splat(per_step.simd(), 0.0);
    let impact = zero.is_below(gap).keep(gap) * per_step;
    let closing = speed + impact;
    let sum = closing + impact;
    Allowed { impact, smooth: zero.is_below(sum).keep(sum), closing }
}
