//! Nodes of a radial surface: rows along the helix, contours and corners at the starts.
//!
//! Charts (u ∈ [0, 1]; turns and laps count whole revolutions):
//!
//! | face | u | v |
//! |---|---|---|
//! | root, lower flank, crest, upper flank | across the face | turns along the helix |
//! | end (lower, upper) | from the surface to the part's axis or outer wall | laps |
//! | cone (lower, upper) | from the end plane inwards | laps |
//! | cone edge (end, side) | along the line where cone and flank meet | – |
//! | corner | – | number of the corner |
//!
//! A chart determines an angle and a height; the radius is R(θ, z). A node therefore stays on the surface when
//! clearance, diameter or pitch change. A node that would lie beyond an end plane slides along its helix to the plane.

use std::f64::consts::TAU;

use super::radial_surface::{RadialFace, Side};
use super::{RadialSurface, ThreadStart};
use crate::node::{Chart, NodeKind, NodeSet, NodeSpacing};

pub(crate) const ROOT: u32 = 0;
pub(crate) const LOWER_FLANK: u32 = 1;
pub(crate) const CREST: u32 = 2;
pub(crate) const UPPER_FLANK: u32 = 3;
/// Lower and upper end faces are 4 and 5.
pub(crate) const END: u32 = 4;
/// Lower and upper cones are 6 and 7.
const CONE: u32 = 6;
/// 8 + 2 end + side.
pub(crate) const CONE_EDGE: u32 = 8;
pub(crate) const CORNER: u32 = 12;
/// First face number of the body around the thread.
pub(crate) const BODY: u32 = 16;

/// A point of the radial surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RadialPoint {
    pub(crate) angle: f64,
    pub(crate) z: f64,
}

impl RadialSurface {
    /// Angle and height of a chart; for an end face, those of its rim.
    pub(crate) fn locate(&self, chart: Chart) -> RadialPoint {
        let Chart { face, u, v } = chart;
        let profile = &self.profile;
        let [bottom, top] = self.ends;
        match face {
            ROOT..=UPPER_FLANK => {
                let s = self.phase_of(face, u);
                let z = (profile.rise() * TAU * v + profile.lift() + s).clamp(bottom, top);
                RadialPoint { angle: profile.angle_at(z, s), z }
            }
            END | 5 => RadialPoint { angle: TAU * v, z: self.ends[(face - END) as usize] },
            CONE | 7 => {
                let end = (face - CONE) as usize;
                let inner = self.cone_height(end, self.ridge_radius()).unwrap_or(self.ends[end]);
                RadialPoint { angle: TAU * v, z: self.ends[end] + (inner - self.ends[end]) * u }
            }
            CONE_EDGE..=11 => {
                let (end, side) =
                    (((face - CONE_EDGE) / 2) as usize, f64::from((face - CONE_EDGE) % 2) * 2.0 - 1.0);
                let at_plane = self.cone_radius(end, self.ends[end]).unwrap_or(self.ridge_radius());
                let from = at_plane.clamp(profile.root_radius(), profile.crest_radius());
                let radius = from + (self.ridge_radius() - from) * u;
                let z = self.cone_height(end, radius).unwrap_or(self.ends[end]);
                RadialPoint { angle: profile.angle_at(z, side * profile.half_width_at(radius)), z }
            }
            _ => {
                let corners = self.corners();
                let index = (v as usize).min(corners.len() - 1);
                let (angle, z) = corners[index];
                RadialPoint { angle, z }
            }
        }
    }

    /// Nodes on the faces and convex helical edges of the thread.
    pub(crate) fn nodes(&self, spacing: &NodeSpacing) -> NodeSet {
        let spacing = &self.distances(spacing);
        let mut nodes = NodeSet::default();
        let profile = &self.profile;
        let flank_depth = profile.crest_radius() - profile.root_radius();
        let flank_width = libm::hypot(
            flank_depth,
            profile.half_width_at(profile.root_radius()) - profile.half_width_at(profile.crest_radius()),
        );
        let widths = [
            profile.pitch() - 2.0 * profile.half_width_at(profile.root_radius()),
            flank_width,
            2.0 * profile.half_width_at(profile.crest_radius()),
            flank_width,
        ];
        // face by face, so that detection can skip whole blocks of nodes
        for face in [UPPER_FLANK, LOWER_FLANK, CREST, ROOT] {
            let rows = NodeSpacing::intervals(widths[face as usize], spacing.face);
            for row in 0..rows {
                let u = (row as f64 + 0.5) / rows as f64;
                self.helix(&mut nodes, NodeKind::Face, face, u, spacing, 0.5 * (row % 2) as f64);
            }
        }
        // the convex edges are at the crest of a bolt, and at the root (minor diameter) of a nut
        let cutting = if self.side == Side::External { CREST } else { ROOT };
        for u in [0.0, 1.0] {
            self.helix(&mut nodes, NodeKind::Edge, cutting, u, spacing, 0.0);
        }
        nodes
    }

    /// Spacing that gives every turn its minimum number of nodes.
    fn distances(&self, spacing: &NodeSpacing) -> NodeSpacing {
        let turn = TAU * self.profile.crest_radius();
        let [faces, edges] = [spacing.fewest_on_faces, spacing.fewest_on_edges];
        NodeSpacing {
            helix: NodeSpacing::on_feature(spacing.helix, turn, faces.turn),
            helix_edge: NodeSpacing::on_feature(spacing.helix_edge, turn, edges.turn),
            start: NodeSpacing::on_feature(spacing.start, turn, edges.start),
            ..*spacing
        }
    }

    /// Nodes of the start at one end: contours of end plane and cone, cone edges, corners.
    pub(crate) fn start_nodes(&self, nodes: &mut NodeSet, end: usize, spacing: &NodeSpacing) {
        let spacing = &self.distances(spacing);
        let circumference = TAU * self.profile.crest_radius();
        let laps = NodeSpacing::intervals(circumference, spacing.start);
        let number = end as u32;
        let each_lap = |count: usize| (0..count).map(move |index| index as f64 / count as f64);
        let left =
            |index: usize, last: usize| NodeSpacing::left_without(index, last, spacing.start, spacing.helix);
        let ring = |nodes: &mut NodeSet, face: u32, u: f64| {
            for (index, lap) in each_lap(laps).enumerate() {
                nodes.push_between(NodeKind::Edge, face, u, lap, left(index, laps));
            }
        };
        ring(nodes, END + number, 0.0);
        if let ThreadStart::Chamfered { .. } = self.starts[end] {
            ring(nodes, CONE + number, 1.0);
            let depth = self.profile.crest_radius() - self.profile.root_radius();
            let rows = NodeSpacing::intervals(depth * std::f64::consts::SQRT_2, spacing.face);
            for row in 0..rows {
                let u = (row as f64 + 0.5) / rows as f64;
                let between =
                    NodeSpacing::on_feature(spacing.face, circumference, spacing.fewest_on_faces.start);
                let count = NodeSpacing::intervals(circumference, between);
                each_lap(count).for_each(|lap| nodes.push(NodeKind::Face, CONE + number, u, lap));
            }
            // a cone cuts a flank along a spiral of up to (w_root + depth) / P turns
            let widest = self.profile.half_width_at(self.profile.root_radius()) + depth;
            let steps = NodeSpacing::intervals(circumference * widest / self.profile.pitch(), spacing.start);
            for side in 0..2 {
                for step in 0..=steps {
                    let u = step as f64 / steps as f64;
                    nodes.push_between(
                        NodeKind::Edge,
                        CONE_EDGE + 2 * number + side,
                        u,
                        0.0,
                        left(step, steps),
                    );
                }
            }
        }
        let at_this_end = |z: f64| (z - self.ends[end]).abs() <= (z - self.ends[1 - end]).abs();
        for (index, &(_, z)) in self.corners().iter().enumerate() {
            if at_this_end(z) {
                nodes.push(NodeKind::Corner, CORNER, 0.0, index as f64);
            }
        }
    }

    /// One row of nodes along the helix, without those that the starts have cut away.
    fn helix(
        &self,
        nodes: &mut NodeSet,
        kind: NodeKind,
        face: u32,
        u: f64,
        spacing: &NodeSpacing,
        phase: f64,
    ) {
        let s = self.phase_of(face, u);
        let radius = self.profile.crest_radius();
        let turns = self.ends.map(|z| (z - self.profile.lift() - s) / self.profile.pitch());
        let lead = self.profile.rise().abs();
        let between = if kind == NodeKind::Edge { spacing.helix_edge } else { spacing.helix };
        let count = NodeSpacing::intervals((turns[1] - turns[0]) * TAU * libm::hypot(radius, lead), between);
        let hand = self.profile.rise().signum();
        let mut row = Vec::with_capacity(count + 1);
        for index in 0..=count {
            let turn = turns[0] + (turns[1] - turns[0]) * (index as f64 + phase) / count as f64;
            if turn > turns[1] + 1e-12 {
                continue;
            }
            let chart = Chart { face, u, v: hand * turn };
            let at = self.locate(chart);
            let is_on_face = match self.radius(at.angle, at.z).1 {
                RadialFace::Root => face == ROOT,
                RadialFace::Crest => face == CREST,
                RadialFace::Flank { side, .. } => face == if side < 0 { LOWER_FLANK } else { UPPER_FLANK },
                RadialFace::Cone { .. } => false,
            };
            // on an edge, rounding decides which of the two faces is found: accept either, but not a cone
            let is_uncut_edge = kind == NodeKind::Edge && !self.is_cut(at);
            if is_on_face || is_uncut_edge {
                row.push(chart.v);
            }
        }
        let last = row.len().saturating_sub(1);
        for (index, turn) in row.into_iter().enumerate() {
            let left = match kind {
                NodeKind::Edge => NodeSpacing::left_without(index, last, spacing.helix_edge, spacing.helix),
                NodeKind::Face | NodeKind::Corner => f64::INFINITY,
            };
            nodes.push_between(kind, face, u, turn, left);
        }
    }

    /// The flank that a node lies on or borders: 0 lower, 1 upper; 2 elsewhere on the thread, 3 on the body around
    /// it. Nodes of one flank come near the other part together.
    pub(crate) fn side_of(&self, chart: Chart) -> u32 {
        let Chart { face, u, .. } = chart;
        match face {
            LOWER_FLANK => 0,
            UPPER_FLANK => 1,
            CREST if u == 0.0 || u == 1.0 => u as u32,
            ROOT if u == 0.0 || u == 1.0 => 1 - u as u32,
            CONE_EDGE..=11 => (face - CONE_EDGE) % 2,
            BODY.. => 3,
            _ => {
                let at = self.locate(chart);
                match self.radius(at.angle, at.z).1 {
                    RadialFace::Flank { side, .. } => u32::from(side > 0),
                    _ => 2,
                }
            }
        }
    }

    /// Heights between which no end plane, cone or wall cuts the thread [m].
    pub(crate) fn endless(&self) -> [f64; 2] {
        let [low, high] =
            [0, 1].map(|end| self.cone_height(end, self.ridge_radius()).unwrap_or(self.ends[end]));
        [self.run_out.map_or(low, |run_out| run_out.top(&self.profile).max(low)), high]
    }

    /// Whether a cone has cut away the thread at this point.
    fn is_cut(&self, at: RadialPoint) -> bool {
        matches!(self.radius(at.angle, at.z).1, RadialFace::Cone { .. })
    }

    /// s of a screw face [m]; the root lies above the ridge, from its upper flank to the next lower one.
    fn phase_of(&self, face: u32, u: f64) -> f64 {
        let profile = &self.profile;
        let (root, crest) = (profile.root_radius(), profile.crest_radius());
        let between = |low: f64, high: f64| low + (high - low) * u;
        match face {
            ROOT => between(profile.half_width_at(root), profile.pitch() - profile.half_width_at(root)),
            LOWER_FLANK => -profile.half_width_at(between(root, crest)),
            CREST => between(-profile.half_width_at(crest), profile.half_width_at(crest)),
            _ => profile.half_width_at(between(root, crest)),
        }
    }
}
