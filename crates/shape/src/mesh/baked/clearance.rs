//! Lower bounds of the distance between the cells of a baked field and the solid.
//!
//! ```text
//! smooth leaf   min_c d_c                    interpolation never leaves the range of the corners
//! exact leaf    d(m) − r                     |d(p) − d(m)| ≤ |p − m|
//! branch        the least of its children
//! ```
//!
//! d_c distance at corner c [m], m middle of a cell, r half its diagonal [m]. A descent through the octree ends at
//! the first cell that is farther away than the reach of the query: most points are not near, and need neither leaf
//! nor triangles. It starts at an entry node, the *door*, up to two levels below the roots.

use nalgebra::Vector3;

use super::octree::{Grid, Node, Octree};
use super::trilinear::CORNERS;
use crate::mesh::MeshDistance;

/// A node with its lower bound, as a descent reads it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The encoded node.
    pub(super) code: u32,
    /// Every point of its cell is at least this far from the solid [m]; rounded down.
    pub(super) clear: f32,
}

/// Levels from a root cell down to a door.
const DOOR_LEVELS: u32 = 2;
/// Doors along the edge of a root cell.
pub(super) const DOORS: u32 = 1 << DOOR_LEVELS;

/// Entry node of a descent: for one cell of a grid finer than the roots, the node that covers it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Door {
    pub(super) step: Step,
    /// Doors along the edge of the node's cell: 1, 2 or [`DOORS`].
    pub(super) width: u32,
}

/// The data that a descent reads.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    /// All nodes in the order of the octree.
    pub(super) nodes: Vec<Step>,
    /// x fastest, like the roots.
    pub(super) doors: Vec<Door>,
}

impl Steps {
    pub(super) fn new(grid: &Grid, octree: &Octree, exact: &MeshDistance) -> Self {
        let clear = clearances(grid, octree, exact);
        let nodes: Vec<Step> =
            octree.nodes.iter().zip(clear).map(|(&code, clear)| Step { code, clear }).collect();
        let [nx, ny, nz] = grid.counts.map(|count| (count * DOORS) as usize);
        let door = |index: usize| {
            let place = [index % nx, index / nx % ny, index / nx / ny];
            let [x, y, z] = place.map(|number| number / DOORS as usize);
            let mut at = nodes[x + grid.counts[0] as usize * (y + grid.counts[1] as usize * z)];
            let mut width = DOORS;
            for level in (0..DOOR_LEVELS).rev() {
                let Some(Node::Branch(first)) = Node::decode(at.code) else { break };
                let child: usize = (0..3).map(|axis| (place[axis] >> level & 1) << axis).sum();
                at = nodes[first + child];
                width /= 2;
            }
            Door { step: at, width }
        };
        let doors = (0..nx * ny * nz).map(door).collect();
        Self { nodes, doors }
    }

    /// Size [bytes].
    pub(super) fn memory(&self) -> u64 {
        (size_of_val(&*self.nodes) + size_of_val(&*self.doors)) as u64
    }
}

fn clearances(grid: &Grid, octree: &Octree, exact: &MeshDistance) -> Vec<f32> {
    let mut clear = vec![f32::NEG_INFINITY; octree.nodes.len()];
    let mut seen = vec![false; octree.nodes.len()];
    let half = Vector3::from_element(grid.root_size / 2.0);
    let mut cells: Vec<(usize, Vector3<f64>, f64)> =
        (0..grid.roots()).map(|root| (root, grid.corner(root) + half, grid.root_size)).collect();
    while let Some((index, middle, size)) = cells.pop() {
        // a forged file might refer to children twice; visit every node only once
        if std::mem::replace(&mut seen[index], true) {
            continue;
        }
        match Node::decode(octree.nodes[index]) {
            Some(Node::Branch(first)) => {
                for child in 0..8 {
                    let side = |axis: usize| if child >> axis & 1 == 1 { 0.25 } else { -0.25 };
                    let offset = Vector3::new(side(0), side(1), side(2)) * size;
                    cells.push((first + child, middle + offset, size / 2.0));
                }
            }
            Some(Node::Smooth(block)) => {
                let (blocks, _) = octree.values.as_chunks::<CORNERS>();
                clear[index] = blocks[block].iter().copied().fold(f32::INFINITY, f32::min).next_down();
            }
            Some(Node::Exact(start)) => {
                let distance = exact.sample_among(middle, octree.list(start)).distance;
                clear[index] = ((distance - half_diagonal(size)) as f32).next_down();
            }
            None => {}
        }
    }
    // children come after their parent, so a backward pass sees them first
    for index in (0..octree.nodes.len()).rev() {
        if let Some(Node::Branch(first)) = Node::decode(octree.nodes[index]) {
            clear[index] = clear[first..first + 8].iter().copied().fold(f32::INFINITY, f32::min);
        }
    }
    clear
}

/// Half the diagonal of a cell with edges of this size [m].
pub(super) fn half_diagonal(size: f64) -> f64 {
    size * 0.75_f64.sqrt()
}
