//! How a shaft goes into a housing: the common axis, the angle about it, the depth, and the clearances there.
//!
//! ```text
//! candidates  external cylinder of the shaft, internal cylinder of the housing, nearly equal radii; both directions
//! clearance   c(q) = min over nodes of either part of the distance from the other part, at pose q
//! angle       the one with the largest c halfway in;   depth: the largest one with c ≥ 0 on the whole way
//! way         the deepest one; of two that are about as deep the one with the wider mouth
//! ```

use std::f64::consts::{PI, TAU};

use nalgebra::{Rotation3, UnitQuaternion, Vector3};
use tightfit_cad::Solid;
use tightfit_cad::geometry::{Frame, Surface};
use tightfit_spatial::{Columns3, Pose};

use crate::node::NodeSpacing;
use crate::{Part, ShapeError, Symmetry};

/// Radii of mating cylinders differ by at most this share.
const NEARLY_EQUAL: f64 = 0.05;
/// Penetration that counts as contact, well above rounding [m].
const CONTACT: f64 = 1e-9;
/// Distance of the shaft's tip in front of the housing before the way in [m].
const AHEAD: f64 = 2e-3;
/// How far the tip is in when the mouth is measured [m]: less than most chamfers.
const AT_MOUTH: f64 = 1e-4;
/// Widest mouth that is looked for [m].
const WIDEST: f64 = 1e-2;

/// Cylindrical faces on one axis with one radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bore {
    /// A point on the axis [m].
    pub origin: Vector3<f64>,
    /// Unit vector along the axis.
    pub axis: Vector3<f64>,
    /// Radius [m].
    pub radius: f64,
    /// Where it begins and ends along the axis from the origin [m].
    pub span: [f64; 2],
}

/// Two faces that face each other when the shaft is in.
#[derive(Clone, Debug, PartialEq)]
pub struct FacePair {
    /// `cylinders` or `planes`.
    pub kind: &'static str,
    /// Numbers of the faces in the files: shaft, housing.
    pub faces: [u64; 2],
    /// Diameter of the shaft's cylinder [m]; zero for planes.
    pub diameter: f64,
    /// Difference of the diameters, or distance of the planes [m]; negative for an interference.
    pub clearance: f64,
}

/// A shaft in its housing.
#[derive(Clone, Debug)]
pub struct Mating {
    /// Cylinder of the shaft and of the housing on the common axis.
    pub bores: [Bore; 2],
    /// `housing_from_shaft` before the way in.
    pub start: Pose,
    /// Unit vector of the way in, in the housing's frame.
    pub direction: Vector3<f64>,
    /// Length of the way until the parts touch [m].
    pub travel: f64,
    /// Length over which the mating cylinders overlap at the end of the way [m].
    pub engaged: f64,
    /// Smallest clearance on the way, where the cylinders overlap [m]; negative for an interference.
    pub least_clearance: f64,
    /// How far beside the axis the tip still enters: half the clearance without a chamfer on either part [m].
    pub catch: f64,
    /// Faces that face each other at the end of the way.
    pub pairs: Vec<FacePair>,
    /// Play across the axis, along two directions, each to both sides [m].
    pub play: [f64; 2],
    /// Play about the axis to both sides [rad]; not a number where nothing stops the rotation.
    pub turning_play: f64,
}

impl Mating {
    /// `housing_from_shaft` at the end of the way.
    #[must_use]
    pub fn end(&self) -> Pose {
        Pose::new(self.start.translation + self.direction * self.travel, self.start.rotation)
    }
}

/// Cylinders of a solid: external ones of a shaft, or internal ones of a housing.
#[must_use]
pub fn bores(solid: &Solid, external: bool) -> Vec<Bore> {
    let mut found: Vec<Bore> = Vec::new();
    for face in &solid.faces {
        let Surface::Cylinder(frame, radius) = &face.surface else { continue };
        if (face.sign > 0.0) != external {
            continue;
        }
        let along = |bore: &Bore| {
            let mut span = [f64::INFINITY, f64::NEG_INFINITY];
            for used in face.loops.iter().flatten() {
                let edge = &solid.edges[used.edge as usize];
                for k in 0..=8 {
                    let t = edge.range[0] + (edge.range[1] - edge.range[0]) * f64::from(k) / 8.0;
                    let s = (edge.curve.point(t) - bore.origin).dot(&bore.axis);
                    span = [span[0].min(s), span[1].max(s)];
                }
            }
            span
        };
        let same = |bore: &&mut Bore| {
            let off = frame.origin - bore.origin;
            (bore.radius - radius).abs() < 1e-8
                && bore.axis.cross(&frame.z).norm() < 1e-6
                && (off - bore.axis * off.dot(&bore.axis)).norm() < 1e-8
        };
        if let Some(bore) = found.iter_mut().find(same) {
            let span = along(bore);
            bore.span = [bore.span[0].min(span[0]), bore.span[1].max(span[1])];
        } else {
            let mut bore = Bore { origin: frame.origin, axis: frame.z, radius: *radius, span: [0.0; 2] };
            bore.span = along(&bore);
            found.push(bore);
        }
    }
    found
}

/// A part with nodes for the search.
struct Probe {
    part: Part,
    nodes: Vec<Vector3<f64>>,
}

impl Probe {
    fn new(solid: &Solid) -> Result<Self, ShapeError> {
        let part = Part::from_solid(solid.clone())?;
        let size = part.aabb().map_or(0.1, |aabb| aabb.diagonal());
        let set = part.nodes(&NodeSpacing::for_size(2.0 * size));
        let mut places = Columns3::default();
        part.place(&set, &mut places);
        Ok(Self { part, nodes: places.iter().collect() })
    }
}

/// Smallest distance between the nodes of either part and the other part; stops below `enough` [m].
fn clearance(shaft: &Probe, housing: &Probe, pose: &Pose, enough: f64) -> f64 {
    let inverse = pose.inverse();
    let mut least = f64::INFINITY;
    let sides = [(shaft, housing, pose), (housing, shaft, &inverse)];
    for (own, other, other_from_own) in sides {
        let Some(bounds) = other.part.aabb() else { continue };
        for node in &own.nodes {
            let point = other_from_own.transform_point(*node);
            // far nodes cannot be the nearest
            let outside = (bounds.min - point).sup(&(point - bounds.max)).max();
            if outside > least.min(1e-3) {
                continue;
            }
            least = least.min(other.part.sample(point).distance);
            if least < enough {
                return least;
            }
        }
    }
    least
}

/// Finds how the shaft goes into the housing.
///
/// # Errors
/// When no cylinders match, or when the shaft does not go in; the text has the numbers.
pub fn mate(shaft: &Solid, housing: &Solid) -> Result<Mating, ShapeError> {
    let (outer, inner) = (bores(shaft, true), bores(housing, false));
    let mut pairs: Vec<(f64, Bore, Bore)> = Vec::new();
    for a in &outer {
        for b in &inner {
            let off = (b.radius - a.radius) / a.radius;
            if off.abs() < NEARLY_EQUAL {
                pairs.push((off.abs(), *a, *b));
            }
        }
    }
    if pairs.is_empty() {
        let list = |bores: &[Bore]| {
            let mut radii: Vec<f64> = bores.iter().map(|bore| 2e3 * bore.radius).collect();
            radii.sort_by(f64::total_cmp);
            radii.dedup_by(|a, b| (*a - *b).abs() < 1e-6);
            let texts: Vec<String> = radii.iter().map(|d| format!("{d:.3}")).collect();
            if texts.is_empty() { "none".to_string() } else { texts.join(", ") }
        };
        return Err(ShapeError::Mesh(format!(
            "no cylinders match: the shaft has external diameters {} mm, the housing internal ones {} mm; \
             give the shaft first, or check the files",
            list(&outer),
            list(&inner)
        )));
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.radius.total_cmp(&a.1.radius)));
    let probes = [Probe::new(shaft)?, Probe::new(housing)?];
    let mut best: Option<Mating> = None;
    for (_, a, b) in pairs.iter().take(3) {
        for shaft_way in [1.0, -1.0] {
            for housing_way in [1.0, -1.0] {
                let found = insert(&probes, [a, b], shaft_way, housing_way);
                let is_better = best.as_ref().is_none_or(|best| {
                    let is_wider = found.catch > best.catch + 1e-5;
                    found.engaged > 1.1 * best.engaged + 1e-6
                        || found.engaged > 0.9 * best.engaged && is_wider
                });
                if is_better {
                    best = Some(found);
                }
            }
        }
        if best.as_ref().is_some_and(|best| best.engaged > 0.25 * (b.span[1] - b.span[0])) {
            break;
        }
    }
    let Some(mut mating) = best else { return Err(ShapeError::Mesh("the parts have no common axis".into())) };
    if mating.engaged <= 0.0 {
        let [a, b] = mating.bores;
        return Err(ShapeError::Mesh(format!(
            "the shaft ({:.4} mm) does not go into the bore ({:.4} mm): it stops after {:.3} mm with a clearance of \
             {:.4} mm in the diameter",
            2e3 * a.radius,
            2e3 * b.radius,
            1e3 * mating.travel,
            2e3 * (b.radius - a.radius)
        )));
    }
    mating.pairs = face_pairs(shaft, housing, &mating);
    add_play(&mut mating, &probes);
    Ok(mating)
}

/// The shaft turned and placed on the bore's axis, and pushed in as far as it goes.
fn insert(probes: &[Probe; 2], [a, b]: [&Bore; 2], shaft_way: f64, housing_way: f64) -> Mating {
    let direction = b.axis * housing_way;
    let turned = UnitQuaternion::rotation_between(&(a.axis * shaft_way), &direction)
        .unwrap_or_else(|| half_turn(a.axis));
    let along = |nodes: &[Vector3<f64>], by: &dyn Fn(Vector3<f64>) -> f64| {
        nodes
            .iter()
            .map(|node| by(*node))
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], x| [l.min(x), h.max(x)])
    };
    let shaft_span = along(&probes[0].nodes, &|node| (turned * (node - a.origin)).dot(&direction));
    let housing_span = along(&probes[1].nodes, &|node| (node - b.origin).dot(&direction));
    let first = housing_span[0] - shaft_span[1] - AHEAD;
    let pose = |depth: f64, angle: f64| {
        let rotation =
            UnitQuaternion::from_axis_angle(&nalgebra::Unit::new_normalize(direction), angle) * turned;
        let on_axis = b.origin + direction * (first + depth);
        Pose::new(on_axis - rotation * a.origin, rotation)
    };
    let most = housing_span[1] - housing_span[0] + AHEAD + shaft_span[1] - shaft_span[0];
    let bore_span = if housing_way > 0.0 { b.span } else { [-b.span[1], -b.span[0]] };
    let own_span = if shaft_way > 0.0 { a.span } else { [-a.span[1], -a.span[0]] };
    let overlap = |depth: f64| {
        let [low, high] = own_span.map(|s| s + first + depth);
        (high.min(bore_span[1]) - low.max(bore_span[0])).max(0.0)
    };
    let engages = bore_span[0] - own_span[1] - first;
    let round = probes.iter().any(|probe| probe.part.symmetry() == Symmetry::Revolved);
    let halfway = engages + 0.5 * (bore_span[1] - bore_span[0]).min(own_span[1] - own_span[0]);
    let angle = if round {
        0.0
    } else {
        best_angle(&|angle| clearance(&probes[0], &probes[1], &pose(halfway, angle), f64::NEG_INFINITY))
    };
    let free = |depth: f64| clearance(&probes[0], &probes[1], &pose(depth, angle), -CONTACT);
    // step by step, then by bisection
    let steps = 80;
    let mut travel = 0.0;
    let mut least = f64::INFINITY;
    for k in 1..=steps {
        let depth = most * f64::from(k) / f64::from(steps);
        let gap = free(depth);
        if gap < -CONTACT {
            let (mut low, mut high) = (travel, depth);
            for _ in 0..30 {
                let middle = 0.5 * (low + high);
                if free(middle) < -CONTACT {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            travel = low;
            break;
        }
        travel = depth;
        if overlap(depth) > 0.0 {
            least = least.min(gap);
        }
        if overlap(depth) >= bore_span[1] - bore_span[0] - 1e-9
            && depth > engages + bore_span[1] - bore_span[0]
        {
            break;
        }
    }
    let side = Frame::new(Vector3::zeros(), direction, None).map_or(Vector3::zeros(), |frame| frame.x);
    let mouth = pose((AHEAD + AT_MOUTH).min(travel), angle);
    let beside = |x: f64| Pose::new(mouth.translation + side * x, mouth.rotation);
    let catch = until(WIDEST, &|x| is_free(probes, &beside(x)));
    Mating {
        bores: [*a, *b],
        start: pose(0.0, angle),
        direction,
        travel,
        engaged: overlap(travel),
        least_clearance: least.min(b.radius - a.radius),
        catch: if catch.is_nan() { WIDEST } else { catch },
        pairs: Vec::new(),
        play: [0.0; 2],
        turning_play: f64::NAN,
    }
}

/// Half a turn about any axis perpendicular to this one.
fn half_turn(axis: Vector3<f64>) -> UnitQuaternion<f64> {
    let across = Frame::new(Vector3::zeros(), axis, None).map_or(Vector3::x(), |frame| frame.x);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_scaled_axis(across * PI))
}

/// The angle with the largest clearance: a scan of full turn, then a search beside the best.
fn best_angle(gap: &dyn Fn(f64) -> f64) -> f64 {
    const COUNT: i32 = 120;
    let best = (0..COUNT).map(|k| TAU * f64::from(k) / f64::from(COUNT)).fold(
        (f64::NEG_INFINITY, 0.0),
        |best, angle| {
            let here = gap(angle);
            if here > best.0 { (here, angle) } else { best }
        },
    );
    let (mut angle, mut step, mut value) = (best.1, TAU / f64::from(COUNT), best.0);
    for _ in 0..30 {
        step *= 0.6;
        for other in [angle - step, angle + step] {
            let here = gap(other);
            if here > value {
                (angle, value) = (other, here);
            }
        }
    }
    angle
}

/// Faces that face each other at the end of the way.
fn face_pairs(shaft: &Solid, housing: &Solid, mating: &Mating) -> Vec<FacePair> {
    let pose = mating.end();
    let mut pairs = Vec::new();
    for (number, own) in shaft.faces.iter().enumerate() {
        for other in &housing.faces {
            match (&own.surface, &other.surface) {
                (Surface::Cylinder(a, r), Surface::Cylinder(b, s)) if own.sign > 0.0 && other.sign < 0.0 => {
                    let axis = pose.rotation * a.z;
                    let off = pose.transform_point(a.origin) - b.origin;
                    let coaxial = axis.cross(&b.z).norm() < 1e-6 && (off - b.z * off.dot(&b.z)).norm() < 1e-6;
                    if coaxial && (s - r).abs() < NEARLY_EQUAL * r {
                        let faces = [own.id, other.id];
                        pairs.push(FacePair {
                            kind: "cylinders",
                            faces,
                            diameter: 2.0 * r,
                            clearance: 2.0 * (s - r),
                        });
                    }
                }
                (Surface::Plane(a), Surface::Plane(b)) => {
                    let normal = pose.rotation * (a.z * own.sign);
                    if (normal + b.z * other.sign).norm() > 1e-6 {
                        continue;
                    }
                    let gap = (pose.transform_point(a.origin) - b.origin).dot(&(b.z * other.sign));
                    // planes that overlap: a point of the shaft's face is nearest to the housing's face
                    let step = 0.02 * shaft.aabb().diagonal();
                    let overlaps = gap.abs() < 1e-3
                        && shaft.face_nodes(number, step, 0.5).iter().any(|[u, v]| {
                            let point = pose.transform_point(shaft.face_point(number, *u, *v));
                            (housing.sample(point).distance - gap).abs() < 1e-8
                        });
                    if overlaps {
                        pairs.push(FacePair {
                            kind: "planes",
                            faces: [own.id, other.id],
                            diameter: 0.0,
                            clearance: gap,
                        });
                    }
                }
                _ => {}
            }
        }
    }
    pairs.sort_by(|a, b| a.kind.cmp(b.kind).then(a.clearance.total_cmp(&b.clearance)));
    pairs.dedup_by(|a, b| {
        a.kind == b.kind && a.diameter == b.diameter && (a.clearance - b.clearance).abs() < 1e-9
    });
    pairs
}

fn is_free(probes: &[Probe; 2], pose: &Pose) -> bool {
    clearance(&probes[0], &probes[1], pose, -CONTACT) >= -CONTACT
}

/// The largest number up to which it is free, by bisection; not a number where it is free at `most`.
fn until(most: f64, is_free: &dyn Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, most);
    if is_free(high) {
        return f64::NAN;
    }
    for _ in 0..24 {
        let middle = 0.5 * (low + high);
        if is_free(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Play across the axis and about it, a little before the end of the way.
fn add_play(mating: &mut Mating, probes: &[Probe; 2]) {
    let depth = mating.travel - (0.1 * mating.engaged).min(1e-3);
    let middle = Pose::new(mating.start.translation + mating.direction * depth, mating.start.rotation);
    let Some(frame) = Frame::new(Vector3::zeros(), mating.direction, None) else { return };
    let play = |most: f64, pose: &dyn Fn(f64) -> Pose| {
        until(most, &|x| is_free(probes, &pose(x))) + until(most, &|x| is_free(probes, &pose(-x)))
    };
    let most = 4.0 * (mating.bores[1].radius - mating.bores[0].radius).abs() + 1e-4;
    mating.play = [frame.x, frame.y]
        .map(|side| play(most, &|x| Pose::new(middle.translation + side * x, middle.rotation)));
    let axis = nalgebra::Unit::new_normalize(mating.direction);
    let origin = mating.bores[1].origin;
    let about = |angle: f64| {
        let turn = UnitQuaternion::from_axis_angle(&axis, angle);
        Pose::new(origin + turn * (middle.translation - origin), turn * middle.rotation)
    };
    mating.turning_play = play(0.2, &about);
}
