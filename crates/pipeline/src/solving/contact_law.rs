//! The regularised Coulomb law of one contact: its impulse as a function of its velocity (docs/design/math.md §3.2).
//!
//! ```text
//! pₙ = (−(vₙ + b))⁺ / εᵢ                     εᵢ = ε dᵢ        dᵢ = tr Dᵢ / 3
//! pₜ = −min(μ pₙ, |vₜ|/εᵢ) vₜ/|vₜ|           Dᵢ = Jᵢ sym(W) Jᵢᵀ
//!
//! K = −∂p/∂v:   open   0
//!               stick  I/εᵢ
//!               slip   (n − μe) nᵀ/εᵢ + (μpₙ/|vₜ|) h hᵀ        e = vₜ/|vₜ|,  h = n × e
//! ```
//!
//! v relative velocity [m/s], b ≥ 0 allowed approach speed [m/s], p impulse on the first body [N·s],
//! ε softness [-], dᵢ mean compliance [1/kg], μ friction [-]; all vectors in world axes, without tangent
//! axes. In slip K is not symmetric. As ε → 0 the law becomes Signorini's and Coulomb's.

use nalgebra::Vector3;
use tightfit_spatial::{Simd, Wide, Wide3};

use super::problem::VelocityProblem;
use crate::records::NOT_FREE;

/// One contact of the working set: the data that the passes read, contiguous.
#[derive(Clone, Debug)]
pub(super) struct ContactRow {
    /// ρ_a [m].
    pub(super) arm_a: Vector3<f64>,
    /// ρ_b [m]; zero where the second side is not free.
    pub(super) arm_b: Vector3<f64>,
    /// n, from the second body into the first.
    pub(super) normal: Vector3<f64>,
    /// u: velocity of a second side that is not free [m/s]; zero where it is free.
    pub(super) drift: Vector3<f64>,
    /// b: allowed approach speed [m/s].
    pub(super) approach: f64,
    /// 1/dᵢ [kg].
    pub(super) inverse_compliance: f64,
    /// μ [-].
    pub(super) friction: f64,
    /// First body.
    pub(super) body_a: u32,
    /// Second body or [`NOT_FREE`].
    pub(super) body_b: u32,
    /// Index of the contact in the record.
    pub(super) contact: u32,
}

impl ContactRow {
    /// The row of a contact, without its compliance.
    pub(super) fn new(problem: &VelocityProblem<'_>, contact: usize) -> Self {
        let contacts = problem.contacts;
        let body_b = contacts.body_b[contact];
        Self {
            arm_a: contacts.arm_a.get(contact),
            arm_b: contacts.second_arm(contact),
            normal: contacts.normal.get(contact),
            drift: if body_b == NOT_FREE { contacts.surface(contact) } else { Vector3::zeros() },
            approach: problem.approach[contact],
            inverse_compliance: 0.0,
            friction: contacts.friction[contact],
            body_a: contacts.body_a[contact],
            body_b,
            contact: contact as u32,
        }
    }

    /// ρ_a, ρ_b, n and u.
    #[inline(always)]
    pub(super) fn vectors(&self) -> [Vector3<f64>; 4] {
        [self.arm_a, self.arm_b, self.normal, self.drift]
    }

    /// b, 1/dᵢ and μ.
    #[inline(always)]
    pub(super) fn scalars(&self) -> [f64; 3] {
        [self.approach, self.inverse_compliance, self.friction]
    }

    /// v: relative velocity [m/s] for the stacked body velocities.
    #[inline(always)]
    #[must_use]
    pub(super) fn velocity(&self, velocities: &[f64]) -> Vector3<f64> {
        let first = point_velocity(velocities, self.body_a, &self.arm_a) - self.drift;
        if self.body_b == NOT_FREE {
            first
        } else {
            first - point_velocity(velocities, self.body_b, &self.arm_b)
        }
    }

    /// −(vₙ + b) [m/s], positive when closed.
    #[inline(always)]
    #[must_use]
    pub(super) fn depth(&self, v: &Vector3<f64>) -> f64 {
        -(self.normal.dot(v) + self.approach)
    }

    /// p [N·s] at relative velocity `v` and softness ε; `None` when open.
    #[inline(always)]
    #[must_use]
    pub(super) fn impulse(&self, v: &Vector3<f64>, softness: f64) -> Option<Vector3<f64>> {
        let normal = Wide3::one(&self.normal);
        let [approach, friction] = [self.approach, self.friction].map(Wide::one);
        let touch = Touch::of(normal, Wide3::one(v), approach, friction);
        let stiffness = self.inverse_compliance / softness;
        (touch.depth.value() > 0.0).then(|| touch.direction(normal).value() * stiffness)
    }
}

/// Quantities of the law at relative velocities.
pub(super) struct Touch<S: Simd> {
    /// −(vₙ + b) [m/s], positive when closed.
    pub(super) depth: Wide<S>,
    /// vₜ [m/s].
    pub(super) tangential: Wide3<S>,
    /// |vₜ| [m/s].
    pub(super) speed: Wide<S>,
    /// Speed up to which the contact sticks: μ depth [m/s].
    pub(super) limit: Wide<S>,
}

impl<S: Simd> Touch<S> {
    #[inline(always)]
    pub(super) fn of(n: Wide3<S>, v: Wide3<S>, approach: Wide<S>, friction: Wide<S>) -> Self {
        let normal_speed = n.dot(v);
        let depth = -(normal_speed + approach);
        let tangential = v - n * normal_speed;
        Self { depth, tangential, speed: tangential.norm(), limit: friction * depth }
    }

    /// εᵢ p of a closed contact [m/s].
    #[inline(always)]
    pub(super) fn direction(&self, n: Wide3<S>) -> Wide3<S> {
        let one = Wide::splat(self.speed.simd(), 1.0);
        let sticks = self.speed.is_at_most(self.limit);
        let ratio = sticks.choose(one, self.limit * self.speed.recip());
        n * self.depth - self.tangential * ratio
    }
}

/// Velocity of a body's point at an arm [m/s].
#[inline(always)]
fn point_velocity(velocities: &[f64], body: u32, arm: &Vector3<f64>) -> Vector3<f64> {
    let v = &velocities[6 * body as usize..6 * body as usize + 6];
    Vector3::new(
        v[0] + v[4] * arm.z - v[5] * arm.y,
        v[1] + v[5] * arm.x - v[3] * arm.z,
        v[2] + v[3] * arm.y - v[4] * arm.x,
    )
}

#[cfg(test)]
impl ContactRow {
    /// A row for tests.
    pub(super) fn example() -> Self {
        Self {
            arm_a: Vector3::new(0.1, -0.2, 0.3),
            arm_b: Vector3::zeros(),
            normal: Vector3::new(1.0, 2.0, -2.0) / 3.0,
            drift: Vector3::new(0.01, 0.0, -0.02),
            approach: 0.1,
            inverse_compliance: 2.0,
            friction: 0.4,
            body_a: 0,
            body_b: NOT_FREE,
            contact: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_impulse_does_no_positive_work() {
        let row = ContactRow::example();
        for k in 0..1000 {
            let v = Vector3::new((k as f64).sin(), (k as f64 * 1.7).cos(), (k as f64 * 0.3).sin());
            let power = row.impulse(&v, 1e-3).map_or(0.0, |p| p.dot(&v));
            assert!(power <= 0.0);
        }
    }
}
