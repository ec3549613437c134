//! A box along the axes.

use nalgebra::Vector3;

/// A box along the axes [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lowest corner.
    pub min: Vector3<f64>,
    /// Highest corner.
    pub max: Vector3<f64>,
}

impl Aabb {
    /// The empty box.
    pub(crate) const EMPTY: Self = Self {
        min: Vector3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        max: Vector3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    pub(crate) fn of(points: impl IntoIterator<Item = Vector3<f64>>) -> Self {
        points.into_iter().fold(Self::EMPTY, |all, p| Self { min: all.min.inf(&p), max: all.max.sup(&p) })
    }

    pub(crate) fn joined(self, other: Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }

    pub(crate) fn grown(self, by: f64) -> Self {
        Self { min: self.min.add_scalar(-by), max: self.max.add_scalar(by) }
    }

    /// Square of the distance to a point outside the box [m²]; zero inside.
    #[inline]
    pub(crate) fn distance_squared(&self, p: Vector3<f64>) -> f64 {
        let beyond = |axis: usize| (self.min[axis] - p[axis]).max(p[axis] - self.max[axis]).max(0.0);
        let [x, y, z] = [beyond(0), beyond(1), beyond(2)];
        x * x + y * y + z * z
    }

    /// Length of the diagonal [m].
    #[must_use]
    pub fn diagonal(&self) -> f64 {
        (self.max - self.min).norm()
    }
}
