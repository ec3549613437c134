//! Where two convex edges cross, seen along the normal across both.
//!
//! ```text
//! n = ± a × b/|a × b|                    out of the second solid and into the first
//! φ = n·(x − y)                          x, y nearest points of the two lines
//! n·u ≤ 0, −n·w ≤ 0                      u, w directions from the edges into their faces: n lies between the normals
//! ```
//!
//! a, b directions of the edges. Where n leans out of the normals of an edge by a little, the row takes the normal of
//! the face that it leans over: flush faces touch along their planes, and their edges cross at the corners of the
//! overlap. Parallel edges need no row, since their ends are corners.

use arrayvec::ArrayVec;
use nalgebra::Vector3;
use tightfit_shape::Sample;
use tightfit_shape::mesh::Aabb;
use tightfit_shape::polyhedron::Edge;

use super::node_blocks::Frame;
use super::polyhedra::TOUCHES;

/// How far n may lean out of the normals of an edge, as a sine [-]: it may turn back within a step.
const LEANS: f64 = 0.15;
/// The same for edges that are inside the other solid [-].
const LEVEL: f64 = 0.01;
/// Distance that stands for the end of an edge where the material goes on [m].
const GOES_ON: f64 = -1.0;
/// Sine below which two edges count as parallel [-]: edges of 0.2 m lean by 0.02 µm.
const PARALLEL: f64 = 1e-7;

/// An edge in the frame of the other solid.
pub(super) struct MovedEdge {
    ends_at_corner: [bool; 2],
    pub(super) start: Vector3<f64>,
    pub(super) along: Vector3<f64>,
    pub(super) length: f64,
    normals: [Vector3<f64>; 2],
    pub(super) bounds: Aabb,
}

/// Two edges that cross, seen along the normal.
pub(super) struct Crossing {
    pub(super) point: Vector3<f64>,
    /// Its place on the first edge, from the start [m].
    pub(super) along: f64,
    pub(super) normal: Vector3<f64>,
    pub(super) gap: f64,
    /// How far beyond the nearer end of the first and of the second edge the crossing is [m], the farther one first, and the
    /// direction of the first solid's motion that leads it there.
    pub(super) beyond: [Sample; 2],
    /// The end of the first of these.
    pub(super) end: End,
    /// Ends beyond which the crossing is, where the material goes on: it counts only if they are inside the other solid.
    pub(super) goes_on: ArrayVec<End, 2>,
}

/// An end of an edge of either solid, in the frame of the second [m].
#[derive(Clone, Copy)]
pub(super) enum End {
    Own(Vector3<f64>),
    Other(Vector3<f64>),
}

impl MovedEdge {
    pub(super) fn new(edge: &Edge, frame: &Frame) -> Self {
        let ends = edge.ends.map(|end| frame.turn * end + frame.shift);
        let turned = |vector: Vector3<f64>| frame.turn * vector;
        Self {
            ends_at_corner: edge.ends_at_corner,
            start: ends[0],
            along: turned(edge.along),
            length: edge.length,
            normals: edge.normals.map(turned),
            bounds: Aabb::of(ends),
        }
    }

    /// The crossing with an edge of the other solid, if the solids can touch there and it is at most `reach` [m] beyond the ends:
    /// edges that are almost parallel cross far away.
    pub(super) fn crossing(&self, other: &Edge, reach: f64) -> Option<Crossing> {
        let across = self.along.cross(&other.along);
        let sine = across.norm();
        if sine < PARALLEL {
            return None;
        }
        let from = self.start - other.ends[0];
        let cosine = self.along.dot(&other.along);
        let (own, along_other) = (from.dot(&self.along), from.dot(&other.along));
        let s = (cosine * along_other - own) / (sine * sine);
        let t = (along_other - cosine * own) / (sine * sine);
        let past = |place: f64, length: f64, at_corner: [bool; 2]| {
            let is_first = place < length / 2.0;
            let past = if is_first { -place } else { place - length };
            // how far past a corner, and how far past another end
            if at_corner[usize::from(!is_first)] { [past, 0.0] } else { [0.0, past] }
        };
        let own_past = past(s, self.length, self.ends_at_corner);
        let other_past = past(t, other.length, other.ends_at_corner);
        if own_past[0].max(other_past[0]) > reach {
            return None;
        }
        let (normal, lean) =
            between_normals(across / sine, [self.along, other.along], [&self.normals, &other.normals])?;
        let point = self.start + self.along * s;
        let gap = normal.dot(&(point - other.ends[0] - other.along * t));
        // where the material goes on, another edge crosses beyond the end, unless the end itself is inside the other solid: a ridge in the
        // corner of a bore is behind both of its rims
        let goes_on = [own_past[1] > TOUCHES, other_past[1] > TOUCHES];
        if goes_on != [false; 2] && gap >= 0.0 {
            return None;
        }
        // an edge that leans and is inside is deeper elsewhere
        if lean > LEVEL && gap < -TOUCHES {
            return None;
        }
        // in the plane of both edges: normals of the other edge and of this one
        let across = across / sine;
        let (beside_other, beside_own) = (across.cross(&other.along), across.cross(&self.along));
        let own_sign = beside_other.dot(&self.along).signum();
        let other_sign = beside_own.dot(&other.along).signum();
        let nearer = |place: f64, length: f64, at_corner: [bool; 2], leads: Vector3<f64>| {
            let is_first = place < length / 2.0;
            let (past, normal) = if is_first { (-place, leads) } else { (place - length, -leads) };
            // where the material goes on the edge cannot be passed
            let distance = if at_corner[usize::from(!is_first)] { past * sine } else { GOES_ON };
            Sample { distance, normal }
        };
        let mut beyond = [
            nearer(s, self.length, self.ends_at_corner, beside_other * own_sign),
            nearer(t, other.length, other.ends_at_corner, -beside_own * other_sign),
        ];
        let other_end = End::Other(other.ends[usize::from(t >= other.length / 2.0)]);
        let own_end =
            End::Own(self.start + self.along * if s >= self.length / 2.0 { self.length } else { 0.0 });
        let goes_on =
            [own_end, other_end].into_iter().zip(goes_on).filter_map(|(end, goes_on)| goes_on.then_some(end));
        let goes_on = goes_on.collect();
        let end = if beyond[1].distance > beyond[0].distance {
            beyond.swap(0, 1);
            other_end
        } else {
            own_end
        };
        Some(Crossing { point, along: s, normal, gap, beyond, end, goes_on })
    }
}

/// The normal across two edges if it lies between the normals of both, out of the second and into the first; the normal
/// of a face where it leans over that face a little, and the sine by which it does.
fn between_normals(
    across: Vector3<f64>,
    [own, other]: [Vector3<f64>; 2],
    [own_normals, other_normals]: [&[Vector3<f64>; 2]; 2],
) -> Option<(Vector3<f64>, f64)> {
    let out = other_normals[0] + other_normals[1] - own_normals[0] - own_normals[1];
    let normal = if out.dot(&across) < 0.0 { -across } else { across };
    let into_other = [other_normals[0].cross(&other), other.cross(&other_normals[1])];
    let into_own = [own_normals[0].cross(&own), own.cross(&own_normals[1])];
    let over_other = into_other.map(|into| normal.dot(&into));
    let over_own = into_own.map(|into| -normal.dot(&into));
    let is_between = |over: [f64; 2], normals: &[Vector3<f64>; 2], sign: f64| {
        over.iter().all(|lean| *lean <= LEANS) && sign * normal.dot(&(normals[0] + normals[1])) > 0.0
    };
    if !is_between(over_other, other_normals, 1.0) || !is_between(over_own, own_normals, -1.0) {
        return None;
    }
    let leans = [
        (over_other[0], other_normals[0]),
        (over_other[1], other_normals[1]),
        (over_own[0], -own_normals[0]),
        (over_own[1], -own_normals[1]),
    ];
    let (lean, face) =
        leans.into_iter().fold((0.0, normal), |most, own| if own.0 > most.0 { own } else { most });
    Some((if lean > 0.0 { face } else { normal }, lean))
}
