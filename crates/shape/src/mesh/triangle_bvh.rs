//! A bounding volume hierarchy over triangles: which of them can hold the nearest point.
//!
//! Boxes are split at the median centroid of their longest axis and stored depth first, so the layout (and
//! with it every answer) depends on the mesh alone. The search visits the nearer box first and keeps boxes
//! that tie with the best distance found, because the sign of a distance is decided among ties.

use nalgebra::Vector3;

use super::tri_mesh::Aabb;

/// Triangles per leaf: below this, testing boxes costs more than testing triangles.
const LEAF: usize = 4;
/// Enough for a median-split tree over 2³² triangles.
const STACK: usize = 64;

#[derive(Clone, Debug)]
struct Node {
    aabb: Aabb,
    /// Second child of a branch (the first follows its parent); first triangle of a leaf.
    index: u32,
    /// Triangles of a leaf, 0 for a branch.
    count: u32,
}

/// The hierarchy; triangles are numbered in its own order, see [`TriangleBvh::build`].
#[derive(Clone, Debug)]
pub(super) struct TriangleBvh {
    nodes: Vec<Node>,
}

impl TriangleBvh {
    /// Hierarchy over boxes, and the order in which it wants the triangles stored.
    pub(super) fn build(boxes: &[Aabb]) -> (Self, Vec<u32>) {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut nodes = Vec::with_capacity(boxes.len());
        split(boxes, &mut order, 0, &mut nodes);
        (Self { nodes }, order)
    }

    /// Size in memory [bytes].
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.nodes)
    }

    /// Calls `visit(triangle)` for every triangle whose box is within the bound, nearer boxes first; `visit`
    /// returns the squared distance [m²] beyond which boxes may be skipped from now on.
    #[inline]
    pub(super) fn search(&self, point: Vector3<f64>, bound: f64, mut visit: impl FnMut(usize) -> f64) {
        let mut bound = bound;
        let mut stack = [(0u32, 0.0f64); STACK];
        let mut height = 1;
        stack[0] = (0, self.squared_distance(0, point));
        while height > 0 {
            height -= 1;
            let (index, squared) = stack[height];
            if squared > bound {
                continue;
            }
            let node = &self.nodes[index as usize];
            if node.count > 0 {
                for triangle in node.index..node.index + node.count {
                    bound = visit(triangle as usize);
                }
                continue;
            }
            let mut near = (index + 1, self.squared_distance(index + 1, point));
            let mut far = (node.index, self.squared_distance(node.index, point));
            if far.1 < near.1 {
                std::mem::swap(&mut near, &mut far);
            }
            stack[height] = far;
            stack[height + 1] = near;
            height += 2;
        }
    }

    #[inline]
    fn squared_distance(&self, index: u32, p: Vector3<f64>) -> f64 {
        let aabb = &self.nodes[index as usize].aabb;
        let axis = |i: usize| (aabb.min[i] - p[i]).max(p[i] - aabb.max[i]).max(0.0);
        let (x, y, z) = (axis(0), axis(1), axis(2));
        x * x + y * y + z * z
    }
}

fn split(boxes: &[Aabb], order: &mut [u32], first: u32, nodes: &mut Vec<Node>) {
    let aabb = Aabb::of(order.iter().flat_map(|&t| [boxes[t as usize].min, boxes[t as usize].max]));
    if order.len() <= LEAF {
        nodes.push(Node { aabb, index: first, count: order.len() as u32 });
        return;
    }
    let centers = Aabb::of(order.iter().map(|&t| boxes[t as usize].center()));
    let axis = centers.size().imax();
    let key = |t: u32| boxes[t as usize].center()[axis];
    let middle = order.len() / 2;
    // the index breaks ties, so that equal centroids cannot make the layout depend on the sort
    order.select_nth_unstable_by(middle, |&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
    let branch = nodes.len();
    nodes.push(Node { aabb, index: 0, count: 0 });
    let (left, right) = order.split_at_mut(middle);
    split(boxes, left, first, nodes);
    nodes[branch].index = nodes.len() as u32;
    split(boxes, right, first + middle as u32, nodes);
}
