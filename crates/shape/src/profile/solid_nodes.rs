//! Nodes of a sectioned body: rows around every face, rings on every convex edge.
//!
//! Nodes on the mating wall of a peg or hole have a lower priority than the rings at its ends: where another wall
//! conforms, the gap along a line of the wall is smallest at the ends.
//!
//! Chart: face = edge of the outline, u ∈ [0, 1] along it, v ∈ [0, 1) laps around the section.

use nalgebra::Vector3;

use super::{Section, SectionedSolid};
use crate::node::{Chart, FewestNodes, NodeKind, NodeSet, NodeSpacing};

impl SectionedSolid {
    /// Position of a node in the part's frame [m].
    #[must_use]
    pub fn place(&self, chart: Chart) -> Vector3<f64> {
        let [start, end] = self.outline.edge(chart.face as usize % self.outline.vertices().len());
        let across = self.section.point(start[0] + (end[0] - start[0]) * chart.u, chart.v);
        Vector3::new(across.x, across.y, start[1] + (end[1] - start[1]) * chart.u)
    }

    /// Nodes on all faces, convex edges and corners.
    #[must_use]
    pub fn nodes(&self, spacing: &NodeSpacing) -> NodeSet {
        let mut nodes = NodeSet::default();
        let on_rim = |level: f64| self.section.distances(level, spacing.edge, spacing.fewest_on_edges);
        let wall = self.wall_edge().filter(|_| spacing.edge <= spacing.face);
        for (index, [start, end]) in self.outline.edges() {
            let face = index as u32;
            let left = wall
                .filter(|(edge, _)| *edge == index)
                .map_or(f64::INFINITY, |(_, wall)| on_rim(wall.radius).arc);
            let length = libm::hypot(end[0] - start[0], end[1] - start[1]);
            // a flat end touches at its rims, so its face needs no minimum count
            let out = self.outline.edge_normal(index)[0];
            let (is_flat, points_out) = (out.abs() < 1e-9, out > 0.0);
            let fewest = if is_flat { FewestNodes::NONE } else { spacing.fewest_on_faces };
            let rows = along(length, spacing.face, start[0].max(end[0]), fewest);
            for row in 0..rows {
                let u = (row as f64 + 0.5) / rows as f64;
                let level = start[0] + (end[0] - start[0]) * u;
                // every second row is shifted by half a spacing, so that the gaps of the rows do not line up
                let phase = 0.5 * (row % 2) as f64;
                let distances = self.section.distances(level, spacing.face, fewest);
                for lap in self.section.laps(level, distances, phase) {
                    nodes.push_between(NodeKind::Face, face, u, lap, left);
                }
            }
            if self.outline.is_convex(index) {
                for lap in self.section.laps(start[0], on_rim(start[0]), 0.0) {
                    nodes.push(NodeKind::Edge, face, 0.0, lap);
                }
            }
            // the tip of a cone
            for (u, [level, _]) in [(0.0, start), (1.0, end)] {
                if level == 0.0 && !is_flat && self.section == Section::Round && points_out {
                    nodes.push(NodeKind::Corner, face, u, 0.0);
                }
            }
            self.corner_nodes(index, length, spacing, &mut nodes);
        }
        if wall.is_some() {
            nodes.pack(|chart| chart.face, |chart| chart.u);
        }
        nodes
    }

    /// Nodes on the edges between the flats of a sharp polygon, which are convex where the face points away from the
    /// axis.
    fn corner_nodes(&self, index: usize, length: f64, spacing: &NodeSpacing, nodes: &mut NodeSet) {
        let Section::Polygon { sides } = self.section else { return };
        if self.outline.edge_normal(index)[0] <= 1e-9 {
            return;
        }
        let [start, end] = self.outline.edge(index);
        let count = along(length, spacing.edge, start[0].max(end[0]), spacing.fewest_on_edges);
        for side in 0..sides {
            let lap = (f64::from(side) + 0.5) / f64::from(sides);
            for step in 0..=count {
                let end = step == 0 || step == count;
                let kind = if end { NodeKind::Corner } else { NodeKind::Edge };
                nodes.push(kind, index as u32, step as f64 / count as f64, lap);
            }
        }
    }
}

/// Largest number of rows along a slender wall: a wire one metre long does not need a million nodes.
const MOST_ROWS: usize = 1000;

/// Number of intervals along a wall of this length and half width [m].
fn along(length: f64, spacing: f64, half_width: f64, fewest: FewestNodes) -> usize {
    let usual = NodeSpacing::intervals(length, spacing);
    let slender = NodeSpacing::on_feature(spacing, half_width, fewest.along);
    usual.max(NodeSpacing::intervals(length, slender).min(MOST_ROWS))
}

/// Largest spacing between neighbouring nodes around a section [m].
#[derive(Clone, Copy, Debug)]
pub(crate) struct LapDistances {
    /// On flats.
    pub(crate) straight: f64,
    /// On arcs.
    pub(crate) arc: f64,
}

impl Section {
    /// Spacing around the section at level `level` [m]: `spacing` [m], or less where that would give fewer nodes than
    /// `fewest`.
    fn distances(&self, level: f64, spacing: f64, fewest: FewestNodes) -> LapDistances {
        let within = |length: f64, fewest: u32| NodeSpacing::on_feature(spacing, length, fewest);
        let [flat, corner] = self.flat_and_corner(level);
        let arc = match self {
            Self::Round => within(self.perimeter(level), fewest.round),
            Self::Polygon { .. } | Self::RoundedPolygon { .. } => within(corner, fewest.corner),
        };
        LapDistances { straight: within(flat, fewest.flat), arc }
    }

    /// Length of one flat and of one rounded corner at level `level` [m]; zero for a circle.
    fn flat_and_corner(&self, level: f64) -> [f64; 2] {
        match *self {
            Self::Round => [0.0, 0.0],
            Self::Polygon { sides } => [self.perimeter(level) / f64::from(sides), 0.0],
            Self::RoundedPolygon { sides, core } => {
                let n = f64::from(sides);
                let corner = 2.0 * self.half_angle() * (level - core).max(0.0);
                [(self.perimeter(level) - n * corner) / n, corner]
            }
        }
    }

    /// Lap coordinates around the section at level `level` [m], at most `distances` apart, starting at the fraction
    /// `phase` of an interval. At phase 0 there is a node at every transition between flat and arc.
    pub(crate) fn laps(&self, level: f64, distances: LapDistances, phase: f64) -> Vec<f64> {
        let LapDistances { straight, arc } = distances;
        let [flat, corner] = self.flat_and_corner(level);
        let mut laps = Vec::new();
        let mut spread = |from: f64, to: f64, length: f64, spacing: f64| {
            let count = NodeSpacing::intervals(length, spacing);
            laps.extend(
                (0..count).map(|i| (from + (to - from) * (i as f64 + phase) / count as f64).rem_euclid(1.0)),
            );
        };
        match *self {
            Self::Round => spread(0.0, 1.0, self.perimeter(level), arc),
            Self::Polygon { sides } => {
                let n = f64::from(sides);
                (0..sides).map(f64::from).for_each(|k| spread((k - 0.5) / n, (k + 0.5) / n, flat, straight));
            }
            Self::RoundedPolygon { sides, .. } => {
                let n = f64::from(sides);
                for k in (0..sides).map(f64::from) {
                    spread((k - 0.25) / n, (k + 0.25) / n, flat, straight);
                    if corner > 0.0 {
                        spread((k + 0.25) / n, (k + 0.75) / n, corner, arc);
                    }
                }
            }
        }
        laps
    }
}
