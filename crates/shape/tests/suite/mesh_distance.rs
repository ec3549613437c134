//! Laws of the exact signed distance to a closed mesh.
//!
//! The distance is compared with an independent closest-point routine (Ericson, Real-Time Collision Detection,
//! §5.1.5) over all triangles, the sign with the winding number (sum of solid angles over 4π). A sign from face
//! normals alone fails the second comparison near sharp vertices.

use crate::support::{cube, l_shape, torus};
use nalgebra::Vector3;
use tightfit_shape::TriMesh;
use tightfit_shape::mesh::{MeshDistance, MeshDistanceError};
use tightfit_spatial::{Columns3, SplitMix};

fn meshes() -> [TriMesh; 4] {
    [cube(), l_shape(), torus(), with_degenerate_triangles(l_shape())]
}

/// Splits every edge of triangle 0 at its middle; a triangle without area fills the seam to each neighbour.
fn with_degenerate_triangles(mut mesh: TriMesh) -> TriMesh {
    let corners = mesh.triangles.swap_remove(0);
    let middle = mesh.vertices.len() as u32;
    mesh.triangles.push([middle, middle + 1, middle + 2]);
    for (i, &from) in (0u32..).zip(&corners) {
        let to = corners[(i as usize + 1) % 3];
        mesh.vertices.push((mesh.vertices[from as usize] + mesh.vertices[to as usize]) / 2.0);
        mesh.triangles.push([from, to, middle + i]);
        mesh.triangles.push([from, middle + i, middle + (i + 2) % 3]);
    }
    mesh
}

/// Random points, most of them near a random point of a random edge or vertex.
fn points(mesh: &TriMesh, count: usize, seed: u64) -> Vec<Vector3<f64>> {
    let mut random = SplitMix(seed);
    let aabb = mesh.aabb();
    (0..count)
        .map(|i| {
            let corners = mesh.corners((random.unit() * mesh.triangles.len() as f64) as usize);
            let edge = corners[0] + (corners[1] - corners[0]) * random.unit();
            match i % 4 {
                0 => aabb.center() + random.centered_cube().component_mul(&aabb.size()),
                1 => corners[2] + random.centered_cube() * 1e-2,
                2 => edge + random.centered_cube() * 1e-2,
                _ => edge + random.centered_cube() * 1e-5,
            }
        })
        .collect()
}

fn ericson(p: Vector3<f64>, [a, b, c]: [Vector3<f64>; 3]) -> Vector3<f64> {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (ab.dot(&(p - a)), ac.dot(&(p - a)));
    let (d3, d4) = (ab.dot(&(p - b)), ac.dot(&(p - b)));
    let (d5, d6) = (ab.dot(&(p - c)), ac.dot(&(p - c)));
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    if d1 <= 0.0 && d2 <= 0.0 {
        a
    } else if d3 >= 0.0 && d4 <= d3 {
        b
    } else if d6 >= 0.0 && d5 <= d6 {
        c
    } else if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        a + ab * (d1 / (d1 - d3))
    } else if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        a + ac * (d2 / (d2 - d6))
    } else if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        b + (c - b) * ((d4 - d3) / (d4 - d3 + d5 - d6))
    } else {
        a + ab * (vb / (va + vb + vc)) + ac * (vc / (va + vb + vc))
    }
}

fn brute_force(mesh: &TriMesh, p: Vector3<f64>) -> f64 {
    let distance = |t| (p - ericson(p, mesh.corners(t))).norm();
    (0..mesh.triangles.len()).map(distance).fold(f64::INFINITY, f64::min)
}

fn winding_number(mesh: &TriMesh, p: Vector3<f64>) -> f64 {
    let solid_angle = |t| {
        let [a, b, c] = mesh.corners(t).map(|v| v - p);
        let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
        let scale = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
        2.0 * a.dot(&b.cross(&c)).atan2(scale)
    };
    (0..mesh.triangles.len()).map(solid_angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

#[test]
fn distance_agrees_with_brute_force_and_its_sign_with_the_winding_number() {
    for mesh in meshes() {
        let field = MeshDistance::new(mesh.clone()).unwrap();
        for p in points(&mesh, 8000, 1) {
            let sample = field.sample(p);
            assert!((sample.distance.abs() - brute_force(&mesh, p)).abs() < 1e-13);
            assert!(((p - sample.closest).norm() - sample.distance.abs()).abs() < 1e-13);
            if sample.distance.abs() > 1e-12 {
                assert_eq!(sample.distance < 0.0, winding_number(&mesh, p) > 0.5, "{p}");
            }
        }
    }
}

#[test]
fn normal_is_the_gradient_of_the_distance() {
    let step = 1e-6;
    for mesh in meshes() {
        let field = MeshDistance::new(mesh.clone()).unwrap();
        let mut at_kinks = 0;
        for p in points(&mesh, 4000, 2) {
            let sample = field.sample(p);
            assert!((sample.normal.norm() - 1.0).abs() < 1e-9);
            // near an edge the gradient turns over the length |d|, which finite differences cannot resolve
            if sample.distance.abs() < 1e-3 {
                continue;
            }
            let gradient = Vector3::from_fn(|i, _| {
                let shift = Vector3::ith(i, step);
                (field.sample(p + shift).distance - field.sample(p - shift).distance) / (2.0 * step)
            });
            // there is no gradient only where the medial axis passes within a step
            at_kinks += usize::from((gradient - sample.normal).norm() > 1e-5);
        }
        assert!(at_kinks < 10, "{at_kinks} points without gradient");
    }
}

#[test]
fn a_bounded_search_finds_exactly_the_points_within_its_bound() {
    for offset in [0.0, 0.05, -0.05] {
        let field = MeshDistance::new(torus()).unwrap().with_offset(offset);
        for p in points(&torus(), 4000, 3) {
            let full = field.sample(p);
            let within = field.sample_within(p, 0.1);
            assert_eq!(within, (full.distance.abs() <= 0.1).then_some(full));
        }
    }
}

#[test]
fn columns_hold_the_samples_of_their_points_and_an_offset_shifts_them() {
    let mesh = l_shape();
    let field = MeshDistance::new(mesh.clone()).unwrap();
    let grown = field.clone().with_offset(0.01);
    let points: Columns3 = points(&mesh, 100, 4).into_iter().collect();
    let (mut distances, mut normals) = (vec![7.0], Columns3::default());
    grown.sample_columns(&points, &mut distances, &mut normals);
    assert_eq!((distances.len(), normals.len()), (100, 100));
    for (i, p) in points.iter().enumerate() {
        let plain = field.sample(p);
        assert_eq!((distances[i], normals.get(i)), (plain.distance - 0.01, plain.normal));
    }
}

#[test]
fn a_mesh_that_bounds_no_solid_is_refused_with_the_place_and_the_remedy() {
    let mut open = cube();
    open.triangles.pop();
    let error = MeshDistance::new(open.clone()).unwrap_err();
    assert!(matches!(error, MeshDistanceError::OpenEdge { .. }));
    assert!(error.to_string().contains("mesh doctor"));

    let mut crossed = cube();
    let extra = crossed.triangles[0];
    crossed.triangles.push(extra);
    assert!(matches!(
        MeshDistance::new(crossed.clone()).unwrap_err(),
        MeshDistanceError::NonManifoldEdge { first: 0, .. }
    ));
    assert!(matches!(MeshDistance::new(cube().flipped()).unwrap_err(), MeshDistanceError::InsideOut { .. }));
    assert_eq!(MeshDistance::new(TriMesh::default()).unwrap_err(), MeshDistanceError::Empty);

    let mut wild = cube();
    wild.triangles[3][1] = 99;
    assert!(matches!(
        MeshDistance::new(wild.clone()).unwrap_err(),
        MeshDistanceError::VertexOutOfRange { vertex: 99, .. }
    ));
    let mut far = cube();
    far.vertices[2].x = f64::NAN;
    assert_eq!(MeshDistance::new(far.clone()).unwrap_err(), MeshDistanceError::NotFinite { vertex: 2 });
}
