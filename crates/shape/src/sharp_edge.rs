//! Convex edges of parts, cut into stretches that bend little.
//!
//! Where two such edges cross, parts touch between their nodes. A stretch knows its curve and the outward normals of the two
//! faces that meet there.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use nalgebra::{Vector2, Vector3};
use tightfit_cad::Solid;
use tightfit_cad::geometry::{Curve, Frame, Surface};

use crate::mesh::Aabb;
use crate::polyhedron::Edge;
use crate::profile::{Rim, Section, SectionedSolid};
use crate::thread::{Spiral, ThreadFace};

/// Largest turn of a stretch [rad].
const TURN: f64 = 0.35;
/// Edges that bend less than this are smooth [rad].
const SMOOTH: f64 = 1e-3;
/// Radius below which an arc is a corner [m].
const FINEST_ARC: f64 = 1e-6;
/// How far a normal may lean out of those of faces that are wide, as a share [-].
const LEAN: f64 = 1e-3;
/// Samples along an edge that tell how far it turns.
const SAMPLES: u32 = 64;

/// A stretch of a convex edge.
#[derive(Clone, Debug)]
pub struct SharpEdge {
    path: Path,
    /// Parameters of its ends.
    pub range: [f64; 2],
    /// Parameters of the ends of the whole edge.
    pub whole: [f64; 2],
    normals: Normals,
    /// How far a normal may lean out of those of the faces, as a share [-]: more where a face is a narrow strip that bends.
    pub lean: f64,
    /// Box around it.
    pub bounds: Aabb,
}

/// The curve of an edge.
#[derive(Clone, Debug)]
enum Path {
    Exact(Curve),
    /// An edge of a thread.
    Thread(Spiral),
}

/// Outward normals of the faces of an edge.
#[derive(Clone, Debug)]
enum Normals {
    Fixed([Vector3<f64>; 2]),
    /// Radial and axial components about an axis along z through this point (x, y) [m].
    Turned(Vector2<f64>, [[f64; 2]; 2]),
    /// Surfaces with the signs of their outward normals.
    Surfaces(Box<[(Surface, f64); 2]>),
    Thread([ThreadFace; 2]),
}

impl SharpEdge {
    /// An edge of a polyhedron.
    #[must_use]
    pub fn straight(edge: &Edge) -> Self {
        let curve = Curve::Line { origin: edge.ends[0], along: edge.along };
        let bounds = Aabb::of(edge.ends);
        let normals = Normals::Fixed(edge.normals);
        let range = [0.0, edge.length];
        Self { path: Path::Exact(curve), range, whole: range, normals, lean: LEAN, bounds }
    }

    /// An edge of a thread.
    pub(crate) fn spiral(
        spiral: Spiral,
        [range, whole]: [[f64; 2]; 2],
        faces: [ThreadFace; 2],
        bounds: Aabb,
    ) -> Self {
        Self { path: Path::Thread(spiral), range, whole, normals: Normals::Thread(faces), lean: LEAN, bounds }
    }

    /// The same edge, of which a face is a strip that is narrow for how it bends: this is the angle that it turns by [rad].
    #[must_use]
    pub(crate) fn of_strip(self, turns: f64) -> Self {
        Self { lean: turns.max(LEAN), ..self }
    }

    /// Convex edges of an exact solid.
    pub(crate) fn of_solid(solid: &Solid) -> Vec<Self> {
        let mut all = Vec::new();
        for (number, edge) in solid.edges.iter().enumerate() {
            let at = |s: f64| edge.range[0] + (edge.range[1] - edge.range[0]) * s;
            if edge.is_seam || [0.25, 0.5, 0.75].iter().any(|&s| solid.edge_angle(number, at(s)) < SMOOTH) {
                continue;
            }
            let faces = edge.faces.map(|face| &solid.faces[face as usize]);
            let is_parametric = faces.iter().any(|face| matches!(face.surface, Surface::Parametric(_)));
            for range in stretches(&edge.curve, edge.range) {
                let normals = match is_parametric {
                    true => Normals::Fixed(solid.edge_normals(number, 0.5 * (range[0] + range[1]))),
                    false => Normals::Surfaces(Box::new(faces.map(|face| (face.surface.clone(), face.sign)))),
                };
                all.push(Self::new(edge.curve.clone(), [range, edge.range], normals));
            }
        }
        all
    }

    /// Rims of a turned body, or of a prism with round corners.
    pub(crate) fn of_sectioned(solid: &SectionedSolid) -> Vec<Self> {
        match solid.section {
            Section::RoundedPolygon { sides, core } => Self::of_rounded(solid, sides, core),
            Section::Round | Section::Polygon { .. } => Self::of_turned(solid),
        }
    }

    /// Rims and ridges of a prism with sharp corners.
    pub(crate) fn of_prism(solid: &SectionedSolid, sides: u32) -> Vec<Self> {
        let half = PI / f64::from(sides);
        let facing = |angle: f64| Vector2::new(libm::cos(angle), libm::sin(angle));
        let flat = |side: u32| f64::from(side) * TAU / f64::from(sides);
        let line = |ends: [Vector3<f64>; 2], normals: [Vector3<f64>; 2]| {
            let range = [0.0, (ends[1] - ends[0]).norm()];
            let curve = Curve::Line { origin: ends[0], along: (ends[1] - ends[0]) / range[1] };
            Self::new(curve, [range; 2], Normals::Fixed(normals))
        };
        let mut all = Vec::new();
        for side in 0..sides {
            let out = facing(flat(side));
            let corner = |level: f64, way: f64| facing(flat(side) + way * half) * (level / libm::cos(half));
            for Rim { radius: level, height, normals } in solid.convex_levels() {
                let ends = [-1.0, 1.0].map(|way| corner(level, way).push(height));
                all.push(line(ends, normals.map(|[radial, axial]| (out * radial).push(axial))));
            }
            for (index, ends) in solid.outline.edges() {
                let [radial, axial] = solid.outline.edge_normal(index);
                if radial > 1e-9 {
                    let normals = [side, side + 1].map(|own| (facing(flat(own)) * radial).push(axial));
                    all.push(line(ends.map(|[level, height]| corner(level, 1.0).push(height)), normals));
                }
            }
        }
        all
    }

    fn of_turned(solid: &SectionedSolid) -> Vec<Self> {
        let mut all = Vec::new();
        for rim in solid.rims() {
            let origin = Vector3::z() * rim.height;
            let curve = Curve::Circle(Frame { origin, ..Frame::identity() }, rim.radius);
            // a circle goes on
            let whole = [-TAU, 2.0 * TAU];
            for range in stretches(&curve, [0.0, TAU]) {
                let normals = Normals::Turned(Vector2::zeros(), rim.normals);
                all.push(Self::new(curve.clone(), [range, whole], normals));
            }
        }
        all
    }

    /// Around each level of a prism: a line along every flat, and an arc about every corner of the core.
    fn of_rounded(solid: &SectionedSolid, sides: u32, core: f64) -> Vec<Self> {
        let half = PI / f64::from(sides);
        let facing = |angle: f64| Vector2::new(libm::cos(angle), libm::sin(angle));
        let mut all = Vec::new();
        for Rim { radius: level, height, normals } in solid.convex_levels() {
            let half_length = core.min(level) * libm::tan(half);
            for side in 0..sides {
                let angle = f64::from(side) * TAU / f64::from(sides);
                let (out, along) = (facing(angle), facing(angle + FRAC_PI_2));
                let start = out * level - along * half_length;
                let line = Curve::Line { origin: start.push(height), along: along.push(0.0) };
                let of_flat = normals.map(|[radial, axial]| (out * radial).push(axial));
                let range = [0.0, 2.0 * half_length];
                all.push(Self::new(line, [range; 2], Normals::Fixed(of_flat)));
                if level - core > FINEST_ARC {
                    let corner = facing(angle + half) * (core / libm::cos(half));
                    let frame = Frame { origin: corner.push(height), ..Frame::identity() };
                    let arc = Curve::Circle(frame, level - core);
                    let whole = [angle, angle + 2.0 * half];
                    for range in stretches(&arc, whole) {
                        all.push(Self::new(arc.clone(), [range, whole], Normals::Turned(corner, normals)));
                    }
                }
            }
        }
        all
    }

    fn new(curve: Curve, [range, whole]: [[f64; 2]; 2], normals: Normals) -> Self {
        let at = |k: u32| curve.point(range[0] + (range[1] - range[0]) * f64::from(k) / 4.0);
        let points = [0, 1, 2, 3, 4].map(at);
        // a stretch leaves the chords of its quarters by less than this
        let sag = (points[4] - points[0]).norm() * TURN * TURN / 64.0;
        let is_line = matches!(curve, Curve::Line { .. });
        let bounds = Aabb::of(points).grown(if is_line { 0.0 } else { sag });
        Self { path: Path::Exact(curve), range, whole, normals, lean: LEAN, bounds }
    }

    /// Whether it does not bend.
    #[must_use]
    pub fn is_straight(&self) -> bool {
        matches!(self.path, Path::Exact(Curve::Line { .. }))
    }

    /// Point [m] and derivative at a parameter.
    #[must_use]
    pub fn at(&self, parameter: f64) -> [Vector3<f64>; 2] {
        match &self.path {
            Path::Exact(curve) => {
                let [point, derivative, _] = curve.evaluate(parameter);
                [point, derivative]
            }
            Path::Thread(spiral) => spiral.at(parameter),
        }
    }

    /// Outward normals of its faces at one of its points.
    #[must_use]
    pub fn normals(&self, point: Vector3<f64>) -> [Vector3<f64>; 2] {
        match &self.normals {
            Normals::Fixed(normals) => *normals,
            Normals::Turned(centre, normals) => {
                let out = (point.xy() - centre).try_normalize(1e-300).unwrap_or_default();
                normals.map(|[radial, axial]| Vector3::new(out.x * radial, out.y * radial, axial))
            }
            Normals::Surfaces(faces) => [0, 1].map(|place| {
                let (surface, sign) = &faces[place];
                surface.foot(point).map_or_else(Vector3::zeros, |foot| foot.normal * *sign)
            }),
            Normals::Thread(faces) => faces.map(|face| face.normal(point)),
        }
    }
}

/// Ranges of a curve that turn by at most [`TURN`].
fn stretches(curve: &Curve, [start, end]: [f64; 2]) -> impl Iterator<Item = [f64; 2]> {
    let at = |k: u32| start + (end - start) * f64::from(k) / f64::from(SAMPLES);
    let direction = |k: u32| curve.evaluate(at(k))[1];
    let turn: f64 = match curve {
        Curve::Line { .. } => 0.0,
        _ => (0..SAMPLES).map(|k| direction(k).angle(&direction(k + 1))).sum(),
    };
    let count = (turn / TURN).ceil().max(1.0);
    let cut = move |k: u32| start + (end - start) * f64::from(k) / count;
    (0..count as u32).map(move |k| [cut(k), cut(k + 1)])
}
