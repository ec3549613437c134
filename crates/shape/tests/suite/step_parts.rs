//! Parts from STEP files: nodes on the surface, watertight triangles, pieces that agree with the distance.

use std::path::PathBuf;

use nalgebra::Vector3;
use tightfit_shape::block::{BLOCK, CORNER, FAR, FaceBlock, PAIR, PointBlock, SINGLE};
use tightfit_shape::cad::{CadPart, File, mate, step_text};
use tightfit_shape::mesh::{MeshOptions, MeshPart};
use tightfit_shape::node::{NodeSet, NodeSpacing};
use tightfit_shape::preset::preset;
use tightfit_shape::thread::{Bolt, Hand, Nut, ThreadAllowance, ThreadProfile};
use tightfit_shape::{Branches, Part, Sample};
use tightfit_spatial::SplitMix;

/// A block of 20 × 10 × 5 mm with a bore of 4 mm diameter.
const BORED_BLOCK: &str = include_str!("../../../cad/tests/suite/bored_block.step");

fn bored_block() -> CadPart {
    CadPart::new(File::parse(BORED_BLOCK.as_bytes()).unwrap().solid(None).unwrap()).unwrap()
}

fn reference_parts() -> Vec<(String, CadPart)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/step");
    if !folder.exists() {
        println!("skipped: {} does not exist", folder.display());
        return Vec::new();
    }
    let names =
        ["bearing_seat", "housing", "keyed_shaft", "taper_sphere", "cross_hole", "hex_socket", "snap"];
    let open = |name: &&str| {
        let solid = File::open(&folder.join(format!("{name}.step"))).unwrap().solid(None).unwrap();
        (name.to_string(), CadPart::new(solid).unwrap())
    };
    names.iter().map(open).collect()
}

#[test]
fn triangles_are_watertight_and_keep_the_volume() {
    let mut parts = vec![("bored_block".to_string(), bored_block())];
    parts.extend(reference_parts());
    for (name, part) in parts {
        let options = MeshOptions { chord_tolerance: 5e-6, ..MeshOptions::default() };
        let mesh = part.mesh(&options).unwrap();
        // a closed, outward mesh is required here
        let meshed = MeshPart::new(mesh).unwrap_or_else(|error| panic!("{name}: {error}"));
        let volume = meshed.inertia(1.0).unwrap().mass;
        assert!((volume / part.mass().volume - 1.0).abs() < 2e-3, "{name}: {volume} {}", part.mass().volume);
    }
}

#[test]
fn nodes_lie_on_the_surface() {
    let mut parts = vec![("bored_block".to_string(), bored_block())];
    parts.extend(reference_parts());
    for (name, part) in parts {
        let size = part.aabb().diagonal();
        let part = Part::Cad(part);
        let nodes = part.nodes(&NodeSpacing::for_size(2.0 * size));
        assert!(nodes.len() > 100, "{name}");
        for index in 0..nodes.len() {
            let place = part.place_one(nodes.chart(index));
            let distance = part.sample(place).distance;
            assert!(distance.abs() < 1e-9, "{name}: node {index} at {place:?} is {distance} m off");
        }
    }
}

/// Inside the material the pieces give the depth, outside a lower bound of the distance.
#[test]
fn pieces_agree_with_the_distance() {
    let part = Part::Cad(bored_block());
    let mut random = SplitMix(7);
    for _ in 0..3000 {
        let p: Vector3<f64> = random.cube();
        let p = Vector3::new(-1e-3 + 22e-3 * p.x, -1e-3 + 12e-3 * p.y, -1e-3 + 7e-3 * p.z);
        let distance = part.sample(p).distance;
        let reach = 3e-3;
        let mut least = f64::INFINITY;
        part.each_piece(p, reach, |_, faces| {
            least = least.min(faces.iter().map(|face| face.distance).fold(f64::NEG_INFINITY, f64::max));
        });
        if distance < 0.0 {
            assert!((least - distance).abs() < 1e-8, "{p:?}: {least} {distance}");
        } else if distance < reach {
            assert!(least <= distance + 1e-8 && least >= -1e-8, "{p:?}: {least} {distance}");
        } else {
            assert!(least > reach * 0.5 || least == f64::INFINITY, "{p:?}: {least} {distance}");
        }
    }
}

/// A block of points gives what each of its points gives alone.
#[test]
fn blocks_of_points_equal_single_queries() {
    let mut parts = vec![("bored_block".to_string(), bored_block())];
    parts.extend(reference_parts());
    let mut random = SplitMix(23);
    for (name, part) in parts {
        let bounds = part.aabb();
        let part = Part::Cad(part);
        let (mut single, mut far) = (0, 0);
        for trial in 0..800 {
            // from here on cells tell what is near a point, where the reach is small
            if trial == 400 {
                let _ = part.slides(&NodeSet::default());
            }
            let reach = [2e-5, 2e-4, 1e-3][trial % 3];
            let size = [3e-4, 2e-3, 8e-3][trial / 3 % 3];
            let share: Vector3<f64> = random.cube();
            let mut centre = bounds.min + (bounds.max - bounds.min).component_mul(&share);
            let sample = part.sample(centre);
            centre -= sample.normal * sample.distance;
            let mut points = PointBlock::default();
            for lane in 0..BLOCK {
                let p = centre + random.centered_cube() * size;
                (0..3).for_each(|k| points.axes[k][lane] = p[k]);
            }
            let mut faces = FaceBlock::default();
            part.face_block(&points, reach, 5e-6, &mut faces);
            for lane in 0..BLOCK {
                let mut pieces = Vec::new();
                part.each_piece(points.get(lane), reach, |_, faces| pieces.push(faces.clone()));
                match faces.verdict[lane] {
                    FAR => {
                        far += 1;
                        assert!(pieces.is_empty(), "{name}: {pieces:?}");
                    }
                    SINGLE => {
                        single += 1;
                        // a piece of one face is taken at any depth
                        let is_relevant = |face: &Sample| pieces[0].len() == 1 || face.distance >= -5e-6;
                        let relevant: Vec<_> = pieces[0].iter().filter(|face| is_relevant(face)).collect();
                        assert!(pieces.len() == 1 && relevant.len() == 1, "{name}: {pieces:?}");
                        assert_eq!(*relevant[0], faces.first(lane), "{name}");
                    }
                    PAIR => {
                        let relevant: Vec<_> =
                            pieces[0].iter().filter(|face| face.distance >= -5e-6).collect();
                        assert!(pieces.len() == 1 && relevant.len() == 2, "{name}: {pieces:?}");
                        assert_eq!([*relevant[0], *relevant[1]], [faces.first(lane), faces.second(lane)]);
                    }
                    CORNER => {
                        let relevant = |piece: &Branches| -> Vec<Sample> {
                            piece.iter().filter(|face| face.distance >= -5e-6).copied().collect()
                        };
                        assert!(pieces.len() == 2 && faces.number[lane] == 1, "{name}: {pieces:?}");
                        assert_eq!(relevant(&pieces[1]), [faces.first(lane)], "{name}");
                        assert_eq!(relevant(&pieces[0]), [faces.second(lane)], "{name}");
                    }
                    _ => {}
                }
            }
        }
        assert!(single > 1000 && far > 500, "{name}: {single} points with one face, {far} far");
    }
}

#[test]
fn a_part_without_a_matching_bore_is_refused_with_its_diameters() {
    let solid = File::parse(BORED_BLOCK.as_bytes()).unwrap().solid(None).unwrap();
    let message = mate(&solid, &solid).unwrap_err().to_string();
    assert!(message.contains("external diameters none") && message.contains("4.000"), "{message}");
}

/// Export and import give back the outline: corners to rounding, the same nodes, mass and distances.
#[test]
fn pegs_and_holes_survive_a_step_file() {
    for name in ["peg-50", "hole-50"] {
        let part = preset(name).unwrap();
        let text = step_text(&part, name).unwrap();
        let solid = File::parse(text.as_bytes()).unwrap().solid(None).unwrap();
        assert!(solid.repairs.is_empty() && solid.edge_gap < 1e-15, "{name}: {:?}", solid.repairs);
        let exact = CadPart::new(solid.clone()).unwrap();
        let read = Part::from_solid(solid).unwrap();
        let (Part::Sectioned(a), Part::Sectioned(b)) = (&part, &read) else {
            panic!("{name} is no longer turned")
        };
        assert_eq!(a.outline.vertices().len(), b.outline.vertices().len(), "{name}");
        for (p, q) in a.outline.vertices().iter().zip(b.outline.vertices()) {
            assert!((p[0] - q[0]).abs() < 1e-15 && (p[1] - q[1]).abs() < 1e-15, "{name}: {p:?} {q:?}");
        }
        let (before, after) = (part.inertia(7850.0).unwrap(), exact.inertia(7850.0).unwrap());
        assert!((before.mass / after.mass - 1.0).abs() < 1e-9, "{name}");
        assert!((before.moment - after.moment).norm() < 1e-9 * before.moment.norm(), "{name}");
        // the exact solid has the same distance as the outline, off the axis where several points are nearest
        let mut random = SplitMix(11);
        for _ in 0..2000 {
            let p: Vector3<f64> = random.cube();
            let p = Vector3::new(0.1 * p.x - 0.05, 0.1 * p.y - 0.05, 0.16 * p.z - 0.06);
            assert!((part.sample(p).distance - exact.sample(p).distance).abs() < 1e-12, "{name} at {p:?}");
        }
    }
}

/// Prisms with rounded corners, rods and nuts of either hand, blunt and chamfered: mass and distances stay.
fn assert_same_thread(own: &ThreadProfile, read: &ThreadProfile) {
    let numbers = |thread: &ThreadProfile| {
        [
            thread.rise(),
            thread.crest_radius(),
            thread.root_radius(),
            thread.half_width_at(thread.root_radius()),
        ]
    };
    for (own, read) in numbers(own).into_iter().zip(numbers(read)) {
        assert!((own - read).abs() < 20e-9, "{own:e} {read:e}");
    }
    assert!(own.phase(0.0, read.lift()).abs() < 20e-9);
}

#[test]
fn prisms_and_threads_survive_a_step_file() {
    let mut parts: Vec<Part> =
        ["square-peg-20", "square-hole-20", "m48x5-nut", "m8-bolt"].map(|name| preset(name).unwrap()).into();
    let none = ThreadAllowance::default();
    parts.push(Part::Bolt(Bolt::new(16e-3, 2e-3, 9e-3, none, Hand::Left).unwrap()));
    parts.push(Part::Nut(Nut::new(16e-3, 2e-3, 7e-3, 24e-3, none, Hand::Left).unwrap()));
    for (number, part) in parts.iter().enumerate() {
        let text = step_text(part, "part").unwrap();
        let solid = File::parse(text.as_bytes()).unwrap().solid(None).unwrap();
        assert!(solid.repairs.is_empty() && solid.edge_gap < 1e-10, "{number}: {:?}", solid.repairs);
        match (part, Part::from_solid(solid.clone()).unwrap()) {
            (Part::Bolt(own), Part::Bolt(read)) => assert_same_thread(own.thread(), read.thread()),
            (Part::Nut(own), Part::Nut(read)) => assert_same_thread(own.thread(), read.thread()),
            (Part::Bolt(_) | Part::Nut(_), other) => panic!("{number}: {other:?}"),
            _ => {}
        }
        let exact = CadPart::new(solid).unwrap();
        let (before, after) = (part.inertia(7850.0).unwrap(), exact.inertia(7850.0).unwrap());
        assert!((before.mass / after.mass - 1.0).abs() < 1e-9, "{number}: {} {}", before.mass, after.mass);
        let apart = (before.moment - after.moment).norm() / before.moment.norm();
        assert!(apart < 1e-9, "{number}: {apart:e}");
        let bounds = part.aabb().unwrap();
        let mut random = SplitMix(number as u64);
        let mut near = 0;
        for _ in 0..1500 {
            let p: Vector3<f64> = bounds.min + random.cube().component_mul(&bounds.size());
            let [own, read] = [part.sample(p).distance, exact.sample(p).distance];
            assert!((own > 0.0) == (read > 0.0) || own.abs() < 1e-9, "{number} at {p:?}: {own:e} {read:e}");
            // distances of a thread err to second order away from it
            if read.abs() < 50e-6 {
                near += 1;
                assert!((own - read).abs() < 2e-9, "{number} at {p:?}: {own:e} {read:e}");
            }
        }
        assert!(near > 5, "{number}: {near}");
    }
}
