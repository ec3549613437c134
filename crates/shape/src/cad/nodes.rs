//! Nodes of a CAD part. Chart: faces by their parameters, then edges by u, then corners.

use std::f64::consts::TAU;

use nalgebra::Vector3;
use tightfit_cad::geometry::{Curve, Surface};
use tightfit_cad::{Edge, Face, Solid};

use super::CadPart;
use crate::node::{Chart, FewestNodes, NodeKind, NodeSet, NodeSpacing};

/// Edges that bend less than this [rad] are smooth: no part touches them first.
const SMOOTH: f64 = 1e-3;

/// Whether straight lines of a plane, cylinder or cone end at a smooth edge, beyond which the surface bends away: it rests there.
/// Those of a cylinder run along a straight edge.
fn ends_lines(solid: &Solid, edge: &Edge) -> bool {
    let of = |place: usize| edge.faces.get(place).and_then(|face| solid.faces.get(*face as usize));
    let [Some(a), Some(b)] = [of(0), of(1)] else { return false };
    let is_plane = |face: &Face| matches!(face.surface, Surface::Plane(_));
    let is_straight =
        |face: &Face| is_plane(face) || matches!(face.surface, Surface::Cylinder(..) | Surface::Cone { .. });
    let bends = |face: &Face| face.sign > 0.0 && !is_plane(face);
    let ends = |face: &Face| is_plane(face) || !matches!(edge.curve, Curve::Line { .. });
    !edge.is_seam && ((is_straight(a) && ends(a) && bends(b)) || (is_straight(b) && ends(b) && bends(a)))
}

impl CadPart {
    /// Nodes on all faces, on convex edges and at their ends.
    #[must_use]
    pub fn nodes(&self, spacing: &NodeSpacing) -> NodeSet {
        let mut nodes = NodeSet::default();
        let turn = |fewest: FewestNodes| if fewest.round > 0 { TAU / f64::from(fewest.round) } else { 0.5 };
        let solid = self.solid();
        for face in 0..solid.faces.len() {
            for [u, v] in solid.face_nodes(face, spacing.face, turn(spacing.fewest_on_faces)) {
                nodes.push(NodeKind::Face, face as u32, u, v);
            }
        }
        let mut is_end = vec![false; solid.vertices.len()];
        for (number, edge) in solid.edges.iter().enumerate() {
            let middle = 0.5 * (edge.range[0] + edge.range[1]);
            let angle = solid.edge_angle(number, middle);
            if angle < SMOOTH && !(angle > -SMOOTH && ends_lines(solid, edge)) {
                continue;
            }
            for t in solid.edge_nodes(number, spacing.edge, turn(spacing.fewest_on_edges)) {
                nodes.push(NodeKind::Edge, (solid.faces.len() + number) as u32, t, 0.0);
            }
            edge.ends.iter().for_each(|&vertex| is_end[vertex as usize] = true);
        }
        let first = solid.faces.len() + solid.edges.len();
        for (vertex, _) in is_end.iter().enumerate().filter(|(_, is_end)| **is_end) {
            nodes.push(NodeKind::Corner, (first + vertex) as u32, 0.0, 0.0);
        }
        nodes
    }

    /// Position of a node [m].
    #[must_use]
    pub fn place(&self, chart: Chart) -> Vector3<f64> {
        let solid = self.solid();
        let (faces, edges) = (solid.faces.len(), solid.edges.len());
        let number = chart.face as usize;
        if number < faces {
            solid.face_point(number, chart.u, chart.v)
        } else if number < faces + edges {
            solid.edges[number - faces].curve.point(chart.u)
        } else {
            solid.vertices.get(number - faces - edges).copied().unwrap_or_default()
        }
    }
}
