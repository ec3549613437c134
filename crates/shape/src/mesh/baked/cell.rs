//! One root cell: subdivided until its leaves agree with the exact distance.
//!
//! A cell is compared with the exact distance at the 27 points of its half-size lattice (the corners of its children,
//! which reuse these samples when it is split), at the centres of the children and at a few random points:
//!
//! ```text
//! |d_leaf(p) − d(p)| ≤ tolerance + slope · max(0, |d(p)| − band − r)
//! ```
//!
//! r is half the diagonal [m] of a cell that touches the band, zero for others.
//!
//! Interpolation is tried first, then a short list of triangles, then eight children. The smallest cells may have a
//! longer list; only where even that is exceeded do they interpolate without agreement, and their error is measured.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use nalgebra::Vector3;
use tightfit_spatial::SplitMix;

use super::candidates::Candidates;
use super::octree::{Node, Octree, PLACES};
use super::options::BakeOptions;
use super::trilinear::{CORNERS, trilinear};
use crate::mesh::exact_distance::{MeshDistance, MeshSample};

/// Cells that touch the band are at most this many bands wide, unless the field is linear over them: the
/// test points of a larger cell could all miss the band.
const BAND_CELL: f64 = 4.0;
/// Cells with a list of triangles are at most this many bands wide. If they were much wider, points that
/// interpolation could serve would pay for the list; if half as wide, a thread would take twice the memory and bake
/// time.
const LIST_CELL: f64 = 2.0;
/// Longest list of an exact leaf: what the corner of a prism or a vertex of a regular mesh needs.
const SHORT_LIST: usize = 8;
/// Longest list of the smallest cells.
const LONG_LIST: usize = 64;
/// Random test points of a cell in addition to the regular ones.
const RANDOM_POINTS: usize = 4;

/// Data shared by all root cells.
pub(super) struct Bake<'a> {
    pub(super) exact: &'a MeshDistance,
    pub(super) options: &'a BakeOptions,
    /// Halvings from a root cell to the smallest cell.
    pub(super) levels: u32,
    /// Bytes so far, over all root cells.
    pub(super) bytes: AtomicU64,
    /// Whether the memory limit was exceeded; all threads then stop.
    pub(super) over: AtomicBool,
}

/// The octree below one root cell, with indices relative to that root.
#[derive(Debug, Default)]
pub(super) struct Subtree {
    pub(super) octree: Octree,
    /// Largest error [m] of smooth leaves measured in the band.
    pub(super) worst: f64,
    /// Number of points over which `worst` was measured.
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
        let mut tree = Subtree::default();
        tree.octree.nodes.push(0);
        self.cell(&mut tree, 0, cell, &candidates, &corners);
        tree
    }

    fn cell(
        &self,
        tree: &mut Subtree,
        slot: usize,
        cell: Cell,
        candidates: &Candidates,
        corners: &[MeshSample; CORNERS],
    ) {
        let values = corners.map(|sample| sample.distance as f32);
        if candidates.coplanar(self.exact) {
            return self.push_smooth(tree, slot, &values);
        }
        let lattice: [MeshSample; 27] = std::array::from_fn(|i| match corner_of_lattice(i) {
            Some(c) => corners[c],
            None => candidates.sample(self.exact, cell.at(lattice_point(i))),
        });
        let last = cell.level == self.levels;
        let distance = lattice[13].distance.abs();
        let in_band = distance <= self.options.band + cell.half_diagonal();
        if last || !in_band || cell.size <= BAND_CELL * self.options.band {
            let (agrees, worst, measured) = self.compare(cell, candidates, &lattice, &values);
            let small = cell.size <= (LIST_CELL * self.options.band).max(distance / 4.0);
            let list = candidates.triangles().len();
            if !agrees && (small && list <= SHORT_LIST || last && list <= LONG_LIST) {
                return self.push_exact(tree, slot, candidates);
            }
            if agrees || last {
                tree.worst = tree.worst.max(worst);
                tree.measured += measured;
                return self.push_smooth(tree, slot, &values);
            }
        }
        if self.over.load(Ordering::Relaxed) {
            return;
        }
        let first = tree.octree.nodes.len();
        tree.octree.nodes.extend([0; 8]);
        tree.octree.nodes[slot] = Node::Branch(first).encode();
        for child in 0..8 {
            let part = Cell {
                center: cell.at((corner(child) + Vector3::from_element(0.5)) / 2.0),
                size: cell.size / 2.0,
                level: cell.level + 1,
            };
            let part_corners = std::array::from_fn(|c| lattice[lattice_of_child(child, c)]);
            let fewer = candidates.of_child(self.exact, part.center, part.half_diagonal());
            self.cell(tree, first + child, part, &fewer, &part_corners);
        }
    }

    /// Whether interpolation agrees with the exact distance at every test point. Also returns the largest error [m]
    /// in and next to the band, and the number of test points there.
    fn compare(
        &self,
        cell: Cell,
        candidates: &Candidates,
        lattice: &[MeshSample; 27],
        values: &[f32; CORNERS],
    ) -> (bool, f64, u64) {
        // a cell across the edge of the band must not get the looser tolerance at all its test points
        let touches = lattice[13].distance.abs() <= self.options.band + cell.half_diagonal();
        let reach = self.options.band + if touches { cell.half_diagonal() } else { 0.0 };
        let (mut worst, mut measured) = (0.0f64, 0);
        let mut agrees = |u: Vector3<f64>, exact: f64| {
            let error = (trilinear(values, u).0 - exact).abs();
            let beyond = (exact.abs() - reach).max(0.0);
            if beyond == 0.0 {
                worst = worst.max(error);
                measured += 1;
            }
            error <= self.options.tolerance + self.options.far_slope * beyond
        };
        let exact = |u: Vector3<f64>| candidates.sample(self.exact, cell.at(u)).distance;
        let mut random = self.random(cell);
        let last = cell.level == self.levels;
        let mut all = true;
        for (i, sample) in lattice.iter().enumerate() {
            all &= agrees(lattice_point(i), sample.distance);
        }
        let children = (0..CORNERS).map(|c| (corner(c) + Vector3::from_element(0.5)) / 2.0);
        for u in children.chain((0..RANDOM_POINTS).map(|_| random.cube())) {
            // a cell that will be split needs no further tests; the smallest cells are always measured in full
            if all || last {
                all &= agrees(u, exact(u));
            }
        }
        (all, worst, measured)
    }

    /// Random numbers seeded by the position of the cell, so that they do not depend on the order of the work.
    fn random(&self, cell: Cell) -> SplitMix {
        let bits = cell.center.map(f64::to_bits);
        SplitMix(bits.x ^ bits.y.rotate_left(21) ^ bits.z.rotate_left(42) ^ self.options.seed)
    }

    fn push_smooth(&self, tree: &mut Subtree, slot: usize, values: &[f32; CORNERS]) {
        let octree = &mut tree.octree;
        octree.nodes[slot] = Node::Smooth(octree.values.len() / CORNERS).encode();
        octree.values.extend_from_slice(values);
        self.count(CORNERS);
    }

    fn push_exact(&self, tree: &mut Subtree, slot: usize, candidates: &Candidates) {
        let triangles = candidates.triangles();
        let octree = &mut tree.octree;
        octree.nodes[slot] = Node::Exact(octree.lists.len()).encode();
        self.count(1 + triangles.len());
        octree.lists.push(triangles.len() as u32);
        octree.lists.extend(triangles);
    }

    /// Counts a leaf with this many values, and its share of the branches above, against the memory limit.
    fn count(&self, numbers: usize) {
        let bytes = (size_of::<u32>() * numbers) as u64 + 5;
        let limit = self.options.memory_limit.min((PLACES * size_of::<u32>()) as u64);
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
