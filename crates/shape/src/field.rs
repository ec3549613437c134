//! Signed distance samples: what a part returns for a query point.

use arrayvec::ArrayVec;
use nalgebra::Vector3;
use tightfit_spatial::Columns3;

/// Signed distance and its gradient at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Distance to the surface [m]: positive outside the material, negative inside.
    pub distance: f64,
    /// Unit gradient of the distance [-]: points out of the material.
    pub normal: Vector3<f64>,
}

impl Sample {
    /// The field of the complement: material and air swapped.
    #[must_use]
    pub fn complement(self) -> Self {
        Self { distance: -self.distance, normal: -self.normal }
    }

    /// The field with the surface moved outwards by `offset` [m]: the distance decreases by `offset`.
    #[must_use]
    pub fn offset(self, offset: f64) -> Self {
        Self { distance: self.distance - offset, ..self }
    }

    /// The union of two bodies: the nearer one. Exact outside; inside, the depth is a lower bound.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        if other.distance < self.distance { other } else { self }
    }
}

/// Faces of one locally convex piece of material. A point in front of any of them is outside the piece.
pub type Branches = ArrayVec<Sample, 24>;

/// Signed distance and gradient for columns of points, written by [`crate::Part::evaluate`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldColumns {
    /// Distance of every point [m], positive outside the material.
    pub distance: Vec<f64>,
    /// Unit gradient at every point [-].
    pub normal: Columns3,
}

impl FieldColumns {
    /// Removes all samples and keeps the memory.
    pub fn clear(&mut self) {
        self.distance.clear();
        self.normal.clear();
    }

    /// Appends one sample.
    pub fn push(&mut self, sample: Sample) {
        self.distance.push(sample.distance);
        self.normal.push(sample.normal);
    }
}
