//! Which round features of an exact solid its nodes slide along (`crate::node::Slides`).

use std::collections::BTreeMap;

use nalgebra::Vector3;
use tightfit_cad::geometry::{Curve, Surface};
use tightfit_cad::{Edge, Face, Solid};

use super::CadPart;
use crate::node::{Cell, NodeKind, NodeSet, Round, RoundKind, Slides};

/// Parameters that differ by less than this belong to one row [rad, m].
const SAME: f64 = 1e-9;

impl CadPart {
    /// Cells of the nodes.
    pub(crate) fn slides(&self, nodes: &NodeSet) -> Slides {
        self.prepare();
        let solid = self.solid();
        let mut slides = Slides::default();
        let mut ends = Ends::default();
        let mut start = 0;
        while start < nodes.len() {
            let feature = nodes.face[start];
            let end = start + nodes.face[start..].iter().take_while(|other| **other == feature).count();
            let number = feature as usize;
            let cells = match nodes.kind[start] {
                NodeKind::Face => {
                    face_cells(solid, number, &nodes.u[start..end], &nodes.v[start..end], &mut slides)
                }
                NodeKind::Edge => edge_cells(
                    solid,
                    number - solid.faces.len(),
                    &nodes.u[start..end],
                    &mut slides,
                    &mut ends,
                ),
                NodeKind::Corner => {
                    let first = (solid.faces.len() + solid.edges.len()) as u32;
                    vec![ends.cell(feature - first, &slides); end - start]
                }
            };
            for (index, cell) in (start..end).zip(cells) {
                slides.push(cell, self.place(nodes.chart(index)));
            }
            start = end;
        }
        slides
    }

    /// Whether a face holds a point of its surface.
    #[must_use]
    pub fn holds(&self, face: u32, point: Vector3<f64>) -> bool {
        self.solid().face_holds(face as usize, point)
    }

    /// Whether a convex round face can be within a ball [m].
    pub(crate) fn is_round_near(&self, centre: Vector3<f64>, radius: f64) -> bool {
        self.round_near(centre, radius).next().is_some()
    }

    /// Largest curvature of a convex round face [1/m].
    pub(crate) fn most_bent(&self) -> f64 {
        self.bends.iter().copied().fold(0.0, f64::max)
    }

    /// Largest curvature of a convex round face that can be within a ball [1/m].
    pub(crate) fn most_bent_near(&self, centre: Vector3<f64>, radius: f64) -> f64 {
        self.round_near(centre, radius).map(|face| self.bends[face as usize]).fold(0.0, f64::max)
    }

    /// Convex round faces that can be within a ball [m].
    fn round_near(&self, centre: Vector3<f64>, radius: f64) -> impl Iterator<Item = u32> {
        let solid = self.solid();
        solid.faces_within(centre, radius).filter(move |number| {
            let face = &solid.faces[*number as usize];
            let is_near = || face.surface.foot(centre).is_none_or(|foot| foot.distance.abs() <= radius);
            is_round(face) && is_near()
        })
    }

    /// Whether a face has no closed form, so that its lowest point over a plane is known at nodes alone.
    #[must_use]
    pub fn has_free_form_faces(&self) -> bool {
        self.solid().faces.iter().any(|face| matches!(face.surface, Surface::Parametric(_)))
    }
}

/// Largest curvature of each face of a solid that is convex and round [1/m], 0 of others.
pub(super) fn bends(solid: &Solid) -> Vec<f64> {
    let radius = |face: &Face| match &face.surface {
        Surface::Cylinder(_, radius) | Surface::Sphere(_, radius) | Surface::Torus(_, [_, radius]) => *radius,
        Surface::Cone { frame, .. } => {
            // a cone is most bent where it ends
            let ends = face.loops.iter().flatten().flat_map(|side| {
                let edge = &solid.edges[side.edge as usize];
                [0.0, 0.5, 1.0]
                    .map(|share| edge.range[0] + share * (edge.range[1] - edge.range[0]))
                    .map(|at| edge.curve.point(at))
            });
            ends.map(|end| frame.inside(end).xy().norm()).fold(f64::INFINITY, f64::min)
        }
        Surface::Plane(_) | Surface::Parametric(_) => f64::INFINITY,
    };
    solid.faces.iter().map(|face| if is_round(face) { radius(face).recip() } else { 0.0 }).collect()
}

/// Whether a face is convex and round.
fn is_round(face: &Face) -> bool {
    face.sign > 0.0 && !matches!(face.surface, Surface::Plane(_) | Surface::Parametric(_))
}

fn face_cells(solid: &Solid, number: usize, u: &[f64], v: &[f64], slides: &mut Slides) -> Vec<Cell> {
    let face = &solid.faces[number];
    let (frame, kind) = match &face.surface {
        Surface::Plane(_) => return vec![Cell::Idle; u.len()],
        Surface::Cylinder(frame, _) | Surface::Cone { frame, .. } => {
            (frame, RoundKind::Circles { is_edge: false })
        }
        Surface::Sphere(frame, radius) => (frame, RoundKind::Tube { major: 0.0, minor: *radius }),
        Surface::Torus(frame, [major, minor]) => (frame, RoundKind::Tube { major: *major, minor: *minor }),
        Surface::Parametric(_) => return vec![Cell::Point; u.len()],
    };
    // bores and sockets curve towards what they hold
    if face.sign < 0.0 {
        return vec![Cell::Idle; u.len()];
    }
    let round = slides.add(Round { frame: *frame, kind, face: Some(number as u32) });
    let rows = half_gaps(u, v, 0.5 * solid.face_turn(number));
    let across = 0.5 * least_gap(v.to_vec()).unwrap_or(std::f64::consts::TAU);
    let cell = |row: &f64| match kind {
        RoundKind::Circles { .. } => Cell::Arc(round, [*row; 2]),
        RoundKind::Tube { .. } => Cell::Patch(round, [*row, across]),
    };
    rows.iter().map(cell).collect()
}

/// What ends at vertices: circles, with the angles that the vertex stands for, or other edges.
#[derive(Default)]
struct Ends(BTreeMap<u32, Vec<Option<(u32, f64)>>>);

impl Ends {
    fn add(&mut self, edge: &Edge, circle: Option<(u32, f64)>) {
        edge.ends.iter().for_each(|end| self.0.entry(*end).or_default().push(circle));
    }

    /// Cell of a vertex: where arcs of one circle meet it is no corner.
    fn cell(&self, vertex: u32, slides: &Slides) -> Cell {
        match self.0.get(&vertex).map(Vec::as_slice) {
            Some([Some((round, half)), others @ ..])
                if others
                    .iter()
                    .all(|other| other.is_some_and(|(other, _)| slides.is_same_axis(*round, other))) =>
            {
                Cell::Arc(*round, [*half; 2])
            }
            _ => Cell::Point,
        }
    }
}

fn edge_cells(solid: &Solid, number: usize, t: &[f64], slides: &mut Slides, ends: &mut Ends) -> Vec<Cell> {
    let edge = &solid.edges[number];
    let frame = match &edge.curve {
        Curve::Circle(frame, _) => frame,
        other => {
            ends.add(edge, None);
            let Curve::Line { along, .. } = other else { return vec![Cell::Point; t.len()] };
            return lengths(edge, t).into_iter().map(|cell| Cell::Line(*along, cell)).collect();
        }
    };
    let kind = RoundKind::Circles { is_edge: true };
    let round = slides.add(Round { frame: *frame, kind, face: None });
    let is_closed = edge.range[1] - edge.range[0] > std::f64::consts::TAU - SAME;
    let half = 0.5 * least_gap(t.to_vec()).unwrap_or(edge.range[1] - edge.range[0]);
    ends.add(edge, Some((round, if is_closed { half } else { SAME })));
    let cells = if is_closed { vec![[half; 2]; t.len()] } else { lengths(edge, t) };
    cells.into_iter().map(|cell| Cell::Arc(round, cell)).collect()
}

/// Parameters before and after each node of an edge that it stands for: half of the way to the next node, all of it to an end.
fn lengths(edge: &Edge, t: &[f64]) -> Vec<[f64; 2]> {
    let gap = least_gap(t.to_vec()).unwrap_or(0.5 * (edge.range[1] - edge.range[0]));
    let to_end = |distance: f64| if distance < 1.5 * gap { distance } else { 0.5 * gap };
    t.iter().map(|t| [to_end(t - edge.range[0]), to_end(edge.range[1] - t)]).collect()
}

/// Half the distance between neighbours in the row of each node; a node that is alone stands for `alone` to either side [rad].
fn half_gaps(u: &[f64], v: &[f64], alone: f64) -> Vec<f64> {
    let key = |value: f64| (value / SAME).round() as i64;
    let mut rows: BTreeMap<i64, Vec<f64>> = BTreeMap::new();
    for (u, v) in u.iter().zip(v) {
        rows.entry(key(*v)).or_default().push(*u);
    }
    let halves: BTreeMap<i64, f64> =
        rows.into_iter().map(|(row, own)| (row, least_gap(own).map_or(alone, |gap| 0.5 * gap))).collect();
    v.iter().map(|v| halves[&key(*v)]).collect()
}

/// Smallest distance between different values.
fn least_gap(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let gaps = values.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > SAME);
    gaps.reduce(f64::min)
}
