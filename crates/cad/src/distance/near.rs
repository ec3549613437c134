//! Locally convex pieces of material near a point, for contacts that must choose a face.
//!
//! ```text
//! D(p) signed distance,  b_f point of face f nearest to p,  s_f(x) signed distance of x from the surface of f, extended
//! f and g belong to one piece if they share an edge that is not concave, s_f(b_g) ≤ 0 and s_g(b_f) ≤ 0
//! value of a piece = max s_f(p);   pieces with a value below min(D(p), 0) lie behind others and are left out
//! ```
//!
//! A point is outside a piece as long as it is in front of any of its faces. The smallest value over the pieces is D(p)
//! inside the material and at most D(p) outside: beside a convex edge the value is the larger distance of its two faces, and a
//! contact that must choose one of them is not stopped by the direction to the edge, which no face has.
//!
//! A piece ends at faces around the corner, also where none of its own edges leads to them:
//!
//! ```text
//! d_h + n_h·(x − p)                        height of x over the plane of face h that p sees,  d_h = s_h(p), n_h = ∇s_h(p)
//! w                                        direction along f from b_f away from p
//! b_f below that plane and n_h·w ≤ 0       f lies behind h: a point in front of h is not over f
//! ```
//!
//! Otherwise f, extended, would stand in the way of a point that passes the rim of a plate, where nothing is.
//!
//! A round surface is extended as far as it keeps its side; beyond, its tangent plane at b_f takes its place.
//!
//! A face whose nearest point lies on a smooth edge continues in its neighbour there, which is nearer: it is left out. Its
//! extension would cut through rounded corners or stand off from what they lead into.

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use super::Sample;
use super::cells::{FaceEntry, Leaf};
use crate::geometry::Surface;
use crate::solid::{EdgePoint, Face};
use crate::{Aabb, Solid};

/// Most faces near a point that are told apart; the nearest are kept.
pub const MOST_NEAR_FACES: usize = 16;
/// Rounding of values and of points on neighbouring faces [m].
pub(super) const ROUNDING: f64 = 1e-9;
/// Cosine between normals of one side of a round surface [-].
const SAME_SIDE: f64 = 0.7;
/// Faces that are passed over together by the box around them.
const GROUP: usize = 16;
/// Edges that bend inwards by less than this [rad] are smooth.
const SMOOTH: f64 = 1e-3;

/// Faces of one piece: signed distance from each extended surface, and its outward normal.
pub type PieceFaces = ArrayVec<Sample, MOST_NEAR_FACES>;

/// Boxes and convex neighbours of the faces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours {
    pub(super) bounds: Vec<Aabb>,
    /// Boxes around each [`GROUP`] of faces.
    groups: Vec<Aabb>,
    /// Faces that share an edge which is not concave.
    linked: Vec<Vec<u32>>,
    /// How far edges of each face lie off their surfaces, at most [m].
    gaps: Vec<f64>,
    /// Faces that share an edge at which they are tangent.
    tangent: Vec<Vec<u32>>,
    /// Whether the faces of an edge are tangent, and the faces and ends of such edges, sorted.
    is_smooth: Vec<bool>,
    smooth_ends: Vec<(u32, u32)>,
}

impl Neighbours {
    pub(crate) fn new(solid: &Solid) -> Self {
        let bounds: Vec<Aabb> = (0..solid.faces.len()).map(|face| solid.face_bounds(face)).collect();
        let around = |group: &[Aabb]| group.iter().fold(Aabb::EMPTY, |all, own| all.joined(*own));
        let groups = bounds.chunks(GROUP).map(around).collect();
        let mut linked = vec![Vec::new(); solid.faces.len()];
        let mut tangent = vec![Vec::new(); solid.faces.len()];
        let mut gaps = vec![0.0_f64; solid.faces.len()];
        let mut is_smooth = vec![false; solid.edges.len()];
        let mut smooth_ends = Vec::new();
        for (number, edge) in solid.edges.iter().enumerate() {
            let [a, b] = edge.faces;
            if edge.is_seam || a == u32::MAX {
                continue;
            }
            for face in edge.faces {
                gaps[face as usize] = gaps[face as usize].max(edge.gap);
            }
            let at = |s: f64| edge.range[0] + (edge.range[1] - edge.range[0]) * s;
            let angles = [0.25, 0.5, 0.75].map(|s| solid.edge_angle(number, at(s)));
            if angles.iter().all(|angle| *angle > -SMOOTH) {
                linked[a as usize].push(b);
                linked[b as usize].push(a);
            }
            if angles.iter().all(|angle| angle.abs() < SMOOTH) {
                tangent[a as usize].push(b);
                tangent[b as usize].push(a);
                is_smooth[number] = true;
                smooth_ends.extend(edge.faces.iter().flat_map(|&face| edge.ends.map(|end| (face, end))));
            }
        }
        smooth_ends.sort_unstable();
        Self { bounds, groups, linked, gaps, tangent, is_smooth, smooth_ends }
    }

    /// Whether a face continues smoothly beyond the nearest point of its boundary.
    pub(super) fn is_continued(&self, face: u32, edge: u32, nearest: &EdgePoint) -> bool {
        let is_end = |vertex: u32| self.smooth_ends.binary_search(&(face, vertex)).is_ok();
        self.is_smooth[edge as usize] || nearest.vertex.is_some_and(is_end)
    }
}

/// A face within reach of a point.
pub(super) struct NearFace {
    pub(super) face: u32,
    /// Nearest point of the trimmed face.
    pub(super) nearest: Vector3<f64>,
    pub(super) squared: f64,
    pub(super) sample: Sample,
    /// Whether it continues smoothly beyond that point.
    pub(super) is_continued: bool,
}

/// The tangent plane at a point of a face, as seen from p.
fn tangent(p: Vector3<f64>, at: Vector3<f64>, normal: Vector3<f64>) -> Sample {
    Sample { distance: (p - at).dot(&normal), normal }
}

impl NearFace {
    /// Whether no point of the face is met in front of another one.
    fn lies_behind(&self, other: &Self, p: Vector3<f64>) -> bool {
        let from = p - self.nearest;
        let across = from - self.sample.normal * self.sample.normal.dot(&from);
        let Sample { distance, normal } = other.sample;
        distance - normal.dot(&from) < -ROUNDING && normal.dot(&across) >= 0.0 && across.norm() > ROUNDING
    }
}

impl Solid {
    /// Signed distance and normal of the extended surface of a face; for [`Vicinity::Single`].
    #[must_use]
    #[inline]
    pub fn extended(&self, face: u32, p: Vector3<f64>) -> Sample {
        let own = &self.faces[face as usize];
        match own.surface.foot(p) {
            Some(foot) => Sample { distance: foot.distance * own.sign, normal: foot.normal * own.sign },
            None => self.sample(p),
        }
    }

    /// Faces whose boxes are within `radius` [m] of a point, in their order.
    pub fn faces_within(&self, p: Vector3<f64>, radius: f64) -> impl Iterator<Item = u32> + '_ {
        let squared = radius * radius;
        let boxes = self.neighbours.bounds.chunks(GROUP).zip(&self.neighbours.groups).enumerate();
        let near = boxes.filter(move |(_, (_, around))| around.distance_squared(p) <= squared);
        near.flat_map(move |(group, (own, _))| {
            let is_near = move |(_, bounds): &(usize, &Aabb)| bounds.distance_squared(p) <= squared;
            own.iter().enumerate().filter(is_near).map(move |(face, _)| (group * GROUP + face) as u32)
        })
    }

    /// Visits the pieces of material within `reach` [m] of a point.
    pub fn each_piece(&self, p: Vector3<f64>, reach: f64, visit: impl FnMut(&PieceFaces)) {
        self.each_piece_among(self.faces_within(p, reach + ROUNDING), p, reach, visit);
    }

    /// [`Self::each_piece`], where all faces within reach are among these, which ascend.
    pub fn each_piece_among(
        &self,
        faces: impl Iterator<Item = u32>,
        p: Vector3<f64>,
        reach: f64,
        visit: impl FnMut(&PieceFaces),
    ) {
        let leaf = self.cells.leaf(p);
        let Some(nearest) = self.nearest(leaf, p) else { return };
        let whole = self.signed(p, &nearest);
        if whole.distance > reach {
            return;
        }
        let far = reach.max(whole.distance.abs()) + ROUNDING;
        let near = match far > reach + ROUNDING {
            // a point deeper than the reach belongs to faces beyond it
            true => self.near_faces(self.faces_within(p, far), p, leaf, nearest.squared, far),
            false => self.near_faces(faces, p, leaf, nearest.squared, far),
        };
        self.grouped(&near, p, whole, reach, visit);
    }

    /// Groups faces into locally convex pieces.
    pub(super) fn grouped(
        &self,
        near: &[NearFace],
        p: Vector3<f64>,
        whole: Sample,
        reach: f64,
        mut visit: impl FnMut(&PieceFaces),
    ) {
        let mut covered = [false; MOST_NEAR_FACES];
        for (place, face) in near.iter().enumerate().filter(|(_, face)| face.is_continued) {
            let tangent = &self.neighbours.tangent[face.face as usize];
            covered[place] =
                (0..place).any(|nearer| !covered[nearer] && tangent.contains(&near[nearer].face));
        }
        let left_out = covered;
        let mut visited = false;
        for first in 0..near.len() {
            if covered[first] {
                continue;
            }
            let mut group: ArrayVec<usize, MOST_NEAR_FACES> = ArrayVec::new();
            group.push(first);
            let mut grows = true;
            while grows {
                grows = false;
                for other in 0..near.len() {
                    if !left_out[other] && !group.contains(&other) && self.joins(near, &group, other) {
                        group.push(other);
                        grows = true;
                    }
                }
            }
            group.iter().for_each(|&member| covered[member] = true);
            let ends = |end: &NearFace| group.iter().all(|&member| near[member].lies_behind(end, p));
            let others = (0..near.len())
                .filter(|&other| !left_out[other] && !group.contains(&other) && ends(&near[other]));
            let faces: PieceFaces =
                group.iter().copied().chain(others).map(|member| near[member].sample).collect();
            let value = faces.iter().map(|face| face.distance).fold(f64::NEG_INFINITY, f64::max);
            if value >= whole.distance.min(0.0) - ROUNDING && value <= reach {
                visit(&faces);
                visited = true;
            }
        }
        if !visited {
            visit(&std::iter::once(whole).collect());
        }
    }

    fn joins(&self, near: &[NearFace], group: &[usize], other: usize) -> bool {
        let candidate = &near[other];
        let gaps = &self.neighbours.gaps;
        let behind = |face: u32, other: u32, point: Vector3<f64>| {
            let gap = gaps[face as usize].max(gaps[other as usize]);
            self.extended(face, point).distance <= ROUNDING + gap
        };
        let is_linked =
            |member: usize| self.neighbours.linked[near[member].face as usize].contains(&candidate.face);
        group.iter().any(|&member| is_linked(member))
            && group.iter().all(|&member| {
                let own = &near[member];
                behind(own.face, candidate.face, candidate.nearest)
                    && behind(candidate.face, own.face, own.nearest)
            })
    }

    /// Faces whose nearest point is within reach, the nearest first.
    fn near_faces(
        &self,
        faces: impl Iterator<Item = u32>,
        p: Vector3<f64>,
        leaf: Leaf,
        nearest: f64,
        reach: f64,
    ) -> ArrayVec<NearFace, MOST_NEAR_FACES> {
        let mut found: ArrayVec<NearFace, MOST_NEAR_FACES> = ArrayVec::new();
        for number in faces {
            if self.neighbours.bounds[number as usize].distance_squared(p) > reach * reach {
                continue;
            }
            let entry = self.cells.faces(leaf).iter().find(|entry| entry.face == number);
            let Some(near) = self.near_face(number, p, entry, nearest, reach) else { continue };
            if found.is_full() {
                let farthest =
                    (0..found.len()).max_by(|&a, &b| found[a].squared.total_cmp(&found[b].squared));
                match farthest.filter(|&place| found[place].squared > near.squared) {
                    Some(place) => found[place] = near,
                    None => continue,
                }
            } else {
                found.push(near);
            }
        }
        found.sort_by(|a, b| a.squared.total_cmp(&b.squared));
        found
    }

    /// A face whose nearest point is within reach. `entry` is that of the point's cell, `nearest` the square of the distance
    /// from the solid.
    fn near_face(
        &self,
        number: u32,
        p: Vector3<f64>,
        entry: Option<&FaceEntry>,
        nearest: f64,
        reach: f64,
    ) -> Option<NearFace> {
        let face: &Face = &self.faces[number as usize];
        let mut best: Option<(f64, Vector3<f64>)> = None;
        let mut is_continued = false;
        let mut sample = None;
        if let Some(foot) = face.surface.foot(p) {
            if foot.distance.abs() > reach {
                return None;
            }
            sample = Some(Sample { distance: foot.distance * face.sign, normal: foot.normal * face.sign });
            let squared = foot.distance * foot.distance;
            // the pieces of the cell suffice where the face is the nearest one
            let is_inside = match entry {
                Some(entry) if entry.is_whole => true,
                Some(entry) if squared <= nearest => self.is_inside(face, foot.point, self.cells.trim(entry)),
                _ => self.is_inside(face, foot.point, &face.trim),
            };
            if is_inside {
                best = Some((squared, foot.point));
            }
        } else {
            for patch in self.patches.iter().filter(|patch| patch.face == number) {
                let Some(chart) = &face.chart else { break };
                if patch.bounds.distance_squared(p) > best.map_or(reach * reach, |best| best.0) {
                    continue;
                }
                let seed = patch.range.map(|[a, b]| 0.5 * (a + b));
                let (at, local, _) = crate::solid::patch_foot(&chart.surface, p, seed, patch.range);
                let squared = (p - local.point).norm_squared();
                let is_nearer = best.is_none_or(|best| squared < best.0);
                if is_nearer && (patch.is_whole || self.is_inside_chart(face, at, local.point)) {
                    best = Some((squared, local.point));
                }
            }
        }
        if best.is_none() || face.chart.is_some() {
            for (piece, _) in self.boundary_pieces(face) {
                let piece = &self.pieces[piece as usize];
                if piece.bounds.distance_squared(p) > best.map_or(reach * reach, |best| best.0) {
                    continue;
                }
                let found = piece.nearest(p);
                if best.is_none_or(|best| found.squared < best.0) {
                    best = Some((found.squared, found.point));
                    is_continued = self.neighbours.is_continued(number, piece.edge, &found);
                }
            }
        }
        let (squared, nearest) = best.filter(|best| best.0 <= reach * reach)?;
        let sample = match sample {
            Some(sample) => self.on_same_side(number, p, nearest, sample),
            None => tangent(p, nearest, self.normal_at(number, nearest, None)),
        };
        Some(NearFace { face: number, nearest, squared, sample, is_continued })
    }

    /// The extended surface of an analytic face, or its tangent plane where the foot of a point is on another side of it: across a
    /// fillet a round surface comes back, where no face is.
    pub(super) fn on_same_side(
        &self,
        number: u32,
        p: Vector3<f64>,
        nearest: Vector3<f64>,
        extended: Sample,
    ) -> Sample {
        let face = &self.faces[number as usize];
        let normal = match &face.surface {
            Surface::Plane(_) => return extended,
            surface => surface.foot(nearest).map(|foot| foot.normal * face.sign),
        };
        match normal.filter(|normal| normal.dot(&extended.normal) < SAME_SIDE) {
            Some(normal) => tangent(p, nearest, normal),
            None => extended,
        }
    }

    /// Box around a trimmed face.
    fn face_bounds(&self, number: usize) -> Aabb {
        let face = &self.faces[number];
        let mut bounds = Aabb::EMPTY;
        for used in face.loops.iter().flatten() {
            let [first, end] = self.pieces_of[used.edge as usize];
            bounds = (first..end).fold(bounds, |all, piece| all.joined(self.pieces[piece as usize].bounds));
        }
        for patch in self.patches.iter().filter(|patch| patch.face as usize == number) {
            bounds = bounds.joined(patch.bounds);
        }
        match &face.surface {
            Surface::Sphere(frame, radius) => bounds.joined(Aabb::of([frame.origin]).grown(*radius)),
            Surface::Torus(frame, [major, minor]) => {
                let reach = frame.z.map(|z| major * (1.0 - z * z).max(0.0).sqrt() + minor);
                bounds.joined(Aabb::of([frame.origin - reach, frame.origin + reach]))
            }
            // a cone up to its apex has no edge there
            Surface::Cone { frame, .. } => bounds.joined(Aabb::of([frame.origin])),
            _ => bounds,
        }
    }
}
