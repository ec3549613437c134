//! Watertight mesh of a radial surface.
//!
//! The surface is divided by columns of constant θ that include every corner angle. Between two columns no face
//! begins or ends, so each face is one quadrilateral between two chains of vertices. Neighbouring strips share
//! exactly the vertices on their common column.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::radial_surface::{RadialFace, Side};
use super::{RadialSurface, RunOut};
use crate::mesh::MeshBuilder;

/// Heights on one column closer than this are one vertex [m]: far smaller than any face, far larger than rounding.
const SAME_HEIGHT: f64 = 1e-10;

/// Faces from the lower to the upper end between two neighbouring columns.
pub(crate) struct Strip {
    /// Angles of the two columns [rad].
    pub(crate) angles: [f64; 2],
    pub(crate) faces: Vec<RadialFace>,
    /// Boundaries of the faces on the left and right column [m]: one more than faces.
    pub(crate) heights: Vec<[f64; 2]>,
}

/// Vertices at one angle, by ascending height.
#[derive(Clone, Default)]
struct Column {
    heights: Vec<f64>,
    vertices: Vec<u32>,
}

impl Column {
    fn insert(&mut self, z: f64, vertex: impl FnOnce() -> u32) {
        let at = self.heights.partition_point(|own| *own < z - SAME_HEIGHT);
        if self.heights.get(at).is_none_or(|own| *own > z + SAME_HEIGHT) {
            self.heights.insert(at, z);
            self.vertices.insert(at, vertex());
        }
    }

    /// Vertices from one height to another, both included.
    fn between(&self, low: f64, high: f64) -> &[u32] {
        let from = self.heights.partition_point(|own| *own < low - SAME_HEIGHT);
        let to = self.heights.partition_point(|own| *own <= high + SAME_HEIGHT);
        &self.vertices[from..to]
    }
}

fn cylindrical(radius: f64, angle: f64, z: f64) -> Vector3<f64> {
    let (sin, cos) = libm::sincos(angle);
    Vector3::new(radius * cos, radius * sin, z)
}

/// The open rims of the surface at the two end planes.
pub(crate) struct RadialRims {
    /// Angle of every column [rad], ascending in [0, 2π).
    pub(crate) angles: Vec<f64>,
    /// Vertex of every column at the lower end plane.
    pub(crate) lower: Vec<u32>,
    /// Vertex of every column at the upper end plane.
    pub(crate) upper: Vec<u32>,
}

impl RadialSurface {
    /// Adds the surface to a mesh, with columns at about `wanted` equal divisions and at the angles `also` [rad].
    pub(crate) fn add_to(&self, builder: &mut MeshBuilder, wanted: usize, also: &[f64]) -> RadialRims {
        let mut angles = self.column_angles(wanted, also);
        if let Some(run_out) = self.run_out {
            // the first column is the wall's, whose other side is the last one
            let wall = run_out.wall.rem_euclid(TAU);
            let first = angles.iter().position(|angle| (angle - wall).abs() < 1e-9).unwrap_or_default();
            angles.rotate_left(first);
            let start = angles[0];
            angles.iter_mut().for_each(|angle| *angle = start + (*angle - start).rem_euclid(TAU));
        }
        let strips: Vec<Strip> = (0..angles.len()).map(|left| self.strip_between(&angles, left)).collect();
        // all vertices first: a corner of one strip may lie on an edge of its neighbour, which then needs that vertex
        // too
        let count = angles.len() + usize::from(self.run_out.is_some());
        let mut columns: Vec<Column> = vec![Column::default(); count];
        let filled = self.run_out.map(|_| if self.profile.rise() > 0.0 { count - 1 } else { 0 });
        for (left, strip) in strips.iter().enumerate() {
            for (column, angle, side) in
                [(left, strip.angles[0], 0), ((left + 1) % count, strip.angles[1], 1)]
            {
                // `add_wall` fills that column
                if filled == Some(column) {
                    continue;
                }
                for (index, face) in strip.faces.iter().enumerate() {
                    for z in [strip.heights[index][side], strip.heights[index + 1][side]] {
                        let radius = self.face_radius(*face, angle, z);
                        columns[column].insert(z, || builder.vertex(cylindrical(radius, angle, z)));
                    }
                }
            }
        }
        if let Some(run_out) = self.run_out {
            self.add_wall(run_out, builder, &mut columns);
        }
        for (left, strip) in strips.iter().enumerate() {
            let right = (left + 1) % count;
            for index in 0..strip.faces.len() {
                let (low, high) = (strip.heights[index], strip.heights[index + 1]);
                let lefts = columns[left].between(low[0], high[0]);
                let rights = columns[right].between(low[1], high[1]);
                match self.side {
                    Side::External => builder.zip(lefts, rights),
                    Side::Internal => builder.zip(rights, lefts),
                }
            }
        }
        let [bottom, top] = self.ends;
        let rim = |z: f64| {
            columns[..angles.len()].iter().filter_map(move |column| column.between(z, z).first().copied())
        };
        RadialRims { lower: rim(bottom).collect(), upper: rim(top).collect(), angles }
    }

    /// Closes the groove at its wall: gives the column on the filled side of the wall the vertices that it shares with
    /// the one on the open side, and adds the wall between the two.
    fn add_wall(&self, run_out: RunOut, builder: &mut MeshBuilder, columns: &mut [Column]) {
        let is_right = self.profile.rise() > 0.0;
        let last = columns.len() - 1;
        let [open, filled] = if is_right { [0, last] } else { [last, 0] };
        let open = columns[open].clone();
        let is_groove = |&index: &usize| {
            let radius =
                self.radius(run_out.wall - 1e-9 * self.profile.rise().signum(), open.heights[index]).0;
            radius > builder.position(open.vertices[index]).xy().norm() + 1e-9
        };
        let groove: Vec<usize> = (0..open.vertices.len()).filter(is_groove).collect();
        for index in (0..open.vertices.len()).filter(|index| !groove.contains(index)) {
            columns[filled].insert(open.heights[index], || open.vertices[index]);
        }
        if let (Some(first), Some(last)) = (groove.first(), groove.last()) {
            let chain = &open.vertices[first - 1..=last + 1];
            for pair in chain[1..].windows(2) {
                let [a, b] = if is_right { [pair[0], pair[1]] } else { [pair[1], pair[0]] };
                builder.triangle(chain[0], a, b);
            }
        }
    }

    /// The faces between one column and the next, and the heights of their boundaries on both.
    pub(crate) fn strip_between(&self, angles: &[f64], left: usize) -> Strip {
        let ends = [angles[left], angles.get(left + 1).copied().unwrap_or(angles[0] + TAU)];
        let faces: Vec<RadialFace> =
            self.bands(f64::midpoint(ends[0], ends[1])).into_iter().map(|(face, _, _)| face).collect();
        let [bottom, top] = self.ends;
        let inner = faces
            .windows(2)
            .map(|pair| ends.map(|angle| self.meeting_height(pair[0], pair[1], angle).clamp(bottom, top)));
        let heights = std::iter::once([bottom; 2]).chain(inner).chain([[top; 2]]).collect();
        Strip { angles: ends, faces, heights }
    }

    /// Column angles [rad]: the corner angles, `also`, and `wanted` equal divisions without those too close to these.
    pub(crate) fn column_angles(&self, wanted: usize, also: &[f64]) -> Vec<f64> {
        let mut fixed: Vec<f64> = self.corner_angles();
        fixed.extend(also.iter().map(|angle| angle.rem_euclid(TAU)));
        let pitch = TAU / wanted as f64;
        let crowds = |angle: f64| {
            fixed.iter().any(|other| {
                let apart = (angle - other).abs();
                apart.min(TAU - apart) < 0.3 * pitch
            })
        };
        let mut angles: Vec<f64> =
            (0..wanted).map(|index| index as f64 * pitch).filter(|&angle| !crowds(angle)).collect();
        angles.extend(fixed);
        angles.sort_by(f64::total_cmp);
        angles.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
        angles
    }
}

impl MeshBuilder {
    /// Triangles between two ascending chains, outward when `right` lies counter-clockwise of `left`.
    fn zip(&mut self, left: &[u32], right: &[u32]) {
        let (mut i, mut j) = (0, 0);
        while i + 1 < left.len() || j + 1 < right.len() {
            // advance the chain that is behind
            let left_next = (i + 1) * right.len().max(2);
            let right_next = (j + 1) * left.len().max(2);
            if j + 1 < right.len() && (i + 1 >= left.len() || right_next <= left_next) {
                self.triangle(left[i], right[j], right[j + 1]);
                j += 1;
            } else {
                self.triangle(left[i], right[j], left[i + 1]);
                i += 1;
            }
        }
    }

    /// Closes a rim with a flat face around the axis at height z [m], facing up or down, in rings of width `max_edge`
    /// [m] at most.
    pub(crate) fn cap(&mut self, rim: &[u32], z: f64, up: bool, max_edge: f64) {
        let widest = rim.iter().map(|&index| self.position(index).xy().norm()).fold(0.0, f64::max);
        let rings = crate::node::NodeSpacing::intervals(widest, max_edge);
        let mut outer = rim.to_vec();
        for ring in (1..rings).rev() {
            let scale = ring as f64 / rings as f64;
            let inner: Vec<u32> = rim
                .iter()
                .map(|&index| {
                    let point = self.position(index);
                    self.vertex(Vector3::new(point.x * scale, point.y * scale, z))
                })
                .collect();
            self.annulus(&inner, &outer, up);
            outer = inner;
        }
        let center = self.vertex(Vector3::new(0.0, 0.0, z));
        self.annulus(&vec![center; rim.len()], &outer, up);
    }

    /// Flat face between an inner and an outer ring of equal count.
    pub(crate) fn annulus(&mut self, inner: &[u32], outer: &[u32], up: bool) {
        if up { self.strip(outer, inner) } else { self.strip(inner, outer) }
    }
}
