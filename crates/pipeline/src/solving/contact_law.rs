//! The regularised Coulomb law of one contact: its impulse as a function of its velocity (MATH 3.2).
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
//! ε softness [-], dᵢ mean compliance [1/kg], μ friction [-]; all vectors in world axes, no tangents are
//! ever built. In slip K is not symmetric. As ε → 0 the law becomes Signorini's and Coulomb's.

use nalgebra::Vector3;

use crate::records::NOT_FREE;

/// One contact of the working set: all that the inner passes read, side by side.
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
    /// Place of the contact in the record.
    pub(super) contact: u32,
}

impl ContactRow {
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

    /// F += Jᵀp.
    #[inline(always)]
    pub(super) fn add_impulse(&self, impulse: &Vector3<f64>, generalised: &mut [f64]) {
        add_wrench(generalised, self.body_a, &self.arm_a, impulse);
        if self.body_b != NOT_FREE {
            add_wrench(generalised, self.body_b, &self.arm_b, &-impulse);
        }
    }

    /// p [N·s] at relative velocity `v` and softness ε; `None` when open.
    #[inline(always)]
    #[must_use]
    pub(super) fn impulse(&self, v: &Vector3<f64>, softness: f64) -> Option<Vector3<f64>> {
        let normal_speed = self.normal.dot(v);
        let depth = -(normal_speed + self.approach);
        if depth <= 0.0 {
            return None;
        }
        let stiffness = self.inverse_compliance / softness;
        let tangential = v - self.normal * normal_speed;
        let speed = tangential.norm();
        let limit = self.friction * depth;
        let ratio = if speed <= limit { 1.0 } else { limit / speed };
        Some((self.normal * depth - tangential * ratio) * stiffness)
    }

    /// p and K = −∂p/∂v at relative velocity `v` and softness ε; `None` when open.
    #[inline(always)]
    #[must_use]
    pub(super) fn impulse_and_stiffness(
        &self,
        v: &Vector3<f64>,
        softness: f64,
    ) -> Option<(Vector3<f64>, Stiffness)> {
        let n = &self.normal;
        let normal_speed = n.dot(v);
        let depth = -(normal_speed + self.approach);
        if depth <= 0.0 {
            return None;
        }
        let stiffness = self.inverse_compliance / softness;
        let tangential = v - n * normal_speed;
        let speed = tangential.norm();
        let limit = self.friction * depth;
        if speed <= limit {
            return Some(((n * depth - tangential) * stiffness, Stiffness::Stick(stiffness)));
        }
        let e = tangential / speed;
        let ahead = (n - e * self.friction) * stiffness;
        let slip = Stiffness::Slip { ahead, across: n.cross(&e), resistance: stiffness * limit / speed };
        Some(((n * depth - e * limit) * stiffness, slip))
    }
}

/// K of one contact [kg], in the directions that it acts in.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stiffness {
    /// k I.
    Stick(f64),
    /// a nᵀ + c h hᵀ, n the contact's normal.
    Slip {
        /// a [kg].
        ahead: Vector3<f64>,
        /// h, a unit vector across normal and sliding.
        across: Vector3<f64>,
        /// c [kg].
        resistance: f64,
    },
}

impl Stiffness {
    /// K x.
    #[inline(always)]
    pub(super) fn times(&self, normal: &Vector3<f64>, x: &Vector3<f64>) -> Vector3<f64> {
        match self {
            Self::Stick(k) => x * *k,
            Self::Slip { ahead, across, resistance } => {
                ahead * normal.dot(x) + across * (resistance * across.dot(x))
            }
        }
    }
}

#[inline(always)]
fn point_velocity(velocities: &[f64], body: u32, arm: &Vector3<f64>) -> Vector3<f64> {
    let v = &velocities[6 * body as usize..6 * body as usize + 6];
    Vector3::new(
        v[0] + v[4] * arm.z - v[5] * arm.y,
        v[1] + v[5] * arm.x - v[3] * arm.z,
        v[2] + v[3] * arm.y - v[4] * arm.x,
    )
}

#[inline(always)]
fn add_wrench(generalised: &mut [f64], body: u32, arm: &Vector3<f64>, impulse: &Vector3<f64>) {
    let torque = arm.cross(impulse);
    let out = &mut generalised[6 * body as usize..6 * body as usize + 6];
    for axis in 0..3 {
        out[axis] += impulse[axis];
        out[3 + axis] += torque[axis];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> ContactRow {
        ContactRow {
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

    #[test]
    fn the_stiffness_is_minus_the_slope_of_the_impulse() {
        let row = row();
        for (normal, along) in [(-0.5, 0.05), (-0.5, 0.9), (-0.11, 3.0)] {
            let v = row.normal * normal + Vector3::new(2.0, -1.0, 0.0) / 5_f64.sqrt() * along;
            let (impulse, stiffness) = row.impulse_and_stiffness(&v, 0.1).expect("closed");
            assert!((impulse - row.impulse(&v, 0.1).expect("closed")).norm() < 1e-14);
            for axis in 0..3 {
                let step = Vector3::ith(axis, 1e-6);
                let ahead = row.impulse(&(v + step), 0.1).expect("closed");
                let behind = row.impulse(&(v - step), 0.1).expect("closed");
                let slope = (ahead - behind) / 2e-6;
                let expected = stiffness.times(&row.normal, &Vector3::ith(axis, 1.0));
                assert!((slope + expected).norm() < 1e-6, "{normal} {along} {axis}");
            }
        }
    }

    #[test]
    fn the_impulse_never_works_on_a_contact() {
        let row = row();
        for k in 0..1000 {
            let v = Vector3::new((k as f64).sin(), (k as f64 * 1.7).cos(), (k as f64 * 0.3).sin());
            let power = row.impulse(&v, 1e-3).map_or(0.0, |p| p.dot(&v));
            assert!(power <= 0.0);
        }
    }
}
