//! Threaded rods and nuts.
//!
//! Columns of constant angle divide the thread as in `radial_mesh.rs`: between two of them every face is bounded by two spirals
//! and, along the columns, by straight lines. Crests and roots are cylinders, chamfers cones; a flank consists of the straight lines
//! between its spirals at the radii of root and crest.

use std::collections::HashMap;

use nalgebra::Vector3;

use super::prism::Prism;
use super::spline::{Place, Spline};
use super::writer::{Use, Vertex, Writer};
use crate::thread::{Bolt, Nut, RadialFace, RadialSurface, Side, Strip};

/// Columns per turn beside those at corners.
const COLUMNS: usize = 4;
/// Heights and radii closer than this are equal [m].
const SAME: f64 = 1e-10;

/// Writes the faces of a threaded rod; `None` if it has a head or a shank.
pub(super) fn bolt_faces(writer: &mut Writer, bolt: &Bolt) -> Option<Vec<usize>> {
    if !bolt.is_bare() {
        return None;
    }
    let surface = &bolt.surface;
    let (mut faces, contours) = Thread::new(writer, surface).faces();
    for (end, contour) in contours.iter().enumerate() {
        let plane = end_plane(writer, surface, end);
        faces.push(writer.face(plane, true, &[directed(contour, end == 1)]));
    }
    Some(faces)
}

/// Writes the faces of a nut.
pub(super) fn nut_faces(writer: &mut Writer, nut: &Nut) -> Option<Vec<usize>> {
    let surface = &nut.surface;
    let (mut faces, contours) = Thread::new(writer, surface).faces();
    let prism = Prism::new(&nut.hexagon.section)?;
    let rings = surface.ends.map(|z| prism.ring(writer, [nut.wall_level(), z]));
    faces.extend(prism.wall(writer, rings.each_ref(), [1.0, 0.0]));
    for (end, contour) in contours.iter().enumerate() {
        let plane = end_plane(writer, surface, end);
        let loops = [rings[end].around(end == 1), directed(contour, end == 0)];
        faces.push(writer.face(plane, true, &loops));
    }
    Some(faces)
}

fn end_plane(writer: &mut Writer, surface: &RadialSurface, end: usize) -> usize {
    let up = if end == 0 { -Vector3::z() } else { Vector3::z() };
    writer.plane(Vector3::z() * surface.ends[end], up)
}

/// Edges that follow one another, used along them or, in the other order, against them.
fn directed(edges: &[usize], along: bool) -> Vec<Use> {
    let uses = edges.iter().map(|&edge| (edge, along));
    if along { uses.collect() } else { uses.rev().collect() }
}

/// A vertex on a column.
#[derive(Clone, Copy)]
struct Node {
    vertex: Vertex,
    radius: f64,
    z: f64,
}

/// A thread on its way into a file.
struct Thread<'a> {
    writer: &'a mut Writer,
    surface: &'a RadialSurface,
    /// Vertices on every column, by ascending height.
    columns: Vec<Vec<Node>>,
    /// Edges by the numbers of their vertices: counter-clockwise, and upwards on a column.
    edges: HashMap<[usize; 2], usize>,
}

impl<'a> Thread<'a> {
    fn new(writer: &'a mut Writer, surface: &'a RadialSurface) -> Self {
        Self { writer, surface, columns: Vec::new(), edges: HashMap::new() }
    }

    /// Writes all faces; returns them, and the edges at the lower and the upper end, counter-clockwise.
    fn faces(mut self) -> (Vec<usize>, [Vec<usize>; 2]) {
        let angles = self.surface.column_angles(COLUMNS, &[]);
        let strips: Vec<Strip> =
            (0..angles.len()).map(|left| self.surface.strip_between(&angles, left)).collect();
        self.columns = vec![Vec::new(); strips.len()];
        for (left, strip) in strips.iter().enumerate() {
            for (side, column) in [left, (left + 1) % strips.len()].into_iter().enumerate() {
                for (index, face) in strip.faces.iter().enumerate() {
                    for boundary in [index, index + 1] {
                        self.insert(column, strip.angles[side], strip.heights[boundary][side], *face);
                    }
                }
            }
        }
        let mut faces = Vec::new();
        let mut contours = [Vec::new(), Vec::new()];
        for (left, strip) in strips.iter().enumerate() {
            let columns = [left, (left + 1) % strips.len()];
            for index in 0..strip.faces.len() {
                faces.extend(self.face(strip, columns, index));
            }
            for (contour, boundary) in contours.iter_mut().zip([0, strip.faces.len()]) {
                contour.push(self.spiral(strip, columns, boundary));
            }
        }
        (faces, contours)
    }

    fn insert(&mut self, column: usize, angle: f64, z: f64, face: RadialFace) {
        let nodes = &mut self.columns[column];
        let place = nodes.partition_point(|node| node.z < z - SAME);
        if nodes.get(place).is_none_or(|node| node.z > z + SAME) {
            let radius = self.surface.face_radius(face, angle, z);
            let (sin, cos) = libm::sincos(angle);
            let vertex = self.writer.vertex(Vector3::new(radius * cos, radius * sin, z));
            nodes.insert(place, Node { vertex, radius, z });
        }
    }

    /// Vertices of a column from one height to another.
    fn between(&self, column: usize, low: f64, high: f64) -> Vec<Node> {
        let is_within = |node: &&Node| node.z >= low - SAME && node.z <= high + SAME;
        self.columns[column].iter().filter(is_within).copied().collect()
    }

    /// A face between two columns; `None` if it has no area.
    fn face(&mut self, strip: &Strip, columns: [usize; 2], index: usize) -> Option<usize> {
        let (low, high) = (strip.heights[index], strip.heights[index + 1]);
        let [left, right] = [0, 1].map(|side| self.between(columns[side], low[side], high[side]));
        if left.len() < 2 && right.len() < 2 {
            return None;
        }
        let bottom = self.spiral(strip, columns, index);
        let top = self.spiral(strip, columns, index + 1);
        let mut uses = vec![(bottom, true)];
        uses.extend(directed(&self.lines(&right), true));
        uses.push((top, false));
        uses.extend(directed(&self.lines(&left), false));
        let is_bolt = self.surface.side == Side::External;
        if !is_bolt {
            uses = uses.into_iter().rev().map(|(edge, along)| (edge, !along)).collect();
        }
        let (surface, same) = self.surface_of(strip.faces[index], strip.angles);
        Some(self.writer.face(surface, same == is_bolt, &[uses]))
    }

    /// Straight edges between neighbours on a column, upwards.
    fn lines(&mut self, nodes: &[Node]) -> Vec<usize> {
        let edge = |pair: &[Node]| {
            let ends = [pair[0].vertex, pair[1].vertex];
            *self.edges.entry(ends.map(|end| end.id)).or_insert_with(|| self.writer.line(ends))
        };
        nodes.windows(2).map(edge).collect()
    }

    /// The edge below face `boundary` of a strip, or above the last one.
    fn spiral(&mut self, strip: &Strip, columns: [usize; 2], boundary: usize) -> usize {
        let [from, to] = [0, 1].map(|side| {
            let (nodes, z) = (&self.columns[columns[side]], strip.heights[boundary][side]);
            nodes[nodes.partition_point(|node| node.z < z - SAME)]
        });
        let ends = [from.vertex, to.vertex];
        *self.edges.entry(ends.map(|end| end.id)).or_insert_with(|| {
            if (from.radius - to.radius).abs() < SAME && (from.z - to.z).abs() < SAME {
                return self.writer.arc(Vector3::z() * from.z, from.radius, ends);
            }
            let place = |side: usize, node: Node| -> Place { [strip.angles[side], node.radius, node.z] };
            self.writer.spline(&Spline::spiral(place(0, from), place(1, to)), ends)
        })
    }

    /// The surface of a face between two angles, and whether its normal points away from the axis.
    fn surface_of(&mut self, face: RadialFace, angles: [f64; 2]) -> (usize, bool) {
        let (surface, profile) = (self.surface, &self.surface.profile);
        let radii = [profile.root_radius(), profile.crest_radius()];
        match face {
            RadialFace::Root => (self.writer.cylinder(Vector3::zeros(), radii[0]), true),
            RadialFace::Crest => (self.writer.cylinder(Vector3::zeros(), radii[1]), true),
            RadialFace::Cone { end } => {
                let inwards = if end == 0 { 1.0 } else { -1.0 } * (radii[1] - radii[0]);
                let at = |z: f64| [surface.cone_radius(end, z).unwrap_or_default(), z];
                let z = surface.ends[end];
                (self.writer.cone(Vector3::zeros(), [at(z), at(z + inwards)]), true)
            }
            RadialFace::Flank { .. } => {
                let [a, b, c] = surface.plane(face);
                let rails = radii.map(|radius| {
                    let [from, to] = angles.map(|angle| [angle, radius, (radius - a - b * angle) / c]);
                    Spline::spiral(from, to)
                });
                (self.writer.ruled(rails.each_ref()), c > 0.0)
            }
        }
    }
}
