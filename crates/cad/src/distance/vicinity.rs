//! Faces near a ball of points, so that many points share one search.
//!
//! ```text
//! c, ρ centre and radius of the ball,  R reach,  e largest distance of an edge from its surfaces
//! a face matters to a point of the ball only if its surface is within   F = ρ + R + e of c
//! foot points of the ball lie within   W = |d(c)| + F of that of c, on a plane W = ρ;  its nearest piece of the boundary is b away:
//! others that can be nearest to them within b + 2 W of it, if b ≤ W or a piece is within F of c; else the foot points are all
//! inside the face, or all outside
//! ```
//!
//! An edge within reach of a point lies on two surfaces within reach. So a point with one such surface has that face alone,
//! or nothing.

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use super::near::{MOST_NEAR_FACES, NearFace, PieceFaces, ROUNDING};
use super::{Feature, Nearest, Sample};
use crate::Solid;
use crate::geometry::Surface;
use crate::solid::{EdgePoint, Face, Piece};

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
const MOST_FEW: usize = 32;
const MOST_TRIM: usize = 768;

/// Faces within reach of a ball, with the pieces of their boundaries that matter there.
#[derive(Clone, Debug)]
pub struct FewFaces {
    faces: ArrayVec<(u32, [u16; 2]), MOST_FEW>,
    trim: ArrayVec<(u32, bool), MOST_TRIM>,
}

/// [`FewFaces`], wherever they are kept.
#[derive(Clone, Copy, Debug)]
pub struct Few<'a> {
    /// Faces with the ranges of their boundaries in `trim`.
    pub(super) faces: &'a [(u32, [u16; 2])],
    pub(super) trim: &'a [(u32, bool)],
}

impl FewFaces {
    /// The same by reference.
    #[must_use]
    pub fn view(&self) -> Few<'_> {
        Few { faces: &self.faces, trim: &self.trim }
    }
}

/// What is near a point of a ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Near {
    /// Nothing within reach; the distance [m].
    Nothing(f64),
    /// One face.
    One(Sample),
    /// Several faces, or an edge.
    More,
}

impl Solid {
    /// Faces within `reach` [m] of a ball.
    #[must_use]
    pub fn vicinity(&self, centre: Vector3<f64>, radius: f64, reach: f64) -> Vicinity {
        let far = radius + reach + self.edge_gap;
        self.vicinity_of(centre, radius, reach, self.faces_within(centre, far))
    }

    /// [`Self::vicinity`] among some of the faces.
    pub(super) fn vicinity_of(
        &self,
        centre: Vector3<f64>,
        radius: f64,
        reach: f64,
        faces: impl Iterator<Item = u32>,
    ) -> Vicinity {
        let Some(nearest) = self.nearest(self.cells.leaf(centre), centre) else { return Vicinity::Several };
        let clear = self.signed(centre, &nearest).distance - radius;
        if clear > reach {
            return Vicinity::Far(clear);
        }
        let far = radius + reach + self.edge_gap;
        let mut few = FewFaces { faces: ArrayVec::new(), trim: ArrayVec::new() };
        let mut has_edges = false;
        for number in faces.map(|face| face as usize) {
            if self.neighbours.bounds[number].distance_squared(centre) > far * far {
                continue;
            }
            let face = &self.faces[number];
            let Some(foot) = face.surface.foot(centre).filter(|foot| !foot.is_apex) else {
                return Vicinity::Several;
            };
            if foot.distance.abs() > far {
                continue;
            }
            // how far the foot points of the ball are from that of its centre: a plane moves them no farther apart
            let spread = match face.surface {
                Surface::Plane(_) => radius,
                _ => foot.distance.abs() + far,
            };
            let start = few.trim.len() as u16;
            if !self.add_trim(face, [foot.point, centre], [spread, far], &mut few.trim) {
                return Vicinity::Several;
            }
            let end = few.trim.len() as u16;
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

    /// Adds the pieces of a face's boundary that can be nearest to points within `spread` [m] of a foot point, and those within `far`
    /// [m] of the centre, if any comes so near; false when there are too many.
    fn add_trim(
        &self,
        face: &Face,
        [foot, centre]: [Vector3<f64>; 2],
        [spread, far]: [f64; 2],
        trim: &mut ArrayVec<(u32, bool), MOST_TRIM>,
    ) -> bool {
        let pieces = || face.trim.iter().map(|entry| &self.pieces[entry.0 as usize]);
        let mut least = f64::INFINITY;
        for piece in pieces() {
            if piece.bounds.distance_squared(foot) < least {
                least = least.min(piece.nearest(foot).squared);
            }
        }
        let is_near = |piece: &Piece| {
            piece.bounds.distance_squared(centre) <= far * far && piece.nearest(centre).squared <= far * far
        };
        if least > spread * spread && !pieces().any(is_near) {
            return true;
        }
        // points within `spread` of the foot are nearer to its nearest piece than this
        let most = least.sqrt() + 2.0 * spread;
        for &(number, along) in &face.trim {
            let bounds = &self.pieces[number as usize].bounds;
            let is_kept =
                bounds.distance_squared(foot) <= most * most || bounds.distance_squared(centre) <= far * far;
            if is_kept && trim.try_push((number, along)).is_err() {
                return false;
            }
        }
        true
    }

    /// What is near a point of the ball that the faces were found for, within `known` [m] of it.
    #[must_use]
    #[inline]
    pub fn near(&self, few: &Few, p: Vector3<f64>, reach: f64, known: f64) -> Near {
        let reach = reach + self.edge_gap + ROUNDING;
        let (mut least, mut within, mut nearest) = (f64::INFINITY, 0, None);
        for (face, trim) in few.faces {
            let own = &self.faces[*face as usize];
            let Some(foot) = own.surface.foot(p).filter(|foot| !foot.is_apex) else { return Near::More };
            let size = foot.distance.abs();
            within += usize::from(size <= reach);
            if within > 1 {
                return Near::More;
            }
            if size < least {
                (least, nearest) = (size, Some((own, foot, trim)));
            }
        }
        // The nearest surface tells the distance where the foot lies inside its face. An edge within reach lies on two surfaces
        // within reach: here there is one at most, and its edges are farther.
        if let Some((face, foot, &[start, end])) = nearest {
            let trim = &few.trim[usize::from(start)..usize::from(end)];
            let distance = foot.distance * face.sign;
            if (within == 1 || least <= known) && (trim.is_empty() || self.is_inside(face, foot.point, trim))
            {
                return match within {
                    1 => Near::One(Sample { distance, normal: foot.normal * face.sign }),
                    _ if distance > 0.0 => Near::Nothing(distance),
                    _ => Near::More,
                };
            }
        }
        // a point deeper than the reach belongs to faces beyond it
        let distance = self.sample_of(few, p, known).unwrap_or_else(|| self.sample(p)).distance;
        if distance > 0.0 { Near::Nothing(distance) } else { Near::More }
    }

    /// Signed distance and gradient at a point of the ball that the faces were found for, if the distance is less than `known` [m].
    #[must_use]
    pub fn sample_of(&self, few: &Few, p: Vector3<f64>, known: f64) -> Option<Sample> {
        let mut nearest: Option<(NearFace, Option<(u32, EdgePoint)>)> = None;
        let mut reach = known;
        for (face, [start, end]) in few.faces {
            let trim = &few.trim[usize::from(*start)..usize::from(*end)];
            let Some(found) = self.near_analytic(*face, p, trim, reach) else { continue };
            if nearest.as_ref().is_none_or(|nearest| found.0.squared < nearest.0.squared) {
                reach = found.0.squared.sqrt();
                nearest = Some(found);
            }
        }
        nearest.map(|(nearest, edge)| self.signed_from(p, &nearest, edge))
    }

    /// Signed distance and gradient from the nearest point of the nearest face, which may be on one of its edges.
    fn signed_from(&self, p: Vector3<f64>, nearest: &NearFace, edge: Option<(u32, EdgePoint)>) -> Sample {
        let &NearFace { nearest: point, squared, sample, .. } = nearest;
        let Some((edge, found)) = edge else { return sample };
        let feature = Feature::Edge(edge, found);
        self.signed(p, &Nearest { squared, point, normal: Vector3::zeros(), feature })
    }

    /// Visits the pieces of material within `reach` [m] of a point of the ball that the faces were found for.
    pub fn each_piece_of(&self, few: &Few, p: Vector3<f64>, reach: f64, visit: impl FnMut(&PieceFaces)) {
        let mut near: ArrayVec<NearFace, MOST_NEAR_FACES> = ArrayVec::new();
        let mut edge_of_nearest = None;
        for (face, [start, end]) in few.faces {
            let trim = &few.trim[usize::from(*start)..usize::from(*end)];
            let Some((found, edge)) = self.near_analytic(*face, p, trim, reach + ROUNDING) else {
                continue;
            };
            // sorted by distance, equal ones in the order of their faces
            let place = near.iter().position(|other| other.squared > found.squared).unwrap_or(near.len());
            // the nearest are kept
            if near.is_full() && (place == near.len() || near.pop().is_none()) {
                continue;
            }
            edge_of_nearest = if place == 0 { edge } else { edge_of_nearest };
            near.insert(place, found);
        }
        // all faces within reach are among the few
        let whole = match near.first() {
            Some(nearest) => self.signed_from(p, nearest, edge_of_nearest),
            None => self.sample(p),
        };
        if whole.distance > reach {
            return;
        }
        if whole.distance < -reach {
            // faces beyond those of the ball may be the nearest
            return self.each_piece(p, reach, visit);
        }
        self.grouped(&near, p, whole, reach, visit);
    }

    /// An analytic face whose nearest point is within reach; `trim` lists the pieces of its boundary that matter, none where
    /// foot points lie inside it. Names the edge that the point lies on.
    fn near_analytic(
        &self,
        number: u32,
        p: Vector3<f64>,
        trim: &[(u32, bool)],
        reach: f64,
    ) -> Option<(NearFace, Option<(u32, EdgePoint)>)> {
        let face: &Face = &self.faces[number as usize];
        let foot = face.surface.foot(p)?;
        if foot.distance.abs() > reach {
            return None;
        }
        let sample = Sample { distance: foot.distance * face.sign, normal: foot.normal * face.sign };
        if trim.is_empty() || self.is_inside(face, foot.point, trim) {
            let squared = foot.distance * foot.distance;
            let is_continued = false;
            return Some((
                NearFace { face: number, nearest: foot.point, squared, sample, is_continued },
                None,
            ));
        }
        let mut best = (reach * reach, Vector3::zeros());
        let (mut edge, mut is_continued) = (None, false);
        for (piece, _) in trim {
            let piece = &self.pieces[*piece as usize];
            if piece.bounds.distance_squared(p) > best.0 {
                continue;
            }
            let found = piece.nearest(p);
            if found.squared < best.0 {
                best = (found.squared, found.point);
                edge = Some((piece.edge, found));
                is_continued = self.neighbours.is_continued(number, piece.edge, &found);
            }
        }
        let (squared, nearest) = best;
        edge.is_some().then(|| {
            let sample = self.on_same_side(number, p, nearest, sample);
            (NearFace { face: number, nearest, squared, sample, is_continued }, edge)
        })
    }
}
