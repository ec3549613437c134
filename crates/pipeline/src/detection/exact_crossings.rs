//! Where convex edges of two parts cross between their nodes, at least one of which is an exact solid.
//!
//! ```text
//! p(s), q(t) points of the two edges, a, b their directions:   (p − q)·a = (p − q)·b = 0
//! n = ± a × b/|a × b|,  φ = n·(p − q)                           out of the second part
//! n = α₁ n₁ + α₂ n₂,  −n = β₁ m₁ + β₂ m₂,  α, β ≥ 0             n lies between the normals of the faces of both edges
//! ```
//!
//! Closest points of the tangents, repeated, find s and t: edges that are near bend little on the way. A crossing counts only if
//! the edges cross at the end of the expected motion too, or touch already; its gap is raised to what it will be there, as in
//! `turned.rs`. Otherwise an edge that passes another one's end would be stopped. Almost parallel edges are left to nodes.

use nalgebra::Vector3;
use tightfit_shape::mesh::Aabb;
use tightfit_shape::{Part, SharpEdge};

use super::contact_writer::ContactWriter;
use super::face_choice::Motion;
use super::node_blocks::Frame;
use super::polyhedra::{DEEP, TOUCHES};
use super::{DetectionOptions, PairBody};
use crate::records::Contacts;

/// Sine below which two edges count as parallel [-]: nodes 1 mm apart miss 0.1 µm.
const PARALLEL: f64 = 2e-4;
/// Most repetitions, and the change of a place that ends them [m].
const MOST: u32 = 12;
const SETTLED: f64 = 1e-11;
/// How far a normal may lean out of those of the faces, as a share [-].
const LEANS: f64 = 1e-3;

/// Number of identities that the crossings of a pair take; zero unless one of the parts is an exact solid.
#[must_use]
pub fn exact_crossing_ids(sides: [&PairBody; 2]) -> u32 {
    if !is_exact(sides) {
        return 0;
    }
    let [first, second] = sides.map(edge_count);
    first.wrapping_mul(second)
}

fn is_exact(sides: [&PairBody; 2]) -> bool {
    let is_solid = |side: &&PairBody| matches!(side.part, Part::Cad(_));
    sides.iter().any(is_solid) && sides.iter().all(|side| side.network.is_none())
}

/// Appends the crossings of the edges of two parts, if one is an exact solid; tells whether that is so.
pub(super) fn detect(sides: [&PairBody; 2], options: &DetectionOptions, contacts: &mut Contacts) -> bool {
    if !is_exact(sides) {
        return false;
    }
    if !(sides[0].is_free() || sides[1].is_free()) {
        return true;
    }
    // identities follow those of the nodes of both bodies
    let first = sides.map(|side| side.first_id + side.nodes.len() as u32).into_iter().fold(0, u32::max);
    // the part whose edges are carried over is an exact solid or turned: a mesh has a tree of its own
    let [of, against] = if sides[0].polyhedron.is_some() { [sides[1], sides[0]] } else { sides };
    let frame = Frame::of(&(against.world_from_part.inverse() * of.world_from_part));
    let motion = Motion::of(of, against);
    let query = Query { of, against, frame, motion, options };
    let around = against.part.aabb().map(|bounds| bounds.grown(options.margin.max(0.0)));
    let mut writer = ContactWriter::new(of, against, contacts);
    for (index, edge) in of.nodes.edges().iter().enumerate() {
        let bounds = query.moved(&edge.bounds).grown(options.margin.max(0.0));
        if !around.is_some_and(|around| around.overlaps(&bounds)) {
            continue;
        }
        let row = first.wrapping_add((index as u32).wrapping_mul(edge_count(against)));
        let mut at_pair = |number: u32, other: &SharpEdge| {
            if let Some((point, normal, gap)) = query.contact(edge, other) {
                writer.push(point, normal, gap, row.wrapping_add(number).wrapping_mul(Part::MOST_PIECES));
            }
        };
        match against.polyhedron {
            Some(polyhedron) => polyhedron.each_convex_edge(&bounds, |number, other| {
                at_pair(number, &SharpEdge::straight(other));
            }),
            None => {
                for (number, other) in against.nodes.edges().iter().enumerate() {
                    if other.bounds.overlaps(&bounds) {
                        at_pair(number as u32, other);
                    }
                }
            }
        }
    }
    writer.finish(options);
    true
}

fn edge_count(side: &PairBody) -> u32 {
    side.polyhedron.map_or(side.nodes.edges().len(), |polyhedron| polyhedron.edges.len()) as u32
}

/// The edges of one part in the frame of the other.
struct Query<'a> {
    of: &'a PairBody<'a>,
    against: &'a PairBody<'a>,
    /// Other part from own.
    frame: Frame,
    motion: Motion,
    options: &'a DetectionOptions,
}

/// Two edges that cross.
struct Crossing {
    point: Vector3<f64>,
    other: Vector3<f64>,
    normal: Vector3<f64>,
    gap: f64,
}

impl Query<'_> {
    /// Box around a moved box.
    fn moved(&self, bounds: &Aabb) -> Aabb {
        let middle = self.frame.turn * bounds.center() + self.frame.shift;
        let half = self.frame.turn.abs() * (bounds.size() * 0.5);
        Aabb { min: middle - half, max: middle + half }
    }

    /// Point, normal out of the other part, and gap where two edges cross.
    fn contact(&self, edge: &SharpEdge, other: &SharpEdge) -> Option<(Vector3<f64>, Vector3<f64>, f64)> {
        let now = self.crossing(edge, other, 0.0)?;
        let DetectionOptions { margin, horizon, .. } = *self.options;
        if now.gap >= margin {
            return None;
        }
        if now.gap < -DEEP && !self.is_inside(&now) {
            return None;
        }
        let foretold = now.gap + now.normal.dot(&self.motion.at(now.point)) * horizon;
        let gap = if now.gap <= TOUCHES || foretold >= 0.0 {
            now.gap
        } else {
            let end = self.crossing(edge, other, horizon).filter(|end| end.normal.dot(&now.normal) > 0.0)?;
            now.gap + (end.gap - foretold).max(0.0)
        };
        Some((now.point, now.normal, gap))
    }

    /// Whether each edge is inside the other part where they cross.
    fn is_inside(&self, crossing: &Crossing) -> bool {
        let own = self.frame.turn.tr_mul(&(crossing.other - self.frame.shift));
        self.against.part.sample(crossing.point).distance < 0.0 && self.of.part.sample(own).distance < 0.0
    }

    /// The crossing after a time of the expected motion [s].
    fn crossing(&self, edge: &SharpEdge, other: &SharpEdge, time: f64) -> Option<Crossing> {
        let turn = |own: Vector3<f64>| {
            let turned = self.frame.turn * own;
            turned + self.motion.turning(turned) * time
        };
        let carried = |own: Vector3<f64>| {
            let point = self.frame.turn * own + self.frame.shift;
            point + self.motion.at(point) * time
        };
        let middle = |range: [f64; 2]| f64::midpoint(range[0], range[1]);
        let [mut s, mut t] = [middle(edge.range), middle(other.range)];
        for _ in 0..MOST {
            let ([own, own_slope], [q, b]) = (edge.at(s), other.at(t));
            let (p, a) = (carried(own), turn(own_slope));
            let (aa, bb, ab) = (a.norm_squared(), b.norm_squared(), a.dot(&b));
            let across = aa * bb - ab * ab;
            if across < PARALLEL * PARALLEL * aa * bb {
                return None;
            }
            let from = p - q;
            let (fa, fb) = (from.dot(&a), from.dot(&b));
            let steps = [(ab * fb - bb * fa) / across, (aa * fb - ab * fa) / across];
            // a guess outside bends back, unless the edges cross elsewhere
            let [limit_s, limit_t] = [edge.range, other.range].map(|range| range[1] - range[0]);
            let next = [
                (s + steps[0]).clamp(edge.range[0] - limit_s, edge.range[1] + limit_s),
                (t + steps[1]).clamp(other.range[0] - limit_t, other.range[1] + limit_t),
            ];
            let change = ((next[0] - s) * (next[0] - s) * aa).max((next[1] - t) * (next[1] - t) * bb);
            [s, t] = next;
            if change < SETTLED * SETTLED {
                break;
            }
        }
        let is_within = |place: f64, range: [f64; 2]| place >= range[0] && place < range[1];
        if !is_within(s, edge.range) || !is_within(t, other.range) {
            return None;
        }
        let ([own, own_slope], [q, b]) = (edge.at(s), other.at(t));
        let (p, a) = (carried(own), turn(own_slope));
        let across = a.cross(&b).normalize();
        let own_normals = edge.normals(own).map(turn);
        let other_normals = other.normals(q);
        let out = other_normals[0] + other_normals[1] - own_normals[0] - own_normals[1];
        let normal = if out.dot(&across) < 0.0 { -across } else { across };
        let fits = is_between(normal, b, other_normals) && is_between(-normal, a, own_normals);
        fits.then(|| Crossing { point: p, other: q, normal, gap: normal.dot(&(p - q)) })
    }
}

/// Whether a direction across an edge lies between the normals of its faces.
fn is_between(direction: Vector3<f64>, along: Vector3<f64>, [first, second]: [Vector3<f64>; 2]) -> bool {
    let area = along.dot(&first.cross(&second));
    let shares = [along.dot(&direction.cross(&second)) / area, along.dot(&first.cross(&direction)) / area];
    shares.iter().all(|share| *share >= -LEANS)
}
