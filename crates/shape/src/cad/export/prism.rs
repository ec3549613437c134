//! Solids whose section is a regular polygon, with sharp or rounded corners.
//!
//! At every level of the outline the section is a ring of lines and arcs; every edge of the outline makes a face with each of them.
//! Orientation as in `revolution.rs`.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::writer::{Use, Vertex, Writer};
use crate::profile::{Section, SectionedSolid};

/// A piece of a ring.
#[derive(Clone, Copy)]
enum Piece {
    /// A flat that faces this direction.
    Flat(Vector3<f64>),
    /// A corner about this point.
    Corner(Vector3<f64>),
}

/// A section at one level and height.
pub(super) struct Ring {
    /// Vertices before each piece.
    vertices: Vec<Vertex>,
    /// The pieces as edges.
    edges: Vec<usize>,
    /// Level and height [m].
    at: [f64; 2],
}

impl Ring {
    /// All edges, counter-clockwise seen from above or, where not `along`, clockwise.
    pub(super) fn around(&self, along: bool) -> Vec<Use> {
        let uses = self.edges.iter().map(|&edge| (edge, along));
        if along { uses.collect() } else { uses.rev().collect() }
    }
}

/// The flats and corners of a section.
pub(super) struct Prism {
    pieces: Vec<Piece>,
    /// Half the angle of a flat seen from the axis [rad].
    half: f64,
    /// Distance of the flats of the core from the axis [m], where corners are rounded.
    core: Option<f64>,
}

/// Writes the faces of a prism; `None` where a level of its outline lies inside the rounding.
pub(super) fn faces(writer: &mut Writer, solid: &SectionedSolid) -> Option<Vec<usize>> {
    let prism = Prism::new(&solid.section)?;
    let corners = solid.outline.vertices();
    if corners.iter().any(|corner| corner[0] > 0.0 && corner[0] <= prism.core.unwrap_or(0.0)) {
        return None;
    }
    let rings: Vec<Option<Ring>> =
        corners.iter().map(|&at| (at[0] > 0.0).then(|| prism.ring(writer, at))).collect();
    let mut faces = Vec::new();
    for (index, [p, q]) in solid.outline.edges() {
        let ends = [&rings[index], &rings[(index + 1) % corners.len()]];
        let normal = solid.outline.edge_normal(index);
        if p[1] == q[1] {
            let uses =
                |place: usize, along| ends[place].as_ref().map_or_else(Vec::new, |ring| ring.around(along));
            let plane = writer.plane(Vector3::z() * p[1], Vector3::z() * normal[1].signum());
            faces.push(writer.face(plane, true, &[uses(0, true), uses(1, false)]));
        } else {
            let [Some(low), Some(high)] = ends else { return None };
            faces.extend(prism.wall(writer, [low, high], normal));
        }
    }
    Some(faces)
}

impl Prism {
    /// `None` for a circle.
    pub(super) fn new(section: &Section) -> Option<Self> {
        let (sides, core) = match *section {
            Section::Round => return None,
            Section::Polygon { sides } => (sides, None),
            Section::RoundedPolygon { sides, core } => (sides, Some(core)),
        };
        let half = TAU / f64::from(sides) / 2.0;
        Some(Self { pieces: pieces(sides, half, core), half, core })
    }

    /// Writes the ring at a level and height.
    pub(super) fn ring(&self, writer: &mut Writer, at: [f64; 2]) -> Ring {
        let [level, z] = at;
        let width = self.core.unwrap_or(level) * libm::tan(self.half);
        let mut facing = Vector3::x();
        let mut vertices = Vec::new();
        for piece in &self.pieces {
            let side = match piece {
                Piece::Flat(out) => {
                    facing = *out;
                    -width
                }
                Piece::Corner(_) => width,
            };
            let along = Vector3::z().cross(&facing);
            vertices.push(writer.vertex(facing * level + along * side + Vector3::z() * z));
        }
        let edge = |place: usize| {
            let ends = [vertices[place], vertices[(place + 1) % vertices.len()]];
            match self.pieces[place] {
                Piece::Flat(_) => writer.line(ends),
                Piece::Corner(middle) => {
                    writer.arc(middle + Vector3::z() * z, level - self.core.unwrap_or(0.0), ends)
                }
            }
        };
        let edges = (0..self.pieces.len()).map(edge).collect();
        Ring { vertices, edges, at }
    }

    /// Writes the faces between two rings; the outward normal has these radial and axial components.
    pub(super) fn wall(
        &self,
        writer: &mut Writer,
        [low, high]: [&Ring; 2],
        [radial, axial]: [f64; 2],
    ) -> Vec<usize> {
        let ends = low.vertices.iter().zip(&high.vertices);
        let lines: Vec<usize> = ends.map(|(&a, &b)| writer.line([a, b])).collect();
        let mut faces = Vec::new();
        for (place, piece) in self.pieces.iter().enumerate() {
            let next = lines[(place + 1) % lines.len()];
            let uses = vec![
                (low.edges[place], true),
                (next, true),
                (high.edges[place], false),
                (lines[place], false),
            ];
            let (surface, same) = match *piece {
                Piece::Flat(out) => {
                    (writer.plane(low.vertices[place].at, out * radial + Vector3::z() * axial), true)
                }
                Piece::Corner(middle) => {
                    let radii = [low, high].map(|ring| [ring.at[0] - self.core.unwrap_or(0.0), ring.at[1]]);
                    let surface = if radii[0][0] == radii[1][0] {
                        writer.cylinder(middle + Vector3::z() * radii[0][1], radii[0][0])
                    } else {
                        writer.cone(middle, radii)
                    };
                    (surface, radial > 0.0)
                }
            };
            faces.push(writer.face(surface, same, &[uses]));
        }
        faces
    }
}

/// Flats and corners, counter-clockwise from the flat that faces +x.
fn pieces(sides: u32, half: f64, core: Option<f64>) -> Vec<Piece> {
    let unit = |angle: f64| {
        let (sin, cos) = libm::sincos(angle);
        Vector3::new(cos, sin, 0.0)
    };
    let mut all = Vec::new();
    for side in 0..sides {
        let angle = 2.0 * half * f64::from(side);
        all.push(Piece::Flat(unit(angle)));
        all.extend(core.map(|core| Piece::Corner(unit(angle + half) * (core / libm::cos(half)))));
    }
    all
}
