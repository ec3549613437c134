//! Volume integrals over the region inside a radial surface.
//!
//! ```text
//! ∫ f dV = ∫dθ ∫dz ∫₀^R f r dr        moments of (1, x, y, z) with x = r cos θ, y = r sin θ
//! ```
//!
//! The integral over r has a closed form. Along z the integrand is a polynomial of degree six on every face, which
//! four Gauss points integrate exactly. Around θ, four Gauss points between neighbouring columns leave a
//! relative error below 1e-12.

use std::f64::consts::TAU;

use nalgebra::{Matrix3, Vector3};
use tightfit_spatial::{Inertia, InertiaError};

use super::RadialSurface;
use crate::quadrature::{GAUSS_4, on_interval};

/// Columns around the axis; with four Gauss points each, the error is far below the rounding of the sums.
const COLUMNS: usize = 48;

impl RadialSurface {
    /// Mass properties of the region inside the surface at `density` [kg/m³].
    pub(crate) fn inertia(&self, density: f64) -> Result<Inertia, InertiaError> {
        let angles = self.column_angles(COLUMNS, &[]);
        let mut volume = 0.0;
        let mut first = Vector3::zeros();
        let mut second = Matrix3::zeros();
        for left in 0..angles.len() {
            let right = angles.get(left + 1).copied().unwrap_or(angles[0] + TAU);
            for (angle, angle_weight) in on_interval(&GAUSS_4, angles[left], right) {
                let (sin, cos) = libm::sincos(angle);
                let ray = Vector3::new(cos, sin, 0.0);
                for (face, low, high) in self.bands(angle) {
                    for (z, weight) in on_interval(&GAUSS_4, low, high) {
                        let radius = self.face_radius(face, angle, z);
                        let weight = weight * angle_weight;
                        let (r2, r3, r4) = (radius.powi(2) / 2.0, radius.powi(3) / 3.0, radius.powi(4) / 4.0);
                        let up = Vector3::z() * z;
                        volume += weight * r2;
                        first += (ray * r3 + up * r2) * weight;
                        let mixed = ray * up.transpose() * r3;
                        second += (ray * ray.transpose() * r4
                            + mixed
                            + mixed.transpose()
                            + up * up.transpose() * r2)
                            * weight;
                    }
                }
            }
        }
        let center = first / volume;
        let second = second - center * center.transpose() * volume;
        let moment = (Matrix3::from_diagonal_element(second.trace()) - second) * density;
        Inertia::new(volume * density, center, moment)
    }
}
