//! Convex edges at the ends of a thread, as spirals.
//!
//! Every face of a thread is linear in angle θ and height z (`radial_surface.rs`), so every edge between two of them runs linearly
//! in θ, in z and in the radius r:
//!
//! ```text
//! contour of the end plane    z = z_e,       r = root, crest or cone in arcs, and along the flanks between them
//! edge of the cone            r = r_e ± d,   z = z_e ∓ d,   θ = (z − σ w(r))/k along a flank, arcs at crest and root
//! beginning of the ridge      r = r_tip,     z = kθ + σ w(r),   from where an end or a cone cuts it
//! ```
//!
//! z_e height of the end plane, r_e radius of the cone there, d distance from it [m]; σ = ±1 upper or lower flank, w(r) half width of
//! the ridge, k rise [m/rad]. Outward normal of the face r = A + Bθ + Cz: ±(r̂ − B/r θ̂ − C ẑ).

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::RadialSurface;
use super::chord::Chord;
use super::radial_surface::Side;
use crate::mesh::Aabb;
use crate::sharp_edge::SharpEdge;

/// Largest angle of a stretch [rad]: two stretches then cross at most once, as far as threads go.
const STRETCH: f64 = 0.25;
/// How far along the ridge its edges are followed [turns]: then the thread guides the nut.
const RIDGE: f64 = 1.0;
/// Most edges at one end.
const MOST_EDGES: usize = 10;
/// Stretches that are compared at once.
const GROUP: usize = 8;

/// The convex edges at one end of a thread, cut into stretches: contours of end plane and cone, then the edges of the ridge where
/// it begins.
#[derive(Clone, Debug, Default)]
pub struct StartEdges {
    edges: Vec<Edge>,
    stretches: Vec<Stretch>,
    /// Balls around the stretches, in groups.
    balls: Vec<Balls>,
    chords: Vec<Chord>,
    contours: usize,
    /// Boxes around the contours, and around these with the beginning of the ridge.
    bounds: [Aabb; 2],
}

/// Balls around a group of stretches; beyond the last one, balls that nothing meets.
#[derive(Clone, Copy, Debug)]
struct Balls {
    /// Middles [m].
    middle: [[f64; GROUP]; 3],
    /// Radii [m].
    radius: [f64; GROUP],
    /// How far the stretches rise above the middle [m].
    rise: [f64; GROUP],
    /// Lowest and highest point of them all [m].
    heights: [f64; 2],
}

/// An edge and its faces.
#[derive(Clone, Copy, Debug)]
struct Edge {
    spiral: Spiral,
    faces: [ThreadFace; 2],
    /// Angles of its ends [rad].
    whole: [f64; 2],
}

/// A stretch of an edge.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    edge: u8,
    /// Angles of its ends [rad].
    range: [f64; 2],
}

/// A curve on which radius and height are linear in the angle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spiral {
    /// Radius at angle zero [m] and its slope [m/rad].
    radius: [f64; 2],
    /// Height at angle zero [m] and its slope [m/rad].
    height: [f64; 2],
}

/// A face of a thread, by its outward normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ThreadFace {
    /// An end plane: its normal's z.
    End(f64),
    /// r = A + Bθ + Cz: B [m/rad], C [-] and the sign of the normal's radial part.
    Radial { around: f64, along: f64, sign: f64 },
}

/// A point of an edge: angle [rad], radius and height [m].
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) angle: f64,
    pub(super) radius: f64,
    pub(super) z: f64,
}

impl StartEdges {
    /// Most stretches: four turns around the part, and one more where an edge begins and ends.
    pub const MOST: usize = 128;

    /// Forgets all edges; room for those of any thread remains.
    fn clear(&mut self) {
        self.edges.clear();
        self.edges.reserve(MOST_EDGES);
        self.stretches.clear();
        self.stretches.reserve(Self::MOST);
        self.balls.clear();
        self.balls.reserve(Self::MOST / GROUP);
        self.chords.clear();
        self.chords.reserve(Self::MOST);
    }

    /// Boxes around the contours, and around these with the beginning of the ridge.
    #[must_use]
    pub fn bounds(&self) -> &[Aabb; 2] {
        &self.bounds
    }

    /// Number of stretches.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stretches.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    /// How many of the stretches are contours.
    #[must_use]
    pub fn contours(&self) -> usize {
        self.contours
    }

    /// Middle of a stretch and the radius of a ball around it [m].
    #[must_use]
    pub fn ball(&self, index: usize) -> (Vector3<f64>, f64) {
        let (Balls { middle, radius, .. }, lane) = (&self.balls[index / GROUP], index % GROUP);
        (middle.map(|lanes| lanes[lane]).into(), radius[lane])
    }

    /// The tangent in the middle of a stretch.
    #[must_use]
    pub fn chord(&self, index: usize) -> &Chord {
        &self.chords[index]
    }

    /// A stretch as an edge by itself.
    #[must_use]
    pub fn edge(&self, index: usize) -> SharpEdge {
        let Stretch { edge, range } = self.stretches[index];
        let Edge { spiral, faces, whole } = self.edges[edge as usize];
        SharpEdge::spiral(spiral, [range, whole], faces, self.chord(index).bounds())
    }

    /// Between the outward normals of the faces of a stretch.
    #[must_use]
    pub fn out_of(&self, index: usize) -> Vector3<f64> {
        let faces = self.edges[self.stretches[index].edge as usize].faces;
        let [one, other] = faces.map(|face| face.normal(self.chords[index].middle));
        one + other
    }

    /// Visits the first `count` stretches that may come within `gap` [m] of another one; its chord is in the same frame.
    #[inline(always)]
    pub fn each_near(&self, count: usize, chord: &Chord, gap: f64, mut visit: impl FnMut(usize)) {
        let center = chord.middle;
        let radius = chord.half.norm() + chord.sag + gap;
        let height = chord.half.z.abs() + chord.bend.z.abs() + chord.parting + gap;
        let (lowest, highest) = (center.z - height, center.z + height);
        for (group, Balls { middle: [x, y, z], radius: radii, rise, heights }) in
            self.balls.iter().enumerate()
        {
            let first = group * GROUP;
            if first >= count {
                break;
            }
            if heights[0] > highest || heights[1] < lowest {
                continue;
            }
            let mut is_near = [false; GROUP];
            let mut any = false;
            for (lane, is_near) in is_near.iter_mut().enumerate() {
                let (dx, dy, dz) = (x[lane] - center.x, y[lane] - center.y, z[lane] - center.z);
                let reach = radii[lane] + radius;
                *is_near = (dx * dx + dy * dy + dz * dz < reach * reach) & (dz.abs() < rise[lane] + height);
                any |= *is_near;
            }
            if any {
                for (lane, is_near) in is_near.iter().enumerate() {
                    if *is_near && first + lane < count {
                        visit(first + lane);
                    }
                }
            }
        }
    }

    /// Appends the stretches of an edge.
    fn push(&mut self, faces: [ThreadFace; 2], from: Place, to: Place) {
        let (from, to) = if from.angle < to.angle { (from, to) } else { (to, from) };
        let angle = to.angle - from.angle;
        // an arc without length is none
        if angle < 1e-9 {
            return;
        }
        let spiral = Spiral::between(from, to);
        let count = (angle / STRETCH).ceil();
        // a circle goes on
        let beyond = if angle == TAU { TAU } else { 0.0 };
        let whole = [from.angle - beyond, to.angle + beyond];
        self.edges.push(Edge { spiral, faces, whole });
        debug_assert!(
            self.len() + count as usize <= Self::MOST,
            "more stretches than there are identities for"
        );
        // the arc from the middle of a stretch to its end is as long as its ball reaches
        let fastest = Vector3::new(from.radius.max(to.radius), spiral.radius[1], spiral.height[1]).norm();
        let step = angle / count;
        let ((step_sin, step_cos), mut at) = (libm::sincos(step), libm::sincos(from.angle + 0.5 * step));
        for index in 0..count as u32 {
            let cut = |index: u32| from.angle + step * f64::from(index);
            let (place, middle) = (self.stretches.len(), from.angle + step * (f64::from(index) + 0.5));
            let (radius, half) = (spiral.radius[1] * middle + spiral.radius[0], 0.5 * step);
            let ([grows, rises], (sin, cos)) = ([spiral.radius[1], spiral.height[1]], at);
            let middle = Vector3::new(radius * cos, radius * sin, rises * middle + spiral.height[0]);
            let slope = Vector3::new(grows * cos - middle.y, grows * sin + middle.x, rises);
            if place % GROUP == 0 {
                let none = [0.0; GROUP];
                let (middle, heights) = ([[f64::MAX; GROUP]; 3], [f64::INFINITY, f64::NEG_INFINITY]);
                self.balls.push(Balls { middle, radius: none, rise: none, heights });
            }
            let (balls, lane) = (&mut self.balls[place / GROUP], place % GROUP);
            (0..3).for_each(|axis| balls.middle[axis][lane] = middle[axis]);
            balls.radius[lane] = half * fastest;
            balls.rise[lane] = half * rises.abs();
            let [low, high] = [middle.z - balls.rise[lane], middle.z + balls.rise[lane]];
            balls.heights = [balls.heights[0].min(low), balls.heights[1].max(high)];
            // |p″| ≤ r + 2|r′|
            let sag = 0.55 * half * half * (radius + 2.0 * grows.abs());
            // |p‴| ≤ r + 3|r′|
            let parting = half * half * half / 5.0 * (radius + 3.0 * grows.abs());
            let bend = Vector3::new(-middle.x - 2.0 * grows * sin, -middle.y + 2.0 * grows * cos, 0.0);
            let (bend, half) = (bend * (0.5 * half * half), slope * half);
            self.chords.push(Chord { middle, half, bend, sag, parting });
            at = (at.0 * step_cos + at.1 * step_sin, at.1 * step_cos - at.0 * step_sin);
            self.stretches
                .push(Stretch { edge: (self.edges.len() - 1) as u8, range: [cut(index), cut(index + 1)] });
        }
    }
}

impl Spiral {
    pub(super) fn between(from: Place, to: Place) -> Self {
        let line = |first: f64, last: f64| {
            let slope = (last - first) / (to.angle - from.angle);
            [first - slope * from.angle, slope]
        };
        Self { radius: line(from.radius, to.radius), height: line(from.z, to.z) }
    }

    /// Point [m] and derivative [m/rad] at an angle.
    pub(crate) fn at(&self, angle: f64) -> [Vector3<f64>; 2] {
        let (sin, cos) = libm::sincos(angle);
        let radius = self.radius[1] * angle + self.radius[0];
        let point = Vector3::new(radius * cos, radius * sin, self.height[1] * angle + self.height[0]);
        let [grows, rises] = [self.radius[1], self.height[1]];
        [point, Vector3::new(grows * cos - radius * sin, grows * sin + radius * cos, rises)]
    }
}

impl ThreadFace {
    /// Outward normal at a point of the face.
    pub(crate) fn normal(&self, point: Vector3<f64>) -> Vector3<f64> {
        match *self {
            Self::End(up) => Vector3::z() * up,
            Self::Radial { around, along, sign } => {
                let radius = point.xy().norm();
                let (x, y) = (point.x / radius, point.y / radius);
                let turn = around / radius;
                Vector3::new(x + turn * y, y - turn * x, -along).normalize() * sign
            }
        }
    }
}

impl RadialSurface {
    /// Replaces the convex edges by those at an end.
    pub(super) fn fill_start(&self, end: usize, out: &mut StartEdges) {
        out.clear();
        out.bounds = self.start_bounds(end);
        self.contours(end, out);
        out.contours = out.len();
        self.ridge(end, out);
    }

    /// The edges of the ridge's tip where it begins.
    fn ridge(&self, end: usize, out: &mut StartEdges) {
        let cut = self.cone_height(end, self.ridge_radius()).unwrap_or(self.ends[end]);
        let inwards = if end == 0 { 1.0 } else { -1.0 } * RIDGE * self.profile.pitch();
        for (faces, [from, to]) in self.ridge_between([cut, cut + inwards]) {
            out.push(faces, from, to);
        }
    }

    /// Both edges of the ridge's tip between two heights [m].
    pub(super) fn ridge_between(&self, heights: [f64; 2]) -> [([ThreadFace; 2], [Place; 2]); 2] {
        let sign = if self.side == Side::External { 1.0 } else { -1.0 };
        let wall = ThreadFace::Radial { around: 0.0, along: 0.0, sign };
        let radius = self.ridge_radius();
        [-1.0, 1.0].map(|side| {
            let s = side * self.profile.half_width_at(radius);
            let ends = heights.map(|z| Place { angle: self.profile.angle_at(z, s), radius, z });
            ([wall, self.flank(side)], ends)
        })
    }

    /// Radius of the ridge's tip: the crest of a bolt, the minor radius of a nut [m].
    pub(super) fn ridge_radius(&self) -> f64 {
        match self.side {
            Side::External => self.profile.crest_radius(),
            Side::Internal => self.profile.root_radius(),
        }
    }

    pub(super) fn flank(&self, side: f64) -> ThreadFace {
        let sign = if self.side == Side::External { 1.0 } else { -1.0 };
        let slope = self.profile.flank_slope() * side;
        ThreadFace::Radial { around: -slope * self.profile.rise(), along: slope, sign }
    }

    /// The contours of end plane and cone.
    fn contours(&self, end: usize, out: &mut StartEdges) {
        let mut offer = |faces, from, to| out.push(faces, from, to);
        let (root, crest) = (self.profile.root_radius(), self.profile.crest_radius());
        let up = if end == 0 { -1.0 } else { 1.0 };
        let plane = ThreadFace::End(up);
        // +1 for a bolt, whose material is inside
        let sign = if self.side == Side::External { 1.0 } else { -1.0 };
        let wall = ThreadFace::Radial { around: 0.0, along: 0.0, sign };
        let flank = |side: f64| self.flank(side);
        let cone = ThreadFace::Radial { around: 0.0, along: -sign * up, sign };
        // a point of a flank, or of the arc at this radius; the arc at the root lies above the ridge
        let at = |radius: f64, z: f64, side: f64| {
            let s = side * self.profile.half_width_at(radius);
            Place { angle: self.profile.angle_at(z, s), radius, z }
        };
        let next = |place: Place| Place { angle: place.angle + TAU * self.profile.rise().signum(), ..place };
        let ridge_arc = |radius: f64, z: f64| [at(radius, z, 1.0), at(radius, z, -1.0)];
        let groove_arc = |radius: f64, z: f64| [at(radius, z, -1.0), next(at(radius, z, 1.0))];

        let z = self.ends[end];
        let at_plane = self.end_radius(end).unwrap_or(if sign > 0.0 { f64::INFINITY } else { 0.0 });
        let is_bolt = self.side == Side::External;
        // radii between which the flanks reach the end plane
        let [low, high] = if is_bolt { [root, crest.min(at_plane)] } else { [root.max(at_plane), crest] };
        if low < high {
            for side in [-1.0, 1.0] {
                offer([plane, flank(side)], at(low, z, side), at(high, z, side));
            }
            let [tip, base] = if is_bolt {
                [if at_plane < crest { cone } else { wall }, wall]
            } else {
                [wall, if at_plane > root { cone } else { wall }]
            };
            let [[from, to], [base_from, base_to]] = [ridge_arc(high, z), groove_arc(low, z)];
            offer([plane, tip], from, to);
            offer([plane, base], base_from, base_to);
        } else {
            let from = Place { angle: 0.0, radius: at_plane, z };
            offer([plane, cone], from, Place { angle: TAU, ..from });
        }
        // the cone from the end plane inwards
        let reach = if is_bolt { [root.max(at_plane), crest] } else { [root, crest.min(at_plane)] };
        let [Some(low_z), Some(high_z)] = reach.map(|radius| self.cone_height(end, radius)) else { return };
        for side in [-1.0, 1.0] {
            offer([cone, flank(side)], at(reach[0], low_z, side), at(reach[1], high_z, side));
        }
        if is_bolt || at_plane > crest {
            let [from, to] = ridge_arc(reach[1], high_z);
            offer([cone, wall], from, to);
        }
        if !is_bolt || at_plane < root {
            let [from, to] = groove_arc(reach[0], low_z);
            offer([cone, wall], from, to);
        }
    }

    /// Boxes around the contours of an end, and around these with the beginning of the ridge.
    fn start_bounds(&self, end: usize) -> [Aabb; 2] {
        let (root, crest) = (self.profile.root_radius(), self.profile.crest_radius());
        let radius = match self.side {
            Side::External => crest,
            Side::Internal => crest.max(self.end_radius(end).unwrap_or(0.0)),
        };
        let cone = [root, crest].into_iter().filter_map(|radius| self.cone_height(end, radius));
        let deepest = cone.map(|z| (z - self.ends[end]).abs()).fold(0.0, f64::max);
        let up = if end == 0 { -1.0 } else { 1.0 };
        [deepest, deepest + RIDGE * self.profile.pitch()].map(|depth| {
            let heights = [self.ends[end], self.ends[end] - up * depth];
            Aabb::of(
                heights
                    .map(|z| Vector3::new(-radius, -radius, z))
                    .into_iter()
                    .chain(heights.map(|z| Vector3::new(radius, radius, z))),
            )
        })
    }
}

#[cfg(test)]
mod tests {

    use super::StartEdges;
    use crate::Part;
    use crate::thread::{Bolt, Hand, Nut, ThreadAllowance, ThreadStart, ThreadStarts};

    fn start_of(part: &Part, end: usize) -> StartEdges {
        let mut starts = ThreadStarts::default();
        let [lower, upper] = starts.of(part);
        [lower, upper][end].expect("a thread begins here").clone()
    }

    /// Bolts and nuts of either hand: blunt, with a cone that begins on the flanks, and with one that reaches past the thread.
    fn parts() -> Vec<Part> {
        let mut all = Vec::new();
        for hand in [Hand::Right, Hand::Left] {
            let bolt = Bolt::new(16e-3, 2e-3, 32e-3, ThreadAllowance::default(), hand).expect("a bolt");
            let nut = Nut::new(16e-3, 2e-3, 13e-3, 24e-3, ThreadAllowance::default(), hand).expect("a nut");
            all.extend([Part::Bolt(bolt.clone()), Part::Nut(nut.clone())]);
            for end_radius in [7.3e-3, 6.0e-3] {
                let start = ThreadStart::Chamfered { end_radius };
                all.push(Part::Bolt(bolt.clone().with_start(start).expect("a chamfer")));
            }
            for end_radius in [7.3e-3, 8.6e-3] {
                let start = ThreadStart::Chamfered { end_radius };
                all.push(Part::Nut(nut.clone().with_start(start).expect("a countersink")));
            }
        }
        all
    }

    #[test]
    fn edges_lie_on_the_surface_between_their_faces() {
        for part in parts() {
            for end in 0..2 {
                let edges = start_of(&part, end);
                assert!(edges.contours() > 20 && edges.len() > edges.contours() + 20);
                for index in 0..edges.len() {
                    let (edge, (middle, radius)) = (edges.edge(index), edges.ball(index));
                    let [point, along] = edge.at(0.3 * edge.range[0] + 0.7 * edge.range[1]);
                    assert!(part.sample(point).distance.abs() < 1e-9, "{:e} m", part.sample(point).distance);
                    let normals = edge.normals(point);
                    let tangent = along.normalize();
                    for [own, other] in [[normals[0], normals[1]], [normals[1], normals[0]]] {
                        assert!(own.dot(&tangent).abs() < 1e-9, "a normal is across its edge");
                        // a step along the face, away from the other one
                        let away = -(other - own * own.dot(&other)).normalize();
                        let sample = part.sample(point + away * 2e-6 + own * 0.1e-6);
                        assert!((sample.distance - 0.1e-6).abs() < 1e-9, "{:e} m", sample.distance);
                        assert!((sample.normal - own).norm() < 2e-3, "{:?} {own:?}", sample.normal);
                    }
                    for angle in edge.range {
                        let end = edge.at(angle)[0];
                        assert!((end - middle).norm() < radius && edge.bounds.contains(end));
                    }
                    let bounds = edges.bounds()[usize::from(index >= edges.contours())].grown(1e-9);
                    assert!(edge.range.iter().all(|&angle| bounds.contains(edge.at(angle)[0])));
                }
            }
        }
    }

    #[test]
    fn contours_are_closed() {
        for part in parts() {
            let edges = start_of(&part, 1);
            let contours = (0..edges.contours()).map(|index| edges.edge(index));
            let ends: Vec<_> = contours.flat_map(|edge| edge.range.map(|angle| edge.at(angle)[0])).collect();
            for (index, end) in ends.iter().enumerate() {
                let others = ends.iter().enumerate().filter(|(other, _)| *other != index);
                let nearest = others.map(|(_, other)| (other - end).norm()).fold(f64::INFINITY, f64::min);
                assert!(nearest < 1e-12, "an edge ends {nearest:e} m from the next");
            }
        }
    }
}
