//! Velocity of a surface that is moved, over a step: a point of one that turns does not go straight on.
//!
//! ```text
//! u = (1 − n nᵀ) [v + ω × R d] + n nᵀ [v + (R − 1) d/T]        d = p − c,   R = cay(T ω)
//! ```
//!
//! p point, c centre, v and ω velocities of the body, n normal, T step. What sticks has the velocity of its point at the end of
//! the step; gaps close by the point's way. With ω × d for both, what stands on a turntable would be flung out, by (ωT)² of its
//! radius in every step. Where bounces cut a step T is still the whole one: pieces see the surface a little ahead.

use nalgebra::{Matrix3, Vector3};
use tightfit_spatial::cayley;

use super::Side;

/// A kinematic body over one step.
pub(super) struct MovedSurface<'a> {
    side: &'a Side<'a>,
    /// R.
    turned: Matrix3<f64>,
    /// (R − 1)/T [1/s].
    way: Matrix3<f64>,
}

impl<'a> MovedSurface<'a> {
    pub(super) fn new(side: &'a Side<'a>, step: f64) -> Self {
        let turned = cayley(side.angular * step).to_rotation_matrix().into_inner();
        Self { side, turned, way: (turned - Matrix3::identity()) / step }
    }

    /// u at a point, where the normal is n [m/s].
    pub(super) fn velocity_at(&self, point: Vector3<f64>, normal: &Vector3<f64>) -> Vector3<f64> {
        let Side { linear, angular, center, .. } = self.side;
        if *angular == Vector3::zeros() {
            return *linear;
        }
        let from_center = point - center;
        let at_end = angular.cross(&(self.turned * from_center));
        linear + at_end + normal * normal.dot(&(self.way * from_center - at_end))
    }
}
