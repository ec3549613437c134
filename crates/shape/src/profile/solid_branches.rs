//! Faces of a sectioned body that meet at convex edges around a point.
//!
//! In the plane (a, z) these are the edge nearest to the point and those that follow it on either side through
//! convex vertices; across a sharp polygon also the neighbouring flat, where the wall looks outwards.

use nalgebra::{Vector2, Vector3};

use super::outline::{dot, sub};
use super::{Foot, Section, SectionedSolid};
use crate::{Branches, Sample};

/// Edges taken on either side of the nearest one: a chamfer and the face behind it.
const REACH: usize = 2;

impl SectionedSolid {
    /// Faces of the nearest locally convex piece; see [`crate::Part::branches`].
    pub fn branches(&self, point: Vector3<f64>, branches: &mut Branches) {
        let located = self.section.locate(point.xy());
        let at = [located.level, point.z];
        let count = self.outline.vertices().len();
        let nearest = match self.outline.sample(at).foot {
            Foot::Edge(index) => index,
            Foot::Vertex(index) if self.is_face(index) => index,
            Foot::Vertex(index) => (index + count - 1) % count,
        };
        let mut push = |index: usize| {
            let normal = self.outline.edge_normal(index);
            let distance = dot(sub(at, self.outline.vertices()[index]), normal);
            let lift =
                |across: Vector2<f64>| Vector3::new(across.x * normal[0], across.y * normal[0], normal[1]);
            let _ = branches.try_push(Sample { distance, normal: lift(located.direction) });
            if let Some((level, direction)) = self.next_flat(point.xy()).filter(|_| normal[0] > 1e-9) {
                let distance = dot(sub([level, point.z], self.outline.vertices()[index]), normal);
                let _ = branches.try_push(Sample { distance, normal: lift(direction) });
            }
        };
        push(nearest);
        let (mut before, mut after) = (nearest, nearest);
        for _ in 0..REACH {
            let next = (after + 1) % count;
            if next == nearest || !self.outline.is_convex(next) || !self.is_face(next) {
                break;
            }
            push(next);
            after = next;
        }
        for _ in 0..REACH {
            let next = (before + count - 1) % count;
            if next == after || !self.outline.is_convex(before) || !self.is_face(next) {
                break;
            }
            push(next);
            before = next;
        }
    }

    /// Whether an edge of the outline bounds material.
    fn is_face(&self, index: usize) -> bool {
        let [start, end] = self.outline.edge(index);
        start[0] > 0.0 || end[0] > 0.0
    }

    /// Level and direction of the flat beside the one that a point faces, on a sharp polygon.
    fn next_flat(&self, point: Vector2<f64>) -> Option<(f64, Vector2<f64>)> {
        let Section::Polygon { .. } = self.section else { return None };
        let normal = self.section.facing(point);
        let (sin, cos) = libm::sincos(2.0 * self.section.half_angle());
        let side = normal.perp(&point).signum();
        let turned =
            Vector2::new(cos * normal.x - side * sin * normal.y, side * sin * normal.x + cos * normal.y);
        Some((point.dot(&turned), turned))
    }
}
