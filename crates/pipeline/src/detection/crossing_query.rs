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
//! `turned.rs`. Otherwise an edge that passes another one's end would be stopped. Almost parallel edges are left to nodes. A curve that
//! grazes another edge crosses it twice, and what lies between is deepest at one of both places: they are sought from its
//! middle and its ends.

use arrayvec::ArrayVec;
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
/// Sine below which a curve may cross another twice within their ranges [-], and how far apart two such places are [m].
const GRAZING: f64 = 0.7;
const SAME_PLACE: f64 = 1e-7;

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
    /// Whether the faces of the own and of the other edge meet at less than a right angle.
    is_acute: [bool; 2],
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

    /// Visits the places where two edges cross, at most two: their number, point, normal out of the other part, and gap.
    pub(super) fn each_contact(
        &self,
        edge: &SharpEdge,
        other: &SharpEdge,
        mut visit: impl FnMut(u32, Vector3<f64>, Vector3<f64>, f64),
    ) {
        let pair = [edge, other];
        let bent = if edge.is_straight() { 1 } else { 0 };
        let middles = pair.map(|own| f64::midpoint(own.range[0], own.range[1]));
        let at = |place: [f64; 2]| pair[bent].at(place[bent])[0];
        let mut found = ArrayVec::<[f64; 2], 2>::new();
        let mut seek = |start: [f64; 2]| {
            if let Some(place) = self.place(pair, start)
                && found.iter().all(|known| (at(*known) - at(place)).norm() > SAME_PLACE)
            {
                let _ = found.try_push(place);
            }
            found.first().copied()
        };
        let first = seek(middles);
        // a curve that grazes another crosses it twice, and from its middle the way may lead to a place beyond its end
        if !pair[bent].is_straight() && first.is_none_or(|first| self.is_grazing(pair, first)) {
            for end in pair[bent].range {
                let mut start = first.unwrap_or(middles);
                start[bent] = end;
                seek(start);
            }
        }
        for (number, place) in found.into_iter().enumerate() {
            if let Some((point, normal, gap)) = self.contact(pair, place) {
                visit(number as u32, point, normal, gap);
            }
        }
    }

    /// Whether two edges cross at so small an angle that bending may bring them together again within their ranges.
    fn is_grazing(&self, [edge, other]: [&SharpEdge; 2], [s, t]: [f64; 2]) -> bool {
        let (a, b) = (self.turned(edge.at(s)[1]), other.at(t)[1]);
        a.cross(&b).norm_squared() < GRAZING * GRAZING * a.norm_squared() * b.norm_squared()
    }

    /// Point, normal out of the other part, and gap where two edges cross at a place.
    fn contact(&self, pair: [&SharpEdge; 2], place: [f64; 2]) -> Option<(Vector3<f64>, Vector3<f64>, f64)> {
        let now = self.crossing(pair, place, 0.0)?;
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
            let end = self
                .settled(pair, place, horizon)
                .filter(|place| is_within(*place, pair.map(|own| own.whole)));
            let end = end.and_then(|place| self.crossing(pair, place, horizon));
            let end = end.filter(|end| end.normal.dot(&now.normal) > 0.0)?;
            now.gap + (end.gap - foretold).max(0.0)
        };
        Some((now.point, now.normal, gap))
    }

    /// Whether each edge is inside the other part where they cross; what is behind an acute edge may be beyond its other face.
    fn is_inside(&self, crossing: &Crossing) -> bool {
        let own = self.frame.turn.tr_mul(&(crossing.other - self.frame.shift));
        let inside = [
            self.of.part.sample(own).distance < 0.0,
            self.against.part.sample(crossing.point).distance < 0.0,
        ];
        let [own, other] = [0, 1].map(|side| inside[side] || crossing.is_acute[side]);
        own && other && inside.contains(&true)
    }

    /// A direction and a point of the own part in the other's frame after a time of the expected motion [s].
    fn turned_after(&self, own: Vector3<f64>, time: f64) -> Vector3<f64> {
        let turned = self.frame.turn * own;
        turned + self.motion.turning(turned) * time
    }

    fn carried_after(&self, own: Vector3<f64>, time: f64) -> Vector3<f64> {
        let point = self.carried(own);
        point + self.motion.at(point) * time
    }

    /// Parameters at which the edges cross now, within their ranges, from a first guess.
    fn place(&self, pair: [&SharpEdge; 2], start: [f64; 2]) -> Option<[f64; 2]> {
        self.settled(pair, start, 0.0).filter(|place| is_within(*place, pair.map(|own| own.range)))
    }

    /// Closest points of the tangents, repeated.
    fn settled(&self, [edge, other]: [&SharpEdge; 2], start: [f64; 2], time: f64) -> Option<[f64; 2]> {
        let [mut s, mut t] = start;
        for _ in 0..MOST {
            let ([own, own_slope], [q, b]) = (edge.at(s), other.at(t));
            let (p, a) = (self.carried_after(own, time), self.turned_after(own_slope, time));
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
        Some([s, t])
    }

    /// The crossing at a place after a time of the expected motion [s].
    fn crossing(&self, [edge, other]: [&SharpEdge; 2], [s, t]: [f64; 2], time: f64) -> Option<Crossing> {
        let turn = |own: Vector3<f64>| self.turned_after(own, time);
        let ([own, own_slope], [q, b]) = (edge.at(s), other.at(t));
        let (p, a) = (self.carried_after(own, time), turn(own_slope));
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
        let fits = is_between(normal, b, other_normals, other.lean)
            && is_between(-normal, a, own_normals, edge.lean);
        let length = |place: f64, [from, to]: [f64; 2], slope: f64| slope * (place - from).min(to - place);
        let to_end = length(s, edge.whole, a.norm()).min(length(t, other.whole, b.norm()));
        let is_acute = [own_normals, other_normals].map(|[first, second]| first.dot(&second) < 0.0);
        fits.then(|| Crossing { point: p, other: q, normal, gap: normal.dot(&between), to_end, is_acute })
    }
}

fn is_within(place: [f64; 2], ranges: [[f64; 2]; 2]) -> bool {
    place.iter().zip(ranges).all(|(place, [from, to])| *place >= from && *place < to)
}

/// Whether a direction across an edge lies between the normals of its faces, or leans out of them by this share at most.
fn is_between(
    direction: Vector3<f64>,
    along: Vector3<f64>,
    [first, second]: [Vector3<f64>; 2],
    lean: f64,
) -> bool {
    let area = along.dot(&first.cross(&second));
    let shares = [along.dot(&direction.cross(&second)) / area, along.dot(&first.cross(&direction)) / area];
    shares.iter().all(|share| *share >= -lean)
}

#[cfg(test)]
mod tests {
    use nalgebra::{UnitQuaternion, Vector3};
    use tightfit_shape::Part;
    use tightfit_shape::polyhedron::Edge;
    use tightfit_spatial::{Columns3, Pose};

    use super::*;
    use crate::detection::NodeBlocks;
    use crate::records::NOT_FREE;

    /// The rim of a disc that stands 3 um over the edge of a table: both places where they cross, whatever the direction of the edge.
    #[test]
    fn a_rim_that_grazes_an_edge_crosses_it_twice() {
        let disc = Part::cylinder(11e-3, 10e-3).expect("a cylinder");
        let bottom = disc.aabb().expect("bounded").min.z;
        let nodes = NodeBlocks::new(Columns3::default());
        let sides = [
            PairBody::at_rest(&disc, &nodes, Pose::identity(), 0),
            PairBody::at_rest(&Part::HalfSpace, &nodes, Pose::identity(), NOT_FREE),
        ];
        let options = DetectionOptions {
            margin: 1e-5,
            crossings: true,
            horizon: 0.01,
            friction: 0.1,
            restitution: 0.0,
        };
        let query = CrossingQuery::new(&sides[0], &sides[1], &options);
        for angle in [0.0, 0.11, 0.17, 1.0, 3.0] {
            let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
            // the table is beyond the edge, 1 um above the disc's bottom
            let ends = [-20e-3, 20e-3].map(|y| turn * Vector3::new(11e-3 - 3e-6, y, bottom + 1e-6));
            let edge = Edge {
                ends,
                along: turn * Vector3::y(),
                length: 40e-3,
                faces: [0, 1],
                normals: [Vector3::z(), turn * -Vector3::x()],
                is_convex: true,
                ends_at_corner: [true; 2],
            };
            let (table, mut found) = (SharpEdge::straight(&edge), Vec::new());
            for own in disc.sharp_edges() {
                query.each_contact(&own, &table, |_, point, normal, gap| {
                    found.push((turn.inverse() * point).y);
                    assert!((gap + 1e-6).abs() < 1e-9 && normal.z > 0.99, "{gap} m, {normal}");
                });
            }
            found.sort_by(f64::total_cmp);
            let half = (11e-3_f64.powi(2) - (11e-3_f64 - 3e-6).powi(2)).sqrt();
            assert!(found.len() == 2, "{angle} rad: {found:?}");
            assert!(
                (found[0] + half).abs() < 1e-7 && (found[1] - half).abs() < 1e-7,
                "{angle} rad: {found:?}"
            );
        }
    }
}
