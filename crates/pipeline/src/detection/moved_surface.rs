//! Velocity of a kinematic surface over a step: the points of a rotating surface do not move in straight lines.
//!
//! ```text
//! u = (1 − n nᵀ) [v + ω × (R b + ρ)] + n nᵀ [v + (R − 1)(b + ρ)/T]        b = c_b − c,   ρ = p − c_b,   R = cay(T ω)
//! ```
//!
//! p point, c and c_b centres of the surface and of the body that it meets, v and ω velocities of the surface, n
//! normal, T step. A body that sticks turns along: at the end of the step it has the velocity of the surface under its
//! centre, and ω. Its points have that velocity at the arms ρ of the contacts, which are those of the start; with R ρ
//! instead, the velocity of all would depend on which contacts carry load. Gaps close by the displacement of the point.
//! With ω × (b + ρ) for both terms, a body on a turntable would move outwards by (ωT)² of its radius in every step.
//! Where bounces divide a step, T is still the whole step: the parts of the step use a surface that is slightly ahead.

use nalgebra::{Matrix3, Vector3};
use tightfit_spatial::cayley;

use super::PairBody;

/// A kinematic body over one step, relative to the body that it meets.
pub(super) struct MovedSurface<'a> {
    side: &'a PairBody<'a>,
    /// b [m].
    met: Vector3<f64>,
    /// v + ω × R b [m/s].
    under_center: Vector3<f64>,
    /// (R − 1)/T [1/s].
    mean_turn: Matrix3<f64>,
}

impl<'a> MovedSurface<'a> {
    /// The surface of `side` over a step, met by a body with centre `met_center`.
    pub(super) fn new(side: &'a PairBody<'a>, met_center: Vector3<f64>, step: f64) -> Self {
        let turned = cayley(side.angular * step).to_rotation_matrix().into_inner();
        let met = met_center - side.center;
        let under_center = side.linear + side.angular.cross(&(turned * met));
        Self { side, met, under_center, mean_turn: (turned - Matrix3::identity()) / step }
    }

    /// u [m/s] at an arm of the body that is met, for the normal n.
    pub(super) fn velocity_at(&self, arm: Vector3<f64>, normal: &Vector3<f64>) -> Vector3<f64> {
        let PairBody { linear, angular, .. } = self.side;
        if *angular == Vector3::zeros() {
            return *linear;
        }
        let along = self.under_center + angular.cross(&arm);
        along + normal * normal.dot(&(linear + self.mean_turn * (self.met + arm) - along))
    }
}
