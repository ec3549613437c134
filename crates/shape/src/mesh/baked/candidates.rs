//! The triangles that can be nearest somewhere in a cell.
//!
//! ```text
//! dist(c, T) ≤ min_T dist(c, T) + 2 r        c centre, r half diagonal of the cell [m]
//! dist(p, T) ≥ dist(c, T) − ‖p − c‖          for a point p of the cell
//! ```
//!
//! The first condition (triangle inequality, twice) keeps every triangle that is nearest to some point of the cell,
//! so a child filters its parent's list instead of searching the mesh. The second ends a search through the sorted
//! list.

use nalgebra::Vector3;

use crate::mesh::exact_distance::{MeshDistance, MeshSample, Nearest};

/// A sorted list of triangles around a centre.
#[derive(Clone, Debug)]
pub(super) struct Candidates {
    center: Vector3<f64>,
    /// Distance from the centre [m] and triangle, nearest first.
    list: Vec<(f64, u32)>,
}

impl Candidates {
    /// Candidates of a root cell, from the whole mesh.
    pub(super) fn of_root(exact: &MeshDistance, center: Vector3<f64>, half_diagonal: f64) -> Self {
        let nearest = (exact.sample(center).distance + exact.offset()).abs();
        let reach = (nearest + 2.0 * half_diagonal) * (1.0 + 1e-9);
        let mut list = Vec::new();
        exact.near(center, reach, |t| list.push((distance(exact, t, center), t as u32)));
        Self::sorted(center, list, 2.0 * half_diagonal)
    }

    /// Candidates of a cell within the cell of `self`.
    pub(super) fn of_child(&self, exact: &MeshDistance, center: Vector3<f64>, half_diagonal: f64) -> Self {
        let moved = (center - self.center).norm();
        let mut nearest = f64::INFINITY;
        let mut list = Vec::with_capacity(self.list.len());
        for &(from_parent, t) in &self.list {
            if from_parent - moved > nearest + 2.0 * half_diagonal {
                break;
            }
            let distance = distance(exact, t as usize, center);
            nearest = nearest.min(distance);
            list.push((distance, t));
        }
        Self::sorted(center, list, 2.0 * half_diagonal)
    }

    fn sorted(center: Vector3<f64>, mut list: Vec<(f64, u32)>, slack: f64) -> Self {
        let nearest = list.iter().fold(f64::INFINITY, |least, entry| least.min(entry.0));
        // rounding must not drop a triangle that ties
        let reach = (nearest + slack) * (1.0 + 1e-9);
        list.retain(|entry| entry.0 <= reach);
        list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Self { center, list }
    }

    /// The exact field at a point of the cell [m].
    pub(super) fn sample(&self, exact: &MeshDistance, point: Vector3<f64>) -> MeshSample {
        let moved = (point - self.center).norm() * (1.0 + 1e-9);
        let mut nearest = Nearest::beyond(f64::INFINITY);
        for &(distance, t) in &self.list {
            let least = (distance - moved).max(0.0);
            if least * least > nearest.bound() {
                break;
            }
            exact.offer(t as usize, point, &mut nearest);
        }
        exact.finish(point, &nearest)
    }

    /// The triangles, nearest to the centre first.
    pub(super) fn triangles(&self) -> impl ExactSizeIterator<Item = u32> {
        self.list.iter().map(|entry| entry.1)
    }

    /// Whether all lie in one plane; the field is then linear over the whole cell, because a cell that
    /// reached past the rim of the planar patch would also have the triangles beyond the rim as candidates.
    pub(super) fn coplanar(&self, exact: &MeshDistance) -> bool {
        let plane = |t: u32| {
            let triangle = &exact.triangles[t as usize];
            (triangle.normal, triangle.corners[0])
        };
        let Some((normal, start)) = self.list.first().map(|entry| plane(entry.1)) else { return false };
        normal != Vector3::zeros()
            && self.list.iter().all(|entry| {
                let (other, point) = plane(entry.1);
                (other - normal).norm() < 1e-9 && (point - start).dot(&normal).abs() < 1e-12
            })
    }
}

fn distance(exact: &MeshDistance, t: usize, point: Vector3<f64>) -> f64 {
    let closest = exact.triangles[t].closest(point, f64::INFINITY);
    closest.map_or(f64::INFINITY, |closest| closest.squared.sqrt())
}
