//! Nodes of a CAD part. Chart: faces by their parameters, then straight edges by u, then others, then corners.

use std::f64::consts::TAU;

use nalgebra::{Matrix3, Vector3};
use tightfit_cad::geometry::{Curve, Surface};
use tightfit_cad::{Edge, Face, Solid};

use super::CadPart;
use crate::node::{Chart, FewestNodes, NodeKind, NodeSet, NodeSpacing};

/// Edges that are nearer to their surfaces than this lie on them [m].
const EXACT: f64 = 1e-9;
/// Repetitions of the search for a common point of surfaces, and its damping.
const SETTLING: u32 = 8;
const DAMPING: f64 = 1e-3;
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
        // straight edges first: blocks of their nodes are often not needed
        let is_curved = |edge: &Edge| !matches!(edge.curve, Curve::Line { .. });
        let sorted = [false, true].into_iter().flat_map(|curved| {
            let edges = solid.edges.iter().enumerate();
            edges.filter(move |(_, edge)| is_curved(edge) == curved)
        });
        for (number, edge) in sorted {
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

    /// Position of a node [m]. On edges and at corners that are off their surfaces, as in rounded files and recognised meshes, it
    /// is where the surfaces meet.
    #[must_use]
    pub fn place(&self, chart: Chart) -> Vector3<f64> {
        let solid = self.solid();
        let (faces, edges) = (solid.faces.len(), solid.edges.len());
        let number = chart.face as usize;
        if number < faces {
            return solid.face_point(number, chart.u, chart.v);
        }
        if number < faces + edges {
            let edge = &solid.edges[number - faces];
            return self.settled(edge.curve.point(chart.u), edge.gap, edge.faces.into_iter());
        }
        let vertex = number - faces - edges;
        let Some(point) = solid.vertices.get(vertex) else { return Vector3::zeros() };
        let meets = |edge: &&Edge| edge.ends.contains(&(vertex as u32));
        let at_vertex = || solid.edges.iter().filter(meets);
        let gap = at_vertex().map(|edge| edge.gap).fold(0.0, f64::max);
        self.settled(*point, gap, at_vertex().flat_map(|edge| edge.faces))
    }

    /// The point near another one where surfaces meet; surfaces that are almost tangent hardly move it along themselves.
    fn settled(
        &self,
        mut point: Vector3<f64>,
        gap: f64,
        faces: impl Iterator<Item = u32> + Clone,
    ) -> Vector3<f64> {
        if gap < EXACT {
            return point;
        }
        for _ in 0..SETTLING {
            let (mut weights, mut sum) = (Matrix3::from_diagonal_element(DAMPING), Vector3::zeros());
            for face in faces.clone().filter_map(|face| self.solid().faces.get(face as usize)) {
                if let Some(foot) = face.surface.foot(point).filter(|foot| !foot.is_apex) {
                    weights += foot.normal * foot.normal.transpose();
                    sum += foot.normal * foot.distance;
                }
            }
            point -= weights.try_inverse().map_or_else(Vector3::zeros, |inverse| inverse * sum);
        }
        point
    }
}
