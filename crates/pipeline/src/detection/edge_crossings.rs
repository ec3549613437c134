//! Where the edges of two turned parts cross.
//!
//! Nodes do not see what lies between them. Along a face or a single edge the other part dips in between two nodes by
//! s²/8r; where two convex edges cross, by s/2 times the slope of one against the other: 19 µm for a peg that is tilted
//! by 5° in the rim of its hole, with nodes 1 mm apart. So crossings are detected separately:
//!
//! ```text
//! p(u) = c + r (e₁ cos u + e₂ sin u)                     the circle of one part in the frame of the other
//! dₖ(u) = nₖ · (p − q)                                    distance to the faces k = 1, 2 that meet in the other's edge
//! d₁ = d₂,  (n₁·t)(n₂·t) < 0                              a crossing: max(d₁, d₂), the distance there, has its least value
//! n ∝ |n₂·t| n₁ + |n₁·t| n₂,   φ = (|n₂·t| + |n₁·t|) d/|…|    n across both edges
//! ```
//!
//! u angle along the circle [rad], t its direction, q a point of the other's edge, φ gap along n [m]. The row is that
//! of two lines in space: neither part has to be in front of a chosen face. It is a contact only if −n also lies
//! between the normals of the first part's faces; otherwise one of these faces is met, which the nodes of the other's
//! edge detect. Roots are bracketed by samples of d₁ − d₂ around the circle, or by the vertex of a parabola through
//! three samples where two roots are close together, and then refined by the Illinois rule. [Dowell & Jarratt, BIT 11,
//! 1971]
//!
//! The faces of an edge end, and the surface d₁ = d₂ does not: far inside it leaves the part again, or another face is nearer. A
//! deep crossing counts where the part is as deep there.

use nalgebra::{Vector2, Vector3};
use tightfit_shape::Part;
use tightfit_shape::profile::Rim;

use super::contact_writer::ContactWriter;
use super::node_blocks::Frame;
use super::{DetectionOptions, PairBody};
use crate::records::Contacts;

/// Largest number of crossings of two circles: a circle meets the cone through the other edge at the roots of a
/// quartic.
const OF_TWO_RIMS: u32 = 4;
/// Samples around a circle; the parabola separates two roots that are nearer than a thirtieth of a radian.
const SAMPLES: usize = 64;
/// Most refinements of a root; the Illinois rule takes six or seven.
const REFINEMENTS: u32 = 20;
/// Depth from which a crossing has to be inside the part [m], and by which share of its depth at least [-].
const DEEP: f64 = 10e-6;
const AS_DEEP: f64 = 0.5;
/// Difference of the two distances that counts as zero [m].
const EQUAL: f64 = 1e-12;

/// Largest number of crossings of two parts, and of the identities that they take.
#[must_use]
pub fn most_crossings(first: &Part, second: &Part) -> u32 {
    let count = |part: &Part| part.rims().count() as u32;
    OF_TWO_RIMS * count(first) * count(second)
}

/// Appends the crossings of the edges of one body with those of the other.
pub(super) fn detect(of: &PairBody, against: &PairBody, options: &DetectionOptions, contacts: &mut Contacts) {
    let is_exact = of.network.is_none() && against.network.is_none();
    if !is_exact || !(of.is_free() || against.is_free()) {
        return;
    }
    let frame = Frame::of(&(against.world_from_part.inverse() * of.world_from_part));
    // Identities follow those of the nodes of both bodies.
    let first =
        [of, against].map(|side| side.first_id + side.nodes.len() as u32).into_iter().fold(0, u32::max);
    let mut writer = ContactWriter::new(of, against, contacts);
    for (place, rim) in of.part.rims().enumerate() {
        let circle = Circle::new(&rim, &frame);
        for (other_place, other) in against.part.rims().enumerate() {
            if !circle.comes_near(&other, options.margin) {
                continue;
            }
            let pair = (place * against.part.rims().count() + other_place) as u32;
            let mut number = first + OF_TWO_RIMS * pair;
            let last = number + OF_TWO_RIMS;
            circle.each_crossing(&other, |angle| {
                let is_inside = |point: Vector3<f64>, gap: f64| {
                    gap > -DEEP || against.part.sample(point).distance < AS_DEEP * gap
                };
                if let Some((point, normal, gap)) = circle.contact(&other, angle)
                    && gap < options.margin
                    && number < last
                    && is_inside(point, gap)
                {
                    writer.push(point, normal, gap, number * Part::MOST_PIECES);
                    number += 1;
                }
            });
        }
    }
    writer.finish(options);
}

/// A rim of one part in the frame of another.
struct Circle<'a> {
    rim: &'a Rim,
    middle: Vector3<f64>,
    /// e₁, e₂ and the axis [-].
    axes: [Vector3<f64>; 3],
}

impl<'a> Circle<'a> {
    fn new(rim: &'a Rim, frame: &Frame) -> Self {
        let axes = [0, 1, 2].map(|axis| frame.turn.column(axis).into_owned());
        Self { rim, middle: frame.shift + axes[2] * rim.height, axes }
    }

    /// Whether a point of it can be within `reach` [m] of the other rim.
    fn comes_near(&self, other: &Rim, reach: f64) -> bool {
        let radius = self.rim.radius;
        let (rise, beside) = (libm::hypot(self.axes[0].z, self.axes[1].z), self.middle.xy().norm());
        let (least, most) = (radius * self.axes[2].z.abs() - beside, radius + beside);
        (other.height - self.middle.z).abs() <= radius * rise + reach
            && other.radius <= most + reach
            && other.radius >= least - reach
    }

    fn at(&self, angle: f64) -> Vector3<f64> {
        let (sin, cos) = libm::sincos(angle);
        self.middle + (self.axes[0] * cos + self.axes[1] * sin) * self.rim.radius
    }

    /// d₁ − d₂ [m].
    fn difference(&self, other: &Rim, angle: f64) -> f64 {
        let point = self.at(angle);
        let [first, second] = other.distances(point.xy().norm(), point.z);
        first - second
    }

    /// Visits the angles at which both faces of the other rim are at the same distance.
    fn each_crossing(&self, other: &Rim, mut visit: impl FnMut(f64)) {
        let step = std::f64::consts::TAU / SAMPLES as f64;
        let of = |angle: f64| self.difference(other, angle);
        let mut bracket = |low: (f64, f64), high: (f64, f64)| {
            if (low.1 < 0.0) != (high.1 < 0.0) {
                visit(root(of, low, high));
            }
        };
        let (mut before, mut here) = (of(-step), (0.0, of(0.0)));
        for sample in 1..=SAMPLES {
            let next = (sample as f64 * step, of(sample as f64 * step));
            // Vertex of the parabola through the three samples.
            let bend = before - 2.0 * here.1 + next.1;
            let vertex = if bend == 0.0 { 0.0 } else { 0.5 * (before - next.1) / bend };
            let all_on_one_side = (before < 0.0) == (here.1 < 0.0) && (here.1 < 0.0) == (next.1 < 0.0);
            if all_on_one_side && vertex.abs() <= 0.5 && here.1 * bend > 0.0 {
                let angle = here.0 + vertex * step;
                let turning = (angle, of(angle));
                bracket((here.0 - step, before), turning);
                bracket(turning, next);
            } else {
                bracket(here, next);
            }
            (before, here) = (here.1, next);
        }
    }

    /// Point, normal out of the other part, and gap at a crossing; `None` where the edges do not meet.
    fn contact(&self, other: &Rim, angle: f64) -> Option<(Vector3<f64>, Vector3<f64>, f64)> {
        let (sin, cos) = libm::sincos(angle);
        let point = self.at(angle);
        let out = self.axes[0] * cos + self.axes[1] * sin;
        let along = self.axes[1] * cos - self.axes[0] * sin;
        let radius = point.xy().norm();
        let away = if radius > 0.0 { point.xy() / radius } else { Vector2::x() };
        let faces =
            other.normals.map(|[radial, axial]| Vector3::new(away.x * radial, away.y * radial, axial));
        let slopes = faces.map(|face| face.dot(&along));
        if slopes[0] * slopes[1] >= 0.0 {
            return None;
        }
        let sum = faces[0] * slopes[1].abs() + faces[1] * slopes[0].abs();
        let length = sum.norm();
        let normal = sum / length;
        // −n = a m₁ + b m₂ in the plane (radial, axial) of the first part's faces
        let [push, lift] = [-normal.dot(&out), -normal.dot(&self.axes[2])];
        let [[r1, z1], [r2, z2]] = self.rim.normals;
        let area = r1 * z2 - z1 * r2;
        let shares = [(push * z2 - lift * r2) / area, (r1 * lift - z1 * push) / area];
        if !shares.iter().all(|share| *share >= 0.0) {
            return None;
        }
        let distance = other.distances(radius, point.z).into_iter().fold(f64::NEG_INFINITY, f64::max);
        Some((point, normal, distance * (slopes[0].abs() + slopes[1].abs()) / length))
    }
}

/// The zero of a function between two of its points of opposite sign, by the Illinois rule.
fn root(of: impl Fn(f64) -> f64, mut low: (f64, f64), mut high: (f64, f64)) -> f64 {
    for _ in 0..REFINEMENTS {
        let angle = high.0 - high.1 * (high.0 - low.0) / (high.1 - low.1);
        let value = of(angle);
        if (value < 0.0) == (high.1 < 0.0) {
            // The Illinois rule halves the value at the end that stays.
            low.1 *= 0.5;
        } else {
            low = high;
        }
        high = (angle, value);
        if value.abs() < EQUAL {
            break;
        }
    }
    high.0
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;
    use tightfit_shape::node::NodeSpacing;
    use tightfit_shape::preset::preset;
    use tightfit_shape::profile::{Outline, Section, SectionedSolid};
    use tightfit_spatial::{Columns3, Pose, SplitMix};

    use super::super::{Clearances, DetectionScratch, NodeBlocks, detect_pair};
    use super::*;
    use crate::records::NOT_FREE;

    const OPTIONS: DetectionOptions =
        DetectionOptions { margin: 20e-6, crossings: true, horizon: 0.01, friction: 0.1, restitution: 0.0 };

    /// Dip of a face or a single edge between nodes s = 1 mm apart: A s²/8r², A = 2 mm the wave of a tilt of 0.08 rad
    /// [m].
    const DIP: f64 = 0.5e-6;

    /// Depth of the edges of one part in another, sampled every 0.04 mm [m].
    fn depth(of: &Part, against: &Part, against_from_of: &Pose) -> f64 {
        let mut least = f64::INFINITY;
        for rim in of.rims() {
            for place in 0..4000 {
                let (sin, cos) = (f64::from(place) * std::f64::consts::TAU / 4000.0).sin_cos();
                let point = Vector3::new(rim.radius * cos, rim.radius * sin, rim.height);
                least = least.min(against.sample(against_from_of.transform_point(point)).distance);
            }
        }
        -least
    }

    fn blocks(part: &Part) -> NodeBlocks {
        let mut positions = Columns3::default();
        part.place(&part.nodes(&NodeSpacing::default()), &mut positions);
        NodeBlocks::new(positions)
    }

    /// Smallest gap of a peg at rest in a hole, over all contacts and over those of nodes [m].
    fn smallest_gaps(parts: [&Part; 2], nodes: [&NodeBlocks; 2], hole_from_peg: Pose) -> [f64; 2] {
        let own = PairBody::at_rest(parts[0], nodes[0], hole_from_peg, 0);
        let other = PairBody::at_rest(parts[1], nodes[1], Pose::identity(), NOT_FREE);
        let sides = [own, PairBody { first_id: nodes[0].len() as u32, ..other }];
        let mut contacts = Contacts::default();
        let (mut clearances, mut scratch) = (<[Clearances; 2]>::default(), DetectionScratch::default());
        detect_pair([&sides[0], &sides[1]], &OPTIONS, &mut clearances, &mut scratch, &mut contacts);
        let of_nodes = (nodes[0].len() + nodes[1].len()) as u32 * Part::MOST_PIECES;
        let both = contacts.gap.iter().zip(&contacts.id);
        both.fold([f64::INFINITY; 2], |[all, some], (gap, id)| {
            [all.min(*gap), if *id < of_nodes { some.min(*gap) } else { some }]
        })
    }

    #[test]
    fn no_edge_is_deeper_between_the_nodes_than_the_contacts_report() {
        let (peg, hole) = (preset("peg-50").expect("peg"), preset("hole-50").expect("hole"));
        let nodes = [blocks(&peg), blocks(&hole)];
        let mut random = SplitMix::stream(3);
        let mut missed_by_nodes = 0.0_f64;
        for _ in 0..8 {
            let tilt = random.centered_cube().xy().normalize() * (0.05 + 0.03 * random.signed());
            let beside = random.centered_cube().xy() * 1e-3;
            let turn = UnitQuaternion::from_scaled_axis(Vector3::new(tilt.x, tilt.y, 0.0));
            let pose = |height: f64| Pose::new(Vector3::new(beside.x, beside.y, height), turn);
            // The peg is lowered until an edge penetrates by 5 µm.
            let (mut low, mut high) = (-4e-3, 4e-3);
            for _ in 0..16 {
                let middle = f64::midpoint(low, high);
                let is_deep = depth(&peg, &hole, &pose(middle)) > 5e-6;
                (low, high) = if is_deep { (middle, high) } else { (low, middle) };
            }
            let true_depth = depth(&peg, &hole, &pose(high));
            let [gap, of_nodes] = smallest_gaps([&peg, &hole], [&nodes[0], &nodes[1]], pose(high));
            // The gap along n is at most 1/cos 22.5° of the distance at an edge of 135°, for the hole's edges in the
            // peg too.
            let deepest = true_depth.max(depth(&hole, &peg, &pose(high).inverse()));
            assert!(-gap > true_depth - DIP, "{gap} {true_depth}");
            assert!(-gap < 1.09 * deepest + DIP, "{gap} {deepest}");
            missed_by_nodes = missed_by_nodes.max(true_depth + of_nodes);
        }
        // Nodes alone miss far more than a dip: 2.6 µm at these poses.
        assert!(missed_by_nodes > 4.0 * DIP, "{missed_by_nodes}");
    }

    /// The cone between the faces of a rim goes on through the ring and beyond it: what crosses that is no contact.
    #[test]
    fn a_cylinder_beside_a_ring_is_not_inside_it() {
        let turned = |outline: &[[f64; 2]]| {
            Part::Sectioned(SectionedSolid::new(Section::Round, Outline::new(outline)))
        };
        let cylinder = turned(&[[0.0, -15e-3], [10e-3, -15e-3], [10e-3, 15e-3], [0.0, 15e-3]]);
        let ring = turned(&[[18e-3, -5e-3], [26e-3, -5e-3], [26e-3, 5e-3], [18e-3, 5e-3]]);
        let mut random = SplitMix::stream(7);
        let mut near = 0;
        for _ in 0..3000 {
            let turn = UnitQuaternion::from_scaled_axis(random.centered_cube() * 6.0);
            let pose = Pose::new(random.centered_cube() * 80e-3, turn);
            let least = |of: &Part, against: &Part, pose: Pose| {
                let mut positions = Columns3::default();
                of.place(&of.nodes(&NodeSpacing::default()), &mut positions);
                positions
                    .iter()
                    .map(|own| against.sample(pose.transform_point(own)).distance)
                    .fold(1.0, f64::min)
            };
            if least(&cylinder, &ring, pose).min(least(&ring, &cylinder, pose.inverse())) < 1e-3 {
                continue;
            }
            let nodes = [blocks(&cylinder), blocks(&ring)];
            let own = PairBody::at_rest(&cylinder, &nodes[0], pose, 0);
            let other = PairBody::at_rest(&ring, &nodes[1], Pose::identity(), NOT_FREE);
            let mut contacts = Contacts::default();
            detect(&own, &other, &DetectionOptions { margin: 30e-3, ..OPTIONS }, &mut contacts);
            assert!(contacts.smallest_gap() > 0.0, "{} m at {pose:?}", contacts.smallest_gap());
            near += contacts.len();
        }
        assert!(near > 100, "{near} crossings");
    }

    #[test]
    fn edges_on_one_axis_do_not_cross() {
        let (peg, hole) = (preset("peg-50").expect("peg"), preset("hole-50").expect("hole"));
        let rims: Vec<Rim> = hole.rims().collect();
        for height in [-30e-3, -0.3e-3, 0.0, 0.4e-3] {
            for rim in peg.rims() {
                let frame = Frame::of(&Pose::from_translation(Vector3::z() * height));
                let circle = Circle::new(&rim, &frame);
                for other in &rims {
                    circle.each_crossing(other, |angle| {
                        assert!(circle.contact(other, angle).is_none(), "{rim:?} {other:?} {angle}");
                    });
                }
            }
        }
    }
}
