//! Watertight triangles of a CAD solid.
//!
//! Every edge is cut into segments once, so that both of its faces share the points. A face is a polygon in its
//! parameters (`unroll.rs`); ears are clipped from it, and edges inside the face are halved until the triangles follow
//! the surface. Edges of the solid are never halved.

use std::collections::HashMap;

use nalgebra::Vector3;
use tightfit_cad::Solid;
use tightfit_cad::geometry::{Curve, Frame, Surface};

use super::ears;
use super::unroll::{Corner, unroll};
use crate::ShapeError;
use crate::mesh::{MeshOptions, TriMesh};

/// Most halvings of an edge inside a face.
const MOST_PASSES: usize = 10;

/// Triangles of all faces.
pub(super) fn triangulate(solid: &Solid, options: &MeshOptions) -> Result<TriMesh, ShapeError> {
    let mut mesh = TriMesh { vertices: solid.vertices.clone(), ..TriMesh::default() };
    let chains = chains(solid, options, &mut mesh.vertices);
    for number in 0..solid.faces.len() {
        let polygon = unroll(solid, number, &chains, options, &mut mesh.vertices);
        let triangles = polygon.and_then(|polygon| ears::clip(&polygon));
        let Some(triangles) = triangles else {
            let face = &solid.faces[number];
            return Err(ShapeError::Mesh(format!(
                "body `{}`: face #{} ({}) cannot be cut into triangles; export an STL mesh instead",
                solid.name,
                face.id,
                face.surface.name()
            )));
        };
        let is_flat = matches!(solid.faces[number].surface, Surface::Plane(_));
        let fine =
            if is_flat { triangles } else { refined(solid, number, triangles, options, &mut mesh.vertices) };
        mesh.triangles.extend(fine.iter().map(|triangle| triangle.map(|corner| corner.vertex)));
    }
    mesh.triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    mesh.drop_unused_vertices();
    Ok(mesh)
}

/// Vertices along each edge, both ends included, with their parameters on the curve.
fn chains(solid: &Solid, options: &MeshOptions, vertices: &mut Vec<Vector3<f64>>) -> Vec<Vec<(u32, f64)>> {
    let mut chains = Vec::with_capacity(solid.edges.len());
    for edge in &solid.edges {
        let [start, end] = edge.range;
        let times: Vec<f64> = match &edge.curve {
            Curve::Line { .. } => vec![start, end],
            Curve::Circle(_, radius) => {
                let share = (end - start) / std::f64::consts::TAU;
                let count = ((options.segments(*radius) as f64 * share).ceil() as usize).max(2);
                (0..=count).map(|k| start + (end - start) * k as f64 / count as f64).collect()
            }
            curve => {
                let mut times = vec![start];
                for pair in curve.pieces(edge.range).windows(2) {
                    halve(curve, pair[0], pair[1], options.chord_tolerance, 0, &mut times);
                }
                times
            }
        };
        let last = times.len() - 1;
        let chain = times.iter().enumerate().map(|(k, &t)| {
            let vertex = if k == 0 {
                edge.ends[0]
            } else if k == last {
                edge.ends[1]
            } else {
                vertices.push(edge.curve.point(t));
                (vertices.len() - 1) as u32
            };
            (vertex, t)
        });
        chains.push(chain.collect());
    }
    chains
}

fn halve(curve: &Curve, a: f64, b: f64, tolerance: f64, depth: u32, times: &mut Vec<f64>) {
    let middle = 0.5 * (a + b);
    let chord = 0.5 * (curve.point(a) + curve.point(b));
    if depth < 8 && (curve.point(middle) - chord).norm() > tolerance {
        halve(curve, a, middle, tolerance, depth + 1, times);
        halve(curve, middle, b, tolerance, depth + 1, times);
    } else {
        times.push(b);
    }
}

/// A point in the plane of a face, counter-clockwise about the outward normal.
pub(super) fn in_plane(frame: &Frame, sign: f64, point: Vector3<f64>) -> Vector3<f64> {
    let local = frame.inside(point);
    Vector3::new(local.x, sign * local.y, 0.0)
}

/// Triangles of flat loops of vertices: one outer loop, any number of holes.
pub(super) fn flat_triangles(
    loops: &[Vec<u32>],
    flat: &dyn Fn(u32) -> Vector3<f64>,
) -> Option<Vec<[u32; 3]>> {
    let corner = |vertex: u32| {
        let place = flat(vertex);
        Corner { vertex, at: [place.x, place.y], flat: [place.x, place.y] }
    };
    let loops = loops.iter().map(|own| own.iter().map(|&vertex| corner(vertex)).collect()).collect();
    let polygon = super::unroll::joined_holes(loops)?;
    Some(ears::clip(&polygon)?.iter().map(|triangle| triangle.map(|corner| corner.vertex)).collect())
}

/// Halves edges inside a face until the triangles follow the surface.
fn refined(
    solid: &Solid,
    face: usize,
    mut triangles: Vec<[Corner; 3]>,
    options: &MeshOptions,
    vertices: &mut Vec<Vector3<f64>>,
) -> Vec<[Corner; 3]> {
    // the sag of a triangle is up to four times that of its edges
    let tolerance = options.chord_tolerance;
    for _ in 0..MOST_PASSES {
        let mut uses: HashMap<[u32; 2], u32> = HashMap::new();
        let key = |a: Corner, b: Corner| [a.vertex.min(b.vertex), a.vertex.max(b.vertex)];
        for [a, b, c] in &triangles {
            for pair in [key(*a, *b), key(*b, *c), key(*c, *a)] {
                *uses.entry(pair).or_default() += 1;
            }
        }
        let mut halves: HashMap<[u32; 2], u32> = HashMap::new();
        for [a, b, c] in &triangles {
            for (p, q) in [(a, b), (b, c), (c, a)] {
                let pair = key(*p, *q);
                if p.vertex == q.vertex || uses[&pair] != 2 || halves.contains_key(&pair) {
                    continue;
                }
                let middle = p.towards(q);
                let point = solid.face_point(face, middle.at[0], middle.at[1]);
                let chord = 0.5 * (vertices[p.vertex as usize] + vertices[q.vertex as usize]);
                if (point - chord).norm() > tolerance {
                    vertices.push(point);
                    halves.insert(pair, (vertices.len() - 1) as u32);
                }
            }
        }
        if halves.is_empty() {
            break;
        }
        let mut finer = Vec::with_capacity(2 * triangles.len());
        for [a, b, c] in triangles {
            let half = |p: Corner, q: Corner| {
                halves.get(&key(p, q)).map(|&vertex| Corner { vertex, ..p.towards(&q) })
            };
            match [half(a, b), half(b, c), half(c, a)] {
                [None, None, None] => finer.push([a, b, c]),
                [Some(ab), None, None] => finer.extend([[a, ab, c], [ab, b, c]]),
                [None, Some(bc), None] => finer.extend([[b, bc, a], [bc, c, a]]),
                [None, None, Some(ca)] => finer.extend([[c, ca, b], [ca, a, b]]),
                [Some(ab), Some(bc), None] => finer.extend([[ab, b, bc], [a, ab, bc], [a, bc, c]]),
                [None, Some(bc), Some(ca)] => finer.extend([[bc, c, ca], [b, bc, ca], [b, ca, a]]),
                [Some(ab), None, Some(ca)] => finer.extend([[ca, a, ab], [c, ca, ab], [c, ab, b]]),
                [Some(ab), Some(bc), Some(ca)] => {
                    finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
                }
            }
        }
        triangles = finer;
        if triangles.len() > 2_000_000 {
            break;
        }
    }
    triangles
}
