//! The faces of a polyhedron near a point, in pieces that are convex there.
//!
//! Free space around a convex edge is an OR of half-spaces, around a concave edge an AND ([`crate::Part::each_piece`]).
//! A piece starts from one face that the point is over, from a convex edge or from a convex corner that is nearest to
//! the point; its branches are that face and the faces across its convex edges.

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use super::{Place, Polyhedron};
use crate::Sample;
use crate::mesh::Aabb;

/// Most faces near a point, and most branches of a piece; farther faces of a finely faceted surface are left out last.
pub const MOST_BRANCHES: usize = 24;

/// A point outside may be behind a plane by this much [m]: it is about to pass the edge, or has just passed it.
const BEHIND: f64 = 5e-6;

/// A point this far in front of a plane lies in it, to rounding [m].
const IN_PLANE: f64 = 1e-8;

/// Faces of which a point must be in front of at least one.
#[derive(Clone, Debug, Default)]
pub struct Piece {
    /// Number of the face that the piece starts from: the same in every step.
    pub number: u32,
    /// The face of the first branch, and whether the point is over it.
    pub start: (u32, bool),
    /// Distance and normal of each face's plane; the face that the piece starts from comes first.
    pub branches: ArrayVec<Sample, MOST_BRANCHES>,
}

/// A face near a point.
#[derive(Clone, Copy)]
struct Near {
    face: u32,
    place: Place,
    height: f64,
    /// Distance of the point to the face [m].
    distance: f64,
}

impl Polyhedron {
    /// Visits the pieces within `reach` [m] of a point that the point is at most `deepest` [m] behind.
    pub fn each_piece(&self, point: Vector3<f64>, reach: f64, deepest: f64, mut visit: impl FnMut(&Piece)) {
        let mut near = ArrayVec::new();
        self.find_near(point, reach, deepest, &mut near);
        let is_outside = self.is_outside(&near);
        let nearest = near.iter().map(|own| own.distance).fold(f64::INFINITY, f64::min);
        let deepest = if is_outside { BEHIND } else { 3.0 * nearest + BEHIND };
        let mut piece = Piece::default();
        for (index, own) in near.iter().enumerate() {
            // a plane that a point outside is behind, or one inside far behind, belongs to another side of the solid
            if !self.is_start(index, &near) || own.height < -deepest {
                continue;
            }
            let mut others = ArrayVec::<&Near, MOST_BRANCHES>::new();
            others.extend(near.iter().filter(|other| other.face != own.face && self.belongs(own, other)));
            let mut is_taken = [false; MOST_BRANCHES];
            for first in 0..others.len().max(1) {
                if is_taken[first] {
                    continue;
                }
                // faces that are convex to this one need not be convex to each other, as at the mouth of a square bore
                piece.start = (own.face, matches!(own.place, Place::Inside));
                piece.number = if first == 0 { own.face } else { others[first].face };
                piece.branches.clear();
                piece.branches.push(self.branch(own));
                let mut members = ArrayVec::<&Near, MOST_BRANCHES>::new();
                for (index, other) in others.iter().enumerate().skip(first) {
                    if members
                        .iter()
                        .all(|member| self.are_compatible(own.face, member.face, other.face, point, reach))
                    {
                        members.push(*other);
                        is_taken[index] = true;
                        if !piece.branches.is_full() {
                            piece.branches.push(self.branch(other));
                        }
                    }
                }
                visit(&piece);
            }
        }
    }

    /// How far the foot of a point lies beside a face [m]; where that is more than `reach` [m], it may be infinite.
    #[must_use]
    pub fn beside(&self, face: u32, point: Vector3<f64>, reach: f64) -> f64 {
        self.faces[face as usize].locate(point, reach, &self.edges).1
    }

    /// Visits the shares [-] of a segment, from its start along `path` [m], at which it pierces faces.
    pub fn each_pierced_face(&self, start: Vector3<f64>, path: Vector3<f64>, mut visit: impl FnMut(f64)) {
        self.face_tree.overlapping(&Aabb::of([start, start + path]), |place| {
            let face = &self.faces[self.face_order[place] as usize];
            let (height, rise) = (face.height(start), face.normal.dot(&path));
            // both ends on one side, or along the face
            if (height > 0.0) == (height + rise > 0.0) {
                return;
            }
            let share = -height / rise;
            if face.covers(start + path * share, &self.edges) {
                visit(share);
            }
        });
    }

    /// Whether two faces that are convex to a third are convex to each other near a point: the edge of either with the third is
    /// behind the other.
    fn are_compatible(&self, face: u32, first: u32, second: u32, point: Vector3<f64>, reach: f64) -> bool {
        let is_behind = |other: u32, plane: u32| {
            let shared = self.faces[other as usize].edges().iter().map(|&edge| &self.edges[edge as usize]);
            let nearest = shared
                .filter(|edge| edge.is_convex && edge.across(other) == face)
                .min_by(|a, b| a.nearest(point).1.total_cmp(&b.nearest(point).1));
            let Some(edge) = nearest else { return true };
            let middle = edge.nearest(point).0 * edge.length;
            let beside = |shift: f64| edge.ends[0] + edge.along * (middle + shift).clamp(0.0, edge.length);
            let plane = &self.faces[plane as usize];
            [-reach, 0.0, reach].iter().all(|&shift| plane.height(beside(shift)) <= IN_PLANE)
        };
        is_behind(first, second) && is_behind(second, first)
    }

    /// The faces within `reach` [m] of a point that it is at most `deepest` [m] behind, in their order.
    fn find_near(
        &self,
        point: Vector3<f64>,
        reach: f64,
        deepest: f64,
        near: &mut ArrayVec<Near, MOST_BRANCHES>,
    ) {
        // a face that is left out takes its branch along: the sides must be cut alike
        let reach = reach.max(deepest);
        self.face_tree.within(point, reach, |place| {
            let index = self.face_order[place];
            let face = &self.faces[index as usize];
            let height = face.height(point);
            if height.abs() > reach {
                return;
            }
            let (place, beside) = face.locate(point, reach, &self.edges);
            let own = Near { face: index, place, height, distance: libm::hypot(height, beside) };
            if own.distance > reach {
                return;
            }
            if let Err(full) = near.try_push(own) {
                // the farthest goes
                let own = full.element();
                let farthest = near.iter_mut().max_by(|a, b| a.distance.total_cmp(&b.distance));
                if let Some(other) = farthest.filter(|other| other.distance > own.distance) {
                    *other = own;
                }
            }
        });
        near.sort_unstable_by_key(|own| own.face);
    }

    /// Whether a point is inside the solid, as far as faces within `reach` [m] tell.
    #[must_use]
    pub fn is_inside(&self, point: Vector3<f64>, reach: f64) -> bool {
        let mut near = ArrayVec::new();
        self.find_near(point, reach, reach, &mut near);
        !self.is_outside(&near)
    }

    /// Whether the nearest face, edge or corner shows its outside. Points inside are never nearest to a convex edge, points
    /// outside never to a concave one.
    fn is_outside(&self, near: &[Near]) -> bool {
        let Some(nearest) = near.iter().min_by(|a, b| a.distance.total_cmp(&b.distance)) else { return true };
        match nearest.place {
            Place::Inside => nearest.height >= 0.0,
            Place::Edge(edge) => self.edges[edge as usize].is_convex,
            Place::End(..) => {
                let corner = self.corner_of(nearest.place);
                near.iter().any(|own| self.corner_of(own.place) == corner && own.height >= 0.0)
            }
        }
    }

    fn branch(&self, own: &Near) -> Sample {
        Sample { distance: own.height, normal: self.faces[own.face as usize].normal }
    }

    /// Whether a piece starts from a face: the first of those that share the nearest edge or corner, unless the point is
    /// over one of them.
    fn is_start(&self, index: usize, near: &[Near]) -> bool {
        let own = &near[index];
        match own.place {
            Place::Inside => true,
            Place::Edge(edge) => {
                let edge = &self.edges[edge as usize];
                let across = edge.across(own.face);
                !edge.is_convex
                    || match near.iter().position(|other| other.face == across) {
                        Some(place) if near[place].place == own.place => index < place,
                        Some(place) => !matches!(near[place].place, Place::Inside) && index < place,
                        None => true,
                    }
            }
            Place::End(..) => {
                let corner = self.corner_of(own.place);
                let shares = |other: &Near| self.corner_of(other.place) == corner;
                // where the point is over a face or an edge at this corner, the piece of that covers it
                let covered = near.iter().any(|other| {
                    other.face != own.face
                        && self.is_convex_to(own.face, other.face)
                        && !matches!(other.place, Place::End(..))
                });
                !covered && near.iter().position(shares) == Some(index)
            }
        }
    }

    /// Whether a face is another branch of the piece that starts from a face.
    fn belongs(&self, own: &Near, other: &Near) -> bool {
        match own.place {
            Place::Inside | Place::Edge(_) => self.is_convex_to(own.face, other.face),
            Place::End(..) => {
                self.corner_of(other.place) == self.corner_of(own.place)
                    || self.is_convex_to(own.face, other.face)
            }
        }
    }

    /// Position of the corner that is nearest, if a corner is.
    fn corner_of(&self, place: Place) -> Option<Vector3<f64>> {
        match place {
            Place::End(edge, is_second) => Some(self.edges[edge as usize].ends[usize::from(is_second)]),
            _ => None,
        }
    }

    /// Whether two faces share a convex edge.
    fn is_convex_to(&self, face: u32, other: u32) -> bool {
        let (few, target) =
            match self.faces[face as usize].edges().len() <= self.faces[other as usize].edges().len() {
                true => (face, other),
                false => (other, face),
            };
        let shared = |edge: &&u32| {
            let edge = &self.edges[**edge as usize];
            edge.is_convex && edge.across(few) == target
        };
        self.faces[few as usize].edges().iter().any(|edge| shared(&edge))
    }
}
