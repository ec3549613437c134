//! Where two convex edges of any shape cross.
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
use tightfit_shape::SharpEdge;
use tightfit_shape::mesh::Aabb;
use tightfit_shape::thread::Chord;

use super::face_choice::Motion;
use super::node_blocks::Frame;
use super::polyhedra::{DEEP, TOUCHES};
use super::{DetectionOptions, PairBody};

/// Sine below which two edges count as parallel [-]: nodes 1 mm apart miss 0.1 µm.
const PARALLEL: f64 = 2e-4;
/// Most repetitions, and the change of a place that ends them [m].
const MOST: u32 = 12;
const SETTLED: f64 = 1e-11;
/// How far along the edges two places may be apart [m].
const ALONG: f64 = 1e-8;
/// How far a normal may lean out of those of the faces, as a share [-].
const LEANS: f64 = 1e-3;

/// The edges of one part in the frame of the other.
pub(super) struct CrossingQuery<'a> {
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
    /// Length of either edge to its nearer end, the least [m].
    to_end: f64,
}

impl<'a> CrossingQuery<'a> {
    pub(super) fn new(
        of: &'a PairBody<'a>,
        against: &'a PairBody<'a>,
        options: &'a DetectionOptions,
    ) -> Self {
        let frame = Frame::of(&(against.world_from_part.inverse() * of.world_from_part));
        Self { of, against, frame, motion: Motion::of(of, against), options }
    }

    /// Box around a moved box.
    pub(super) fn moved(&self, bounds: &Aabb) -> Aabb {
        let middle = self.frame.turn * bounds.center() + self.frame.shift;
        let half = self.frame.turn.abs() * (bounds.size() * 0.5);
        Aabb { min: middle - half, max: middle + half }
    }

    /// A point of the own part in the other's frame [m].
    pub(super) fn carried(&self, own: Vector3<f64>) -> Vector3<f64> {
        self.frame.turn * own + self.frame.shift
    }

    /// A chord of the own part in the other's frame.
    pub(super) fn carried_chord(&self, own: &Chord) -> Chord {
        Chord {
            middle: self.carried(own.middle),
            half: self.turned(own.half),
            bend: self.turned(own.bend),
            ..*own
        }
    }

    /// A direction of the own part in the other's frame.
    pub(super) fn turned(&self, own: Vector3<f64>) -> Vector3<f64> {
        self.frame.turn * own
    }

    /// Point, normal out of the other part, and gap where two edges cross.
    pub(super) fn contact(
        &self,
        edge: &SharpEdge,
        other: &SharpEdge,
    ) -> Option<(Vector3<f64>, Vector3<f64>, f64)> {
        let now = self.crossing([edge, other], [edge.range, other.range], 0.0)?;
        let DetectionOptions { margin, horizon, .. } = *self.options;
        if now.gap >= margin {
            return None;
        }
        // an edge that ends on a face: what lies beside that face is no depth
        let is_at_end = now.gap < -TOUCHES && now.to_end < -now.gap;
        if is_at_end || (now.gap < -DEEP && !self.is_inside(&now)) {
            return None;
        }
        let foretold = now.gap + now.normal.dot(&self.motion.at(now.point)) * horizon;
        let gap = if now.gap <= TOUCHES || foretold >= 0.0 {
            now.gap
        } else {
            let end = self.crossing([edge, other], [edge.whole, other.whole], horizon);
            let end = end.filter(|end| end.normal.dot(&now.normal) > 0.0)?;
            now.gap + (end.gap - foretold).max(0.0)
        };
        Some((now.point, now.normal, gap))
    }

    /// Whether each edge is inside the other part where they cross.
    fn is_inside(&self, crossing: &Crossing) -> bool {
        let own = self.frame.turn.tr_mul(&(crossing.other - self.frame.shift));
        self.against.part.sample(crossing.point).distance < 0.0 && self.of.part.sample(own).distance < 0.0
    }

    /// The crossing within these parameters after a time of the expected motion [s].
    fn crossing(
        &self,
        [edge, other]: [&SharpEdge; 2],
        [within, other_within]: [[f64; 2]; 2],
        time: f64,
    ) -> Option<Crossing> {
        let turn = |own: Vector3<f64>| {
            let turned = self.frame.turn * own;
            turned + self.motion.turning(turned) * time
        };
        let carried = |own: Vector3<f64>| {
            let point = self.carried(own);
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
        if !is_within(s, within) || !is_within(t, other_within) {
            return None;
        }
        let ([own, own_slope], [q, b]) = (edge.at(s), other.at(t));
        let (p, a) = (carried(own), turn(own_slope));
        let across = a.cross(&b).normalize();
        let between = p - q;
        // edges that bend away from each other have no such places
        if (between - across * across.dot(&between)).norm_squared() > ALONG * ALONG {
            return None;
        }
        let own_normals = edge.normals(own).map(turn);
        let other_normals = other.normals(q);
        let out = other_normals[0] + other_normals[1] - own_normals[0] - own_normals[1];
        let normal = if out.dot(&across) < 0.0 { -across } else { across };
        let fits = is_between(normal, b, other_normals) && is_between(-normal, a, own_normals);
        let length = |place: f64, [from, to]: [f64; 2], slope: f64| slope * (place - from).min(to - place);
        let to_end = length(s, edge.whole, a.norm()).min(length(t, other.whole, b.norm()));
        fits.then(|| Crossing { point: p, other: q, normal, gap: normal.dot(&between), to_end })
    }
}

/// Whether a direction across an edge lies between the normals of its faces.
fn is_between(direction: Vector3<f64>, along: Vector3<f64>, [first, second]: [Vector3<f64>; 2]) -> bool {
    let area = along.dot(&first.cross(&second));
    let shares = [along.dot(&direction.cross(&second)) / area, along.dot(&first.cross(&direction)) / area];
    shares.iter().all(|share| *share >= -LEANS)
}
