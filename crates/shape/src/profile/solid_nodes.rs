//! Nodes of a sectioned body: rows around every face, rings on every convex edge.
//!
//! Those on the wall of a fit count less than the rings at its ends: where another wall conforms, the gap along a line of
//! the wall is smallest at its ends.
//!
//! Chart: face = edge of the outline, u ∈ [0, 1] along it, v ∈ [0, 1) laps around the section.

use nalgebra::Vector3;

use super::{Section, SectionedSolid};
use crate::node::{Chart, NodeKind, NodeSet, NodeSpacing};

impl SectionedSolid {
    /// Position of a node in the part's frame [m].
    #[must_use]
    pub fn place(&self, chart: Chart) -> Vector3<f64> {
        let [start, end] = self.outline.edge(chart.face as usize % self.outline.vertices().len());
        let across = self.section.point(start[0] + (end[0] - start[0]) * chart.u, chart.v);
        Vector3::new(across.x, across.y, start[1] + (end[1] - start[1]) * chart.u)
    }

    /// Nodes of all faces, convex edges and corners.
    #[must_use]
    pub fn nodes(&self, spacing: &NodeSpacing) -> NodeSet {
        let mut nodes = NodeSet::default();
        let wall = self.wall_edge().filter(|_| spacing.edge <= spacing.face);
        for (index, [start, end]) in self.outline.edges() {
            let face = index as u32;
            let left = wall.filter(|(edge, _)| *edge == index).map_or(f64::INFINITY, |_| spacing.edge);
            let length = (end[0] - start[0]).hypot(end[1] - start[1]);
            let rows = NodeSpacing::intervals(length, spacing.face);
            for row in 0..rows {
                let u = (row as f64 + 0.5) / rows as f64;
                let level = start[0] + (end[0] - start[0]) * u;
                // every other row is turned by half a spacing: the rows' gaps do not line up
                let phase = 0.5 * (row % 2) as f64;
                for lap in self.section.laps(level, spacing.face, spacing.face, phase) {
                    nodes.push_between(NodeKind::Face, face, u, lap, left);
                }
            }
            if self.outline.is_convex(index) {
                for lap in self.section.laps(start[0], spacing.edge, spacing.edge, 0.0) {
                    nodes.push(NodeKind::Edge, face, 0.0, lap);
                }
            }
            self.corner_nodes(index, length, spacing, &mut nodes);
        }
        if wall.is_some() {
            nodes.pack(|chart| chart.face, |chart| chart.u);
        }
        nodes
    }

    /// The edges between the flats of a sharp polygon are convex where the face looks away from the axis.
    fn corner_nodes(&self, index: usize, length: f64, spacing: &NodeSpacing, nodes: &mut NodeSet) {
        let Section::Polygon { sides } = self.section else { return };
        if self.outline.edge_normal(index)[0] <= 1e-9 {
            return;
        }
        let count = NodeSpacing::intervals(length, spacing.edge);
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

impl Section {
    /// Lap coordinates around the line of level `level`, at most `straight` apart on flats and `arc` apart on
    /// arcs [m], starting at `phase` of an interval. Transitions between flat and arc are always met at phase 0.
    pub(crate) fn laps(&self, level: f64, straight: f64, arc: f64, phase: f64) -> Vec<f64> {
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
                let length = self.perimeter(level) / n;
                (0..sides)
                    .map(f64::from)
                    .for_each(|k| spread((k - 0.5) / n, (k + 0.5) / n, length, straight));
            }
            Self::RoundedPolygon { sides, core } => {
                let n = f64::from(sides);
                let rounding = (level - core).max(0.0);
                let corner = 2.0 * self.half_angle() * rounding;
                let flat = (self.perimeter(level) - n * corner) / n;
                for k in (0..sides).map(f64::from) {
                    spread((k - 0.25) / n, (k + 0.25) / n, flat, straight);
                    if rounding > 0.0 {
                        spread((k + 0.25) / n, (k + 0.75) / n, corner, arc);
                    }
                }
            }
        }
        laps
    }
}
