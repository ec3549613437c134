//! Locally convex pieces of material near a point, for contacts that must choose a face.
//!
//! ```text
//! D(p) signed distance,  b_f point of face f nearest to p,  s_f(x) signed distance of x from the surface of f, extended
//! f and g belong to one piece if they share an edge that is not concave, s_f(b_g) ≤ 0 and s_g(b_f) ≤ 0
//! value of a piece = max s_f(p);   pieces with a value below D(p) lie behind others and are left out
//! ```
//!
//! A point is outside a piece as long as it is in front of any of its faces. The smallest value over the pieces is D(p)
//! inside the material and at most D(p) outside, as [`Solid::sample`] returns.

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use super::cells::{FaceEntry, Leaf};
use super::{Feature, Sample};
use crate::solid::Face;
use crate::{Aabb, Solid};

/// Most faces near a point that are told apart; the nearest are kept.
pub const MOST_NEAR_FACES: usize = 16;
/// Rounding of values and of points on neighbouring faces [m].
const ROUNDING: f64 = 1e-9;
/// Edges that bend inwards by less than this [rad] are smooth.
const SMOOTH: f64 = 1e-3;

/// Faces of one piece: signed distance from each extended surface, and its outward normal.
pub type PieceFaces = ArrayVec<Sample, MOST_NEAR_FACES>;

/// What is near a ball.
#[allow(clippy::large_enum_variant, reason = "it lives on the stack for one block; a step must not allocate")]
#[derive(Clone, Debug)]
pub enum Vicinity {
    /// Nothing; the distance of its centre less its radius [m].
    Far(f64),
    /// One smooth face, inside which all foot points lie.
    Single(u32),
    /// Several faces, or an edge: few enough to tell points with one face from others.
    Few(FewFaces),
    /// Too many, or too deep inside.
    Several,
}

/// Most faces, and most pieces of their boundaries, that [`FewFaces`] holds.
const MOST_FEW: usize = 12;
const MOST_TRIM: usize = 192;

/// Faces within reach of a ball, with the pieces of their boundaries that matter there.
#[derive(Clone, Debug)]
pub struct FewFaces {
    faces: ArrayVec<(u32, [u8; 2]), MOST_FEW>,
    trim: ArrayVec<(u32, bool), MOST_TRIM>,
}

/// What is near a point of a ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Near {
    /// Nothing within reach.
    Nothing,
    /// One face.
    One(Sample),
    /// Several faces, or an edge.
    More,
}

/// Boxes and convex neighbours of the faces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbours {
    bounds: Vec<Aabb>,
    /// Faces that share an edge which is not concave.
    linked: Vec<Vec<u32>>,
}

impl Neighbours {
    pub(crate) fn new(solid: &Solid) -> Self {
        let bounds = (0..solid.faces.len()).map(|face| solid.face_bounds(face)).collect();
        let mut linked = vec![Vec::new(); solid.faces.len()];
        for (number, edge) in solid.edges.iter().enumerate() {
            let [a, b] = edge.faces;
            if edge.is_seam || a == u32::MAX {
                continue;
            }
            let at = |s: f64| edge.range[0] + (edge.range[1] - edge.range[0]) * s;
            if [0.25, 0.5, 0.75].iter().all(|&s| solid.edge_angle(number, at(s)) > -SMOOTH) {
                linked[a as usize].push(b);
                linked[b as usize].push(a);
            }
        }
        Self { bounds, linked }
    }
}

struct NearFace {
    face: u32,
    /// Nearest point of the trimmed face.
    nearest: Vector3<f64>,
    squared: f64,
    sample: Sample,
}

impl Solid {
    /// Faces within `reach` [m] of a ball.
    #[must_use]
    pub fn vicinity(&self, centre: Vector3<f64>, radius: f64, reach: f64) -> Vicinity {
        let Some(nearest) = self.nearest(self.cells.leaf(centre), centre) else { return Vicinity::Several };
        let clear = self.signed(centre, &nearest).distance - radius;
        if clear > reach {
            return Vicinity::Far(clear);
        }
        let far = radius + reach + self.edge_gap;
        let mut few = FewFaces { faces: ArrayVec::new(), trim: ArrayVec::new() };
        let mut has_edges = false;
        for (number, bounds) in self.neighbours.bounds.iter().enumerate() {
            if bounds.distance_squared(centre) > far * far {
                continue;
            }
            let face = &self.faces[number];
            let Some(foot) = face.surface.foot(centre).filter(|foot| !foot.is_apex) else {
                return Vicinity::Several;
            };
            if foot.distance.abs() > far {
                continue;
            }
            // foot points of the ball lie within this distance of that of its centre
            let wide = foot.distance.abs() + far;
            let start = few.trim.len() as u8;
            if !self.add_trim(face, foot.point, wide, &mut few.trim) {
                return Vicinity::Several;
            }
            let end = few.trim.len() as u8;
            let is_cut = end > start;
            let is_nearest = matches!(nearest.feature, Feature::Face(own) if own as usize == number);
            if !is_cut && !is_nearest && !self.is_inside(face, foot.point, &face.trim) {
                continue;
            }
            has_edges |= is_cut;
            if few.faces.try_push((number as u32, [start, end])).is_err() {
                return Vicinity::Several;
            }
        }
        match few.faces.as_slice() {
            [(face, _)] if !has_edges => Vicinity::Single(*face),
            _ => Vicinity::Few(few),
        }
    }

    /// Adds the pieces of a face's boundary that can be nearest to points within `wide` [m] of a foot point, if any comes so
    /// near; false when there are too many.
    fn add_trim(
        &self,
        face: &Face,
        foot: Vector3<f64>,
        wide: f64,
        trim: &mut ArrayVec<(u32, bool), MOST_TRIM>,
    ) -> bool {
        let comes_near = |number: u32| {
            let piece = &self.pieces[number as usize];
            piece.bounds.distance_squared(foot) <= wide * wide && piece.nearest(foot).squared <= wide * wide
        };
        if !face.trim.iter().any(|entry| comes_near(entry.0)) {
            return true;
        }
        // the nearest piece is within `wide`: others that can be nearest to such points are at most 2 `wide` farther
        for &(number, along) in &face.trim {
            let bound = self.pieces[number as usize].bounds.distance_squared(foot);
            if bound <= 9.0 * wide * wide && trim.try_push((number, along)).is_err() {
                return false;
            }
        }
        true
    }

    /// What is near a point of the ball that the faces were found for.
    #[must_use]
    #[inline]
    pub fn near(&self, few: &FewFaces, p: Vector3<f64>, reach: f64) -> Near {
        let reach = reach + self.edge_gap + ROUNDING;
        let mut only = None;
        for (face, trim) in &few.faces {
            let own = &self.faces[*face as usize];
            let Some(foot) = own.surface.foot(p).filter(|foot| !foot.is_apex) else { return Near::More };
            if foot.distance.abs() <= reach {
                if only.is_some() {
                    return Near::More;
                }
                only = Some((own, foot, trim));
            }
        }
        // an edge within reach lies on two surfaces within reach: here there is one, and its edges are farther
        if let Some((face, foot, &[start, end])) = only {
            let trim = &few.trim[usize::from(start)..usize::from(end)];
            if trim.is_empty() || self.is_inside(face, foot.point, trim) {
                return Near::One(Sample {
                    distance: foot.distance * face.sign,
                    normal: foot.normal * face.sign,
                });
            }
        }
        // a point deeper than the reach belongs to faces beyond it
        if self.sample(p).distance > 0.0 { Near::Nothing } else { Near::More }
    }

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

    /// Visits the pieces of material within `reach` [m] of a point.
    pub fn each_piece(&self, p: Vector3<f64>, reach: f64, visit: impl FnMut(&PieceFaces)) {
        let leaf = self.cells.leaf(p);
        let Some(nearest) = self.nearest(leaf, p) else { return };
        let whole = self.signed(p, &nearest);
        if whole.distance > reach {
            return;
        }
        let near = self.near_faces(p, leaf, nearest.squared, reach.max(whole.distance.abs()) + ROUNDING);
        self.grouped(&near, whole, reach, visit);
    }

    /// Visits the pieces of material within `reach` [m] of a point of the ball that the faces were found for.
    pub fn each_piece_of(&self, few: &FewFaces, p: Vector3<f64>, reach: f64, visit: impl FnMut(&PieceFaces)) {
        let mut near: ArrayVec<NearFace, MOST_NEAR_FACES> = ArrayVec::new();
        let mut nearest_is_foot = false;
        for (face, [start, end]) in &few.faces {
            let trim = &few.trim[usize::from(*start)..usize::from(*end)];
            let Some((found, is_foot)) = self.near_analytic(*face, p, trim, reach + ROUNDING) else {
                continue;
            };
            // sorted by distance, equal ones in the order of their faces
            let place = near.iter().position(|other| other.squared > found.squared).unwrap_or(near.len());
            nearest_is_foot = if place == 0 { is_foot } else { nearest_is_foot };
            near.insert(place, found);
        }
        // the foot on the nearest face tells the distance; at an edge, or with nothing within reach, the query does
        let whole = match near.first().filter(|_| nearest_is_foot) {
            Some(nearest) => nearest.sample,
            None => self.sample(p),
        };
        if whole.distance > reach {
            return;
        }
        if whole.distance < -reach {
            // faces beyond those of the ball may be the nearest
            return self.each_piece(p, reach, visit);
        }
        self.grouped(&near, whole, reach, visit);
    }

    /// An analytic face whose nearest point is within reach; `trim` lists the pieces of its boundary that matter, none where
    /// foot points lie inside it. Tells also whether that point is the foot.
    fn near_analytic(
        &self,
        number: u32,
        p: Vector3<f64>,
        trim: &[(u32, bool)],
        reach: f64,
    ) -> Option<(NearFace, bool)> {
        let face: &Face = &self.faces[number as usize];
        let foot = face.surface.foot(p)?;
        if foot.distance.abs() > reach {
            return None;
        }
        let sample = Sample { distance: foot.distance * face.sign, normal: foot.normal * face.sign };
        if trim.is_empty() || self.is_inside(face, foot.point, trim) {
            let squared = foot.distance * foot.distance;
            return Some((NearFace { face: number, nearest: foot.point, squared, sample }, true));
        }
        let mut best = (reach * reach, Vector3::zeros());
        let mut is_near = false;
        for (piece, _) in trim {
            let piece = &self.pieces[*piece as usize];
            if piece.bounds.distance_squared(p) > best.0 {
                continue;
            }
            let found = piece.nearest(p);
            if found.squared < best.0 {
                best = (found.squared, found.point);
                is_near = true;
            }
        }
        is_near.then_some((NearFace { face: number, nearest: best.1, squared: best.0, sample }, false))
    }

    /// Groups faces into locally convex pieces.
    fn grouped(&self, near: &[NearFace], whole: Sample, reach: f64, mut visit: impl FnMut(&PieceFaces)) {
        let mut covered = [false; MOST_NEAR_FACES];
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
                    if !group.contains(&other) && self.joins(near, &group, other) {
                        group.push(other);
                        grows = true;
                    }
                }
            }
            group.iter().for_each(|&member| covered[member] = true);
            let faces: PieceFaces = group.iter().map(|&member| near[member].sample).collect();
            let value = faces.iter().map(|face| face.distance).fold(f64::NEG_INFINITY, f64::max);
            if value >= whole.distance - ROUNDING && value <= reach {
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
        let behind = |face: u32, point: Vector3<f64>| self.extended(face, point).distance <= ROUNDING;
        let is_linked =
            |member: usize| self.neighbours.linked[near[member].face as usize].contains(&candidate.face);
        group.iter().any(|&member| is_linked(member))
            && group.iter().all(|&member| {
                behind(near[member].face, candidate.nearest) && behind(candidate.face, near[member].nearest)
            })
    }

    /// Faces whose nearest point is within reach, the nearest first.
    fn near_faces(
        &self,
        p: Vector3<f64>,
        leaf: Leaf,
        nearest: f64,
        reach: f64,
    ) -> ArrayVec<NearFace, MOST_NEAR_FACES> {
        let mut found: ArrayVec<NearFace, MOST_NEAR_FACES> = ArrayVec::new();
        for (number, bounds) in self.neighbours.bounds.iter().enumerate() {
            if bounds.distance_squared(p) > reach * reach {
                continue;
            }
            let number = number as u32;
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
                }
            }
        }
        let (squared, nearest) = best.filter(|best| best.0 <= reach * reach)?;
        // a parametric face is extended by its tangent plane
        let sample = sample.unwrap_or_else(|| {
            let normal = self.normal_at(number, nearest, None);
            Sample { distance: (p - nearest).dot(&normal), normal }
        });
        Some(NearFace { face: number, nearest, squared, sample })
    }

    /// Box around a trimmed face.
    fn face_bounds(&self, number: usize) -> Aabb {
        use crate::geometry::Surface;
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
