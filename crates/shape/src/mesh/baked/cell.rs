//! One root cell: subdivided until its leaves agree with the exact distance.
//!
//! A cell is compared with the exact distance at the 27 points of its half-size lattice (the corners of its
//! children, so nothing is lost when it is split), at the centres of the children and at two random points:
//!
//! ```text
//! |d_leaf(p) − d(p)| ≤ tolerance + slope · max(0, |d(p)| − band)
//! ```
//!
//! One sheet is tried, then two, then eight children. The smallest cells are not tested but measured.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use nalgebra::Vector3;

use super::candidates::Candidates;
use super::leaf::{LeafKind, SHEET};
use super::octree::{PLACES, branch, leaf};
use super::options::BakeOptions;
use super::random::SplitMix;
use crate::mesh::exact_distance::{MeshDistance, MeshSample};

/// Cells that touch the band are at most this many bands wide, unless the field is linear over them: the
/// test points of a larger cell could all miss the band.
const BAND_CELL: f64 = 4.0;
/// Random points at which each of the smallest cells is measured.
const MEASURED: usize = 4;
/// Random points at which a larger cell is tested on top of the regular ones.
const SURPRISES: usize = 2;

/// What all root cells share.
pub(super) struct Bake<'a> {
    pub(super) exact: &'a MeshDistance,
    pub(super) options: &'a BakeOptions,
    /// Halvings from a root cell to the smallest cell.
    pub(super) levels: u32,
    /// Bytes so far, over all root cells.
    pub(super) bytes: AtomicU64,
    /// Whether the memory limit was passed: everyone stops.
    pub(super) over: AtomicBool,
}

/// The octree below one root cell, numbered from its own root.
#[derive(Debug)]
pub(super) struct Subtree {
    pub(super) nodes: Vec<u32>,
    pub(super) values: Vec<f32>,
    /// Largest error [m] seen in the band, at test points of accepted cells and in the smallest cells.
    pub(super) worst: f64,
    /// Number of points behind `worst`.
    pub(super) measured: u64,
}

#[derive(Clone, Copy)]
struct Cell {
    center: Vector3<f64>,
    size: f64,
    level: u32,
}

impl Cell {
    fn half_diagonal(&self) -> f64 {
        self.size * (0.75f64).sqrt()
    }

    /// Position [m] of a point given in the unit cube.
    fn at(&self, u: Vector3<f64>) -> Vector3<f64> {
        self.center + (u - Vector3::from_element(0.5)) * self.size
    }
}

impl Bake<'_> {
    /// Bakes the root cell with the given centre and edge [m].
    pub(super) fn root(&self, center: Vector3<f64>, size: f64) -> Subtree {
        let cell = Cell { center, size, level: 0 };
        let candidates = Candidates::of_root(self.exact, center, cell.half_diagonal());
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|c| candidates.sample(self.exact, cell.at(corner(c))));
        let mut tree = Subtree { nodes: vec![0], values: Vec::new(), worst: 0.0, measured: 0 };
        self.cell(&mut tree, 0, cell, &candidates, &corners);
        tree
    }

    fn cell(
        &self,
        tree: &mut Subtree,
        slot: usize,
        cell: Cell,
        candidates: &Candidates,
        corners: &[MeshSample; 8],
    ) {
        let smooth = corners.map(|sample| sample.distance as f32);
        if cell.level == self.levels {
            self.measure(tree, cell, candidates, &smooth);
            return self.push(tree, slot, LeafKind::Smooth, &smooth);
        }
        if candidates.coplanar(self.exact) {
            return self.push(tree, slot, LeafKind::Smooth, &smooth);
        }
        let lattice: [MeshSample; 27] = std::array::from_fn(|i| match corner_of_lattice(i) {
            Some(c) => corners[c],
            None => candidates.sample(self.exact, cell.at(lattice_point(i))),
        });
        let nearest = lattice[13].distance.abs() - cell.half_diagonal();
        if nearest > self.options.band || cell.size <= BAND_CELL * self.options.band {
            if self.accept(tree, cell, candidates, &lattice, LeafKind::Smooth, &smooth) {
                return self.push(tree, slot, LeafKind::Smooth, &smooth);
            }
            if let Some((kind, values)) = self.two_sheets(cell, candidates, &lattice)
                && self.accept(tree, cell, candidates, &lattice, kind, &values)
            {
                return self.push(tree, slot, kind, &values);
            }
        }
        if self.over.load(Ordering::Relaxed) {
            return;
        }
        let first = tree.nodes.len();
        tree.nodes.extend([0; 8]);
        tree.nodes[slot] = branch(first);
        for child in 0..8 {
            let part = Cell {
                center: cell.at((corner(child) + Vector3::from_element(0.5)) / 2.0),
                size: cell.size / 2.0,
                level: cell.level + 1,
            };
            let part_corners = std::array::from_fn(|c| lattice[lattice_of_child(child, c)]);
            if part.level == self.levels {
                self.cell(tree, first + child, part, candidates, &part_corners);
            } else {
                let fewer = candidates.of_child(self.exact, part.center, part.half_diagonal());
                self.cell(tree, first + child, part, &fewer, &part_corners);
            }
        }
    }

    /// Whether a leaf agrees with the exact distance at every test point.
    fn accept(
        &self,
        tree: &mut Subtree,
        cell: Cell,
        candidates: &Candidates,
        lattice: &[MeshSample; 27],
        kind: LeafKind,
        values: &[f32],
    ) -> bool {
        let (mut worst, mut measured) = (0.0f64, 0);
        let mut agrees = |u: Vector3<f64>, exact: f64| {
            let error = (kind.evaluate(values, u).0 - exact).abs();
            let beyond = (exact.abs() - self.options.band).max(0.0);
            if beyond == 0.0 {
                worst = worst.max(error);
                measured += 1;
            }
            error <= self.options.tolerance + self.options.far_slope * beyond
        };
        let exact = |u: Vector3<f64>| candidates.sample(self.exact, cell.at(u)).distance;
        let mut random = self.random(cell);
        let accepted = (0..27).all(|i| agrees(lattice_point(i), lattice[i].distance))
            && (0..8).all(|c| {
                let u = (corner(c) + Vector3::from_element(0.5)) / 2.0;
                agrees(u, exact(u))
            })
            && (0..SURPRISES).all(|_| {
                let u = random.cube();
                agrees(u, exact(u))
            });
        if accepted {
            tree.worst = tree.worst.max(worst);
            tree.measured += measured;
        }
        accepted
    }

    /// The two sheets that meet in a cell on one side of the surface: the distances to the triangles seen in
    /// either of the two directions that differ most.
    fn two_sheets(
        &self,
        cell: Cell,
        candidates: &Candidates,
        lattice: &[MeshSample; 27],
    ) -> Option<(LeafKind, [f32; 2 * SHEET])> {
        let offset = self.exact.offset();
        let outside = lattice[13].distance + offset > 0.0;
        if lattice.iter().any(|sample| (sample.distance + offset > 0.0) != outside) {
            return None;
        }
        let sign = if outside { 1.0 } else { -1.0 };
        let farthest = |from: Vector3<f64>| {
            let normals = lattice.iter().map(|sample| sample.normal);
            normals.min_by(|a, b| a.dot(&from).total_cmp(&b.dot(&from))).unwrap_or(from)
        };
        let first = farthest(lattice[13].normal);
        let second = farthest(first);
        let sides = candidates.split(self.exact, first * -sign, second * -sign)?;
        let mut values = [0.0; 2 * SHEET];
        for (side, sheet) in sides.iter().zip(values.chunks_exact_mut(SHEET)) {
            for (c, value) in sheet.iter_mut().enumerate() {
                let distance = candidates.distance_to(self.exact, cell.at(corner(c)), side);
                *value = (sign * distance - offset) as f32;
            }
        }
        Some((if outside { LeafKind::Lower } else { LeafKind::Upper }, values))
    }

    /// Records the error of one of the smallest cells.
    fn measure(&self, tree: &mut Subtree, cell: Cell, candidates: &Candidates, values: &[f32]) {
        let mut random = self.random(cell);
        for _ in 0..MEASURED {
            let u = random.cube();
            let exact = candidates.sample(self.exact, cell.at(u)).distance;
            if exact.abs() <= self.options.band {
                let error = (LeafKind::Smooth.evaluate(values, u).0 - exact).abs();
                tree.worst = tree.worst.max(error);
                tree.measured += 1;
            }
        }
    }

    /// Random numbers that depend on the place of the cell, not on the order of the work.
    fn random(&self, cell: Cell) -> SplitMix {
        let bits = cell.center.map(f64::to_bits);
        SplitMix(bits.x ^ bits.y.rotate_left(21) ^ bits.z.rotate_left(42) ^ self.options.seed)
    }

    fn push(&self, tree: &mut Subtree, slot: usize, kind: LeafKind, values: &[f32]) {
        tree.nodes[slot] = leaf(kind, tree.values.len() / SHEET);
        tree.values.extend_from_slice(values);
        // a leaf and its share of the branches above it
        let bytes = size_of_val(values) as u64 + 5;
        let limit = self.options.memory_limit.min((PLACES * SHEET * size_of::<f32>()) as u64);
        if self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes > limit {
            self.over.store(true, Ordering::Relaxed);
        }
    }
}

/// Corner `c` of the unit cube.
fn corner(c: usize) -> Vector3<f64> {
    Vector3::new((c & 1) as f64, (c >> 1 & 1) as f64, (c >> 2) as f64)
}

/// Point `i` of the 3×3×3 lattice in the unit cube, x fastest.
fn lattice_point(i: usize) -> Vector3<f64> {
    Vector3::new((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64) / 2.0
}

/// The corner of the cell at lattice point `i`, if it is one.
fn corner_of_lattice(i: usize) -> Option<usize> {
    let (x, y, z) = (i % 3, i / 3 % 3, i / 9);
    (x != 1 && y != 1 && z != 1).then_some(x / 2 + y + 2 * z)
}

/// The lattice point at corner `c` of child `child`.
fn lattice_of_child(child: usize, c: usize) -> usize {
    let axis = |i: usize| (child >> i & 1) + (c >> i & 1);
    axis(0) + 3 * axis(1) + 9 * axis(2)
}
