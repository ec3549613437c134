//! Cells of an octree with the features that can be nearest to the points in them.
//!
//! ```text
//! c centre, h half diagonal of a cell, D(c) distance of c from the surface, dᵢ(c) from feature i
//! feature i can be nearest to a point of the cell only if   dᵢ(c) ≤ D(c) + 2h          (distances are 1-Lipschitz)
//! foot points of such points lie within                     ρ = D(c) + 2h of c
//! a piece of the boundary can be nearest to them only if    dist(c, piece) ≤ dist(c, boundary) + 2ρ
//! all foot points on a face lie in it if that of c does and its distance from the boundary exceeds 2d(c) + 2h
//! ```

use std::collections::VecDeque;
use std::rc::Rc;

use nalgebra::Vector3;

use crate::solid::{Face, Patch, patch_foot};
use crate::{Aabb, Solid};

/// A cell is cut until its features cost less than this many tests.
const ENOUGH: usize = 12;
/// Smallest cell, as a share of the solid's diagonal.
const SMALLEST: f64 = 1.0 / 150.0;
/// Of faces without a bit.
const NO_BIT: u8 = u8::MAX;
/// Most tests while the cells are cut, about a second; then the cells stay coarse and queries get slower.
const MOST_WORK: usize = 12_000_000;

/// A face that can be nearest to a point of a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceEntry {
    pub face: u32,
    /// Number of the patch of a parametric face.
    pub patch: u32,
    /// Range in the list of boundary pieces.
    trim: [u32; 2],
    /// Whether every foot point of the cell's points lies inside the face.
    pub is_whole: bool,
    /// Number of the bit of an analytic face; [`NO_BIT`] for others.
    bit: u8,
}

impl FaceEntry {
    /// Bit of an analytic face, matched with [`EdgeEntry::faces`]; 0 for others.
    #[inline]
    pub(crate) fn bit(&self) -> u64 {
        if self.bit == NO_BIT { 0 } else { 1 << self.bit }
    }
}

/// A piece of an edge that can be nearest to a point of a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeEntry {
    pub piece: u32,
    /// Bits of its faces, in halves: a third less memory than as one number.
    halves: [u32; 2],
}

impl EdgeEntry {
    /// Bits of its faces.
    #[inline]
    pub(crate) fn faces(&self) -> u64 {
        u64::from(self.halves[0]) | u64::from(self.halves[1]) << 32
    }
}

/// Ranges of a cell's faces and edges.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Leaf {
    faces: [u32; 2],
    edges: [u32; 2],
}

/// The octree.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    low: Vector3<f64>,
    /// Edge of the root cube [m].
    size: f64,
    /// For each cell the first of its eight children, or its leaf with the highest bit set.
    nodes: Vec<u32>,
    leaves: Vec<Leaf>,
    faces: Vec<FaceEntry>,
    edges: Vec<EdgeEntry>,
    trim: Vec<(u32, bool)>,
    /// All features, for points outside the root.
    everything: Leaf,
}

const LEAF: u32 = 1 << 31;

#[derive(Clone)]
struct Candidate {
    face: u32,
    patch: u32,
    trim: Vec<(u32, bool)>,
    is_whole: bool,
}

#[derive(Clone)]
struct Candidates {
    faces: Vec<Candidate>,
    pieces: Vec<u32>,
}

/// A cell that is not decided yet.
struct Open {
    node: usize,
    centre: Vector3<f64>,
    size: f64,
    /// Those of the cell that it was cut from.
    features: Rc<Candidates>,
}

impl Candidates {
    /// Tests of a query, roughly.
    fn cost(&self) -> usize {
        let of_face = |face: &Candidate| 1 + if face.is_whole { 0 } else { face.trim.len() };
        self.pieces.len() + self.faces.iter().map(of_face).sum::<usize>()
    }

    /// Tests of [`filtered`], weighted by their time.
    fn work(&self, solid: &Solid) -> usize {
        let of_piece = |piece: u32| if solid.pieces[piece as usize].is_simple() { 1 } else { 2 };
        let of_face = |face: &Candidate| {
            let patch = if face.patch == u32::MAX { 1 } else { 2 };
            patch + if face.is_whole { 0 } else { face.trim.iter().map(|entry| of_piece(entry.0)).sum() }
        };
        self.pieces.iter().map(|&piece| of_piece(piece)).sum::<usize>()
            + self.faces.iter().map(of_face).sum::<usize>()
    }
}

impl Cells {
    pub(crate) fn new(solid: &Solid) -> Self {
        let mut cells = Self::default();
        let bounds = solid.bounds;
        let centre = 0.5 * (bounds.min + bounds.max);
        // the margin covers queries within a contact's reach of the surface
        cells.size = 1.2 * (bounds.max - bounds.min).max().max(1e-9) + 2e-3;
        cells.low = centre.add_scalar(-0.5 * cells.size);
        cells.everything = cells.of_features(solid, |_| true);
        let all = everything(solid, |_| true);
        cells.nodes.push(0);
        let smallest = (bounds.diagonal() * SMALLEST).max(20e-6);
        let root = Open { node: 0, centre, size: cells.size, features: Rc::new(all) };
        cells.cut(solid, root, smallest);
        cells.faces.shrink_to_fit();
        cells.edges.shrink_to_fit();
        cells.trim.shrink_to_fit();
        cells
    }

    /// One cell with all features of the chosen faces.
    pub(crate) fn of_features(&mut self, solid: &Solid, keep: impl Fn(&Face) -> bool) -> Leaf {
        self.add_leaf(solid, &everything(solid, keep))
    }

    pub(crate) fn faces(&self, leaf: Leaf) -> &[FaceEntry] {
        &self.faces[leaf.faces[0] as usize..leaf.faces[1] as usize]
    }

    pub(crate) fn edges(&self, leaf: Leaf) -> &[EdgeEntry] {
        &self.edges[leaf.edges[0] as usize..leaf.edges[1] as usize]
    }

    pub(crate) fn trim(&self, entry: &FaceEntry) -> &[(u32, bool)] {
        &self.trim[entry.trim[0] as usize..entry.trim[1] as usize]
    }

    /// Memory [bytes].
    pub(crate) fn memory(&self) -> usize {
        size_of_val(&*self.nodes)
            + size_of_val(&*self.leaves)
            + size_of_val(&*self.faces)
            + size_of_val(&*self.edges)
            + size_of_val(&*self.trim)
    }

    /// The cell of a point.
    #[inline]
    pub(crate) fn leaf(&self, p: Vector3<f64>) -> Leaf {
        let mut local = (p - self.low) / self.size;
        let inside = local.iter().all(|x| *x >= 0.0 && *x < 1.0);
        if !inside || self.nodes.is_empty() {
            return self.everything;
        }
        let mut node = self.nodes[0];
        while node & LEAF == 0 {
            local *= 2.0;
            let mut child = 0;
            for k in 0..3 {
                if local[k] >= 1.0 {
                    local[k] -= 1.0;
                    child |= 1 << k;
                }
            }
            node = self.nodes[node as usize + child];
        }
        self.leaves[(node & !LEAF) as usize]
    }

    /// Cuts cells level by level, so that a budget that runs out leaves all regions equally fine.
    fn cut(&mut self, solid: &Solid, root: Open, smallest: f64) {
        let mut open = VecDeque::from([root]);
        let mut work = 0;
        let mut coarse: Option<Rc<Candidates>> = None;
        while let Some(Open { node, centre, size, features }) = open.pop_front() {
            work += features.work(solid);
            if work >= MOST_WORK {
                // cells that were cut from the same one share its features
                if !coarse.as_ref().is_some_and(|known| Rc::ptr_eq(known, &features)) {
                    let leaf = self.add_leaf(solid, &features);
                    self.leaves.push(leaf);
                    coarse = Some(features);
                }
                self.nodes[node] = (self.leaves.len() - 1) as u32 | LEAF;
                continue;
            }
            let (kept, near) = filtered(solid, centre, size, Candidates::clone(&features));
            // far from the surface detail is of no use
            let fine = size < smallest.max(0.7 * near);
            if kept.cost() <= ENOUGH || fine {
                let leaf = self.add_leaf(solid, &kept);
                self.nodes[node] = self.leaves.len() as u32 | LEAF;
                self.leaves.push(leaf);
                continue;
            }
            let kept = Rc::new(kept);
            let first = self.nodes.len();
            self.nodes[node] = first as u32;
            self.nodes.extend([0; 8]);
            for child in 0..8 {
                let side = |k: usize| if child >> k & 1 == 1 { 0.25 } else { -0.25 };
                let centre = centre + Vector3::new(side(0), side(1), side(2)) * size;
                open.push_back(Open {
                    node: first + child,
                    centre,
                    size: 0.5 * size,
                    features: Rc::clone(&kept),
                });
            }
        }
    }

    fn add_leaf(&mut self, solid: &Solid, all: &Candidates) -> Leaf {
        let starts = [self.faces.len() as u32, self.edges.len() as u32];
        let mut bits: Vec<(u32, u64)> = Vec::new();
        for candidate in &all.faces {
            let analytic = candidate.patch == u32::MAX;
            let bit = if analytic && bits.len() < 64 { bits.len() as u8 } else { NO_BIT };
            if bit != NO_BIT {
                bits.push((candidate.face, 1 << bit));
            }
            let first = self.trim.len() as u32;
            if analytic && !candidate.is_whole {
                self.trim.extend_from_slice(&candidate.trim);
            }
            let trim = [first, self.trim.len() as u32];
            self.faces.push(FaceEntry {
                face: candidate.face,
                patch: candidate.patch,
                trim,
                is_whole: candidate.is_whole,
                bit,
            });
        }
        for &piece in &all.pieces {
            let edge = &solid.edges[solid.pieces[piece as usize].edge as usize];
            // an edge off its surfaces may be nearer than they are
            let exact = edge.gap < 1e-10;
            let own = bits.iter().filter(|(face, _)| exact && edge.faces.contains(face));
            let faces = own.fold(0, |all, (_, bit)| all | bit);
            self.edges.push(EdgeEntry { piece, halves: [faces as u32, (faces >> 32) as u32] });
        }
        Leaf { faces: [starts[0], self.faces.len() as u32], edges: [starts[1], self.edges.len() as u32] }
    }
}

/// All features of the chosen faces.
fn everything(solid: &Solid, keep: impl Fn(&Face) -> bool) -> Candidates {
    let mut faces = Vec::new();
    let mut pieces = Vec::new();
    for (number, face) in solid.faces.iter().enumerate().filter(|(_, face)| keep(face)) {
        let trim: Vec<(u32, bool)> = solid.boundary_pieces(face).collect();
        pieces.extend(trim.iter().filter(|(_, along)| *along).map(|(piece, _)| *piece));
        if face.chart.is_none() {
            let is_whole = trim.is_empty();
            faces.push(Candidate { face: number as u32, patch: u32::MAX, trim, is_whole });
        }
    }
    for (number, Patch { face, is_whole, .. }) in solid.patches.iter().enumerate() {
        if keep(&solid.faces[*face as usize]) {
            faces.push(Candidate {
                face: *face,
                patch: number as u32,
                trim: Vec::new(),
                is_whole: *is_whole,
            });
        }
    }
    Candidates { faces, pieces }
}

/// Features that can be nearest to a point of a cell, and the distance of its centre from the surface.
fn filtered(solid: &Solid, centre: Vector3<f64>, size: f64, mut all: Candidates) -> (Candidates, f64) {
    let h = 0.5 * size * 3.0f64.sqrt() * (1.0 + 1e-9);
    let bound = |piece: u32| solid.pieces[piece as usize].bounds.distance_squared(centre).sqrt();
    let to_piece = |piece: u32| solid.pieces[piece as usize].nearest(centre).squared.sqrt();
    let mut near = f64::INFINITY;
    // the nearest boxes first: the others then need no exact distance
    all.pieces.sort_by_cached_key(|&piece| bound(piece).to_bits());
    let of_patch = |face: &Candidate| match solid.patches.get(face.patch as usize) {
        Some(patch) => patch.bounds.distance_squared(centre).to_bits(),
        None => 0,
    };
    all.faces.sort_by_cached_key(of_patch);
    // lower bounds: exact distances for some pieces, boxes for those that are small beside the cell
    let mut piece_distances = Vec::with_capacity(all.pieces.len());
    for (place, &piece) in all.pieces.iter().enumerate() {
        let mut distance = bound(piece);
        let is_small = place >= 8 && solid.pieces[piece as usize].bounds.diagonal() < h;
        if distance <= near + 2.0 * h && !is_small {
            distance = to_piece(piece);
            near = near.min(distance);
        }
        piece_distances.push(distance);
    }
    // lower bounds of the distance to each face
    struct Tested {
        bound: f64,
        foot: Option<(Vector3<f64>, f64, bool)>,
    }
    let mut tested = Vec::with_capacity(all.faces.len());
    for candidate in &all.faces {
        let face = &solid.faces[candidate.face as usize];
        if let Some(foot) = face.surface.foot(centre) {
            let distance = foot.distance.abs();
            if distance > near + 2.0 * h {
                tested.push(Tested { bound: f64::INFINITY, foot: None });
                continue;
            }
            let inside = candidate.is_whole || solid.is_inside(face, foot.point, &candidate.trim);
            let mut lower = distance;
            if !inside {
                let pieces = candidate.trim.iter().map(|entry| entry.0);
                let close = pieces.filter(|&piece| bound(piece) <= near + 2.0 * h);
                lower = close.map(to_piece).fold(f64::INFINITY, f64::min);
            }
            near = near.min(lower);
            tested.push(Tested { bound: lower, foot: Some((foot.point, distance, inside)) });
            continue;
        }
        let patch = &solid.patches[candidate.patch as usize];
        let bound = patch.bounds.distance_squared(centre).sqrt();
        if bound < near
            && let Some(chart) = &face.chart
        {
            let seed = patch.range.map(|[a, b]| 0.5 * (a + b));
            let (at, local, _) = patch_foot(&chart.surface, centre, seed, patch.range);
            let distance = (local.point - centre).norm();
            if distance < near && (candidate.is_whole || solid.is_inside_chart(face, at, local.point)) {
                near = distance;
            }
        }
        tested.push(Tested { bound, foot: None });
    }
    let reach = near + 2.0 * h + 1e-9;
    // foot points that matter lie this far from the centre
    let rho = near + 2.0 * h;
    let mut faces = Vec::new();
    for (candidate, tested) in all.faces.into_iter().zip(tested) {
        if tested.bound > reach {
            continue;
        }
        let mut is_whole = candidate.is_whole;
        let mut trim = Vec::new();
        if let Some((foot, distance, inside)) = tested.foot.filter(|_| !is_whole) {
            let far = 2.0 * distance + 2.0 * h + 1e-9;
            let reaches = |piece: u32| {
                let piece = &solid.pieces[piece as usize];
                piece.bounds.distance_squared(foot) <= far * far && piece.nearest(foot).squared <= far * far
            };
            if !candidate.trim.iter().any(|entry| reaches(entry.0)) {
                if !inside {
                    continue;
                }
                is_whole = true;
            } else {
                trim = nearest_pieces(&candidate.trim, 2.0 * rho + 1e-9, bound, to_piece);
            }
        }
        faces
            .push((tested.bound, Candidate { face: candidate.face, patch: candidate.patch, trim, is_whole }));
    }
    // the nearest face first: it often spares the tests of the others
    faces.sort_by(|a, b| a.0.total_cmp(&b.0));
    let faces = faces.into_iter().map(|(_, face)| face).collect();
    let kept = all.pieces.into_iter().zip(piece_distances).filter(|(_, distance)| *distance <= reach);
    (Candidates { faces, pieces: kept.map(|(piece, _)| piece).collect() }, near)
}

/// Pieces that are at most `more` farther than the nearest one.
fn nearest_pieces(
    trim: &[(u32, bool)],
    more: f64,
    bound: impl Fn(u32) -> f64,
    exact: impl Fn(u32) -> f64,
) -> Vec<(u32, bool)> {
    let mut closest = f64::INFINITY;
    let mut distances = Vec::with_capacity(trim.len());
    for entry in trim {
        let distance = if bound(entry.0) > closest + more { f64::INFINITY } else { exact(entry.0) };
        closest = closest.min(distance);
        distances.push(distance);
    }
    trim.iter()
        .zip(distances)
        .filter(|(_, distance)| *distance <= closest + more)
        .map(|(entry, _)| *entry)
        .collect()
}

impl Solid {
    /// Memory of the cells [bytes].
    #[must_use]
    pub fn cell_memory(&self) -> usize {
        self.cells.memory()
    }

    /// Box around the solid [m].
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        self.bounds
    }
}
