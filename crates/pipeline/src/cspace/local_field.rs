//! A C-space field around the configuration of a body: h and its slope after a displacement.

use nalgebra::{Matrix6, Vector6};
use tightfit_network::{CspaceField, InferenceScratch, MOST_AT_ONCE, NetworkError};
use tightfit_spatial::{Pose, Vector3, cayley};

use super::CspaceContact;

/// The moving body.
#[derive(Clone, Copy, Debug)]
pub struct FreeBody {
    /// Pose of its part.
    pub world_from_part: Pose,
    /// Its centre of mass in the part's frame [m].
    pub center_in_part: Vector3<f64>,
    /// m [kg].
    pub mass: f64,
    /// M⁻¹ in world axes.
    pub inverse_mass: Matrix6<f64>,
}

/// The field of one box, in terms of displacements of a body.
#[derive(Debug)]
pub struct LocalField<'a> {
    pub(super) body: FreeBody,
    field: &'a CspaceField,
    world_from_fixed: Pose,
    scratch: &'a mut InferenceScratch,
}

impl<'a> LocalField<'a> {
    /// From the field, the fixed part's pose and the moving body.
    pub fn new(
        field: &'a CspaceField,
        world_from_fixed: Pose,
        body: FreeBody,
        scratch: &'a mut InferenceScratch,
    ) -> Self {
        Self { body, field, world_from_fixed, scratch }
    }

    /// h [-] and its slope [1/m, 1/rad] after a displacement of centre of mass and attitude [m, rad], world axes.
    ///
    /// # Errors
    /// Never for a valid field.
    pub fn at(&mut self, displacement: &Vector6<f64>) -> Result<(f64, Vector6<f64>), NetworkError> {
        let pose = self.fixed_from_part(displacement);
        let (value, slope) = self.field.at_pose(&pose, self.body.center_in_part, self.scratch)?;
        let turn =
            |k: usize| self.world_from_fixed.rotation * Vector3::new(slope[k], slope[k + 1], slope[k + 2]);
        let (force, torque) = (turn(0), turn(3));
        Ok((value, Vector6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z)))
    }

    /// h [-] after a displacement; `None` outside the box of the field.
    ///
    /// # Errors
    /// Never for a valid field.
    pub(super) fn value(&mut self, displacement: &Vector6<f64>) -> Result<Option<f64>, NetworkError> {
        let q = self.coordinates(displacement);
        let mut value = [0.0];
        self.field.some_values(&[q], &mut value, self.scratch)?;
        Ok(self.field.contains(&q).then_some(f64::from(value[0])))
    }

    /// The first of `places` equidistant samples along a displacement at which h is below a level or that is outside
    /// the box; the last sample is the end of the displacement.
    ///
    /// # Errors
    /// Never for a valid field.
    pub(super) fn first_below(
        &mut self,
        displacement: &Vector6<f64>,
        places: usize,
        level: f64,
    ) -> Result<Option<usize>, NetworkError> {
        for first in (1..=places).step_by(MOST_AT_ONCE) {
            let count = MOST_AT_ONCE.min(places + 1 - first);
            let (mut all, mut values) = ([[0.0; 6]; MOST_AT_ONCE], [0.0; MOST_AT_ONCE]);
            for (place, q) in all.iter_mut().enumerate().take(count) {
                *q = self.coordinates(&(displacement * ((first + place) as f64 / places as f64)));
            }
            self.field.some_values(&all, &mut values[..count], self.scratch)?;
            let mut both = all.iter().zip(&values[..count]);
            let is_above = |q, value: f32| self.field.contains(q) && f64::from(value) >= level;
            if let Some(place) = both.position(|(q, value)| !is_above(q, *value)) {
                return Ok(Some(first + place));
            }
        }
        Ok(None)
    }

    /// √(VᵀMV/m) of a displacement [m].
    #[must_use]
    pub fn length(&self, displacement: &Vector6<f64>) -> f64 {
        let mass = self.body.inverse_mass.try_inverse().unwrap_or_else(Matrix6::zeros);
        (displacement.dot(&(mass * displacement)) / self.body.mass).sqrt()
    }

    /// Whether the box of the field contains a displacement.
    #[must_use]
    pub fn covers(&self, displacement: &Vector6<f64>) -> bool {
        self.field.contains(&self.coordinates(displacement))
    }

    fn coordinates(&self, displacement: &Vector6<f64>) -> [f64; 6] {
        let pose = self.fixed_from_part(displacement);
        self.field.chart().coordinates(&pose, self.body.center_in_part).0
    }

    /// The plane h = 0, linearised at a displacement with this h and slope; `None` where the field is flat.
    pub(super) fn plane(
        &self,
        displacement: &Vector6<f64>,
        value: f64,
        slope: &Vector6<f64>,
    ) -> Option<CspaceContact> {
        let gain = (self.body.mass * slope.dot(&(self.body.inverse_mass * slope))).sqrt();
        if !(gain > 0.0 && gain.is_finite()) {
            return None;
        }
        let normal = slope / gain;
        let gap = value / gain - normal.dot(displacement);
        Some(CspaceContact { normal, gap, displacement: *displacement, remainder: value })
    }

    fn fixed_from_part(&self, displacement: &Vector6<f64>) -> Pose {
        let FreeBody { world_from_part, center_in_part, .. } = self.body;
        let center = world_from_part.transform_point(center_in_part) + displacement.fixed_rows::<3>(0);
        let rotation = cayley(displacement.fixed_rows::<3>(3).into_owned()) * world_from_part.rotation;
        self.world_from_fixed.inverse() * Pose::new(center - rotation * center_in_part, rotation)
    }
}
