//! Vertices, edges, loops and faces of a body, as the file has them.

use std::collections::HashMap;

use nalgebra::Vector3;

use super::curves::curve;
use super::fields::{Fields, instance};
use super::surfaces::surface;
use super::{Placed, Units};
use crate::geometry::{Curve, Frame, Surface};
use crate::part21::{Table, Value};
use crate::{Body, BodyEdge, BodyFace, CadError};

/// Most uses of edges in a body, against files that refer to one loop from very many faces.
const MOST_USES: usize = 4_000_000;

struct Reader<'t, 'a> {
    table: &'t Table<'a>,
    units: Units,
    place: Frame,
    body: Body,
    vertex_numbers: HashMap<u64, u32>,
    /// Edge number and whether the file's edge runs against the curve.
    edge_numbers: HashMap<u64, (u32, bool)>,
    /// Edges of faceted bodies by their corners.
    segments: HashMap<[u32; 2], u32>,
    uses: usize,
}

/// Reads one body.
pub(crate) fn read_body(table: &Table, placed: &Placed) -> Result<Body, CadError> {
    let body = Body { name: placed.name.clone(), vertices: Vec::new(), edges: Vec::new(), faces: Vec::new() };
    let mut reader = Reader {
        table,
        units: placed.units,
        place: placed.frame,
        body,
        vertex_numbers: HashMap::new(),
        edge_numbers: HashMap::new(),
        segments: HashMap::new(),
        uses: 0,
    };
    reader.solid(placed.solid)?;
    Ok(reader.body)
}

impl Reader<'_, '_> {
    fn solid(&mut self, id: u64) -> Result<(), CadError> {
        let solid = instance(self.table, id)?;
        if solid.record("SHELL_BASED_SURFACE_MODEL").is_some() {
            let fields = Fields::of(self.table, id, &["SHELL_BASED_SURFACE_MODEL"])?;
            for (number, shell) in fields.references(1)?.into_iter().enumerate() {
                self.shell(shell, number as u32, 0)?;
            }
            return Ok(());
        }
        let simple = solid.records.len() == 1;
        let outer = match solid.record("MANIFOLD_SOLID_BREP") {
            Some(_) => Fields::of(self.table, id, &["MANIFOLD_SOLID_BREP"])?,
            None => Fields::of(self.table, id, &["BREP_WITH_VOIDS", "FACETED_BREP"])?,
        };
        // complex instances leave the name to another record
        self.shell(outer.reference(usize::from(simple))?, 0, 0)?;
        if let Some(voids) = outer.sibling("BREP_WITH_VOIDS") {
            let place = if simple { 2 } else { 0 };
            for (number, shell) in voids.references(place)?.into_iter().enumerate() {
                self.shell(shell, 1 + number as u32, 0)?;
            }
        }
        Ok(())
    }

    fn shell(&mut self, id: u64, number: u32, depth: u32) -> Result<(), CadError> {
        let fields = Fields::of(self.table, id, &["CLOSED_SHELL", "OPEN_SHELL", "ORIENTED_CLOSED_SHELL"])?;
        if fields.kind == "ORIENTED_CLOSED_SHELL" && depth < 4 {
            // the orientation follows from the volume of the shell: files disagree about the flag
            return self.shell(fields.reference(2)?, number, depth + 1);
        }
        for face in fields.references(1)? {
            let face = self.face(face, number)?;
            self.body.faces.push(face);
        }
        Ok(())
    }

    fn face(&mut self, id: u64, shell: u32) -> Result<BodyFace, CadError> {
        let fields = Fields::of(self.table, id, &["ADVANCED_FACE", "FACE_SURFACE", "FACE", "ORIENTED_FACE"])?;
        if fields.kind == "ORIENTED_FACE" {
            let inner = Fields::of(self.table, fields.reference(2)?, &["ADVANCED_FACE", "FACE_SURFACE"])?;
            let mut face = self.face(inner.id, shell)?;
            if !fields.flag(3)? {
                turn(&mut face);
            }
            return Ok(face);
        }
        let bounds = fields.references(1)?;
        let mut loops = Vec::new();
        let mut corners = Vec::new();
        for bound in bounds {
            let bound = Fields::of(self.table, bound, &["FACE_OUTER_BOUND", "FACE_BOUND"])?;
            let forward = bound.flag(2)?;
            let inner = bound.follow(1, &["EDGE_LOOP", "VERTEX_LOOP", "POLY_LOOP"])?;
            let mut uses = match inner.kind {
                "EDGE_LOOP" => self.edge_loop(&inner)?,
                "POLY_LOOP" => self.poly_loop(&inner, &mut corners)?,
                _ => Vec::new(),
            };
            self.uses += uses.len() + 1;
            if self.uses > MOST_USES {
                return Err(CadError::TooLarge { limit: MOST_USES, what: "uses of edges" });
            }
            if !forward {
                uses.reverse();
                uses.iter_mut().for_each(|(_, along)| *along = !*along);
            }
            if !uses.is_empty() {
                loops.push(uses);
            }
        }
        let has_surface = matches!(fields.value(2), Value::Reference(_));
        let (surface, flipped) = if has_surface {
            let surface = surface(self.table, fields.reference(2)?, self.units, 0)?;
            (self.placed(&surface), !fields.flag(3)?)
        } else {
            (plane_of(&corners).ok_or_else(|| fields.wrong("a polygon without area"))?, false)
        };
        Ok(BodyFace { id, surface, flipped, loops, shell })
    }

    fn placed(&self, surface: &Surface) -> Surface {
        if self.place.is_identity() { surface.clone() } else { surface.placed(&self.place) }
    }

    fn edge_loop(&mut self, fields: &Fields) -> Result<Vec<(u32, bool)>, CadError> {
        let mut uses = Vec::new();
        for oriented in fields.references(1)? {
            let oriented = Fields::of(self.table, oriented, &["ORIENTED_EDGE"])?;
            let (edge, against) = self.edge(oriented.reference(3)?)?;
            uses.push((edge, oriented.flag(4)? != against));
        }
        Ok(uses)
    }

    fn poly_loop(
        &mut self,
        fields: &Fields,
        corners: &mut Vec<Vector3<f64>>,
    ) -> Result<Vec<(u32, bool)>, CadError> {
        let ids = fields.references(1)?;
        let mut numbers = Vec::new();
        for id in ids {
            let number = self.vertex_at(id, id)?;
            corners.push(self.body.vertices[number as usize]);
            numbers.push(number);
        }
        let mut uses = Vec::new();
        for place in 0..numbers.len() {
            let (from, to) = (numbers[place], numbers[(place + 1) % numbers.len()]);
            if from == to {
                continue;
            }
            let key = [from.min(to), from.max(to)];
            let next = self.body.edges.len() as u32;
            let edge = *self.segments.entry(key).or_insert(next);
            if edge == next {
                let ends = key.map(|vertex| self.body.vertices[vertex as usize]);
                let Some(along) = (ends[1] - ends[0]).try_normalize(1e-15) else {
                    return Err(fields.wrong("two corners at one place"));
                };
                let curve = Curve::Line { origin: ends[0], along };
                self.body.edges.push(BodyEdge { id: fields.id, ends: key, curve });
            }
            uses.push((edge, from == key[0]));
        }
        Ok(uses)
    }

    fn edge(&mut self, id: u64) -> Result<(u32, bool), CadError> {
        if let Some(known) = self.edge_numbers.get(&id) {
            return Ok(*known);
        }
        let fields = Fields::of(self.table, id, &["EDGE_CURVE"])?;
        let mut ends = [self.vertex(fields.reference(1)?)?, self.vertex(fields.reference(2)?)?];
        let (curve, reversed) = curve(self.table, fields.reference(3)?, self.units, 0)?;
        let curve = if self.place.is_identity() { curve } else { curve.placed(&self.place) };
        let against = fields.flag(4)? == reversed;
        if against {
            ends.swap(0, 1);
        }
        let number = (self.body.edges.len() as u32, against);
        self.body.edges.push(BodyEdge { id, ends, curve });
        self.edge_numbers.insert(id, number);
        Ok(number)
    }

    fn vertex(&mut self, id: u64) -> Result<u32, CadError> {
        let fields = Fields::of(self.table, id, &["VERTEX_POINT"])?;
        self.vertex_at(id, fields.reference(1)?)
    }

    fn vertex_at(&mut self, id: u64, point: u64) -> Result<u32, CadError> {
        if let Some(known) = self.vertex_numbers.get(&id) {
            return Ok(*known);
        }
        let point = super::fields::point(self.table, point, self.units)?;
        let point = if self.place.is_identity() { point } else { self.place.outside(point) };
        let number = self.body.vertices.len() as u32;
        self.body.vertices.push(point);
        self.vertex_numbers.insert(id, number);
        Ok(number)
    }
}

/// Turns a face over: its normal and all its loops.
pub(crate) fn turn(face: &mut BodyFace) {
    face.flipped = !face.flipped;
    for uses in &mut face.loops {
        uses.reverse();
        uses.iter_mut().for_each(|(_, along)| *along = !*along);
    }
}

/// Plane of a polygon by Newell's method.
fn plane_of(corners: &[Vector3<f64>]) -> Option<Surface> {
    let count = corners.len();
    let centre = corners.iter().sum::<Vector3<f64>>() / count.max(1) as f64;
    let area: Vector3<f64> =
        (0..count).map(|k| (corners[k] - centre).cross(&(corners[(k + 1) % count] - centre))).sum();
    Some(Surface::Plane(Frame::new(centre, area.try_normalize(1e-20)?, None)?))
}
