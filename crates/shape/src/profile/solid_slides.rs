//! How the nodes of a sectioned body slide: rings about the axis of a round one, lines along the flats and arcs about the corners of one
//! with round corners, lines along the edges of one with sharp corners.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use nalgebra::Vector3;
use tightfit_cad::geometry::Frame;

use super::{Section, SectionedSolid};
use crate::node::{Cell, Chart, NodeKind, NodeSet, Round, RoundKind, Slides};

/// Nodes of one row around a face or of one edge.
type Ring = (u32, u64, u8);

fn ring_of(nodes: &NodeSet, index: usize) -> Ring {
    (nodes.face[index], nodes.u[index].to_bits(), nodes.kind[index] as u8)
}

/// The nodes of all rings, in the order of their laps.
fn rings(nodes: &NodeSet) -> BTreeMap<Ring, Vec<usize>> {
    let mut rings: BTreeMap<Ring, Vec<usize>> = BTreeMap::new();
    (0..nodes.len()).for_each(|index| rings.entry(ring_of(nodes, index)).or_default().push(index));
    rings.values_mut().for_each(|ring| ring.sort_by(|a, b| nodes.v[*a].total_cmp(&nodes.v[*b])));
    rings
}

/// Radius below which an arc is a corner [m].
const FINEST_ARC: f64 = 1e-6;

impl SectionedSolid {
    /// Whether a convex round face of a round body can be within a ball [m].
    pub(crate) fn is_round_near(&self, centre: Vector3<f64>, radius: f64) -> bool {
        let at = [centre.xy().norm(), centre.z];
        self.outline.edges().any(|(index, [start, end])| {
            let [radial, axial] = self.outline.edge_normal(index);
            let across = radial * (at[0] - start[0]) + axial * (at[1] - start[1]);
            let is_level = at[1] + radius >= start[1].min(end[1]) && at[1] - radius <= start[1].max(end[1]);
            (radial > 1e-9 || self.section != Section::Round) && is_level && across.abs() <= radius
        })
    }

    /// Largest curvature of a convex round face [1/m].
    pub(crate) fn most_bent(&self) -> f64 {
        let core = match self.section {
            Section::Round => 0.0,
            Section::RoundedPolygon { core, .. } => core,
            Section::Polygon { .. } => return 0.0,
        };
        let convex = self.outline.edges().filter(|(index, _)| self.outline.edge_normal(*index)[0] > 1e-9);
        let radii = convex.map(|(_, [start, end])| (start[0].min(end[0]) - core).max(0.0));
        // an arc that is a corner has no face
        radii.filter(|radius| core == 0.0 || *radius > FINEST_ARC).map(f64::recip).fold(0.0, f64::max)
    }

    /// Cells of the nodes: rings about the axis of a round body; lines along the flats and arcs about the corners of one with round
    /// corners; lines along the edges of one with sharp corners.
    pub(crate) fn slides(&self, nodes: &NodeSet) -> Slides {
        match self.section {
            Section::Round => self.slides_of_round(nodes),
            Section::RoundedPolygon { sides, core } => self.slides_of_rounded(nodes, sides, core),
            Section::Polygon { sides } => self.slides_of_polygon(nodes, sides),
        }
    }

    /// Edges slide along their line, ridges between two flats and rims alike; their ends are corners.
    fn slides_of_polygon(&self, nodes: &NodeSet, sides: u32) -> Slides {
        let is_corner = |lap: f64| {
            let past = (lap * f64::from(sides) + 0.5).fract();
            past.min(1.0 - past) < 1e-9
        };
        // the nodes of a rim have u = 0, those of a ridge lie between
        let is_edge = |index: &usize| nodes.kind[*index] == NodeKind::Edge;
        let is_ridge = |index: usize| nodes.u[index] > 0.0;
        let mut cells: Vec<Cell> = (0..nodes.len())
            .map(|index| if nodes.kind[index] == NodeKind::Face { Cell::Idle } else { Cell::Point })
            .collect();
        let mut edges: BTreeMap<(u32, bool, u64), Vec<usize>> = BTreeMap::new();
        for index in (0..nodes.len()).filter(is_edge) {
            let lap = if is_ridge(index) { nodes.v[index].to_bits() } else { 0 };
            edges.entry((nodes.face[index], is_ridge(index), lap)).or_default().push(index);
        }
        for ((face, of_ridge, _), mut edge) in edges {
            let along = if of_ridge { &nodes.u } else { &nodes.v };
            edge.sort_by(|a, b| along[*a].total_cmp(&along[*b]));
            let ends = [0.0, 1.0].map(|u| self.place(Chart { face, u, v: nodes.v[edge[0]] }));
            let place_of = |index: usize| self.place(nodes.chart(index));
            let is_end = |index: usize| !of_ridge && is_corner(nodes.v[index]);
            for (place, &index) in edge.iter().enumerate().filter(|(_, index)| !is_end(**index)) {
                let beside = [edge.len() - 1, 1].map(|step| (place + step) % edge.len());
                let goes_on = [place > 0, place + 1 < edge.len()];
                let own = place_of(index);
                // half of the way to the next node, all of it to an end
                let [before, after] =
                    [0, 1].map(|side| match (of_ridge && !goes_on[side], edge[beside[side]]) {
                        (true, _) => ends[side] - own,
                        (false, other) if is_end(other) => place_of(other) - own,
                        (false, other) => 0.5 * (place_of(other) - own),
                    });
                // at the tip of a pyramid a rim is a point
                if let Some(along) = (after - before).try_normalize(0.0) {
                    cells[index] = Cell::Line(along, [before.norm(), after.norm()]);
                }
            }
        }
        let mut slides = Slides::default();
        for (index, cell) in cells.into_iter().enumerate() {
            slides.push(cell, self.place(nodes.chart(index)));
        }
        slides
    }

    fn slides_of_round(&self, nodes: &NodeSet) -> Slides {
        let mut slides = Slides::default();
        let rings = rings(nodes);
        let [edges, faces] = [true, false].map(|is_edge| {
            let kind = RoundKind::Circles { is_edge };
            slides.add(Round { frame: Frame::identity(), kind, face: None })
        });
        for index in 0..nodes.len() {
            let half = PI / rings[&ring_of(nodes, index)].len() as f64;
            let out = self.outline.edge_normal(nodes.face[index] as usize)[0];
            let cell = match nodes.kind[index] {
                NodeKind::Edge => Cell::Arc(edges, [half; 2]),
                NodeKind::Face if out > 1e-9 => Cell::Arc(faces, [half; 2]),
                NodeKind::Face => Cell::Idle,
                NodeKind::Corner => Cell::Point,
            };
            slides.push(cell, self.place(nodes.chart(index)));
        }
        slides
    }

    /// Edges slide along their flat or about their corner, convex corners to where they are lowest. Where a flat and an arc meet, a node
    /// stays, and the nodes beside it stand for all that is between.
    fn slides_of_rounded(&self, nodes: &NodeSet, sides: u32, core: f64) -> Slides {
        let mut slides = Slides::default();
        let count = f64::from(sides);
        let corners: Vec<[u32; 2]> = (0..sides)
            .map(|side| {
                let angle = (f64::from(side) + 0.5) * TAU / count;
                let (sin, cos) = libm::sincos(angle);
                let origin = Vector3::new(cos, sin, 0.0) * (core / libm::cos(PI / count));
                [true, false].map(|is_edge| {
                    let frame = Frame { origin, ..Frame::identity() };
                    slides.add(Round { frame, kind: RoundKind::Circles { is_edge }, face: None })
                })
            })
            .collect();
        // which flat (even) or arc (odd) a lap is on, and whether it lies where the two meet
        let stretch = |lap: f64| (2.0 * (lap * count + 0.25)).floor();
        let is_joint = |lap: f64| {
            (2.0 * (lap * count + 0.25)).fract().min(1.0 - (2.0 * (lap * count + 0.25)).fract()) < 1e-9
        };
        let mut cells = vec![Cell::Point; nodes.len()];
        for ring in rings(nodes).values() {
            for (place, &index) in ring.iter().enumerate() {
                let lap = nodes.v[index];
                let out = self.outline.edge_normal(nodes.face[index] as usize)[0];
                let is_edge = nodes.kind[index] == NodeKind::Edge;
                let is_arc = stretch(lap) as u32 % 2 == 1;
                if is_joint(lap) || !(is_edge || (is_arc && out > 1e-9)) {
                    continue;
                }
                let own = self.place(nodes.chart(index));
                let beside = [ring.len() - 1, 1].map(|step| ring[(place + step) % ring.len()]);
                let places = beside.map(|other| self.place(nodes.chart(other)));
                let share = beside.map(|other| if is_joint(nodes.v[other]) { 1.0 } else { 0.5 });
                let apart = [0, 1].map(|side| share[side] * (places[side] - own).norm());
                cells[index] = if is_arc {
                    let corner = (stretch(lap) as u32 / 2) % sides;
                    let [edges, faces] = corners[corner as usize];
                    let round = if is_edge { edges } else { faces };
                    let radius = (own.xy() - slides.centre(round).xy()).norm();
                    if radius < FINEST_ARC {
                        continue;
                    }
                    Cell::Arc(round, apart.map(|chord| 2.0 * libm::asin((0.5 * chord / radius).min(1.0))))
                } else {
                    Cell::Line((places[1] - places[0]).normalize(), apart)
                };
            }
        }
        for (index, cell) in cells.into_iter().enumerate() {
            slides.push(cell, self.place(nodes.chart(index)));
        }
        slides
    }
}
