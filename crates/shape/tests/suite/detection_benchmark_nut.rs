//! The deepest penetration between nut and bolt, compared with the recorded column of the detection benchmark. It is
//! that of the vertices of either mesh inside the other; zero when there are none.

use crate::support::{benchmark_file, benchmark_mesh};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use rayon::prelude::*;
use tightfit_shape::TriMesh;
use tightfit_shape::mesh::MeshDistance;
use tightfit_spatial::Pose;

/// Deepest penetration [m] of the vertices of `mesh` in `field`, and how many penetrate.
fn deepest(field: &MeshDistance, field_from_mesh: Pose, mesh: &TriMesh) -> (f64, usize) {
    let aabb = field.mesh_aabb();
    let inside_box = |p: &Vector3<f64>| (0..3).all(|i| aabb.min[i] < p[i] && p[i] < aabb.max[i]);
    let points = mesh.vertices.iter().map(|&v| field_from_mesh.transform_point(v));
    let depths = points.filter(inside_box).map(|p| -field.sample(p).distance).filter(|&d| d > 0.0);
    depths.fold((0.0, 0), |(most, count), depth| (most.max(depth), count + 1))
}

#[test]
fn penetration_agrees_with_the_benchmark_within_a_micrometre() {
    let (Some(bolt), Some(nut)) = (benchmark_mesh("bolt"), benchmark_mesh("nut")) else { return };
    let Some(poses) = benchmark_file("nut_poses.csv") else { return };
    let bolt_field = MeshDistance::new(bolt.clone()).unwrap();
    let nut_field = MeshDistance::new(nut.clone()).unwrap();
    let lines: Vec<&str> = poses.lines().filter(|line| !line.starts_with('#')).collect();
    let mut differences: Vec<(f64, bool)> = lines
        .par_iter()
        .map(|line| {
            let row: Vec<f64> = line.split(',').map(|word| word.parse().unwrap()).collect();
            let rotation = UnitQuaternion::from_quaternion(Quaternion::new(row[3], row[4], row[5], row[6]));
            let bolt_from_nut = Pose::new(Vector3::new(row[0], row[1], row[2]), rotation);
            let (depth_nut, count_nut) = deepest(&bolt_field, bolt_from_nut, &nut);
            let (depth_bolt, count_bolt) = deepest(&nut_field, bolt_from_nut.inverse(), &bolt);
            let same_count = (count_nut + count_bolt) as f64 == row[8];
            ((depth_nut.max(depth_bolt) - row[7]).abs(), same_count)
        })
        .collect();
    differences.sort_by(|a, b| a.0.total_cmp(&b.0));
    let within = differences.iter().filter(|d| d.0 <= 1e-6).count();
    let same_count = differences.iter().filter(|d| d.1).count();
    let worst = differences[differences.len() - 1].0;
    println!(
        "{within} of {} poses within 1 µm, worst {worst:e} m, {same_count} with the same number of penetrating vertices",
        lines.len()
    );
    assert_eq!(lines.len(), 3000);
    assert!(within * 100 >= lines.len() * 99);
    assert!(worst <= 1e-6);
}
