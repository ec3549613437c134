//! A body that has only nodes and inertia, for validation cases (a block on four corners, a rod on one).

use std::sync::Arc;

use nalgebra::Vector3;
use tightfit_spatial::Inertia;

use crate::node::{Chart, NodeKind, NodeSet};

/// Nodes with a given inertia. It has no material: contact happens only at its nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeList {
    points: Arc<[Vector3<f64>]>,
    inertia: Inertia,
}

impl NodeList {
    /// Body of these nodes [m].
    #[must_use]
    pub fn new(points: Vec<Vector3<f64>>, inertia: Inertia) -> Self {
        Self { points: points.into(), inertia }
    }

    /// Node positions [m].
    #[must_use]
    pub fn points(&self) -> &[Vector3<f64>] {
        &self.points
    }

    /// The given inertia.
    #[must_use]
    pub fn inertia(&self) -> Inertia {
        self.inertia
    }

    /// Every given point as a corner node. Chart: v is the number of the point.
    #[must_use]
    pub fn nodes(&self) -> NodeSet {
        let mut nodes = NodeSet::default();
        (0..self.points.len()).for_each(|index| nodes.push(NodeKind::Corner, 0, 0.0, index as f64));
        nodes
    }

    /// Position of a node [m].
    #[must_use]
    pub fn place(&self, chart: Chart) -> Vector3<f64> {
        self.points.get(chart.v as usize).copied().unwrap_or_default()
    }
}
