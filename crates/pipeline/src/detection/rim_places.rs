//! Where the rim of a turned part is nearest to a face of another one between the nodes of the rim: a peg that leans in the mouth of its
//! hole, or lies on it.
//!
//! ```text
//! p(u) = c + r (e₁ cos u + e₂ sin u)          the rim in the frame of the other part
//! d(u) = a (|p − (p·z) z| − r₀) + b (p·z − z₀)   distance to a face, which is a plane, a cylinder or a cone about z
//! d′(u) = 0,  d″(u) > 0                       a place of least distance
//! ```
//!
//! a, b radial and axial components of the face's normal [-], r₀, z₀ a point of its outline [m]. Between nodes that are s apart such a
//! place is nearer by s²/8r times the sine of the angle between the axes: where these are nearly parallel nodes suffice. The places are
//! bracketed by samples around the rim; what a face is to the place is decided as for nodes.

use nalgebra::Vector3;
use tightfit_shape::Part;
use tightfit_shape::profile::{Rim, Section, SectionedSolid};

use super::PairBody;
use super::node_blocks::Frame;
use super::wall_crossings::are_convex_and_turned;

/// Sine of the angle between the axes below which nodes suffice [-]: 0.2 µm between nodes 1 mm apart on a radius of 12 mm.
const TILTED: f64 = 0.02;
/// Samples around a rim.
const SAMPLES: usize = 64;
/// Angle between samples [rad].
const STEP: f64 = std::f64::consts::TAU / SAMPLES as f64;
/// Largest number of such places of a rim over a face.
const OF_RIM: u32 = 4;
/// Most halvings of the search, and the slope that ends it [m per radian].
const MOST_HALVINGS: u32 = 30;
const LEVEL: f64 = 1e-10;

/// Number of identities that the places of a pair take, those of the rims of the first part before those of the second.
pub(super) fn rim_place_ids([first, second]: [&PairBody; 2]) -> u32 {
    count(first, second).wrapping_add(count(second, first))
}

/// Number of identities that the rims of one part over the faces of the other take.
pub(super) fn count(of: &PairBody, against: &PairBody) -> u32 {
    turned([of, against])
        .map_or(0, |[own, other]| OF_RIM * (own.rims().count() * other.outline.vertices().len()) as u32)
}

/// The solids, if both are turned.
fn turned<'a>(sides: [&PairBody<'a>; 2]) -> Option<[&'a SectionedSolid; 2]> {
    let of = |side: &PairBody<'a>| match side.part {
        Part::Sectioned(solid) if solid.section == Section::Round && side.network.is_none() => Some(solid),
        _ => None,
    };
    Some([of(sides[0])?, of(sides[1])?])
}

/// Whether the places stand for all nodes of rims, which would slide to the same.
pub(super) fn stand_for_nodes(sides: [&PairBody; 2], frame: &Frame) -> bool {
    are_convex_and_turned(sides) && turned(sides).is_some() && rise(frame) >= TILTED
}

/// Sine of the angle between the axes [-].
fn rise(frame: &Frame) -> f64 {
    libm::hypot(frame.turn[(2, 0)], frame.turn[(2, 1)])
}

/// Visits the places, with their numbers, that are within `reach` [m] of the other part.
pub(super) fn each_place(
    of: &PairBody,
    against: &PairBody,
    frame: &Frame,
    reach: f64,
    mut visit: impl FnMut(u32, Vector3<f64>),
) {
    let Some([own, other]) = turned([of, against]) else { return };
    let axes = [0, 1, 2].map(|axis| frame.turn.column(axis).into_owned());
    let rise = rise(frame);
    if rise < TILTED {
        return;
    }
    let faces = other.outline.vertices().len() as u32;
    for (rim, number) in own.rims().zip(0..) {
        let circle = Circle { radius: rim.radius, middle: frame.shift + axes[2] * rim.height, axes };
        let mut around = None;
        for (index, [start, end]) in other.outline.edges() {
            if !circle.comes_near([start, end], rise, reach) {
                continue;
            }
            let around = around.get_or_insert_with(|| circle.samples());
            let face =
                Rim { radius: start[0], height: start[1], normals: [other.outline.edge_normal(index); 2] };
            let mut next = OF_RIM * (number * faces + index as u32);
            let last = next + OF_RIM;
            circle.each_lowest(around, &face, reach, |point| {
                if next < last {
                    visit(next, point);
                    next += 1;
                }
            });
        }
    }
}

/// A rim in the frame of the other part.
struct Circle {
    radius: f64,
    middle: Vector3<f64>,
    /// e₁, e₂ and the axis [-].
    axes: [Vector3<f64>; 3],
}

impl Circle {
    /// Whether a point of it can be within `reach` [m] of the foot of a stretch of the other outline.
    fn comes_near(&self, [start, end]: [[f64; 2]; 2], rise: f64, reach: f64) -> bool {
        let beside = self.middle.xy().norm();
        let (least, most) = (self.radius * self.axes[2].z.abs() - beside, self.radius + beside);
        let (low, high) = (self.middle.z - self.radius * rise, self.middle.z + self.radius * rise);
        start[0].max(end[0]) >= least - reach
            && start[0].min(end[0]) <= most + reach
            && start[1].max(end[1]) >= low - reach
            && start[1].min(end[1]) <= high + reach
    }

    fn at(&self, angle: f64) -> Vector3<f64> {
        let (sin, cos) = libm::sincos(angle);
        self.middle + (self.axes[0] * cos + self.axes[1] * sin) * self.radius
    }

    /// Distance from the other axis and height around the rim [m].
    fn samples(&self) -> [[f64; 2]; SAMPLES] {
        std::array::from_fn(|sample| {
            let point = self.at(sample as f64 * STEP);
            [point.xy().norm(), point.z]
        })
    }

    /// d′ at an angle [m].
    fn slope(&self, face: &Rim, angle: f64) -> f64 {
        let (sin, cos) = libm::sincos(angle);
        let point = self.middle + (self.axes[0] * cos + self.axes[1] * sin) * self.radius;
        let along = (self.axes[1] * cos - self.axes[0] * sin) * self.radius;
        let [radial, axial] = face.normals[0];
        let away = point.xy().norm();
        let outwards = if away > 0.0 { point.xy().dot(&along.xy()) / away } else { 0.0 };
        radial * outwards + axial * along.z
    }

    /// Visits the places of least distance to a face.
    fn each_lowest(
        &self,
        around: &[[f64; 2]; SAMPLES],
        face: &Rim,
        reach: f64,
        mut visit: impl FnMut(Vector3<f64>),
    ) {
        let distance =
            |sample: usize| face.distances(around[sample % SAMPLES][0], around[sample % SAMPLES][1])[0];
        // between samples the distance falls by less than a whole step
        let near = reach + self.radius * STEP;
        let (mut before, mut here) = (distance(SAMPLES - 1), distance(0));
        for sample in 0..SAMPLES {
            let next = distance(sample + 1);
            if here <= before && here < next && here < near {
                let middle = sample as f64 * STEP;
                visit(self.at(self.lowest(face, [middle - STEP, middle + STEP])));
            }
            (before, here) = (here, next);
        }
    }

    /// Angle of least distance between two others.
    fn lowest(&self, face: &Rim, [mut low, mut high]: [f64; 2]) -> f64 {
        let mut middle = f64::midpoint(low, high);
        for _ in 0..MOST_HALVINGS {
            let slope = self.slope(face, middle);
            if slope.abs() < LEVEL {
                break;
            }
            *if slope < 0.0 { &mut low } else { &mut high } = middle;
            middle = f64::midpoint(low, high);
        }
        middle
    }
}
