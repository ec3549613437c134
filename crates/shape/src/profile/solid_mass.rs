//! Volume and inertia of a sectioned body, in closed form.
//!
//! With A(a) the area and B(a) the polar moment inside the section at level a, Green's theorem turns
//! every volume integral into a line integral around the outline:
//!
//! ```text
//! ∫ dV = ∮ A dz     ∫ z dV = ∮ z A dz     ∫ z² dV = ∮ z² A dz     ∫ (x² + y²) dV = ∮ B dz
//! ```
//!
//! Along an edge the integrands are polynomials of degree four; the four-point Gauss rule is exact up to degree seven.

use nalgebra::{Matrix3, Vector3};
use tightfit_spatial::{Inertia, InertiaError};

use super::SectionedSolid;
use crate::quadrature::{GAUSS_4, on_interval};

impl SectionedSolid {
    /// Mass properties at `density` [kg/m³].
    ///
    /// # Errors
    /// When the density is not positive.
    pub fn inertia(&self, density: f64) -> Result<Inertia, InertiaError> {
        let (mut volume, mut first, mut axial, mut polar) = (0.0, 0.0, 0.0, 0.0);
        for (_, [start, end]) in self.outline.edges() {
            for (t, weight) in on_interval(&GAUSS_4, 0.0, 1.0) {
                let z = start[1] + (end[1] - start[1]) * t;
                let (area, second) = self.section.area_moments(start[0] + (end[0] - start[0]) * t);
                let dz = (end[1] - start[1]) * weight;
                volume += area * dz;
                first += z * area * dz;
                axial += z * z * area * dz;
                polar += second * dz;
            }
        }
        let center = first / volume;
        let axial = axial - center * first;
        let across = polar / 2.0 + axial;
        let moment = Matrix3::from_diagonal(&Vector3::new(across, across, polar)) * density;
        Inertia::new(volume * density, Vector3::new(0.0, 0.0, center), moment)
    }
}
