//! Points on faces and edges at given distances, and the parameters that name them.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::{Face, Solid};
use crate::geometry::{Frame, Surface};

/// Nodes across a strip: about the square root of a block of 32.
const STRIP: usize = 6;
/// Most points of one face.
const MOST: usize = 200_000;

impl Solid {
    /// Position [m] of the parameters (u, v) of a face: lengths [m] on a plane; angle [rad] and length [m] on a cylinder
    /// or cone (from its apex); angles [rad] on a sphere or torus; the file's parameters on other surfaces.
    #[must_use]
    pub fn face_point(&self, face: usize, u: f64, v: f64) -> Vector3<f64> {
        let around = |frame: &Frame| {
            let (sin, cos) = libm::sincos(u);
            frame.x * cos + frame.y * sin
        };
        match &self.faces[face].surface {
            Surface::Plane(frame) => frame.origin + frame.x * u + frame.y * v,
            Surface::Cylinder(frame, radius) => frame.origin + around(frame) * *radius + frame.z * v,
            Surface::Cone { frame, half_angle: [sin, cos] } => {
                frame.origin + (around(frame) * *sin + frame.z * *cos) * v
            }
            Surface::Sphere(frame, radius) => {
                let (sin, cos) = libm::sincos(v);
                frame.origin + (around(frame) * cos + frame.z * sin) * *radius
            }
            Surface::Torus(frame, [major, minor]) => {
                let (sin, cos) = libm::sincos(v);
                frame.origin + around(frame) * (major + minor * cos) + frame.z * (minor * sin)
            }
            Surface::Parametric(surface) => surface.evaluate(u, v).point,
        }
    }

    /// Parameters (u, v) of a point on a face; an edge with its parameter there speeds up the search on other surfaces.
    #[must_use]
    pub fn face_parameters(&self, face: usize, point: Vector3<f64>, edge: Option<(u32, f64)>) -> [f64; 2] {
        let face = &self.faces[face];
        let (frame, kind) = match &face.surface {
            Surface::Plane(frame) => (frame, 0.0),
            Surface::Cylinder(frame, _) | Surface::Cone { frame, .. } | Surface::Sphere(frame, _) => {
                (frame, 0.0)
            }
            Surface::Torus(frame, [major, _]) => (frame, *major),
            Surface::Parametric(_) => {
                return face.chart.as_ref().map_or([0.0; 2], |chart| match edge {
                    Some(edge) => chart.parameters_near(point, edge),
                    None => chart.project(point),
                });
            }
        };
        let local = frame.inside(point);
        let rho = (local.x * local.x + local.y * local.y).sqrt();
        let u = libm::atan2(local.y, local.x);
        match &face.surface {
            Surface::Plane(_) => [local.x, local.y],
            Surface::Cylinder(..) => [u, local.z],
            Surface::Cone { half_angle: [sin, cos], .. } => [u, local.z * cos + rho * sin],
            _ => [u, libm::atan2(local.z, rho - kind)],
        }
    }

    /// Full turns of the parameters of a face.
    #[must_use]
    pub fn face_periods(&self, face: usize) -> [Option<f64>; 2] {
        match &self.faces[face].surface {
            Surface::Plane(_) => [None, None],
            Surface::Torus(..) => [Some(TAU), Some(TAU)],
            Surface::Parametric(surface) => surface.periods(),
            _ => [Some(TAU), None],
        }
    }

    /// Lengths per parameter of a face, roughly [m].
    #[must_use]
    pub fn face_scale(&self, face: usize) -> [f64; 2] {
        match &self.faces[face].surface {
            Surface::Plane(_) => [1.0, 1.0],
            Surface::Cylinder(_, radius) => [*radius, 1.0],
            Surface::Cone { frame, half_angle: [sin, _] } => {
                let far =
                    self.edge_samples(face).iter().map(|p| (p - frame.origin).norm()).fold(0.0, f64::max);
                [0.5 * far * sin, 1.0]
            }
            Surface::Sphere(_, radius) => [*radius, *radius],
            Surface::Torus(_, [major, minor]) => [*major, *minor],
            Surface::Parametric(surface) => {
                let middle = self.faces[face].chart.as_ref().map_or([0.0; 2], |chart| {
                    chart.reference.unwrap_or(chart.domain.map(|[a, b]| 0.5 * (a + b)))
                });
                let local = surface.evaluate(middle[0], middle[1]);
                [local.u.norm().max(1e-12), local.v.norm().max(1e-12)]
            }
        }
    }

    /// Parameters of points inside a face at most `step` [m] apart, and at most `turn` [rad] around its curvature.
    #[must_use]
    pub fn face_nodes(&self, number: usize, step: f64, turn: f64) -> Vec<[f64; 2]> {
        let face = &self.faces[number];
        let mut nodes = Vec::new();
        for ([u, v], steps) in self.rectangles(number, step, turn) {
            let count = |[a, b]: [f64; 2], step: f64| (((b - a) / step).ceil().max(1.0) as usize).min(MOST);
            let (nu, nv) = (count(u, steps[0]), count(v, steps[1]));
            if nu.saturating_mul(nv) > MOST {
                continue;
            }
            let part = |[a, b]: [f64; 2], k: usize, n: usize| a + (b - a) * (k as f64 + 0.5) / n as f64;
            // strip by strip, so that nodes which follow each other lie close together: blocks of them are judged by one ball
            for strip in (0..nu).step_by(STRIP) {
                for j in 0..nv {
                    let row = (strip..nu.min(strip + STRIP)).map(|i| [part(u, i, nu), part(v, j, nv)]);
                    nodes.extend(row.filter(|at| self.holds(face, number, *at)));
                }
            }
        }
        nodes
    }

    /// Whether a face holds a point of its surface.
    #[must_use]
    pub fn face_holds(&self, number: usize, point: Vector3<f64>) -> bool {
        let face = &self.faces[number];
        match &face.chart {
            Some(chart) => self.is_inside_chart(face, chart.project(point), point),
            None => self.is_inside(face, point, &face.trim),
        }
    }

    /// Whether the point of these parameters lies inside the face.
    fn holds(&self, face: &Face, number: usize, at: [f64; 2]) -> bool {
        let point = self.face_point(number, at[0], at[1]);
        if face.chart.is_some() {
            return self.is_inside_chart(face, at, point);
        }
        self.is_inside(face, point, &face.trim)
    }

    /// Rectangles of parameters that cover a face, with the steps of a grid in them.
    fn rectangles(&self, number: usize, step: f64, turn: f64) -> Vec<([[f64; 2]; 2], [f64; 2])> {
        let face = &self.faces[number];
        let spread = |of: &dyn Fn(Vector3<f64>) -> f64| {
            let samples = self.edge_samples(number).into_iter().map(of);
            samples.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
        };
        let angle = |radius: f64| (step / radius).min(turn);
        let whole = [0.0, TAU];
        match &face.surface {
            Surface::Plane(frame) => {
                let range = [spread(&|p| frame.inside(p).x), spread(&|p| frame.inside(p).y)];
                vec![(range, [step; 2])]
            }
            Surface::Cylinder(frame, radius) => {
                let v = spread(&|p| frame.inside(p).z);
                vec![([self.angles(number, frame, v), v], [angle(*radius), step])]
            }
            Surface::Cone { frame, half_angle: [sin, cos] } => {
                let along = |p: Vector3<f64>| {
                    let local = frame.inside(p);
                    local.z * cos + (local.x * local.x + local.y * local.y).sqrt() * sin
                };
                let mut v = spread(&along);
                // a cone up to its apex has one circle only
                if self.holds(face, number, [0.0, 1e-6 * v[1]]) {
                    v[0] = 0.0;
                }
                vec![([self.angles(number, frame, v), v], [angle(v[1] * sin), step])]
            }
            Surface::Sphere(_, radius) => {
                let angle = angle(*radius);
                let rows = (0.5 * TAU / angle).ceil().max(1.0) as usize;
                let row = |k: usize| {
                    let [low, high] = [k, k + 1].map(|k| -0.25 * TAU + 0.5 * TAU * k as f64 / rows as f64);
                    let across = angle / libm::cos(0.5 * (low + high)).max(1e-3);
                    ([whole, [low, high]], [across.min(TAU), high - low])
                };
                (0..rows.min(1000)).map(row).collect()
            }
            Surface::Torus(_, [major, minor]) => {
                vec![([whole, whole], [angle(major + minor), angle(*minor)])]
            }
            Surface::Parametric(surface) => {
                let own = self.patches.iter().filter(|patch| patch.face as usize == number);
                let grid = |range: [[f64; 2]; 2]| {
                    let at = |s: f64, t: f64| {
                        let part = |[a, b]: [f64; 2], s: f64| a + (b - a) * s;
                        surface.evaluate(part(range[0], s), part(range[1], t)).point
                    };
                    let long = [(at(0.0, 0.5) - at(1.0, 0.5)).norm(), (at(0.5, 0.0) - at(0.5, 1.0)).norm()];
                    // a patch turns by up to 0.3 rad
                    let count = |length: f64| (length / step).max(0.3 / turn).ceil().max(1.0);
                    (range, [0, 1].map(|k| (range[k][1] - range[k][0]) / count(long[k])))
                };
                own.map(|patch| grid(patch.range)).collect()
            }
        }
    }

    /// Largest distance of the solid from an axis along z through (x, y) [m]; `None` where a face may bulge beyond its edges. Lines
    /// of planes, cylinders and cones end at edges, and no point of a line is farther from an axis than both ends.
    #[must_use]
    pub fn outer_radius(&self, [x, y]: [f64; 2]) -> Option<f64> {
        let is_straight = |face: &Face| {
            matches!(face.surface, Surface::Plane(_) | Surface::Cylinder(..) | Surface::Cone { .. })
        };
        if !self.faces.iter().all(is_straight) {
            return None;
        }
        let of = |edge: &super::Edge| {
            let at = |k: i32| {
                edge.curve.point(edge.range[0] + (edge.range[1] - edge.range[0]) * f64::from(k) / 64.0)
            };
            let radius = (0..=64).map(|k| libm::hypot(at(k).x - x, at(k).y - y)).fold(0.0, f64::max);
            // a curve rises above its chords by an eighth of the second difference, about
            let bend = |k: i32| (at(k - 1) + at(k + 1) - at(k) * 2.0).norm();
            radius + (1..64).map(bend).fold(0.0, f64::max)
        };
        Some(self.edges.iter().map(of).fold(0.0, f64::max))
    }

    /// Angle about its axis that a cylinder or cone covers; the whole turn for other faces [rad].
    #[must_use]
    pub fn face_turn(&self, number: usize) -> f64 {
        match &self.faces[number].surface {
            Surface::Cylinder(..) | Surface::Cone { .. } => {
                let rectangles = self.rectangles(number, f64::INFINITY, TAU);
                rectangles.first().map_or(TAU, |([[start, end], _], _)| end - start)
            }
            _ => TAU,
        }
    }

    /// Angles about its axis that a cylinder or cone covers, where its second parameters are within `v` [rad].
    fn angles(&self, number: usize, frame: &Frame, v: [f64; 2]) -> [f64; 2] {
        let of = |p: Vector3<f64>| {
            let local = frame.inside(p);
            libm::atan2(local.y, local.x)
        };
        let mut angles: Vec<f64> = self.edge_samples(number).into_iter().map(of).collect();
        angles.sort_by(f64::total_cmp);
        let Some(first) = angles.first().copied() else { return [0.0, TAU] };
        angles.push(first + TAU);
        let face = &self.faces[number];
        let is_open = |gap: [f64; 2]| {
            let at = |s: f64| [0.5 * (gap[0] + gap[1]), v[0] + (v[1] - v[0]) * s];
            (1..8).all(|k| !self.holds(face, number, at(f64::from(k) / 8.0)))
        };
        let gaps = angles.windows(2).map(|pair| [pair[0], pair[1]]).filter(|gap| gap[1] - gap[0] > 1e-6);
        let widest = gaps.filter(|gap| is_open(*gap)).max_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])));
        widest.map_or([0.0, TAU], |gap| [gap[1], gap[0] + TAU])
    }

    /// Parameters of points along an edge, its ends excluded.
    #[must_use]
    pub fn edge_nodes(&self, number: usize, step: f64, turn: f64) -> Vec<f64> {
        let edge = &self.edges[number];
        let [start, end] = edge.range;
        let at = |k: i32| edge.curve.evaluate(start + (end - start) * f64::from(k) / 64.0);
        let (mut length, mut turned) = (0.0, 0.0);
        for k in 0..64 {
            let (here, next) = (at(k), at(k + 1));
            length += (next[0] - here[0]).norm();
            let cosine = here[1].dot(&next[1]) / (here[1].norm() * next[1].norm());
            turned += libm::acos(cosine.clamp(-1.0, 1.0));
        }
        // what bulges towards an edge is nearest between its ends
        let count = (length / step).max(turned / turn).ceil().clamp(2.0, 1e5) as usize;
        // closed edges have no ends that another edge covers
        let first = usize::from(edge.ends[0] != edge.ends[1] || !self.is_corner(edge.ends[0]));
        let count = if edge.ends[0] == edge.ends[1] { count.max(3) } else { count };
        (first.min(1)..count).map(|k| start + (end - start) * k as f64 / count as f64).collect()
    }

    fn is_corner(&self, vertex: u32) -> bool {
        self.faces.iter().any(|face| face.corners.binary_search_by_key(&vertex, |corner| corner.0).is_ok())
    }

    /// Outward normals of the faces of an edge at a parameter.
    #[must_use]
    pub fn edge_normals(&self, number: usize, t: f64) -> [Vector3<f64>; 2] {
        let edge = &self.edges[number];
        let point = edge.curve.point(t);
        edge.faces.map(|face| self.normal_at(face, point, Some((number as u32, t))))
    }

    /// Angle between the outward normals at an edge [rad]: positive where the material is convex.
    #[must_use]
    pub fn edge_angle(&self, number: usize, t: f64) -> f64 {
        let edge = &self.edges[number];
        if edge.is_seam || edge.faces[0] == u32::MAX {
            return 0.0;
        }
        let [_, tangent, _] = edge.curve.evaluate(t);
        let normals = self.edge_normals(number, t);
        let tangent = tangent.try_normalize(1e-30).unwrap_or(Vector3::z());
        // the first face lies on the left of the edge
        let inwards = normals[0].cross(&tangent);
        libm::atan2(-normals[1].dot(&inwards), normals[0].dot(&normals[1]))
    }
}
