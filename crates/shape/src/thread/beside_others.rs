//! Convex edges of threaded parts and how their nodes slide, where they touch what is no thread: a bolt on a table, in a plain hole,
//! under the edge of a block.
//!
//! ```text
//! ridge of the tip   p(θ) = (r cos θ, r sin θ, kθ ± w(r))       from end to end, cut into stretches that bend little
//! ```
//!
//! r radius of the tip [m], k rise [m/rad], w half width of the ridge there [m]. A node of a ridge stands for the stretch to half of
//! the way to its neighbours. Shank, head and hexagon are what they are by themselves.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::radial_nodes::{BODY, CONE_EDGE, CORNER, END};
use super::radial_surface::Side;
use super::start_edges::{Place, Spiral};
use super::{Bolt, Nut, RadialSurface, StartEdges};
use crate::mesh::Aabb;
use crate::node::{Cell, Chart, NodeKind, NodeSet, Slides};
use crate::profile::{Section, SectionedSolid};
use crate::sharp_edge::SharpEdge;
use crate::{RoundWall, Sample};

/// Largest angle of a stretch of a ridge [rad].
const STRETCH: f64 = 0.25;
/// Slopes of one edge on either side of a node differ by less [m/rad].
const SAME_SLOPE: f64 = 1e-9;
/// Faces of one body around a thread.
const FACES: u32 = 16;

impl Bolt {
    pub(crate) fn sharp_edges(&self) -> Vec<SharpEdge> {
        let mut all = self.surface.sharp_edges([self.is_bare(), true], self.thread_from());
        // rims between shank, head and thread may lie inside the bolt, wholly or in part
        let is_outside = |edge: &SharpEdge| {
            (0..=4).any(|quarter| is_on(edge, f64::from(quarter) / 4.0, |at| self.sample(at)))
        };
        all.extend(self.body().flat_map(edges_of_body).filter(is_outside));
        all
    }

    pub(crate) fn slides(&self, nodes: &NodeSet) -> Slides {
        self.surface.slides(nodes, self.body().collect())
    }

    /// Crest, cone of the tip, and shank.
    pub(crate) fn round_walls(&self) -> Vec<RoundWall> {
        let crest = self.thread().crest_radius();
        let [bottom, top] = self.surface.ends;
        let cut = self.surface.cone_height(1, crest).unwrap_or(top);
        let mut all = vec![RoundWall::of_thread([[crest, bottom], [crest, cut]])];
        all.extend(self.tip_radius().map(|tip| RoundWall::of_thread([[crest, cut], [tip, top]])));
        all.extend(self.body().flat_map(RoundWall::of_sectioned));
        all
    }

    /// Largest curvature of a convex round face [1/m]: flanks bend less than the wall of the core.
    pub(crate) fn most_bent(&self) -> f64 {
        self.thread().root_radius().recip()
    }
}

impl Nut {
    pub(crate) fn sharp_edges(&self) -> Vec<SharpEdge> {
        let mut all = self.surface.sharp_edges([true; 2], f64::NEG_INFINITY);
        all.extend(edges_of_body(&self.hexagon));
        all
    }

    pub(crate) fn slides(&self, nodes: &NodeSet) -> Slides {
        self.surface.slides(nodes, vec![&self.hexagon])
    }
}

/// How far a step along a normal leads out of a part [m].
const OUT: f64 = 1e-6;

/// Whether both normals lead out of a part at a share of the way along an edge.
fn is_on(edge: &SharpEdge, share: f64, sample: impl Fn(Vector3<f64>) -> Sample) -> bool {
    let [point, _] = edge.at(edge.range[0] + (edge.range[1] - edge.range[0]) * share);
    edge.normals(point).iter().all(|normal| sample(point + normal * OUT).distance > 0.9 * OUT)
}

fn edges_of_body(solid: &SectionedSolid) -> Vec<SharpEdge> {
    match solid.section {
        Section::Polygon { sides } => SharpEdge::of_prism(solid, sides),
        Section::Round | Section::RoundedPolygon { .. } => SharpEdge::of_sectioned(solid),
    }
}

impl RadialSurface {
    /// Contours of the ends at which the thread begins, and both edges of the ridge above a height [m].
    fn sharp_edges(&self, begins: [bool; 2], above: f64) -> Vec<SharpEdge> {
        let (mut all, mut start) = (Vec::new(), StartEdges::default());
        for end in (0..2).filter(|end| begins[*end]) {
            self.fill_start(end, &mut start);
            all.extend((0..start.contours()).map(|index| start.edge(index)));
        }
        // a line across the crest of a bolt may be deepest between both edges of the ridge
        let strip = if self.side == Side::External {
            2.0 * self.profile.half_width_at(self.ridge_radius())
        } else {
            0.0
        };
        let turns = strip / self.ridge_radius();
        let cut = [0, 1].map(|end| self.cone_height(end, self.ridge_radius()).unwrap_or(self.ends[end]));
        for (faces, [from, to]) in self.ridge_between([cut[0].max(above), cut[1]]) {
            let whole = [from.angle.min(to.angle), from.angle.max(to.angle)];
            if whole[1] - whole[0] < 1e-9 {
                continue;
            }
            let spiral = Spiral::between(from, to);
            let count = ((whole[1] - whole[0]) / STRETCH).ceil();
            let half = 0.5 * (whole[1] - whole[0]) / count;
            all.extend((0..count as u32).map(|number| {
                let middle = whole[0] + half * (2.0 * f64::from(number) + 1.0);
                let range = [middle - half, middle + half];
                SharpEdge::spiral(spiral, [range, whole], faces, bounds(&spiral, from, middle, half))
                    .of_strip(turns)
            }));
        }
        all
    }

    fn slides(&self, nodes: &NodeSet, bodies: Vec<&SectionedSolid>) -> Slides {
        let mut slides = Slides::default();
        let of_bodies: Vec<(Slides, Vec<usize>, u32)> = bodies
            .into_iter()
            .zip((BODY..).step_by(FACES as usize))
            .map(|(solid, face)| {
                let (mut own, mut places) = (NodeSet::default(), vec![usize::MAX; nodes.len()]);
                for index in (0..nodes.len()).filter(|index| nodes.face[*index] / FACES == face / FACES) {
                    places[index] = own.len();
                    own.push(nodes.kind[index], nodes.face[index] - face, nodes.u[index], nodes.v[index]);
                }
                let own = solid.slides(&own);
                let first = slides.adopt(&own);
                (own, places, first)
            })
            .collect();
        let mut cells = self.cells(nodes);
        for index in 0..nodes.len() {
            match of_bodies.iter().find(|(_, places, _)| places[index] != usize::MAX) {
                Some((own, places, first)) => slides.push_of(own, places[index], *first),
                None => {
                    let at = self.locate(nodes.chart(index));
                    let radius = self.radius(at.angle, at.z).0;
                    let cell = cells.remove(&index).unwrap_or(Cell::Point);
                    slides.push(cell, Vector3::new(radius, 0.0, at.z));
                }
            }
        }
        slides
    }

    /// The cells of the nodes on edges: along both edges of the ridge, around the contours of the ends, and where a cone cuts a flank.
    /// Every such edge is a spiral; a node where two of them meet stays.
    fn cells(&self, nodes: &NodeSet) -> BTreeMap<usize, Cell> {
        let mut rows: BTreeMap<(u32, u64), Vec<usize>> = BTreeMap::new();
        for index in (0..nodes.len()).filter(|index| nodes.kind[*index] == NodeKind::Edge) {
            let Chart { face, u, .. } = nodes.chart(index);
            // along the line where cone and flank meet u tells the place
            let row = if (CONE_EDGE..CORNER).contains(&face) { 0 } else { u.to_bits() };
            rows.entry((face, row)).or_default().push(index);
        }
        let mut cells = BTreeMap::new();
        for ((face, _), row) in rows {
            let mut row: Vec<(usize, [f64; 3])> = row
                .into_iter()
                .map(|index| {
                    let at = self.locate(nodes.chart(index));
                    (index, [at.angle, self.radius(at.angle, at.z).0, at.z])
                })
                .collect();
            row.sort_by(|a, b| a.1[0].total_cmp(&b.1[0]));
            let steps = steps_between(&row, (END..CONE_EDGE).contains(&face));
            let count = row.len();
            for (place, (index, _)) in row.into_iter().enumerate() {
                // a row may have a single node
                let around = [-2, -1, 0, 1]
                    .map(|step| steps[(place as isize + step).rem_euclid(count as isize) as usize]);
                if let Some(cell) = spiral_cell(around) {
                    cells.insert(index, cell);
                }
            }
        }
        cells
    }
}

/// The way from a node of a row to the next one.
#[derive(Clone, Copy)]
struct Step {
    /// [rad].
    angle: f64,
    /// By how much radius and height grow on it [m/rad].
    slopes: [f64; 2],
}

impl Step {
    fn continues(self, other: Option<Self>) -> bool {
        other.is_some_and(|other| {
            self.slopes.iter().zip(other.slopes).all(|(own, other)| (own - other).abs() < SAME_SLOPE)
        })
    }
}

/// Ways between nodes by their angles, radii and heights; none after the last one unless the row is closed.
fn steps_between(row: &[(usize, [f64; 3])], is_closed: bool) -> Vec<Option<Step>> {
    let step = |place: usize| {
        let is_last = place + 1 == row.len();
        let ([from, radius, z], [to, next_radius, next_z]) = (row[place].1, row[(place + 1) % row.len()].1);
        let angle = to - from + if is_last { TAU } else { 0.0 };
        let slopes = [(next_radius - radius) / angle, (next_z - z) / angle];
        (angle > 0.0 && (is_closed || !is_last)).then_some(Step { angle, slopes })
    };
    (0..row.len()).map(step).collect()
}

/// The cell of a node by the two steps before and the two after it. It stands for half of the way to a neighbour on its edge, and for all
/// of it where the edge ends on the way.
fn spiral_cell([earlier, before, after, later]: [Option<Step>; 4]) -> Option<Cell> {
    let is_of_before = before.is_some_and(|own| own.continues(after) || own.continues(earlier));
    let own = if is_of_before { before? } else { after.filter(|own| own.continues(later))? };
    let reach = |side: Option<Step>| match side {
        Some(step) if own.continues(side) => 0.5 * step.angle,
        Some(step) => step.angle,
        None => own.angle,
    };
    Some(Cell::Spiral(own.slopes, [reach(before), reach(after)]))
}

/// Box around a stretch of a ridge.
fn bounds(spiral: &Spiral, Place { radius, .. }: Place, middle: f64, half: f64) -> Aabb {
    let [point, slope] = spiral.at(middle);
    // an arc leaves its tangent by r θ²/2
    let reach = (slope * half).abs().add_scalar(0.55 * half * half * radius);
    Aabb { min: point - reach, max: point + reach }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Part;
    use crate::preset::preset;
    use crate::thread::{Hand, HexHead, ThreadAllowance};

    fn parts() -> Vec<Part> {
        let headed = Bolt::new(16e-3, 2e-3, 30e-3, ThreadAllowance::default(), Hand::Left)
            .and_then(|bolt| bolt.with_body(10e-3, Some(HexHead { across_flats: 24e-3, height: 10e-3 })))
            .expect("a bolt");
        let presets = ["m48x5-bolt", "m16-bolt", "m16-nut"].map(|name| preset(name).expect("a preset"));
        presets.into_iter().chain([Part::Bolt(headed)]).collect()
    }

    /// Every edge lies on the part, and one step along each normal leads out of it.
    #[test]
    fn edges_lie_on_the_part_and_their_normals_point_out() {
        for part in parts() {
            let edges = part.sharp_edges();
            assert!(edges.len() > 100);
            for edge in &edges {
                let [point, _] = edge.at(0.37 * edge.range[0] + 0.63 * edge.range[1]);
                assert!(edge.bounds.grown(1e-9).contains(point));
                assert!(part.sample(point).distance.abs() < 1e-9, "{:e} m", part.sample(point).distance);
                let is_out =
                    (0..=4).any(|quarter| is_on(edge, f64::from(quarter) / 4.0, |at| part.sample(at)));
                assert!(is_out, "an edge is inside at {point}");
            }
        }
    }

    /// A node that slides within its cell stays on its edge, unless the edge ends there.
    #[test]
    fn cells_of_nodes_follow_their_edges() {
        for part in parts() {
            let nodes = part.nodes(&crate::node::NodeSpacing::default());
            let slides = part.slides(&nodes);
            let (mut on, mut all) = (0, 0);
            for index in 0..nodes.len() {
                let Some([[grows, rises], [before, after]]) = slides.spiral(index) else { continue };
                let own = part.place_one(nodes.chart(index));
                for angle in [-0.9 * before, 0.9 * after] {
                    let (sin, cos) = libm::sincos(angle);
                    let out = own.xy() * ((own.xy().norm() + grows * angle) / own.xy().norm());
                    let place = Vector3::new(
                        out.x * cos - out.y * sin,
                        out.x * sin + out.y * cos,
                        own.z + rises * angle,
                    );
                    all += 1;
                    on += usize::from(part.sample(place).distance.abs() < 1e-9);
                }
            }
            assert!(all > 1000 && on * 50 > all * 49, "{on} of {all}");
        }
    }
}
