//! Mass, centre of mass and moment of inertia of a rigid body.
//!
//! ```text
//! J  = ∫ (|ρ|² I − ρρᵀ) dm      about the centre of mass           [kg m²]
//! Σ  = ∫ ρρᵀ dm = ½ tr(J) I − J must be positive semi-definite     (Wensing et al., RA-L 2018)
//! ```
//!
//! Σ ⪰ 0 is the triangle inequality of the principal moments, in any axes. It holds if and only if a body with
//! these moments can exist.

use nalgebra::{Matrix3, Vector3};

use crate::Pose;

/// Inertial properties of a body in the body's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// Mass [kg], positive.
    pub mass: f64,
    /// Centre of mass in the body's frame [m].
    pub center_of_mass: Vector3<f64>,
    /// J about the centre of mass, in the axes of the body's frame [kg m²].
    pub moment: Matrix3<f64>,
}

/// Why a set of inertial numbers cannot belong to a body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InertiaError {
    /// The mass is not a positive number.
    #[error("mass is {0} kg; it must be positive and finite")]
    Mass(f64),
    /// The centre of mass is not finite.
    #[error("centre of mass ({x}, {y}, {z}) m is not finite", x = .0.x, y = .0.y, z = .0.z)]
    CenterOfMass(Vector3<f64>),
    /// J is not symmetric or holds a non-finite number.
    #[error("moment of inertia is not a finite symmetric matrix: {0}")]
    NotSymmetric(String),
    /// No distribution of mass has this J.
    #[error(
        "principal moments {0:?} kg m² are not physical: each must be positive and at most the sum of the other two"
    )]
    Impossible([f64; 3]),
}

impl Inertia {
    /// Checks that a body with these properties can exist.
    ///
    /// # Errors
    /// When the mass is not positive, a number is not finite, or J violates the triangle inequality.
    pub fn new(mass: f64, center_of_mass: Vector3<f64>, moment: Matrix3<f64>) -> Result<Self, InertiaError> {
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(InertiaError::Mass(mass));
        }
        if !center_of_mass.iter().all(|value| value.is_finite()) {
            return Err(InertiaError::CenterOfMass(center_of_mass));
        }
        let scale = moment.amax();
        if !moment.iter().all(|value| value.is_finite())
            || (moment - moment.transpose()).amax() > 1e-9 * scale
        {
            return Err(InertiaError::NotSymmetric(format!("{:?}", moment.as_slice())));
        }
        let moment = (moment + moment.transpose()) / 2.0;
        let principal = moment.symmetric_eigenvalues();
        // 1e-9: Σ of a flat plate is singular, and rounding may make it slightly negative
        let least_second_moment = principal.sum() / 2.0 - principal.max();
        if principal.min() <= 0.0 || least_second_moment < -1e-9 * scale {
            return Err(InertiaError::Impossible(principal.into()));
        }
        Ok(Self { mass, center_of_mass, moment })
    }

    /// The same body described in an outer frame.
    #[must_use]
    pub fn transformed(&self, outer_from_body: &Pose) -> Self {
        let rotation = outer_from_body.rotation.to_rotation_matrix();
        Self {
            mass: self.mass,
            center_of_mass: outer_from_body.transform_point(self.center_of_mass),
            moment: rotation * self.moment * rotation.transpose(),
        }
    }

    /// Two bodies fixed to one another, both described in one frame.
    #[must_use]
    pub fn combined(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        let center_of_mass = (self.center_of_mass * self.mass + other.center_of_mass * other.mass) / mass;
        let moment = self.moment_about(center_of_mass) + other.moment_about(center_of_mass);
        Self { mass, center_of_mass, moment }
    }

    /// The same shape with another mass [kg]; J scales with the mass.
    #[must_use]
    pub fn with_mass(&self, mass: f64) -> Self {
        Self { mass, center_of_mass: self.center_of_mass, moment: self.moment * (mass / self.mass) }
    }

    /// J about another point of the body's frame (parallel axis theorem) [kg m²].
    #[must_use]
    pub fn moment_about(&self, point: Vector3<f64>) -> Matrix3<f64> {
        let arm = self.center_of_mass - point;
        self.moment + (Matrix3::from_diagonal_element(arm.norm_squared()) - arm * arm.transpose()) * self.mass
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cayley;

    fn rod() -> Inertia {
        Inertia::new(
            2.0,
            Vector3::new(0.1, 0.0, 0.0),
            Matrix3::from_diagonal(&Vector3::new(0.01, 0.03, 0.03)),
        )
        .unwrap()
    }

    #[test]
    fn unphysical_inertia_is_rejected_with_its_values() {
        let moment = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 3.0));
        let error = Inertia::new(1.0, Vector3::zeros(), moment).unwrap_err();
        assert!(error.to_string().contains("3.0"), "{error}");
        assert_eq!(Inertia::new(-1.0, Vector3::zeros(), moment), Err(InertiaError::Mass(-1.0)));
    }

    #[test]
    fn combining_then_transforming_equals_transforming_then_combining() {
        let outer_from_body = Pose::new(Vector3::new(0.3, 0.2, -0.1), cayley(Vector3::new(0.1, 0.9, -0.4)));
        let (left, right) = (rod(), rod().transformed(&outer_from_body));
        let moved = left.transformed(&outer_from_body).combined(&right.transformed(&outer_from_body));
        let combined = left.combined(&right).transformed(&outer_from_body);
        assert!((moved.moment - combined.moment).norm() < 1e-14);
        assert!((moved.center_of_mass - combined.center_of_mass).norm() < 1e-15);
    }
}
