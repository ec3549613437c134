//! Laws of the baked distance field: its stated bound holds, it does not depend on the number of threads, and a
//! damaged file is refused.

use crate::support;

use std::sync::Arc;

use crate::support::{benchmark_mesh, cube, l_shape};
use nalgebra::Vector3;
use tightfit_shape::block::{BLOCK, FAR, FaceBlock, PointBlock, SINGLE};
use tightfit_shape::mesh::baked::{BakeError, BakeOptions, BakedField, BakedFileError, ErrorReport};
use tightfit_shape::mesh::{MeshDistance, MeshPart};
use tightfit_shape::{Part, TriMesh};
use tightfit_spatial::{Columns3, SplitMix};

/// A part of 10 mm: a unit mesh scaled by 0.01.
fn small(mut mesh: TriMesh) -> Arc<MeshDistance> {
    mesh.vertices.iter_mut().for_each(|v| *v *= 0.01);
    Arc::new(MeshDistance::new(mesh).unwrap())
}

fn bake(exact: &Arc<MeshDistance>, options: &BakeOptions) -> BakedField {
    BakedField::bake(exact, options, &|_| ()).unwrap()
}

fn quick() -> BakeOptions {
    BakeOptions { tolerance: 4e-6, min_cell: 50e-6, error_samples: 20_000, ..BakeOptions::default() }
}

#[test]
fn the_stated_bound_holds_on_fresh_points_of_the_benchmark_meshes() {
    for name in ["bolt", "nut", "hole", "peg"] {
        let Some(mesh) = benchmark_mesh(name) else { return };
        let exact = Arc::new(MeshDistance::new(mesh).unwrap());
        let options = BakeOptions { tolerance: 2e-6, far_slope: 0.5, margin: 2e-4, ..quick() };
        let field = bake(&exact, &options);
        let report = field.report();
        let fresh = ErrorReport::measure(&field, &exact, 50_000, 99);
        println!("{name}: {} bytes, {report:?}, fresh {fresh:?}", field.memory());
        assert!(fresh.max <= report.bound, "{name}: {} > {}", fresh.max, report.bound);
        assert!(fresh.p99 <= 2e-6 && report.bound < 10e-6, "{name}");
        assert!(field.memory() <= 256 << 20);
        assert_eq!(report.coarsened, 0);
    }
}

#[test]
fn near_sharp_edges_the_field_is_exact() {
    let exact = small(l_shape());
    let field = bake(&exact, &quick());
    let mut random = SplitMix(5);
    for _ in 0..5000 {
        let edge = Vector3::new(3e-3, 4e-3, 5e-3 * random.unit());
        let p = edge + random.centered_cube() * 20e-6;
        let truth = exact.sample(p);
        let (distance, normal) = field.sample(p);
        assert!((distance - truth.distance).abs() < 1e-12);
        assert!((normal - truth.normal).norm() < 1e-6);
    }
}

#[test]
fn far_from_the_surface_the_distance_keeps_its_sign_and_size() {
    let exact = small(cube());
    let field = bake(&exact, &quick());
    let mut random = SplitMix(6);
    for _ in 0..5000 {
        let p = Vector3::from_element(5e-3) + random.centered_cube() * 20e-3;
        let truth = exact.sample(p).distance;
        let (distance, normal) = field.sample(p);
        assert!((distance - truth).abs() <= 5e-6 + 0.15 * truth.abs(), "{distance} {truth}");
        assert!((normal.norm() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn an_offset_grows_the_baked_solid_too() {
    let exact = Arc::new((*small(cube())).clone().with_offset(50e-6));
    let field = bake(&exact, &quick());
    let (distance, normal) = field.sample(Vector3::new(10.05e-3, 5e-3, 5e-3));
    assert!(distance.abs() < 1e-8 && (normal - Vector3::x()).norm() < 1e-4);
    assert!(ErrorReport::measure(&field, &exact, 20_000, 3).max <= field.report().bound);
}

#[test]
fn the_field_is_the_same_for_any_number_of_threads() {
    let exact = small(l_shape());
    let bytes = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| bake(&exact, &quick())).to_bytes().unwrap()
    });
    assert!(bytes[0] == bytes[1]);
}

#[test]
fn columns_hold_the_samples_of_their_points() {
    let field = bake(&small(cube()), &quick());
    let mut random = SplitMix(8);
    let points: Columns3 = (0..100).map(|_| random.centered_cube() * 0.01).collect();
    let (mut distances, mut normals) = (Vec::new(), Columns3::default());
    field.sample_columns(&points, &mut distances, &mut normals);
    for (i, p) in points.iter().enumerate() {
        assert_eq!((distances[i], normals.get(i)), field.sample(p));
    }
}

#[test]
fn a_small_memory_limit_coarsens_the_field_and_a_tiny_one_is_refused() {
    let exact = small(support::torus());
    let options = quick();
    let fine = bake(&exact, &options);
    let less = BakeOptions { memory_limit: fine.memory() * 7 / 10, ..options.clone() };
    let coarse = bake(&exact, &less);
    assert!(coarse.report().coarsened > 0 && coarse.memory() <= less.memory_limit);
    assert!(coarse.report().min_cell > fine.report().min_cell);
    assert!(ErrorReport::measure(&coarse, &exact, 20_000, 3).max <= coarse.report().bound);

    let tight = BakeOptions { memory_limit: 1 << 10, ..options };
    let error = BakedField::bake(&exact, &tight, &|_| ()).unwrap_err();
    assert!(matches!(error, BakeError::Memory { limit: 1024, .. }));
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let options = BakeOptions { min_cell: -1.0, ..quick() };
    let error = BakedField::bake(&small(cube()), &options, &|_| ()).unwrap_err();
    assert!(error.to_string().contains("min_cell"));
}

#[test]
fn saving_a_loaded_field_gives_the_same_bytes() {
    let field = bake(&small(l_shape()), &quick());
    let bytes = field.to_bytes().unwrap();
    let loaded = BakedField::from_bytes(&bytes).unwrap();
    assert!(loaded.to_bytes().unwrap() == bytes);
    assert_eq!(loaded.report(), field.report());
    let p = Vector3::new(1e-3, 2e-3, 5.01e-3);
    assert_eq!(loaded.sample(p), field.sample(p));

    let path = std::env::temp_dir().join(format!("tightfit_baked_{}.tfbaked", std::process::id()));
    field.save(&path).unwrap();
    let from_disk = BakedField::load(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(from_disk.to_bytes().unwrap() == bytes);
    assert!(matches!(BakedField::load(&path).unwrap_err(), BakedFileError::Io { .. }));
}

/// The checksum of the file format, to forge files that pass it.
fn fnv(bytes: &[u8]) -> [u8; 8] {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step).to_le_bytes()
}

#[test]
fn damaged_truncated_and_forged_files_are_refused() {
    let options = BakeOptions { tolerance: 1e-4, band: 1e-3, min_cell: 1e-3, error_samples: 100, ..quick() };
    let bytes = bake(&small(cube()), &options).to_bytes().unwrap();
    let mut random = SplitMix(9);
    let place = |random: &mut SplitMix| (random.unit() * bytes.len() as f64) as usize;
    for _ in 0..200 {
        assert!(BakedField::from_bytes(&bytes[..place(&mut random)]).is_err());
        let mut damaged = bytes.clone();
        damaged[place(&mut random)] ^= 1 << (random.unit() * 8.0) as u32;
        assert!(BakedField::from_bytes(&damaged).is_err());
    }
    // with a valid checksum a changed number may pass, but then every query must still end
    for round in 0..600 {
        let mut forged = bytes[..bytes.len() - 8].to_vec();
        let at = if round % 2 == 0 { place(&mut random).min(2000) } else { place(&mut random) };
        let at = at.min(forged.len() - 8);
        let value = [u64::MAX, 0, 1 << 40, 0x7FFF_FFFF][round % 4].to_le_bytes();
        let width = if round % 3 == 0 { 8 } else { 4 };
        forged[at..at + width].copy_from_slice(&value[..width]);
        let checksum = fnv(&forged);
        forged.extend(checksum);
        if let Ok(field) = BakedField::from_bytes(&forged) {
            for _ in 0..20 {
                std::hint::black_box(field.sample(random.centered_cube() * 0.02));
            }
        }
    }
    let mut other = bytes.clone();
    other[8] = 7;
    assert!(matches!(BakedField::from_bytes(&other).unwrap_err(), BakedFileError::Version { found: 7 }));
    assert!(matches!(BakedField::from_bytes(b"solid cube").unwrap_err(), BakedFileError::Magic));
}

#[test]
fn blocks_of_points_return_the_samples_of_single_points() {
    let exact = small(l_shape());
    let field = Arc::new(bake(&exact, &quick()));
    let mesh = exact.mesh().as_ref().clone();
    let mut random = SplitMix(7);
    for (reach, offset) in [(0.0, 0.0), (30e-6, -20e-6), (0.5e-3, 10e-6), (2e-3, 0.0)] {
        let part = MeshPart::new(mesh.clone()).unwrap().with_baked(Arc::clone(&field)).with_offset(offset);
        let part = Part::Mesh(part);
        let (mut far, mut single) = (0, 0);
        for _ in 0..2000 {
            // inside the grid, next to it and far away
            let middle = Vector3::new(5e-3, 5e-3, 2.5e-3) + 15e-3 * random.centered_cube();
            let cloud: [Vector3<f64>; BLOCK] =
                std::array::from_fn(|_| middle + 3e-3 * random.centered_cube());
            let mut points = PointBlock::default();
            for (lane, point) in cloud.iter().enumerate() {
                (0..3).for_each(|axis| points.axes[axis][lane] = point[axis]);
            }
            let mut faces = FaceBlock::default();
            part.face_block(&points, reach, 5e-6, &mut faces);
            for (lane, &point) in cloud.iter().enumerate() {
                let alone = part.sample(point);
                match faces.verdict[lane] {
                    FAR => assert!(alone.distance > reach, "{point:?} is {} m away", alone.distance),
                    SINGLE => assert_eq!(faces.first(lane), alone),
                    _ => assert!(!exact.mesh_aabb().grown(1e-3).contains(point), "{point:?} is in the grid"),
                }
                far += usize::from(faces.verdict[lane] == FAR);
                single += usize::from(faces.verdict[lane] == SINGLE);
            }
        }
        assert!(far > 1000 && single > 500, "{far} far, {single} near");
    }
}
