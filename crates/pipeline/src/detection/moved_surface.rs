//! Velocity of a surface that is moved, over a step: a point of one that turns does not go straight on.
//!
//! ```text
//! u = (1 − n nᵀ) [v + ω × (R b + ρ)] + n nᵀ [v + (R − 1)(b + ρ)/T]        b = c_b − c,   ρ = p − c_b,   R = cay(T ω)
//! ```
//!
//! p point, c and c_b centres of the surface and of the body that it meets, v and ω velocities of the surface, n normal, T step. What
//! sticks turns along: at the end of the step it has the velocity that the surface has under its centre then, and ω. Its points
//! have it at the arms ρ that the contacts have, those of the start; with R ρ in their place the velocity of all would depend on which
//! of them carry. Gaps close by the point's way. With ω × (b + ρ) for both, what stands on a turntable would be flung out, by
//! (ωT)² of its radius in every step. Where bounces cut a step T is still the whole one: pieces see the surface a little ahead.

use nalgebra::{Matrix3, Vector3};
use tightfit_spatial::cayley;

use super::Side;

/// A kinematic body over one step, as another one meets it.
pub(super) struct MovedSurface<'a> {
    side: &'a Side<'a>,
    /// b [m].
    met: Vector3<f64>,
    /// v + ω × R b [m/s].
    under_center: Vector3<f64>,
    /// (R − 1)/T [1/s].
    way: Matrix3<f64>,
}

impl<'a> MovedSurface<'a> {
    /// Of this side, over a step, as met by a body with this centre.
    pub(super) fn new(side: &'a Side<'a>, met_center: Vector3<f64>, step: f64) -> Self {
        let turned = cayley(side.angular * step).to_rotation_matrix().into_inner();
        let met = met_center - side.center;
        let under_center = side.linear + side.angular.cross(&(turned * met));
        Self { side, met, under_center, way: (turned - Matrix3::identity()) / step }
    }

    /// u at an arm of the body that is met, where the normal is n [m/s].
    pub(super) fn velocity_at(&self, arm: Vector3<f64>, normal: &Vector3<f64>) -> Vector3<f64> {
        let Side { linear, angular, .. } = self.side;
        if *angular == Vector3::zeros() {
            return *linear;
        }
        let along = self.under_center + angular.cross(&arm);
        along + normal * normal.dot(&(linear + self.way * (self.met + arm) - along))
    }
}
