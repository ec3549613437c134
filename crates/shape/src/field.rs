//! What a part answers about a point of space.

use arrayvec::ArrayVec;
use nalgebra::Vector3;
use tightfit_spatial::Columns3;

/// Signed distance and its gradient at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Distance to the surface [m]: positive outside the material, negative inside.
    pub distance: f64,
    /// Unit gradient of the distance [-]: the direction that leads out of the material fastest.
    pub normal: Vector3<f64>,
}

impl Sample {
    /// The field of the complement: material and air exchanged.
    #[must_use]
    pub fn complement(self) -> Self {
        Self { distance: -self.distance, normal: -self.normal }
    }

    /// The surface moved outwards by `offset` [m]: every distance falls by it.
    #[must_use]
    pub fn offset(self, offset: f64) -> Self {
        Self { distance: self.distance - offset, ..self }
    }

    /// The union of two bodies: the nearer one. Outside exact, inside a bound (never deeper than the truth).
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        if other.distance < self.distance { other } else { self }
    }
}

/// Faces of one locally convex piece of material; a point in front of any of them is free.
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
    /// Forgets the samples and keeps the memory.
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
