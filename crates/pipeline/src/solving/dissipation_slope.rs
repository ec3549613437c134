//! The direction of least energy of a sliding contact: roots of its slope, a trigonometric polynomial of degree 2.
//!
//! ```text
//! f(e) = r e·t + r² e·D̃e,   r = P/g,   g = d + μ k·e
//! f' g³/P = g (d e⊥·t + μ k×t) + 2P (d e⊥·D̃e + μ k×D̃e)
//!         = q₀ + q₁ cos θ + q₂ sin θ + q₃ cos 2θ + q₄ sin 2θ  =: h(θ)
//! one minimum only, where   δ² + κ² < 1,   δ = (|q₀| + R₂)/R₁,   κ = 2R₂/R₁,   R₁ = |(q₁, q₂)|,   R₂ = |(q₃, q₄)|
//! ```
//!
//! e = (cos θ, sin θ), e⊥ = (−sin θ, cos θ), t = c̃ + v₀ₜ [m/s], P = −μ(cₙ + b) [m/s], d = Dₙₙ, k = Dₙₜ, D̃ symmetrised
//! [1/kg], the rest as in `maximum_dissipation`. (k·e)(e⊥·t) − (k·e⊥)(e·t) = k×t lowers the degree from 3 to 2.
//! With φ the angle from where the first harmonic rises through zero, h/R₁ = sin φ + p(φ), |p| ≤ δ, |p'| ≤ κ: roots lie
//! where |sin φ| ≤ δ, and there |cos φ| ≥ √(1 − δ²) > κ, so that h is monotone and has one root on either side.
//! h has the sign of f' wherever g > 0: in all directions where d > μ|k|, outside Painlevé's regime.

use nalgebra::Vector2;
use tightfit_spatial::Scalar;

use super::single_contact::SingleContact;

/// Largest number of Newton steps from a direction.
const NEWTON_STEPS: u32 = 8;
/// Largest number of steps within an arc; bisection alone converges in as many.
const ARC_STEPS: u32 = 40;
/// A Newton step of this angle [rad] leaves an error of its square.
const SETTLED: f64 = 1e-6;

/// h.
#[derive(Clone, Copy, Debug)]
pub(super) struct DissipationSlope {
    q: [f64; 5],
}

impl DissipationSlope {
    /// From P and t [m/s].
    pub(super) fn new(contact: &SingleContact<Scalar>, push: f64, toward: Vector2<f64>) -> Self {
        let (d, mu, k, t) = (contact.normal(), contact.friction(), contact.coupling(), toward);
        let reduced = contact.reduced();
        let (xx, yy) = (reduced[(0, 0)], reduced[(1, 1)]);
        let xy = 0.5 * (reduced[(0, 1)] + reduced[(1, 0)]);
        let cross = mu * (k.x * t.y - k.y * t.x);
        Self {
            q: [
                1.5 * d * cross,
                d * d * t.y + mu * (cross * k.x + 2.0 * push * (k.x * xy - k.y * xx)),
                -d * d * t.x + mu * (cross * k.y + 2.0 * push * (k.x * yy - k.y * xy)),
                d * (0.5 * mu * (k.x * t.y + k.y * t.x) + 2.0 * push * xy),
                d * (0.5 * mu * (k.y * t.y - k.x * t.x) + push * (yy - xx)),
            ],
        }
    }

    /// h in a direction.
    pub(super) fn at(&self, e: Vector2<f64>) -> f64 {
        let [q0, q1, q2, q3, q4] = self.q;
        q0 + q1 * e.x + q2 * e.y + q3 * (e.x * e.x - e.y * e.y) + q4 * (2.0 * e.x * e.y)
    }

    /// dh/dθ in a direction.
    fn growth(&self, e: Vector2<f64>) -> f64 {
        let [_, q1, q2, q3, q4] = self.q;
        q2 * e.x - q1 * e.y + 2.0 * (q4 * (e.x * e.x - e.y * e.y) - q3 * (2.0 * e.x * e.y))
    }

    /// The only direction of least energy; `None` where there may be several. The search starts from `guess`, a unit
    /// vector, then from the root of the first harmonic; the result is the same.
    pub(super) fn only_minimum(&self, guess: Option<Vector2<f64>>) -> Option<Vector2<f64>> {
        let [q0, q1, q2, q3, q4] = self.q;
        let (first, second) = (q1 * q1 + q2 * q2, (q3 * q3 + q4 * q4).sqrt());
        let shift = q0.abs() + second;
        // False for NaN.
        let has_one = shift * shift + 4.0 * second * second < first;
        if !has_one {
            return None;
        }
        guess
            .and_then(|e| self.rising_root_from(e))
            .or_else(|| self.rising_root_from(Vector2::new(q2, -q1) / first.sqrt()))
    }

    /// A root at which h rises, by Newton's method.
    fn rising_root_from(&self, mut e: Vector2<f64>) -> Option<Vector2<f64>> {
        for _ in 0..NEWTON_STEPS {
            let growth = self.growth(e);
            if growth <= 0.0 {
                return None;
            }
            let step = -self.at(e) / growth;
            e = turned(e, step);
            if step.abs() < SETTLED {
                return Some(e);
            }
        }
        None
    }

    /// The root between a direction where h is negative and one, less than half a turn on, where it is not.
    pub(super) fn root_between(&self, mut low: Vector2<f64>, mut high: Vector2<f64>) -> Vector2<f64> {
        let mut e = (low + high).normalize();
        for _ in 0..ARC_STEPS {
            let value = self.at(e);
            *(if value < 0.0 { &mut low } else { &mut high }) = e;
            let step = -value / self.growth(e);
            let next = turned(e, step);
            let is_inside = low.perp(&next) >= 0.0 && next.perp(&high) >= 0.0;
            e = if is_inside { next } else { (low + high).normalize() };
            if is_inside && step.abs() < SETTLED {
                break;
            }
        }
        e
    }
}

/// A direction turned by an angle whose tangent is `step`.
fn turned(e: Vector2<f64>, step: f64) -> Vector2<f64> {
    let square = step * step;
    // The series is exact to the last bit and avoids a square root and a division.
    let cosine = if square < 1e-6 {
        1.0 - square * (0.5 - square * (0.375 - square * 0.3125))
    } else {
        1.0 / (1.0 + square).sqrt()
    };
    Vector2::new(e.x - e.y * step, e.y + e.x * step) * cosine
}
