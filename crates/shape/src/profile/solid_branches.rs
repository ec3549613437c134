//! Convex pieces of a sectioned body near a point.
//!
//! In the plane (a, z) an outline without a concave vertex is convex: one piece with all its faces. The foot of a
//! blind bore is concave: material = (all faces but the floor) ∪ (all faces but the bore). Several concave vertices, as of a stepped
//! shaft, and the axis cut the outline into convex chains of edges; those edges of a chain that are near bound its piece. On a
//! sharp polygon the neighbouring flat is a face too, where the wall points outwards.

use nalgebra::{Vector2, Vector3};

use super::outline::{dot, sub};
use super::section::SectionPoint;
use super::{Section, SectionedSolid};
use crate::{Branches, Sample};

impl SectionedSolid {
    /// Visits the locally convex pieces near a point; see [`crate::Part::each_piece`].
    pub fn each_piece(&self, point: Vector3<f64>, reach: f64, mut visit: impl FnMut(u32, &Branches)) {
        let located = self.section.locate(point.xy());
        if self.has_chains() {
            return self.each_chain(point, located, reach, visit);
        }
        for (number, omitted) in self.pieces() {
            self.offer(number, omitted, point, located, reach, &mut visit);
        }
    }

    /// Whether the outline is cut into chains: no omission of one edge makes it convex.
    #[inline(always)]
    pub(super) fn has_chains(&self) -> bool {
        self.outline.concave_vertices().len() > 1
    }

    /// Visits the chains that are near a point.
    fn each_chain(
        &self,
        point: Vector3<f64>,
        located: SectionPoint,
        reach: f64,
        mut visit: impl FnMut(u32, &Branches),
    ) {
        let outline = &self.outline;
        let count = outline.vertices().len();
        let at = [located.level, point.z];
        // deep inside, the nearest faces still count
        let near = outline.sample(at).distance.abs() + reach.max(0.0);
        let first = (0..count).find(|vertex| !outline.is_convex(*vertex)).unwrap_or(0);
        let mut branches = Branches::new();
        let mut number = 0;
        for step in 0..count {
            let edge = (first + step) % count;
            if self.is_face(edge) && outline.edge_distance(edge, at) <= near {
                self.push_face(&mut branches, point, located, edge);
            }
            if !outline.is_convex((edge + 1) % count) {
                let is_within = branches.iter().all(|face| face.distance <= reach);
                if is_within && !branches.is_empty() {
                    visit(number % crate::Part::MOST_PIECES, &branches);
                }
                branches.clear();
                number += 1;
            }
        }
    }

    /// The convex pieces of the outline: a number and the edge that does not bound the piece. A concave vertex splits
    /// the outline into two pieces: one omits the edge after the vertex, the other the edge before it.
    #[inline(always)]
    pub(super) fn pieces(&self) -> impl Iterator<Item = (u32, Option<usize>)> {
        let (count, concave) = (self.outline.vertices().len(), self.outline.concave_vertices());
        (0..(2 * concave.len()).max(1)).map(move |piece| {
            let omitted = concave.get(piece / 2).map(|&vertex| (vertex + count - piece % 2) % count);
            (piece as u32, omitted)
        })
    }

    /// Visits the piece that all faces except `omitted` bound, unless it is farther than `reach` [m].
    fn offer(
        &self,
        number: u32,
        omitted: Option<usize>,
        point: Vector3<f64>,
        located: SectionPoint,
        reach: f64,
        visit: &mut impl FnMut(u32, &Branches),
    ) {
        let mut branches = Branches::new();
        for edge in 0..self.outline.vertices().len() {
            if Some(edge) != omitted && self.is_face(edge) {
                self.push_face(&mut branches, point, located, edge);
                if branches.last().is_some_and(|face| face.distance > reach) {
                    return;
                }
            }
        }
        visit(number, &branches);
    }

    /// Adds a face and, on a sharp polygon where the wall points outwards, the same face of the neighbouring flat.
    fn push_face(&self, branches: &mut Branches, point: Vector3<f64>, located: SectionPoint, edge: usize) {
        let normal = self.outline.edge_normal(edge);
        let start = self.outline.vertices()[edge];
        let mut push = |level: f64, direction: Vector2<f64>| {
            let distance = dot(sub([level, point.z], start), normal);
            let normal = Vector3::new(direction.x * normal[0], direction.y * normal[0], normal[1]);
            branches.push(Sample { distance, normal });
        };
        push(located.level, located.direction);
        if let Some((level, direction)) = self.next_flat(point.xy()).filter(|_| normal[0] > 1e-9) {
            push(level, direction);
        }
    }

    /// Whether an edge of the outline bounds material.
    #[inline(always)]
    pub(super) fn is_face(&self, index: usize) -> bool {
        let [start, end] = self.outline.edge(index);
        start[0] > 0.0 || end[0] > 0.0
    }

    /// Level and direction of the flat next to the one that a point faces; `None` unless the polygon is sharp.
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
