//! Volume, centre and moments of inertia by integrals over the faces.
//!
//! ```text
//! ∫ dV = ∮ x n_x dA     ∫ x dV = ½ ∮ x² n_x dA     ∫ x² dV = ⅓ ∮ x³ n_x dA     ∫ xy dV = ½ ∮ x² y n_x dA
//! ```
//!
//! Each face integral becomes an integral along its boundary (Green's theorem in the parameters of the surface),
//!
//! ```text
//! ∬ g du dv = − ∮ H du,   H(u, v) = ∫ from v₀ to v of g dv
//! ```
//!
//! by Gauss-Legendre quadrature. Edges at constant u, such as seams, contribute nothing.

mod boundary;
mod parameters;
mod quadrature;

use nalgebra::{Matrix3, Vector3};
use tightfit_spatial::{Inertia, InertiaError};

use crate::Solid;

/// 1, x, y, z, xx, yy, zz, xy, yz, zx.
pub(crate) const MOMENTS: usize = 10;
pub(crate) type Moments = [f64; MOMENTS];

/// Integrals over the volume of a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Volume [m³].
    pub volume: f64,
    /// Centre of the volume [m].
    pub centre: Vector3<f64>,
    /// ∫ r rᵀ dV about the centre [m⁵].
    pub second_moment: Matrix3<f64>,
}

impl MassProperties {
    /// Mass properties at `density` [kg/m³].
    ///
    /// # Errors
    /// When the result is not physical.
    pub fn inertia(&self, density: f64) -> Result<Inertia, InertiaError> {
        let moment = Matrix3::identity() * self.second_moment.trace() - self.second_moment;
        Inertia::new(density * self.volume, self.centre, moment * density)
    }
}

impl Solid {
    /// Volume, centre and second moments; `None` where a face has no parameters that can be integrated (a closed surface
    /// with holes, closed in both directions).
    #[must_use]
    pub fn mass_properties(&self) -> Option<MassProperties> {
        let origin = 0.5 * (self.bounds.min + self.bounds.max);
        let [volume, x, y, z, xx, yy, zz, xy, yz, zx] = self.moments(origin)?;
        if volume.is_nan() || volume <= 0.0 {
            return None;
        }
        let offset = Vector3::new(x, y, z) / volume;
        let about_origin = Matrix3::new(xx, xy, zx, xy, yy, yz, zx, yz, zz);
        let second_moment = about_origin - offset * offset.transpose() * volume;
        Some(MassProperties { volume, centre: origin + offset, second_moment })
    }

    /// Whether its faces enclose no volume: some of them are inside out, and so are distances near them.
    #[must_use]
    pub fn is_inside_out(&self) -> bool {
        let origin = 0.5 * (self.bounds.min + self.bounds.max);
        self.moments(origin).is_some_and(|[volume, ..]| volume.is_nan() || volume <= 0.0)
    }

    fn moments(&self, origin: Vector3<f64>) -> Option<Moments> {
        let mut sums = [0.0; MOMENTS];
        for face in &self.faces {
            let own = self.face_moments(face, origin)?;
            sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        }
        Some(sums)
    }
}

/// Integrands at a point (relative to the origin) with area vector n dA.
pub(crate) fn integrands(p: Vector3<f64>, area: Vector3<f64>) -> Moments {
    let [x, y, z] = [p.x, p.y, p.z];
    let [a, b, c] = [area.x, area.y, area.z];
    [
        x * a,
        0.5 * x * x * a,
        0.5 * y * y * b,
        0.5 * z * z * c,
        x * x * x * a / 3.0,
        y * y * y * b / 3.0,
        z * z * z * c / 3.0,
        0.5 * x * x * y * a,
        0.5 * y * y * z * b,
        0.5 * z * z * x * c,
    ]
}
