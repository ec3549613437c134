//! Chart coordinates of nodes, in columns.

/// The kind of feature that a node lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// The interior of a face.
    Face,
    /// A convex edge.
    Edge,
    /// A point where convex edges meet.
    Corner,
}

/// Position of a node on a part, independent of the part's dimensions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chart {
    /// Number of the face; each kind of part numbers its faces.
    pub face: u32,
    /// First coordinate on the face [-], usually 0 to 1 across it.
    pub u: f64,
    /// Second coordinate [-]: revolutions around the axis, turns along a thread, or a barycentric coordinate.
    pub v: f64,
}

/// Nodes of a part, face by face.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeSet {
    /// Face of every node.
    pub face: Vec<u32>,
    /// First chart coordinate of every node [-].
    pub u: Vec<f64>,
    /// Second chart coordinate of every node [-].
    pub v: Vec<f64>,
    /// Feature that every node lies on.
    pub kind: Vec<NodeKind>,
    /// Spacing that remains in the node's row [m] when the node is skipped together with all nodes of equal or lower
    /// priority; infinite for nodes that are never skipped. Detection skips nodes where another part conforms and the
    /// remaining spacing suffices.
    pub left: Vec<f64>,
}

impl NodeSet {
    /// Appends a node that is never skipped.
    pub fn push(&mut self, kind: NodeKind, face: u32, u: f64, v: f64) {
        self.push_between(kind, face, u, v, f64::INFINITY);
    }

    /// Appends a node that may be skipped, which leaves the spacing `left` [m].
    pub fn push_between(&mut self, kind: NodeKind, face: u32, u: f64, v: f64, left: f64) {
        self.face.push(face);
        self.u.push(u);
        self.v.push(v);
        self.kind.push(kind);
        self.left.push(left);
    }

    /// Sorts the nodes so that consecutive nodes are skipped together: by falling priority (`left`), then by `side`,
    /// then by `height` [m].
    pub(crate) fn pack(&mut self, side: impl Fn(Chart) -> u32, height: impl Fn(Chart) -> f64) {
        let all = std::mem::take(self);
        let mut order: Vec<_> = (0..all.len())
            .map(|index| (all.left[index], side(all.chart(index)), height(all.chart(index)), index))
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.total_cmp(&b.2)));
        for (left, _, _, index) in order {
            let Chart { face, u, v } = all.chart(index);
            self.push_between(all.kind[index], face, u, v, left);
        }
    }

    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.face.len()
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.face.is_empty()
    }

    /// Chart coordinate of node `index`.
    #[must_use]
    pub fn chart(&self, index: usize) -> Chart {
        Chart { face: self.face[index], u: self.u[index], v: self.v[index] }
    }

    /// Number of nodes of one kind.
    #[must_use]
    pub fn count(&self, kind: NodeKind) -> usize {
        self.kind.iter().filter(|&&own| own == kind).count()
    }

    /// Keeps the nodes whose chart satisfies `keep`.
    pub fn retain(&mut self, mut keep: impl FnMut(Chart) -> bool) {
        let all = std::mem::take(self);
        for index in 0..all.len() {
            let chart = all.chart(index);
            if keep(chart) {
                self.push_between(all.kind[index], chart.face, chart.u, chart.v, all.left[index]);
            }
        }
    }

    /// Appends the nodes of a component; its faces are renumbered from `first_face`.
    pub fn append(&mut self, other: &NodeSet, first_face: u32) {
        self.face.extend(other.face.iter().map(|face| face + first_face));
        self.u.extend_from_slice(&other.u);
        self.v.extend_from_slice(&other.v);
        self.kind.extend_from_slice(&other.kind);
        self.left.extend_from_slice(&other.left);
    }
}
