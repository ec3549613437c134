//! Checks and repairs of a body's topology. What cannot be repaired without doubt is refused.
//!
//! - Unsewn faces: edges that coincide are one edge.
//! - Every edge is used once in each direction: loops that a CAD kernel wrote backwards are turned.
//! - Every loop leaves a vertex as often as it enters it.

use std::collections::{BTreeMap, HashMap};

use nalgebra::Vector3;

use crate::geometry::{Curve, Surface};
use crate::{Body, BodyEdge, CadError};

/// Vertices and edges closer than this [m] are one.
const SAME: f64 = 1e-6;

/// A body whose edges are used once in each direction, with the parameters of its edges.
pub(super) struct Healed {
    pub body: Body,
    pub ranges: Vec<[f64; 2]>,
    pub repairs: Vec<String>,
}

pub(super) fn heal(mut body: Body) -> Result<Healed, CadError> {
    let mut repairs = Vec::new();
    drop_repeated_faces(&mut body, &mut repairs);
    let ranges = edge_ranges(&mut body)?;
    drop_empty_edges(&mut body, &ranges);
    if use_counts(&body).contains(&1) {
        sew(&mut body, &ranges, &mut repairs);
    }
    check_counts(&body)?;
    turn_uses(&mut body, &mut repairs);
    turn_loops(&mut body, &mut repairs)?;
    turn_planes(&mut body, &ranges, &mut repairs);
    check_loops(&body)?;
    Ok(Healed { body, ranges, repairs })
}

fn broken(body: &Body, what: String) -> CadError {
    CadError::Broken { body: body.name.clone(), what }
}

fn drop_repeated_faces(body: &mut Body, repairs: &mut Vec<String>) {
    let before = body.faces.len();
    let mut seen = std::collections::HashSet::new();
    body.faces.retain(|face| seen.insert(face.id));
    if body.faces.len() < before {
        repairs.push(format!("{} repeated faces were dropped", before - body.faces.len()));
    }
}

/// Parameters of the ends of the edges; an edge that runs against its curve is turned.
fn edge_ranges(body: &mut Body) -> Result<Vec<[f64; 2]>, CadError> {
    let mut ranges = Vec::with_capacity(body.edges.len());
    for edge in &body.edges {
        let ends = edge.ends.map(|vertex| body.vertices[vertex as usize]);
        let [start, end] = ends.map(|point| edge.curve.parameter_of(point));
        let range = match edge.curve.period() {
            Some(period) => {
                let turn = (end - start).rem_euclid(period);
                let nothing = turn < 1e-9 * period || turn > (1.0 - 1e-9) * period;
                let whole = edge.ends[0] == edge.ends[1] || nothing && (ends[0] - ends[1]).norm() < 1e-9;
                [start, start + if whole { period } else { turn }]
            }
            None => [start, end],
        };
        if !(range[0].is_finite() && range[1].is_finite()) {
            return Err(broken(body, format!("edge #{} has no place on its curve", edge.id)));
        }
        ranges.push(range);
    }
    let against: Vec<bool> = ranges.iter().map(|range| range[1] < range[0]).collect();
    for (number, range) in ranges.iter_mut().enumerate().filter(|(number, _)| against[*number]) {
        range.swap(0, 1);
        body.edges[number].ends.swap(0, 1);
    }
    for (edge, along) in body.faces.iter_mut().flat_map(|face| face.loops.iter_mut().flatten()) {
        if against[*edge as usize] {
            *along = !*along;
        }
    }
    Ok(ranges)
}

/// Edges without length (a pole written as an edge) bound nothing.
fn drop_empty_edges(body: &mut Body, ranges: &[[f64; 2]]) {
    let is_empty = |edge: &BodyEdge, range: &[f64; 2]| {
        let at = |s: f64| edge.curve.point(range[0] + (range[1] - range[0]) * s);
        edge.ends[0] == edge.ends[1] && [0.25, 0.5, 0.75].iter().all(|&s| (at(s) - at(0.0)).norm() < 1e-9)
    };
    let empty: Vec<bool> = body.edges.iter().zip(ranges).map(|(edge, range)| is_empty(edge, range)).collect();
    for face in &mut body.faces {
        for uses in &mut face.loops {
            uses.retain(|(edge, _)| !empty[*edge as usize]);
        }
        face.loops.retain(|uses| !uses.is_empty());
    }
}

fn use_counts(body: &Body) -> Vec<usize> {
    let mut counts = vec![0; body.edges.len()];
    for (edge, _) in body.faces.iter().flat_map(|face| face.loops.iter().flatten()) {
        counts[*edge as usize] += 1;
    }
    counts
}

/// Joins vertices and edges that coincide.
fn sew(body: &mut Body, ranges: &[[f64; 2]], repairs: &mut Vec<String>) {
    let counts = use_counts(body);
    let vertex_of = joined_vertices(&body.vertices);
    for edge in &mut body.edges {
        edge.ends = edge.ends.map(|vertex| vertex_of[vertex as usize]);
    }
    let sample =
        |edge: &BodyEdge, range: [f64; 2], s: f64| edge.curve.point(range[0] + (range[1] - range[0]) * s);
    let mut by_ends: HashMap<[u32; 2], Vec<u32>> = HashMap::new();
    let mut target: Vec<(u32, bool)> = (0..body.edges.len() as u32).map(|edge| (edge, true)).collect();
    let mut joined = 0;
    for (number, edge) in body.edges.iter().enumerate().filter(|(number, _)| counts[*number] == 1) {
        let key = [edge.ends[0].min(edge.ends[1]), edge.ends[0].max(edge.ends[1])];
        let others = by_ends.entry(key).or_default();
        let range = ranges[number];
        let found = others.iter().find_map(|&other| {
            let known = (&body.edges[other as usize], ranges[other as usize]);
            let apart = |turned: bool| {
                [0.25, 0.5, 0.75].iter().any(|&s| {
                    let there = sample(known.0, known.1, if turned { 1.0 - s } else { s });
                    // curves of different kinds run at different speeds: compare with the nearest point
                    let here = sample(edge, range, s);
                    (there - here).norm() > SAME && distance_to(known.0, known.1, here) > SAME
                })
            };
            let same_way =
                if edge.ends[0] == edge.ends[1] { !apart(false) } else { known.0.ends[0] == edge.ends[0] };
            if same_way {
                (!apart(false)).then_some((other, true))
            } else {
                (!apart(true)).then_some((other, false))
            }
        });
        match found {
            Some(found) => {
                target[number] = found;
                joined += 1;
                others.retain(|&other| other != found.0);
            }
            None => others.push(number as u32),
        }
    }
    for (edge, along) in body.faces.iter_mut().flat_map(|face| face.loops.iter_mut().flatten()) {
        let (to, same) = target[*edge as usize];
        *edge = to;
        *along = *along == same;
    }
    if joined > 0 {
        repairs.push(format!("{joined} pairs of edges that coincide within 1 µm were joined"));
    }
}

/// Distance of a point from an edge, by samples and one refinement [m].
fn distance_to(edge: &BodyEdge, range: [f64; 2], p: Vector3<f64>) -> f64 {
    let mut pieces = Vec::new();
    let whole = super::Edge {
        id: edge.id,
        curve: edge.curve.clone(),
        range,
        ends: edge.ends,
        faces: [0, 0],
        is_seam: false,
        gap: 0.0,
    };
    super::Piece::of_edge(0, &whole, &mut pieces);
    pieces.iter().map(|piece| piece.nearest(p).squared).fold(f64::INFINITY, f64::min).sqrt()
}

/// For each vertex the first one at the same place.
fn joined_vertices(vertices: &[Vector3<f64>]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order.sort_by(|&a, &b| vertices[a as usize].x.total_cmp(&vertices[b as usize].x));
    let mut joined: Vec<u32> = (0..vertices.len() as u32).collect();
    for (place, &vertex) in order.iter().enumerate() {
        let here = vertices[vertex as usize];
        for &other in order[..place].iter().rev() {
            let there = vertices[other as usize];
            if here.x - there.x > SAME {
                break;
            }
            if (here - there).norm() <= SAME {
                joined[vertex as usize] = joined[other as usize];
                break;
            }
        }
    }
    joined
}

fn check_counts(body: &Body) -> Result<(), CadError> {
    let counts = use_counts(body);
    let wrong: Vec<usize> = (0..counts.len()).filter(|&edge| !matches!(counts[edge], 0 | 2)).collect();
    let Some(&first) = wrong.first() else { return Ok(()) };
    let owners: Vec<String> = body
        .faces
        .iter()
        .filter(|face| face.loops.iter().flatten().any(|(edge, _)| *edge as usize == first))
        .map(|face| format!("#{} ({})", face.id, face.surface.name()))
        .collect();
    let what = format!(
        "{} edges do not join exactly two faces; edge #{} is used {} times, by face {}",
        wrong.len(),
        body.edges[first].id,
        counts[first],
        owners.join(", ")
    );
    Err(broken(body, what))
}

/// Ends of a use in its direction.
fn ends_of(body: &Body, (edge, along): (u32, bool)) -> [u32; 2] {
    let [a, b] = body.edges[edge as usize].ends;
    if along { [a, b] } else { [b, a] }
}

/// A single use with a wrong direction leaves a loop unbalanced; it is turned where that balances the loop.
fn turn_uses(body: &mut Body, repairs: &mut Vec<String>) {
    for face in 0..body.faces.len() {
        for number in 0..body.faces[face].loops.len() {
            let uses = body.faces[face].loops[number].clone();
            let count = uses.len();
            if count < 2 || is_balanced(body, &uses) {
                continue;
            }
            // follow the chain from the first use, turning those that start at the wrong end
            for first in [uses[0], (uses[0].0, !uses[0].1)] {
                let mut chain = vec![first];
                for used in &uses[1..] {
                    let at = ends_of(body, chain[chain.len() - 1])[1];
                    let [start, end] = ends_of(body, *used);
                    chain.push(if start != at && end == at { (used.0, !used.1) } else { *used });
                }
                if is_balanced(body, &chain) {
                    let turned = chain.iter().zip(&uses).filter(|(a, b)| a != b).count();
                    repairs.push(format!("{turned} edges of face #{} were turned", body.faces[face].id));
                    body.faces[face].loops[number] = chain;
                    break;
                }
            }
        }
    }
}

fn is_balanced(body: &Body, uses: &[(u32, bool)]) -> bool {
    let mut balance: BTreeMap<u32, i32> = BTreeMap::new();
    for used in uses {
        let [start, end] = ends_of(body, *used);
        *balance.entry(start).or_default() += 1;
        *balance.entry(end).or_default() -= 1;
    }
    balance.values().all(|&count| count == 0)
}

/// Turns whole loops until every edge is used once in each direction; of two ways, the one that turns fewer loops.
fn turn_loops(body: &mut Body, repairs: &mut Vec<String>) -> Result<(), CadError> {
    let mut loop_of: Vec<Vec<(usize, bool)>> = vec![Vec::new(); body.edges.len()];
    let mut loops = Vec::new();
    for (face, own) in body.faces.iter().enumerate() {
        for (number, uses) in own.loops.iter().enumerate() {
            for (edge, along) in uses {
                loop_of[*edge as usize].push((loops.len(), *along));
            }
            loops.push((face, number));
        }
    }
    let mut turned: Vec<Option<bool>> = vec![None; loops.len()];
    let mut neighbours: Vec<Vec<(usize, bool, u32)>> = vec![Vec::new(); loops.len()];
    for (edge, users) in loop_of.iter().enumerate() {
        if let [(a, along_a), (b, along_b)] = users[..] {
            neighbours[a].push((b, along_a == along_b, edge as u32));
            neighbours[b].push((a, along_a == along_b, edge as u32));
        }
    }
    for start in 0..loops.len() {
        if turned[start].is_some() {
            continue;
        }
        turned[start] = Some(false);
        let mut members = vec![start];
        let mut next = 0;
        while next < members.len() {
            let here = members[next];
            next += 1;
            let own = turned[here].unwrap_or(false);
            for &(other, must_differ, edge) in &neighbours[here] {
                let wanted = own != must_differ;
                match turned[other] {
                    None => {
                        turned[other] = Some(wanted);
                        members.push(other);
                    }
                    Some(known) if known != wanted => {
                        let what = format!(
                            "edge #{} is used twice in one direction, also by face #{}; no turning of loops mends it",
                            body.edges[edge as usize].id, body.faces[loops[here].0].id
                        );
                        return Err(broken(body, what));
                    }
                    Some(_) => {}
                }
            }
        }
        let count = members.iter().filter(|&&member| turned[member] == Some(true)).count();
        if 2 * count > members.len() {
            members.iter().for_each(|&member| turned[member] = turned[member].map(|is| !is));
        }
    }
    for (place, (face, number)) in loops.into_iter().enumerate() {
        if turned[place] == Some(true) {
            let face = &mut body.faces[face];
            face.loops[number].reverse();
            face.loops[number].iter_mut().for_each(|(_, along)| *along = !*along);
            repairs.push(format!("a loop of face #{} was turned", face.id));
        }
    }
    Ok(())
}

/// A plane's loops enclose a positive area about its outward normal; otherwise the normal is turned.
fn turn_planes(body: &mut Body, ranges: &[[f64; 2]], repairs: &mut Vec<String>) {
    for number in 0..body.faces.len() {
        let face = &body.faces[number];
        let Surface::Plane(frame) = &face.surface else { continue };
        let mut area = Vector3::zeros();
        for (used, along) in face.loops.iter().flatten() {
            let edge = &body.edges[*used as usize];
            // enough samples for the sign: a chord polygon of a circle keeps its orientation
            let count = if matches!(edge.curve, Curve::Line { .. }) { 1 } else { 32 };
            let [start, stop] = ranges[*used as usize];
            let at = |k: i32| start + (stop - start) * f64::from(k) / f64::from(count);
            let points: Vec<Vector3<f64>> =
                (0..=count).map(|k| edge.curve.point(at(k)) - frame.origin).collect();
            let twice: Vector3<f64> = points.windows(2).map(|pair| pair[0].cross(&pair[1])).sum();
            area += if *along { twice } else { -twice };
        }
        let outward = if face.flipped { -frame.z } else { frame.z };
        if area.dot(&outward) < 0.0 {
            let face = &mut body.faces[number];
            face.flipped = !face.flipped;
            repairs.push(format!("the normal of plane face #{} was turned", face.id));
        }
    }
}

fn check_loops(body: &Body) -> Result<(), CadError> {
    for face in &body.faces {
        for uses in &face.loops {
            if !is_balanced(body, uses) {
                let what = format!(
                    "a loop of face #{} ({}) leaves a vertex more often than it enters it",
                    face.id,
                    face.surface.name()
                );
                return Err(broken(body, what));
            }
        }
    }
    Ok(())
}
