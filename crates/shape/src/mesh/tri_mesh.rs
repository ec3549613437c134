//! A triangle mesh with shared vertices, and the integrals over the solid that it bounds.
//!
//! Every integral is a sum over the tetrahedra (origin, a, b, c) with signed volume v = a·(b×c)/6:
//!
//! ```text
//! ∫ 1 dV   = Σ v
//! ∫ x dV   = Σ v (a+b+c)/4
//! ∫ xxᵀ dV = Σ v/20 (aaᵀ + bbᵀ + ccᵀ + (a+b+c)(a+b+c)ᵀ)
//! ```
//!
//! The origin is first moved to the centre of the bounding box, so that a part far from its origin loses no
//! precision.

use nalgebra::{Matrix3, Vector3};
use tightfit_spatial::{Inertia, InertiaError};

/// Axis-aligned bounding box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates [m].
    pub min: Vector3<f64>,
    /// Largest coordinates [m].
    pub max: Vector3<f64>,
}

impl Default for Aabb {
    /// An empty box.
    fn default() -> Self {
        Self::of([])
    }
}

impl Aabb {
    /// The smallest box around the points; empty (min > max) when there are none.
    #[must_use]
    pub fn of(points: impl IntoIterator<Item = Vector3<f64>>) -> Self {
        let empty =
            Self { min: Vector3::from_element(f64::INFINITY), max: Vector3::from_element(f64::NEG_INFINITY) };
        points.into_iter().fold(empty, |b, p| Self { min: b.min.inf(&p), max: b.max.sup(&p) })
    }

    /// Middle of the box [m].
    #[must_use]
    pub fn center(&self) -> Vector3<f64> {
        (self.min + self.max) / 2.0
    }

    /// Edge lengths [m].
    #[must_use]
    pub fn size(&self) -> Vector3<f64> {
        self.max - self.min
    }

    /// Length of the diagonal [m].
    #[must_use]
    pub fn diagonal(&self) -> f64 {
        self.size().norm()
    }

    /// Whether a point [m] is in the box or on its faces.
    #[must_use]
    pub fn contains(&self, point: Vector3<f64>) -> bool {
        (0..3).all(|axis| self.min[axis] <= point[axis] && point[axis] <= self.max[axis])
    }

    /// The box grown by `margin` [m] on every side.
    #[must_use]
    pub fn grown(&self, margin: f64) -> Self {
        let margin = Vector3::from_element(margin);
        Self { min: self.min - margin, max: self.max + margin }
    }

    /// Whether two boxes have a point in common.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.min[axis] <= other.max[axis] && self.max[axis] >= other.min[axis])
    }
}

/// Triangles over shared vertices; counter-clockwise seen from outside when the mesh is well oriented.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Vertex positions [m].
    pub vertices: Vec<Vector3<f64>>,
    /// Vertex indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// Corners of triangle `index` [m].
    #[must_use]
    pub fn corners(&self, index: usize) -> [Vector3<f64>; 3] {
        self.triangles[index].map(|vertex| self.vertices[vertex as usize])
    }

    /// Bounding box of all vertices.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        Aabb::of(self.vertices.iter().copied())
    }

    /// Surface area [m²].
    #[must_use]
    pub fn area(&self) -> f64 {
        (0..self.triangles.len()).map(|index| self.area_vector(index).norm()).sum()
    }

    /// Half the cross product of two edges: the triangle's area along its outward normal [m²].
    #[must_use]
    pub fn area_vector(&self, index: usize) -> Vector3<f64> {
        let [a, b, c] = self.corners(index);
        (b - a).cross(&(c - a)) / 2.0
    }

    /// Signed volume [m³]: negative when the triangles are wound inwards.
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.moments().0
    }

    /// Mass properties of the solid at `density` [kg/m³].
    ///
    /// # Errors
    /// When the mesh does not bound a positive volume.
    pub fn inertia(&self, density: f64) -> Result<Inertia, InertiaError> {
        let (volume, first, second) = self.moments();
        let origin = self.aabb().center();
        let center = first / volume;
        let about_center = second - center * center.transpose() * volume;
        let moment = (Matrix3::from_diagonal_element(about_center.trace()) - about_center) * density;
        Inertia::new(volume * density, origin + center, moment)
    }

    /// Drops the vertices that no triangle uses, keeps the order of the others, and returns how many were dropped.
    pub(crate) fn drop_unused_vertices(&mut self) -> usize {
        let mut new_of_old = vec![u32::MAX; self.vertices.len()];
        self.triangles.iter().flatten().for_each(|&vertex| new_of_old[vertex as usize] = 0);
        let mut vertices = Vec::new();
        for (new, &vertex) in new_of_old.iter_mut().zip(&self.vertices).filter(|(new, _)| **new == 0) {
            *new = vertices.len() as u32;
            vertices.push(vertex);
        }
        self.triangles.iter_mut().flatten().for_each(|vertex| *vertex = new_of_old[*vertex as usize]);
        let dropped = self.vertices.len() - vertices.len();
        self.vertices = vertices;
        dropped
    }

    /// The mesh with the winding of every triangle reversed.
    #[must_use]
    pub fn flipped(mut self) -> Self {
        self.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        self
    }

    /// (∫1, ∫x, ∫xxᵀ) over the solid, about the centre of the bounding box.
    fn moments(&self) -> (f64, Vector3<f64>, Matrix3<f64>) {
        let origin = self.aabb().center();
        let mut total = (0.0, Vector3::zeros(), Matrix3::zeros());
        for index in 0..self.triangles.len() {
            let [a, b, c] = self.corners(index).map(|corner| corner - origin);
            let volume = a.dot(&b.cross(&c)) / 6.0;
            let sum = a + b + c;
            let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
            total.0 += volume;
            total.1 += sum * (volume / 4.0);
            total.2 += (squares + sum * sum.transpose()) * (volume / 20.0);
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron_far_away() -> TriMesh {
        let shift = Vector3::new(7.0, -3.0, 2.0);
        let corner = |x, y, z| Vector3::new(x, y, z) + shift;
        TriMesh {
            vertices: vec![
                corner(0.0, 0.0, 0.0),
                corner(1.0, 0.0, 0.0),
                corner(0.0, 1.0, 0.0),
                corner(0.0, 0.0, 1.0),
            ],
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        }
    }

    #[test]
    fn tetrahedron_has_its_textbook_volume_and_inertia() {
        let mesh = tetrahedron_far_away();
        let inertia = mesh.inertia(6.0).unwrap();
        assert!((inertia.mass - 1.0).abs() < 1e-12);
        assert!((inertia.center_of_mass - Vector3::new(7.25, -2.75, 2.25)).norm() < 1e-12);
        // ∫ over the unit tetrahedron: x² → 1/10 − 1/16 of the mass, xy → 1/20 − 1/16
        assert!((inertia.moment[(0, 0)] - 2.0 * (1.0 / 10.0 - 1.0 / 16.0)).abs() < 1e-12);
        assert!((inertia.moment[(0, 1)] - (1.0 / 16.0 - 1.0 / 20.0)).abs() < 1e-12);
        assert!(mesh.flipped().volume() < 0.0);
    }
}
