//! Convex edges of a part, which may cross those of another part, and boxes around groups of them: most edges of a gear are
//! far from those of the other.

use tightfit_shape::SharpEdge;
use tightfit_shape::mesh::Aabb;

/// Edges of a group: successive ones lie beside each other.
const GROUP: usize = 16;

/// The edges.
#[derive(Clone, Debug, Default)]
pub(super) struct ConvexEdges {
    edges: Vec<SharpEdge>,
    /// Boxes around the edges, which are read far more often than these.
    boxes: Vec<Aabb>,
    /// Boxes around each 16 of them.
    groups: Vec<Aabb>,
}

impl ConvexEdges {
    pub(super) fn new(edges: Vec<SharpEdge>) -> Self {
        let boxes: Vec<Aabb> = edges.iter().map(|edge| edge.bounds).collect();
        let around = |boxes: &[Aabb]| Aabb::of(boxes.iter().flat_map(|bounds| [bounds.min, bounds.max]));
        let groups = boxes.chunks(GROUP).map(around).collect();
        Self { edges, boxes, groups }
    }

    pub(super) fn len(&self) -> usize {
        self.edges.len()
    }

    /// Visits edges, with their numbers, whose boxes pass a test; a larger box must pass it too.
    pub(super) fn each_where(&self, test: impl Fn(&Aabb) -> bool, mut visit: impl FnMut(usize, &SharpEdge)) {
        for (group, _) in self.groups.iter().enumerate().filter(|(_, around)| test(around)) {
            let first = group * GROUP;
            let end = self.edges.len().min(first + GROUP);
            for number in (first..end).filter(|number| test(&self.boxes[*number])) {
                visit(number, &self.edges[number]);
            }
        }
    }
}
