//! The boundary of a face as one polygon in its parameters.
//!
//! Loops are followed around periods, so that a cylinder is cut open at its seam. Two loops around a period without a
//! seam are joined by a cut; one such loop is joined to the pole that it goes around (the apex of a cone). Holes are
//! joined to the outer loop by bridges.

#![allow(clippy::needless_range_loop, reason = "an index names the parameter, u or v")]

use nalgebra::Vector3;
use tightfit_cad::Solid;
use tightfit_cad::geometry::Surface;

use crate::mesh::MeshOptions;

/// A corner of the polygon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    /// Number of the mesh vertex.
    pub vertex: u32,
    /// Parameters of the face.
    pub at: [f64; 2],
    /// The same in lengths [m], counter-clockwise about the outward normal.
    pub flat: [f64; 2],
}

impl Corner {
    /// The middle of an edge; its vertex is not known yet.
    pub(super) fn towards(&self, other: &Self) -> Self {
        let middle = |a: [f64; 2], b: [f64; 2]| [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])];
        Self { vertex: self.vertex, at: middle(self.at, other.at), flat: middle(self.flat, other.flat) }
    }
}

struct Sheet<'a> {
    solid: &'a Solid,
    face: usize,
    periods: [Option<f64>; 2],
    /// Lengths per parameter [m], the second with the sign of the face.
    scale: [f64; 2],
}

impl Sheet<'_> {
    fn corner(&self, vertex: u32, at: [f64; 2]) -> Corner {
        Corner { vertex, at, flat: [at[0] * self.scale[0], at[1] * self.scale[1]] }
    }

    /// Heights v of poles.
    fn poles(&self) -> Vec<f64> {
        match &self.solid.faces[self.face].surface {
            Surface::Cone { .. } => vec![0.0],
            Surface::Sphere(..) => vec![-std::f64::consts::FRAC_PI_2, std::f64::consts::FRAC_PI_2],
            _ => Vec::new(),
        }
    }

    fn is_pole(&self, at: [f64; 2]) -> bool {
        let near =
            if matches!(self.solid.faces[self.face].surface, Surface::Cone { .. }) { 1e-9 } else { 1e-7 };
        self.poles().iter().any(|pole| (at[1] - pole).abs() < near)
    }
}

/// The polygon of a face; `None` where its loops do not close.
pub(super) fn unroll(
    solid: &Solid,
    face: usize,
    chains: &[Vec<(u32, f64)>],
    options: &MeshOptions,
    vertices: &mut Vec<Vector3<f64>>,
) -> Option<Vec<Corner>> {
    let own = &solid.faces[face];
    let scale = solid.face_scale(face);
    let sheet =
        Sheet { solid, face, periods: solid.face_periods(face), scale: [scale[0], own.sign * scale[1]] };
    let mut closed = Vec::new();
    let mut open: Vec<(Vec<Corner>, i32)> = Vec::new();
    for uses in &own.loops {
        let mut corners = Vec::new();
        for used in uses {
            let chain = &chains[used.edge as usize];
            let mut steps: Vec<(u32, f64)> = chain.clone();
            if !used.along {
                steps.reverse();
            }
            steps.pop();
            for (vertex, t) in steps {
                let point = vertices[vertex as usize];
                corners.push((vertex, solid.face_parameters(face, point, Some((used.edge, t)))));
            }
        }
        let (corners, turns) = followed(&sheet, &corners);
        if turns == 0 {
            closed.push(corners);
        } else {
            open.push((corners, turns));
        }
    }
    if closed.is_empty() && open.is_empty() {
        return whole(&sheet, options, vertices);
    }
    match open.len() {
        0 => {}
        1 => {
            let (corners, turns) = open.pop()?;
            closed.push(to_pole(&sheet, corners, turns, vertices)?);
        }
        2 => {
            let (second, first) = (open.pop()?, open.pop()?);
            closed.push(cut_between(&sheet, first, second)?);
        }
        _ => return None,
    }
    into_first(&sheet, &mut closed);
    joined_holes(closed)
}

/// Parameters followed around periods, and the number of turns in u.
fn followed(sheet: &Sheet, corners: &[(u32, [f64; 2])]) -> (Vec<Corner>, i32) {
    let shift = |k: usize, from: f64, to: f64| {
        sheet.periods[k].map_or(0.0, |period| ((from - to) / period).round() * period)
    };
    let count = corners.len();
    // start at a corner that is no pole
    let first = (0..count).find(|&k| !sheet.is_pole(corners[k].1)).unwrap_or(0);
    let mut out: Vec<Corner> = Vec::new();
    let mut before = corners[first].1;
    let mut after_pole = Vec::new();
    for step in 0..count {
        let (vertex, mut at) = corners[(first + step) % count];
        if sheet.is_pole(at) {
            // the angle is undefined: one corner with that of either neighbour
            let mut next = corners[(first + step + 1) % count].1;
            next[0] += shift(0, before[0], next[0]);
            out.push(sheet.corner(vertex, [before[0], at[1]]));
            after_pole.push(out.len());
            out.push(sheet.corner(vertex, [next[0], at[1]]));
            before = [next[0], at[1]];
            continue;
        }
        for k in 0..2 {
            at[k] += shift(k, before[k], at[k]);
        }
        out.push(sheet.corner(vertex, at));
        before = at;
    }
    // a seam through poles returns on the other side of the period
    if let (Some(period), [.., last]) = (sheet.periods[0], &after_pole[..]) {
        let start = after_pole[0];
        let stop = if after_pole.len() > 1 { *last } else { out.len() };
        let shifted = |by: f64| -> Vec<Corner> {
            let mut moved = out.clone();
            for corner in &mut moved[start..stop] {
                *corner = sheet.corner(corner.vertex, [corner.at[0] + by, corner.at[1]]);
            }
            moved
        };
        let least = 1e-9 * (sheet.scale[0] * sheet.scale[1]).abs();
        let best = [0.0, period, -period].into_iter().map(shifted).find(|moved| area(moved) > least);
        if let Some(best) = best {
            out = best;
        }
    }
    let start = corners[first].1;
    let turns = sheet.periods[0].map_or(0, |period| {
        let end = start[0] + shift(0, before[0], start[0]);
        ((end - start[0]) / period).round() as i32
    });
    (out, if after_pole.is_empty() { turns } else { 0 })
}

/// A loop around a pole, with the pole.
fn to_pole(
    sheet: &Sheet,
    mut corners: Vec<Corner>,
    turns: i32,
    vertices: &mut Vec<Vector3<f64>>,
) -> Option<Vec<Corner>> {
    let period = sheet.periods[0]?;
    // the face lies on the left: above a loop towards +u
    let above = (turns > 0) == (sheet.scale[1] > 0.0);
    let poles = sheet.poles();
    let pole = if above { *poles.last()? } else { *poles.first()? };
    let point = sheet.solid.face_point(sheet.face, 0.0, pole);
    vertices.push(point);
    let vertex = (vertices.len() - 1) as u32;
    let start = corners[0];
    let end = [start.at[0] + period * f64::from(turns), start.at[1]];
    corners.push(sheet.corner(start.vertex, end));
    corners.push(sheet.corner(vertex, [end[0], pole]));
    corners.push(sheet.corner(vertex, [start.at[0], pole]));
    Some(corners)
}

/// Two loops around a period, cut open between them.
fn cut_between(sheet: &Sheet, first: (Vec<Corner>, i32), second: (Vec<Corner>, i32)) -> Option<Vec<Corner>> {
    let period = sheet.periods[0]?;
    if first.1 + second.1 != 0 {
        return None;
    }
    let (mut corners, other) = (first.0, second.0);
    let start = corners[0];
    let turn = period * f64::from(first.1);
    let off = |corner: &Corner| {
        (corner.at[0] - start.at[0]) - ((corner.at[0] - start.at[0]) / period).round() * period
    };
    let nearest = (0..other.len()).min_by(|&a, &b| off(&other[a]).abs().total_cmp(&off(&other[b]).abs()))?;
    corners.push(sheet.corner(start.vertex, [start.at[0] + turn, start.at[1]]));
    // the second loop runs back from the end of the first turn
    let base = start.at[0] + off(&other[nearest]) + turn - other[nearest].at[0];
    let count = other.len();
    for step in 0..=count {
        let corner = other[(nearest + step) % count];
        let back = if nearest + step >= count { period * f64::from(second.1) } else { 0.0 };
        corners.push(sheet.corner(corner.vertex, [corner.at[0] + base + back, corner.at[1]]));
    }
    Some(corners)
}

/// A sphere or torus without boundary, cut open along a meridian (and an equator).
fn whole(sheet: &Sheet, options: &MeshOptions, vertices: &mut Vec<Vector3<f64>>) -> Option<Vec<Corner>> {
    let turn = std::f64::consts::TAU;
    let half = std::f64::consts::FRAC_PI_2;
    let up = sheet.scale[1] > 0.0;
    let mut corners = Vec::new();
    match &sheet.solid.faces[sheet.face].surface {
        Surface::Sphere(_, radius) => {
            let count = options.segments(*radius) / 2;
            let mut ids = Vec::new();
            for k in 0..=count {
                vertices.push(sheet.solid.face_point(
                    sheet.face,
                    0.0,
                    -half + 2.0 * half * k as f64 / count as f64,
                ));
                ids.push((vertices.len() - 1) as u32);
            }
            let at =
                |k: usize, u: f64| sheet.corner(ids[k], [u, -half + 2.0 * half * k as f64 / count as f64]);
            // counter-clockwise in (u, v): up at u = 2π, down at u = 0
            corners.push(at(0, 0.0));
            corners.extend((0..=count).map(|k| at(k, turn)));
            corners.extend((1..=count).rev().map(|k| at(k, 0.0)));
        }
        Surface::Torus(_, [major, minor]) => {
            let counts = [options.segments(major + minor), options.segments(*minor)];
            let mut rim = |k: usize, along_u: bool| {
                let angle = turn * k as f64 / counts[usize::from(!along_u)] as f64;
                let at = if along_u { [angle, 0.0] } else { [0.0, angle] };
                vertices.push(sheet.solid.face_point(sheet.face, at[0], at[1]));
                (vertices.len() - 1) as u32
            };
            let corner = rim(0, true);
            let us: Vec<u32> =
                std::iter::once(corner).chain((1..counts[0]).map(|k| rim(k, true))).chain([corner]).collect();
            let vs: Vec<u32> = std::iter::once(corner)
                .chain((1..counts[1]).map(|k| rim(k, false)))
                .chain([corner])
                .collect();
            let u = |k: usize| turn * k as f64 / counts[0] as f64;
            let v = |k: usize| turn * k as f64 / counts[1] as f64;
            corners.extend((0..counts[0]).map(|k| sheet.corner(us[k], [u(k), 0.0])));
            corners.extend((0..counts[1]).map(|k| sheet.corner(vs[k], [turn, v(k)])));
            corners.extend((1..=counts[0]).rev().map(|k| sheet.corner(us[k], [u(k), turn])));
            corners.extend((1..=counts[1]).rev().map(|k| sheet.corner(vs[k], [0.0, v(k)])));
        }
        _ => return None,
    }
    if !up {
        corners.reverse();
    }
    Some(corners)
}

/// Twice the signed area in lengths [m²].
fn area(corners: &[Corner]) -> f64 {
    let count = corners.len();
    let origin = corners.first().map_or([0.0; 2], |corner| corner.flat);
    let from = |k: usize| [corners[k % count].flat[0] - origin[0], corners[k % count].flat[1] - origin[1]];
    (0..count).map(|k| (from(k), from(k + 1))).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum()
}

/// Moves holes by periods into the range of the largest loop.
fn into_first(sheet: &Sheet, loops: &mut [Vec<Corner>]) {
    loops.sort_by(|a, b| area(b).abs().total_cmp(&area(a).abs()));
    let Some((outer, holes)) = loops.split_first_mut() else { return };
    for k in 0..2 {
        let Some(period) = sheet.periods[k] else { continue };
        let middle = |own: &[Corner]| {
            let [low, high] = own.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], corner| {
                [low.min(corner.at[k]), high.max(corner.at[k])]
            });
            0.5 * (low + high)
        };
        let centre = middle(outer);
        for hole in holes.iter_mut() {
            let by = ((centre - middle(hole)) / period).round() * period;
            for corner in hole.iter_mut() {
                corner.at[k] += by;
                *corner = sheet.corner(corner.vertex, corner.at);
            }
        }
    }
}

/// One polygon of an outer loop and its holes, joined by bridges.
pub(super) fn joined_holes(mut loops: Vec<Vec<Corner>>) -> Option<Vec<Corner>> {
    loops.retain(|own| own.len() > 1);
    let outer = loops.iter().position(|own| area(own) > 0.0)?;
    let mut polygon = loops.swap_remove(outer);
    // from right to left: a bridge then meets no hole that comes later
    let right = |own: &Vec<Corner>| own.iter().map(|corner| corner.flat[0]).fold(f64::NEG_INFINITY, f64::max);
    loops.sort_by(|a, b| right(b).total_cmp(&right(a)));
    for place in 0..loops.len() {
        let hole = loops[place].clone();
        if area(&hole) >= 0.0 {
            return None;
        }
        let (from, to) = bridge(&polygon, &hole, &loops[place + 1..])?;
        let turned = (0..=hole.len()).map(|k| hole[(to + k) % hole.len()]);
        let mut joined: Vec<Corner> = polygon[..=from].to_vec();
        joined.extend(turned);
        joined.extend_from_slice(&polygon[from..]);
        polygon = joined;
    }
    Some(polygon)
}

/// The shortest bridge between a polygon and a hole that crosses no edge.
fn bridge(polygon: &[Corner], hole: &[Corner], others: &[Vec<Corner>]) -> Option<(usize, usize)> {
    let start = (0..hole.len()).max_by(|&a, &b| hole[a].flat[0].total_cmp(&hole[b].flat[0]))?;
    for to in std::iter::once(start).chain((0..hole.len()).step_by((hole.len() / 16).max(1))) {
        let a = hole[to].flat;
        let mut order: Vec<(f64, usize)> = polygon
            .iter()
            .enumerate()
            .map(|(k, corner)| ((corner.flat[0] - a[0]).powi(2) + (corner.flat[1] - a[1]).powi(2), k))
            .collect();
        order.sort_by(|x, y| x.0.total_cmp(&y.0));
        let free = |from: usize| {
            let b = polygon[from].flat;
            let clear = |own: &[Corner]| {
                (0..own.len()).all(|k| !crosses(a, b, own[k].flat, own[(k + 1) % own.len()].flat))
            };
            clear(polygon) && clear(hole) && others.iter().all(|own| clear(own)) && leads_in(polygon, from, a)
        };
        if let Some((_, from)) = order.into_iter().take(200).find(|(_, from)| free(*from)) {
            return Some((from, to));
        }
    }
    None
}

fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Whether two segments cross away from shared ends.
fn crosses(a: [f64; 2], b: [f64; 2], p: [f64; 2], q: [f64; 2]) -> bool {
    if p == a || p == b || q == a || q == b {
        return false;
    }
    turn(a, b, p) * turn(a, b, q) <= 0.0 && turn(p, q, a) * turn(p, q, b) <= 0.0
}

/// Whether a point lies inside the angle of a polygon's corner.
fn leads_in(polygon: &[Corner], at: usize, to: [f64; 2]) -> bool {
    let count = polygon.len();
    let (before, here, after) =
        (polygon[(at + count - 1) % count].flat, polygon[at].flat, polygon[(at + 1) % count].flat);
    let (left_of_first, left_of_second) = (turn(before, here, to) > 0.0, turn(here, after, to) > 0.0);
    if turn(before, here, after) >= 0.0 {
        left_of_first && left_of_second
    } else {
        left_of_first || left_of_second
    }
}
