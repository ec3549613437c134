//! Baking: builds the root cells in parallel, joins them in order and measures the error.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use nalgebra::Vector3;
use rayon::prelude::*;

use super::cell::{Bake, Subtree};
use super::clearance::Steps;
use super::error_report::ErrorReport;
use super::octree::{BakedField, Grid, Node, Octree};
use super::options::{BakeError, BakeOptions};
use super::trilinear::CORNERS;
use crate::mesh::MeshDistance;

/// Root cells along the longest axis: enough to keep all cores busy and the progress smooth.
const ROOTS: f64 = 24.0;
/// Number of times that `min_cell` may be enlarged to meet the memory limit.
const COARSENINGS: u32 = 6;

impl BakedField {
    /// Bakes the field of a mesh. The result depends on the mesh and the options alone, not on the number of threads.
    /// `progress` is called with a number in [0, 1], from several threads; it starts again at 0 when the bake
    /// restarts.
    ///
    /// When the field would exceed the memory limit, the smallest cells are enlarged and the bake restarts;
    /// [`ErrorReport::coarsened`] counts the restarts. Larger cells have longer lists of triangles and slower
    /// queries, and finally less accuracy.
    ///
    /// # Errors
    /// When a setting is out of range or the memory limit is too small for any useful field.
    pub fn bake(
        exact: &Arc<MeshDistance>,
        options: &BakeOptions,
        progress: &(dyn Fn(f64) + Sync),
    ) -> Result<Self, BakeError> {
        options.check()?;
        let (mut min_cell, mut coarsest) = (options.min_cell, options.min_cell);
        for coarsened in 0..=COARSENINGS {
            if let Some(mut field) = attempt(exact, options, min_cell, progress) {
                field.report.coarsened = coarsened;
                progress(1.0);
                return Ok(field);
            }
            coarsest = min_cell;
            // below the band, cells end as lists of triangles before they reach the smallest size: enlarge beyond it
            min_cell = (2.0 * min_cell).max(2.0 * options.band);
        }
        Err(BakeError::Memory { limit: options.memory_limit, min_cell: coarsest })
    }
}

/// One bake; `None` when it exceeds the memory limit.
fn attempt(
    exact: &Arc<MeshDistance>,
    options: &BakeOptions,
    min_cell: f64,
    progress: &(dyn Fn(f64) + Sync),
) -> Option<BakedField> {
    let (grid, levels) = grid(exact, options, min_cell);
    let bake = Bake { exact, options, levels, bytes: AtomicU64::new(0), over: AtomicBool::new(false) };
    let done = AtomicUsize::new(0);
    let half = Vector3::from_element(grid.root_size / 2.0);
    let trees: Vec<Subtree> = (0..grid.roots())
        .into_par_iter()
        .map(|index| {
            let tree = bake.root(grid.corner(index) + half, grid.root_size);
            let finished = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress(0.95 * finished as f64 / grid.roots() as f64);
            tree
        })
        .collect();
    if bake.over.into_inner() {
        return None;
    }
    let worst = trees.iter().fold(0.0, |most: f64, tree| most.max(tree.worst));
    let measured = trees.iter().map(|tree| tree.measured).sum();
    let octree = join(trees);
    let mut field = BakedField {
        steps: Steps::new(&grid, &octree, exact),
        grid,
        octree,
        exact: Arc::clone(exact),
        options: options.clone(),
        report: ErrorReport::default(),
    };
    if field.memory() > options.memory_limit {
        return None;
    }
    field.report = ErrorReport::measure(&field, exact, options.error_samples, options.seed);
    field.report.min_cell = min_cell;
    field.report.state_bound(worst, measured);
    Some(field)
}

/// Root cells around the solid, and the halvings from their size to `min_cell`.
fn grid(exact: &MeshDistance, options: &BakeOptions, min_cell: f64) -> (Grid, u32) {
    let margin = options.margin.max(2.0 * options.band) + exact.offset().max(0.0);
    let aabb = exact.mesh_aabb().grown(margin);
    let wanted = aabb.size().max() / ROOTS;
    let levels = (wanted / min_cell).log2().round().clamp(0.0, 20.0) as u32;
    let root_size = min_cell.max(wanted / f64::from(1 << 20)) * f64::from(1u32 << levels);
    let counts = [0, 1, 2].map(|i| ((aabb.size()[i] / root_size).ceil() as u32).max(1));
    let size = Vector3::from(counts.map(f64::from)) * root_size;
    (Grid { origin: aabb.center() - size / 2.0, root_size, counts }, levels)
}

/// Joins the subtrees to one octree: first the roots, then the nodes below each root in turn.
fn join(trees: Vec<Subtree>) -> Octree {
    let mut all = Octree { nodes: vec![0; trees.len()], ..Octree::default() };
    for (root, Subtree { octree: tree, .. }) in trees.into_iter().enumerate() {
        // node 0 of a subtree goes to the roots, node 1 and the rest to the end of the list
        let (nodes, blocks, lists) = (all.nodes.len() - 1, all.values.len() / CORNERS, all.lists.len());
        let mut moved = tree.nodes.iter().map(|&code| shifted(code, nodes, blocks, lists));
        all.nodes[root] = moved.next().unwrap_or_default();
        all.nodes.extend(moved);
        all.values.extend_from_slice(&tree.values);
        all.lists.extend_from_slice(&tree.lists);
    }
    all
}

/// The node after its children, values or list have moved by these counts.
fn shifted(code: u32, nodes: usize, blocks: usize, lists: usize) -> u32 {
    match Node::decode(code) {
        Some(Node::Branch(place)) => Node::Branch(place + nodes).encode(),
        Some(Node::Smooth(place)) => Node::Smooth(place + blocks).encode(),
        Some(Node::Exact(place)) => Node::Exact(place + lists).encode(),
        None => code,
    }
}
