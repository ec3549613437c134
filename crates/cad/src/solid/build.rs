//! From a body of the file to a solid.

use std::sync::Arc;

use nalgebra::Vector3;

use super::chart::{Chart, Trace};
use super::corner::{Corner, Ray, face_angle};
use super::heal::{Healed, heal};
use super::{Edge, Face, Patch, Piece, Solid, Use, patch};
use crate::distance::{Cells, Neighbours, shell_sign};
use crate::geometry::{Frame, Parametric, Surface, recognise};
use crate::{Aabb, Body, CadError};

/// Edges farther than this from their surfaces [m] are refused: the file's tolerance is no longer a rounding error.
const LARGEST_GAP: f64 = 50e-6;

impl Solid {
    /// Checks, repairs and prepares a body.
    ///
    /// # Errors
    /// When its faces do not close or its edges lie off its faces.
    pub fn new(body: Body) -> Result<Self, CadError> {
        let Healed { body, ranges, repairs } = heal(body)?;
        let name = body.name.clone();
        let mut edges: Vec<Edge> = body
            .edges
            .into_iter()
            .zip(ranges)
            .map(|(edge, range)| Edge {
                id: edge.id,
                curve: edge.curve,
                range,
                ends: edge.ends,
                faces: [u32::MAX; 2],
                is_seam: false,
                gap: 0.0,
            })
            .collect();
        let mut faces: Vec<Face> = Vec::new();
        for (number, face) in body.faces.into_iter().enumerate() {
            let to_uses = |uses: Vec<(u32, bool)>| -> Vec<Use> {
                uses.into_iter().map(|(edge, along)| Use { edge, along }).collect()
            };
            let loops: Vec<Vec<Use>> = face.loops.into_iter().map(to_uses).collect();
            for used in loops.iter().flatten() {
                edges[used.edge as usize].faces[usize::from(!used.along)] = number as u32;
            }
            faces.push(Face {
                id: face.id,
                surface: face.surface,
                sign: if face.flipped { -1.0 } else { 1.0 },
                loops,
                shell: face.shell,
                boundary: Vec::new(),
                trim: Vec::new(),
                corners: Vec::new(),
                chart: None,
            });
        }
        for edge in &mut edges {
            edge.is_seam = edge.faces[0] == edge.faces[1];
        }
        let mut solid = Self {
            name,
            vertices: body.vertices,
            edges,
            faces,
            edge_gap: 0.0,
            repairs,
            bounds: Aabb::EMPTY,
            corners: Vec::new(),
            pieces: Vec::new(),
            pieces_of: Vec::new(),
            patches: Vec::new(),
            cells: Arc::default(),
            neighbours: Neighbours::default(),
        };
        solid.prepare()?;
        Ok(solid)
    }

    fn prepare(&mut self) -> Result<(), CadError> {
        for (number, edge) in self.edges.iter().enumerate() {
            let first = self.pieces.len() as u32;
            if edge.faces[0] != u32::MAX && !edge.is_seam {
                Piece::of_edge(number as u32, edge, &mut self.pieces);
            }
            self.pieces_of.push([first, self.pieces.len() as u32]);
        }
        for face in &mut self.faces {
            let edges = &self.edges;
            face.boundary = face
                .loops
                .iter()
                .flatten()
                .copied()
                .filter(|used| !edges[used.edge as usize].is_seam)
                .collect();
        }
        for number in 0..self.faces.len() {
            self.choose_half_of_cone(number);
            self.add_chart(number)?;
        }
        self.measure_gaps()?;
        self.add_corners();
        self.turn_shells();
        for number in 0..self.faces.len() {
            self.faces[number].trim = self.boundary_pieces(&self.faces[number]).collect();
        }
        self.bounds = self.surface_bounds();
        if !(self.bounds.diagonal() > 1e-9 && self.bounds.diagonal() < 1e3) {
            return Err(self.broken(format!("the body is {} m large", self.bounds.diagonal())));
        }
        self.cells = Arc::new(Cells::new(self));
        self.neighbours = Neighbours::new(self);
        Ok(())
    }

    fn broken(&self, what: String) -> CadError {
        CadError::Broken { body: self.name.clone(), what }
    }

    /// Points on the edges of a face, seams included.
    pub(super) fn edge_samples(&self, face: usize) -> Vec<Vector3<f64>> {
        let mut points = Vec::new();
        for used in self.faces[face].loops.iter().flatten() {
            let edge = &self.edges[used.edge as usize];
            let at = |k: i32| edge.range[0] + (edge.range[1] - edge.range[0]) * f64::from(k) / 16.0;
            points.extend((0..=16).map(|k| edge.curve.point(at(k))));
        }
        points
    }

    /// A cone has two halves; the face lies on one.
    fn choose_half_of_cone(&mut self, number: usize) {
        let points = self.edge_samples(number);
        if let Surface::Cone { frame, .. } = &mut self.faces[number].surface {
            let side: f64 = points.iter().map(|p| (p - frame.origin).dot(&frame.z)).sum();
            if side < 0.0 {
                *frame = Frame { origin: frame.origin, x: frame.x, y: -frame.y, z: -frame.z };
            }
        }
    }

    /// Parameters of a parametric face; a plane or cylinder in disguise becomes one.
    fn add_chart(&mut self, number: usize) -> Result<(), CadError> {
        let Surface::Parametric(surface) = &self.faces[number].surface else { return Ok(()) };
        let surface = Arc::clone(surface);
        let samples = self.edge_samples(number);
        let domain = domain(&surface, &samples);
        if domain.iter().flatten().any(|x| !x.is_finite()) {
            let face = &self.faces[number];
            return Err(self.broken(format!(
                "face #{} ({}) has no bounded domain",
                face.id,
                face.surface.name()
            )));
        }
        if let Some(simple) = recognise(&surface, domain) {
            let close =
                samples.iter().all(|p| simple.foot(*p).is_some_and(|foot| foot.distance.abs() < 1e-7));
            if close {
                self.faces[number].surface = simple;
                return Ok(());
            }
        }
        let patches = patch::cut(&surface, number as u32, domain);
        let periods = surface.periods();
        let mut chart =
            Chart { surface, domain, periods, traces: Vec::new(), reference: None, deviation: 0.0, patches };
        for used in self.faces[number].boundary.clone() {
            let trace = trace(&mut chart, used.edge, &self.edges[used.edge as usize]);
            chart.traces.push(trace);
        }
        self.faces[number].chart = Some(Box::new(chart));
        self.choose_reference(number);
        self.keep_patches(number);
        Ok(())
    }

    /// A point inside a parametric face: beside its edges, on the side that most of them agree on.
    fn choose_reference(&mut self, number: usize) {
        let face = &self.faces[number];
        let Some(chart) = &face.chart else { return };
        let mut candidates = Vec::new();
        let stride = (face.boundary.len() / 12).max(1);
        for used in face.boundary.iter().step_by(stride) {
            let edge = &self.edges[used.edge as usize];
            let length = (edge.curve.point(edge.range[0])
                - edge.curve.point(0.5 * (edge.range[0] + edge.range[1])))
            .norm();
            for s in [0.5, 0.37] {
                let t = edge.range[0] + (edge.range[1] - edge.range[0]) * s;
                let [point, tangent, _] = edge.curve.evaluate(t);
                let normal = chart.normal_near(point, Some((used.edge, t))) * face.sign;
                let way = if used.along { 1.0 } else { -1.0 };
                let Some(inwards) = normal.cross(&(tangent * way)).try_normalize(1e-30) else { continue };
                for step in [0.02, 0.004] {
                    let step = (step * length).max(20.0 * chart.deviation).max(1e-8);
                    let at = chart.project(point + inwards * step);
                    let found = chart.surface.evaluate(at[0], at[1]).point;
                    // a foot that stays at the boundary is beside a border of the domain
                    if (found - point).dot(&inwards) > 0.5 * step {
                        candidates.push(at);
                    }
                }
            }
        }
        let Some(&first) = candidates.first() else { return };
        let same: Vec<bool> = candidates.iter().map(|&at| chart.crossings(first, at) % 2 == 0).collect();
        let majority = 2 * same.iter().filter(|&&is| is).count() >= same.len();
        let chosen = candidates.iter().zip(&same).find(|(_, is)| **is == majority).map(|(at, _)| *at);
        if let Some(chart) = &mut self.faces[number].chart {
            chart.reference = chosen;
        }
    }

    /// Patches of a parametric face that reach into its trimmed region.
    fn keep_patches(&mut self, number: usize) {
        let face = &self.faces[number];
        let Some(chart) = &face.chart else { return };
        let pieces: Vec<u32> = self.boundary_pieces(face).map(|(piece, _)| piece).collect();
        let mut kept = Vec::new();
        for patch in &chart.patches {
            let middle = patch.range.map(|[a, b]| 0.5 * (a + b));
            let centre = chart.surface.evaluate(middle[0], middle[1]).point;
            let radius = 1.1 * 0.5 * patch.bounds.diagonal()
                + (0.5 * (patch.bounds.min + patch.bounds.max) - centre).norm();
            let is_cut = pieces.iter().any(|&piece| {
                let piece = &self.pieces[piece as usize];
                piece.bounds.distance_squared(centre) < radius * radius
                    && piece.nearest(centre).squared < radius * radius
            });
            if is_cut || chart.is_inside(middle) {
                kept.push(Patch { is_whole: !is_cut, ..patch.clone() });
            }
        }
        self.patches.extend(kept);
    }

    /// Distance of edges from their surfaces, and of vertices from their edges.
    fn measure_gaps(&mut self) -> Result<(), CadError> {
        for number in 0..self.edges.len() {
            let edge = &self.edges[number];
            if edge.faces[0] == u32::MAX {
                continue;
            }
            let mut gap: f64 = 0.0;
            for k in 0..=16 {
                let t = edge.range[0] + (edge.range[1] - edge.range[0]) * f64::from(k) / 16.0;
                let point = edge.curve.point(t);
                for face in edge.faces {
                    gap = gap.max(self.off_surface(face, point, (number as u32, t)));
                }
            }
            for (end, t) in edge.ends.iter().zip(edge.range) {
                gap = gap.max((edge.curve.point(t) - self.vertices[*end as usize]).norm());
            }
            if gap > LARGEST_GAP {
                let face = &self.faces[edge.faces[0] as usize];
                let what = format!(
                    "edge #{} lies {:.3} mm off its faces #{} and #{} ({}); allowed: {} mm",
                    edge.id,
                    gap * 1e3,
                    face.id,
                    self.faces[edge.faces[1] as usize].id,
                    face.surface.name(),
                    LARGEST_GAP * 1e3
                );
                return Err(self.broken(what));
            }
            self.edges[number].gap = gap;
            self.edge_gap = self.edge_gap.max(gap);
        }
        Ok(())
    }

    fn off_surface(&self, face: u32, point: Vector3<f64>, edge: (u32, f64)) -> f64 {
        let face = &self.faces[face as usize];
        if let Some(foot) = face.surface.foot(point) {
            return foot.distance.abs();
        }
        let Some(chart) = &face.chart else { return 0.0 };
        chart.miss(point, edge)
    }

    /// Sectors of faces at vertices, and pseudo-normals.
    fn add_corners(&mut self) {
        for number in 0..self.faces.len() {
            let mut rays: std::collections::BTreeMap<u32, Vec<Ray>> = std::collections::BTreeMap::new();
            for used in &self.faces[number].boundary {
                let edge = &self.edges[used.edge as usize];
                for end in 0..2 {
                    let leaves = (end == 0) == used.along;
                    let direction = self.ray(edge, end, 0.0);
                    rays.entry(edge.ends[end]).or_default().push(Ray { direction, face_on_left: leaves });
                }
            }
            // rays that leave in one direction are told apart by chords of one length
            for (vertex, own) in &mut rays {
                let is_close = |a: &Ray, b: &Ray| (a.direction - b.direction).norm() < 1e-3;
                if !(0..own.len()).any(|a| (0..a).any(|b| is_close(&own[a], &own[b]))) {
                    continue;
                }
                let uses = self.faces[number].boundary.iter();
                let ends: Vec<(&Edge, usize, bool)> = uses
                    .flat_map(|used| [0, 1].map(|end| (&self.edges[used.edge as usize], end, used.along)))
                    .filter(|(edge, end, _)| edge.ends[*end] == *vertex)
                    .collect();
                let length = |edge: &Edge| {
                    let middle = edge.curve.point(0.5 * (edge.range[0] + edge.range[1]));
                    (middle - self.vertices[*vertex as usize]).norm()
                };
                let shortest = ends.iter().map(|(edge, ..)| length(edge)).fold(f64::INFINITY, f64::min);
                *own = ends
                    .iter()
                    .map(|(edge, end, along)| Ray {
                        direction: self.ray(edge, *end, 0.1 * shortest),
                        face_on_left: (*end == 0) == *along,
                    })
                    .collect();
            }
            self.faces[number].corners = rays.into_iter().collect();
        }
        let mut sums = vec![(Vector3::zeros(), 0.0, false); self.vertices.len()];
        for (number, face) in self.faces.iter().enumerate() {
            for (vertex, rays) in &face.corners {
                let normal = self.normal_at(number as u32, self.vertices[*vertex as usize], None);
                let angle = face_angle(normal, rays);
                let sum = &mut sums[*vertex as usize];
                sum.0 += normal * angle;
                sum.1 += angle;
                sum.2 |= normal == Vector3::zeros();
            }
        }
        let corner = |(sum, angle, unsure): (Vector3<f64>, f64, bool)| Corner {
            pseudo_normal: if angle > 0.0 && !unsure { sum / angle } else { Vector3::zeros() },
        };
        self.corners = sums.into_iter().map(corner).collect();
    }

    /// Direction in which an edge leaves one of its ends: the tangent, or a chord of this length [m].
    fn ray(&self, edge: &Edge, end: usize, chord: f64) -> Vector3<f64> {
        let [start, stop] = edge.range;
        let (from, sign) = if end == 0 { (start, 1.0) } else { (stop, -1.0) };
        let inside = from + sign * 1e-12 * (stop - start);
        let [point, tangent, _] = edge.curve.evaluate(inside);
        if chord == 0.0 {
            let fallback = || edge.curve.point(from + sign * 1e-3 * (stop - start)) - point;
            let along = (tangent * sign).try_normalize(1e-12);
            return along.or_else(|| fallback().try_normalize(1e-15)).unwrap_or(Vector3::z());
        }
        // the parameter at which the edge leaves the ball of this radius, by bisection
        let (mut low, mut high) = (0.0, 0.5);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            let away = edge.curve.point(from + sign * middle * (stop - start)) - point;
            if away.norm() < chord {
                low = middle;
            } else {
                high = middle;
            }
        }
        let away = edge.curve.point(from + sign * high * (stop - start)) - point;
        away.try_normalize(1e-15).unwrap_or(Vector3::z())
    }

    /// The normals of the outer shell point away from it, those of voids into them.
    fn turn_shells(&mut self) {
        let shells = self.faces.iter().map(|face| face.shell).max().unwrap_or(0);
        for shell in 0..=shells {
            let outwards = shell_sign(self, shell);
            let is_right = if shell == 0 { outwards >= 0.0 } else { outwards <= 0.0 };
            if is_right {
                continue;
            }
            for face in self.faces.iter_mut().filter(|face| face.shell == shell) {
                face.sign = -face.sign;
                for used in face.loops.iter_mut().flatten().chain(&mut face.boundary) {
                    used.along = !used.along;
                }
            }
            for edge in &mut self.edges {
                if edge.faces[0] != u32::MAX && self.faces[edge.faces[0] as usize].shell == shell {
                    edge.faces.swap(0, 1);
                }
            }
            self.repairs.push(format!("shell {shell} was turned inside out"));
            self.add_corners();
        }
    }

    /// Box around edges, patches and curved faces.
    fn surface_bounds(&self) -> Aabb {
        let mut bounds = Aabb::of(self.vertices.iter().copied());
        for piece in &self.pieces {
            bounds = bounds.joined(piece.bounds);
        }
        for patch in &self.patches {
            bounds = bounds.joined(patch.bounds);
        }
        for face in &self.faces {
            // bulges between edges are bounded by the whole surface
            match &face.surface {
                Surface::Sphere(frame, radius) => {
                    bounds = bounds.joined(Aabb::of([frame.origin]).grown(*radius));
                }
                Surface::Torus(frame, [major, minor]) => {
                    let reach = frame.z.map(|z| major * (1.0 - z * z).max(0.0).sqrt() + minor);
                    bounds = bounds.joined(Aabb::of([frame.origin - reach, frame.origin + reach]));
                }
                _ => {}
            }
        }
        bounds
    }
}

/// Range of parameters that holds a face with these points on its boundary.
fn domain(surface: &Parametric, points: &[Vector3<f64>]) -> [[f64; 2]; 2] {
    let mut domain = surface.range();
    let spread = |values: &mut dyn Iterator<Item = f64>| {
        values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
    };
    match surface {
        Parametric::Extrusion { curve, along } => {
            if domain[0].iter().any(|x| x.is_infinite()) {
                let [low, high] = spread(&mut points.iter().map(|p| curve.parameter_of(*p)));
                let margin = 0.1 * (high - low);
                domain[0] = [low - margin, high + margin];
            }
            let unit = along / along.norm_squared();
            let [u0, u1] = domain[0];
            let on_curve = (0..=64).map(|k| curve.point(u0 + (u1 - u0) * f64::from(k) / 64.0).dot(&unit));
            let own = spread(&mut on_curve.into_iter());
            let [low, high] = spread(&mut points.iter().map(|p| p.dot(&unit)));
            let margin = 1e-3 * (high - low).abs() + 1e-6;
            domain[1] = [low - own[1] - margin, high - own[0] + margin];
        }
        Parametric::Revolution { curve, frame } if domain[1].iter().any(|x| x.is_infinite()) => {
            let far = points.iter().map(|p| (p - frame.origin).norm()).fold(0.0, f64::max);
            let own = (curve.point(0.0) - frame.origin).norm();
            domain[1] = [-(far + own), far + own];
        }
        _ => {}
    }
    domain
}

/// Parameters along an edge, refined until the segments follow it.
fn trace(chart: &mut Chart, number: u32, edge: &Edge) -> Trace {
    let [start, end] = edge.range;
    let size = (edge.curve.point(start) - edge.curve.point(0.5 * (start + end))).norm();
    let allowed = (1e-3 * size).clamp(1e-8, 20e-6);
    let count = 16;
    let mut times: Vec<f64> = (0..=count).map(|k| start + (end - start) * k as f64 / count as f64).collect();
    times.extend(edge.curve.pieces(edge.range));
    times.sort_by(f64::total_cmp);
    times.dedup();
    let mut samples: Vec<[f64; 3]> = Vec::new();
    for &t in &times {
        let at = locate(chart, edge, t, samples.last().map(|s| [s[1], s[2]]));
        samples.push([t, at[0], at[1]]);
    }
    poles_follow_neighbours(chart, &mut samples);
    for _ in 0..8 {
        let mut finer: Vec<[f64; 3]> = Vec::new();
        let mut worst: f64 = 0.0;
        for pair in samples.windows(2) {
            finer.push(pair[0]);
            let t = 0.5 * (pair[0][0] + pair[1][0]);
            let middle = [0.5 * (pair[0][1] + pair[1][1]), 0.5 * (pair[0][2] + pair[1][2])];
            let on_surface =
                chart.surface.evaluate(chart.wrapped(0, middle[0]), chart.wrapped(1, middle[1])).point;
            let off = (on_surface - edge.curve.point(t)).norm();
            worst = worst.max(off);
            if off > allowed && samples.len() < 20_000 {
                let at = locate(chart, edge, t, Some([pair[0][1], pair[0][2]]));
                finer.push([t, at[0], at[1]]);
            }
        }
        finer.extend(samples.last());
        let done = finer.len() == samples.len();
        samples = finer;
        poles_follow_neighbours(chart, &mut samples);
        if done {
            chart.deviation = chart.deviation.max(worst.min(1e-3));
            break;
        }
        chart.deviation = chart.deviation.max(allowed);
    }
    Trace { edge: number, samples }
}

/// Parameters of a point of an edge, on the side of a period that is nearest to the previous one.
fn locate(chart: &Chart, edge: &Edge, t: f64, before: Option<[f64; 2]>) -> [f64; 2] {
    let point = edge.curve.point(t);
    let mut at = None;
    if let Some(before) = before {
        let seed = [chart.wrapped(0, before[0]), chart.wrapped(1, before[1])];
        let near = chart.project_from(point, seed);
        let miss = (chart.surface.evaluate(near[0], near[1]).point - point).norm();
        at = (miss < 1e-7).then_some(near);
    }
    let mut at = at.unwrap_or_else(|| chart.project(point));
    if let Some(before) = before {
        for k in 0..2 {
            if let Some(period) = chart.periods[k] {
                at[k] += ((before[k] - at[k]) / period).round() * period;
            }
        }
    }
    at
}

/// At a pole one parameter is undefined: it takes the value of the next sample.
fn poles_follow_neighbours(chart: &Chart, samples: &mut [[f64; 3]]) {
    let count = samples.len();
    for place in 0..count {
        let [_, u, v] = samples[place];
        let local = chart.surface.evaluate(chart.wrapped(0, u), chart.wrapped(1, v));
        let speeds = [local.u.norm(), local.v.norm()].map(|speed| speed.max(1e-300));
        let sizes = chart.domain.map(|[a, b]| b - a);
        let neighbour = if place == 0 { 1 } else { place - 1 };
        for k in 0..2 {
            if speeds[k] * sizes[k] < 1e-6 * speeds[1 - k] * sizes[1 - k] && neighbour < count {
                samples[place][1 + k] = samples[neighbour][1 + k];
            }
        }
    }
}
