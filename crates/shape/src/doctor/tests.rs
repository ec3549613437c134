//! Findings and repairs for small meshes with known defects.

use nalgebra::Vector3;
use proptest::prelude::*;

use super::*;
use crate::mesh::tests::{bracket, cube, joined, moved, scaled, soup, torus};
use crate::mesh::{LengthUnit, TriMesh, load, save};

fn kinds(mesh: &TriMesh) -> Vec<FindingKind> {
    let mut kinds: Vec<_> =
        examine(mesh, &DoctorOptions::default()).findings.iter().map(|f| f.kind).collect();
    kinds.sort_unstable();
    kinds
}

fn repaired(mesh: &TriMesh) -> (TriMesh, RepairReport) {
    repair(mesh, &RepairOptions::default())
}

#[test]
fn healthy_meshes_have_no_finding_and_repair_does_not_change_them() {
    for mesh in [cube(), scaled(&bracket(), 0.1), scaled(&torus(40, 20), 0.1)] {
        assert_eq!(kinds(&mesh), []);
        let (same, report) = repaired(&mesh);
        assert_eq!((same, report.steps.len()), (mesh, 0));
    }
}

#[test]
fn facts_of_a_cube_are_correct() {
    let options = DoctorOptions { density: Some(1000.0), ..DoctorOptions::default() };
    let facts = examine(&scaled(&cube(), 0.1), &options).facts;
    assert!((facts.volume.unwrap() - 1e-3).abs() < 1e-15);
    assert!((facts.area - 0.06).abs() < 1e-15);
    assert!((facts.mass.unwrap().mass - 1.0).abs() < 1e-12);
    assert_eq!((facts.sharp_convex.count, facts.sharp_concave.count, facts.facets), (12, 0, None));
    assert_eq!((facts.shells[0].euler, facts.shells[0].genus), (2, Some(0)));
}

#[test]
fn missing_face_is_filled_only_when_the_limit_allows_it() {
    let mut mesh = cube();
    mesh.triangles.truncate(10);
    assert_eq!(kinds(&mesh), [FindingKind::BoundaryEdges]);
    let (_, report) = repaired(&mesh);
    assert_eq!(report.unmended()[0].kind, FindingKind::BoundaryEdges);
    let options = RepairOptions { hole_extent: 1.0, ..RepairOptions::default() };
    let (closed, report) = repair(&mesh, &options);
    assert!(report.after.is_healthy(), "{report}");
    assert!((closed.volume() - 1.0).abs() < 1e-12);
}

#[test]
fn flipped_face_is_found_and_flipped_back() {
    let mut mesh = cube();
    mesh.triangles[3].swap(0, 1);
    assert_eq!(kinds(&mesh), [FindingKind::InconsistentOrientation]);
    let (flipped, report) = repaired(&mesh);
    assert!(report.after.is_healthy(), "{report}");
    assert!((flipped.volume() - 1.0).abs() < 1e-12);
}

#[test]
fn inside_out_cube_is_flipped() {
    let mesh = cube().flipped();
    assert_eq!(kinds(&mesh), [FindingKind::InwardOrientation]);
    assert!(repaired(&mesh).1.after.is_healthy());
}

#[test]
fn duplicate_face_is_dropped() {
    let mut mesh = cube();
    mesh.triangles.push(mesh.triangles[5]);
    assert_eq!(kinds(&mesh), [FindingKind::DuplicateFaces, FindingKind::NonManifoldEdges]);
    assert!(repaired(&mesh).1.after.is_healthy());
}

#[test]
fn overlapping_cubes_are_reported_but_not_united() {
    let mesh = joined(&cube(), &moved(&cube(), Vector3::new(0.4, 0.3, 0.2)));
    assert_eq!(kinds(&mesh), [FindingKind::SelfIntersections]);
    assert!(!repaired(&mesh).1.after.is_healthy(), "overlapping bodies must not count as repaired");
}

#[test]
fn unwelded_mesh_has_no_other_finding() {
    let mesh = soup(&cube());
    assert_eq!(kinds(&mesh), [FindingKind::UnweldedVertices]);
    let (welded, report) = repaired(&mesh);
    assert!(report.after.is_healthy(), "{report}");
    assert_eq!(welded.vertices.len(), 8);
}

#[test]
fn cavity_must_face_inwards() {
    let inner = moved(&scaled(&cube(), 0.5), Vector3::repeat(0.25));
    let right = joined(&cube(), &inner.clone().flipped());
    assert_eq!(kinds(&right), []);
    assert!((examine(&right, &DoctorOptions::default()).facts.volume.unwrap() - 0.875).abs() < 1e-12);
    let wrong = joined(&cube(), &inner);
    assert_eq!(kinds(&wrong), [FindingKind::InwardOrientation]);
    assert!((repaired(&wrong).0.volume() - 0.875).abs() < 1e-12);
}

#[test]
fn sheets_are_reported_as_zero_thickness() {
    let one = TriMesh { triangles: cube().triangles[..2].to_vec(), ..cube() };
    let found = kinds(&one);
    assert!(found.contains(&FindingKind::ZeroThickness) && found.contains(&FindingKind::BoundaryEdges));
    let flat =
        TriMesh { vertices: cube().vertices.iter().map(|v| Vector3::new(v.x, v.y, 0.0)).collect(), ..cube() };
    assert!(kinds(&flat).contains(&FindingKind::ZeroThickness));
    assert!(!repaired(&flat).1.after.is_healthy());
}

#[test]
fn debris_far_parts_wrong_units_and_unused_vertices_are_reported() {
    let speck = moved(&scaled(&cube(), 1e-4), Vector3::new(3.0, 0.0, 0.0));
    let mut mesh = scaled(&joined(&cube(), &speck), 0.1);
    mesh.vertices.push(Vector3::zeros());
    assert_eq!(kinds(&mesh), [FindingKind::UnreferencedVertices, FindingKind::TinyShells]);
    assert!(repaired(&mesh).1.after.is_healthy());
    assert_eq!(kinds(&moved(&cube(), Vector3::new(1e3, 0.0, 0.0))), [FindingKind::FarFromOrigin]);
    assert_eq!(kinds(&scaled(&cube(), 50.0)), [FindingKind::UnitsGuess]);
    assert_eq!(kinds(&TriMesh::default()), [FindingKind::Unusable]);
    assert_eq!(kinds(&TriMesh { triangles: vec![[0, 1, 99]], ..cube() }), [FindingKind::Unusable]);
}

#[test]
fn facets_are_compared_with_the_given_clearance() {
    let mesh = scaled(&torus(60, 30), 0.02);
    let with = |clearance| {
        let options = DoctorOptions { clearance: Some(clearance), ..DoctorOptions::default() };
        examine(&mesh, &options)
    };
    let tight = with(20e-6);
    assert!(
        tight.finding(FindingKind::FacetError).is_some() && tight.finding(FindingKind::Sampling).is_some()
    );
    assert!(with(5e-3).is_healthy(), "{}", with(5e-3));
}

#[test]
fn diagnosis_serialises_and_prints_one_line_per_finding() {
    let diagnosis = examine(&soup(&cube()), &DoctorOptions::default());
    let json = serde_json::to_string(&diagnosis).unwrap();
    assert!(
        json.contains(r#""kind":"unwelded_vertices","severity":"error","count":28,"places_m":[["#),
        "{json}"
    );
    assert_eq!(
        diagnosis.to_string().lines().filter(|line| line.starts_with("error: 28 vertices")).count(),
        1
    );
}

#[test]
fn picture_marks_every_place() {
    let mut mesh = cube();
    mesh.triangles.truncate(10);
    let svg = picture_svg(&mesh, &examine(&mesh, &DoctorOptions::default()), "a <cube>");
    assert_eq!(svg.matches(r#"r="5.5""#).count(), 4);
    assert!(svg.contains("a &lt;cube&gt;") && svg.contains("1000 mm"));
    let _ = picture_svg(&TriMesh::default(), &Diagnosis::default(), "");
}

/// A folder of shared data; `None`, with a printed line, when it is absent and the test is skipped.
fn shared(folder: &str) -> Option<std::path::PathBuf> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(folder);
    if !path.is_dir() {
        println!("skipped: {} is absent", path.display());
        return None;
    }
    Some(path)
}

#[test]
fn published_bolt_is_inside_out_and_is_repaired() {
    let Some(folder) = shared("inrol/bolt/txt") else { return };
    let rows = |name: &str| -> Vec<[f64; 3]> {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let row = |line: &str| {
            let values: Vec<f64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
            [values[0], values[1], values[2]]
        };
        text.lines().map(row).collect()
    };
    let mesh = TriMesh {
        vertices: rows("po.txt").into_iter().map(Vector3::from).collect(),
        triangles: rows("fo.txt").into_iter().map(|row| row.map(|index| index as u32 - 1)).collect(),
    };
    let before = examine(&mesh, &DoctorOptions::default());
    println!("{before}");
    assert!(before.finding(FindingKind::InwardOrientation).is_some());
    let (flipped, report) = repaired(&mesh);
    println!("{report}");
    assert!(report.after.finding(FindingKind::InwardOrientation).is_none());
    assert!(flipped.volume() > 0.0);
}

#[test]
fn benchmark_parts_are_healthy_even_in_single_precision() {
    let Some(folder) = shared("detection_benchmark") else { return };
    for name in ["bolt", "nut", "hole", "peg"] {
        let loaded = load(&folder.join(format!("{name}.obj"))).unwrap();
        let diagnosis = examine(&loaded.scaled(1.0), &DoctorOptions::default());
        println!("{name} ({:?})\n{diagnosis}", loaded.raw_unit);
        assert!(diagnosis.is_healthy() && diagnosis.facts.volume.unwrap() > 0.0, "{name}");
        // single precision moves vertices by nanometres: the part must stay healthy
        let path = std::env::temp_dir().join(format!("tightfit-{name}-{}.stl", std::process::id()));
        save(&loaded.mesh, &path, LengthUnit::Millimetre).unwrap();
        let rounded = load(&path).unwrap().in_metres(LengthUnit::Millimetre);
        std::fs::remove_file(&path).unwrap();
        let diagnosis = examine(&rounded, &DoctorOptions::default());
        assert!(diagnosis.is_healthy(), "{name}\n{diagnosis}");
        assert_eq!(rounded.vertices.len(), loaded.mesh.vertices.len());
    }
}

proptest! {
    #[test]
    fn repair_terminates_for_any_triangle_soup(
        points in prop::collection::vec((0..4i32, 0..4i32, 0..4i32), 3..20),
        faces in prop::collection::vec((0..20u32, 0..20u32, 0..20u32), 0..40),
    ) {
        // points on a coarse lattice, so that copies, caps and crossings are common
        let vertices = points.iter().map(|&(x, y, z)| Vector3::new(x.into(), y.into(), z.into()) / 10.0).collect();
        let mesh = TriMesh { vertices, triangles: faces.iter().map(|&(a, b, c)| [a, b, c]).collect() };
        let _ = examine(&mesh, &DoctorOptions::default());
        let options = RepairOptions { hole_extent: 1.0, ..RepairOptions::default() };
        let (repaired, report) = repair(&mesh, &options);
        let unusable = report.after.finding(FindingKind::Unusable).is_some();
        prop_assert_eq!(unusable, repaired.triangles.is_empty());
        let _ = picture_svg(&repaired, &report.after, "soup");
    }
}
