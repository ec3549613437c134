//! Laws of every parametric part: its mesh is closed and lies on its surface, mesh and closed form have the same
//! mass, nodes lie on the surface for any dimensions, the normal is the gradient of the distance.

use std::collections::HashMap;

use nalgebra::Vector3;
use tightfit_shape::Part;
use tightfit_shape::doctor::{DoctorOptions, examine};
use tightfit_shape::fit::{FitSection, HoleDimensions, PegDimensions};
use tightfit_shape::mesh::{MeshOptions, TriMesh};
use tightfit_shape::node::{NodeKind, NodeSpacing};
use tightfit_shape::preset::{preset, preset_names, standard_bolt, standard_nut};
use tightfit_shape::primitive::{Block, Capsule};
use tightfit_shape::thread::{Bolt, Hand, HexHead, Nut, ThreadAllowance, ThreadStart};
use tightfit_spatial::Columns3;

const STEEL: f64 = 7850.0;

fn peg(sides: u32, corner_radius: f64) -> Part {
    let section = if sides == 0 { FitSection::Round } else { FitSection::Polygon { sides, corner_radius } };
    let dimensions =
        PegDimensions { section, diameter: 30e-3, length: 50e-3, tip_chamfer: 1e-3, tail_chamfer: 0.5e-3 };
    Part::Sectioned(dimensions.build().unwrap())
}

fn hole(sides: u32, corner_radius: f64, floor: Option<f64>) -> Part {
    let section = if sides == 0 { FitSection::Round } else { FitSection::Polygon { sides, corner_radius } };
    let dimensions = HoleDimensions {
        section,
        diameter: 30.06e-3,
        depth: 25e-3,
        floor,
        chamfer: 1e-3,
        outer_diameter: 50e-3,
    };
    Part::Sectioned(dimensions.build().unwrap())
}

fn parts() -> Vec<(String, Part)> {
    let names = [
        "peg-50",
        "hole-50",
        "square-peg-20",
        "square-hole-20",
        "m48x5-bolt",
        "m48x5-nut",
        "m3x0.5-bolt",
        "m3-nut",
        "m64x1.5-nut",
        "paper-60x5.5-bolt",
    ];
    let mut parts: Vec<_> = names.map(|name| (name.to_string(), preset(name).unwrap())).into();
    let mut add = |name: &str, part: Part| parts.push((name.to_string(), part));
    add("hexagonal peg", peg(6, 0.0));
    add("rounded triangular peg", peg(3, 2e-3));
    add("blind round hole", hole(0, 0.0, Some(5e-3)));
    add("hexagonal through hole", hole(6, 0.0, None));
    add("rounded pentagonal blind hole", hole(5, 3e-3, Some(4e-3)));
    let play = ThreadAllowance { radial: 0.1e-3, axial: 0.05e-3 };
    let blunt = Bolt::new(20e-3, 2.5e-3, 33e-3, play, Hand::Right).unwrap();
    add("blunt rod", Part::Bolt(blunt));
    let left = Bolt::new(12e-3, 1.75e-3, 30e-3, play, Hand::Left).unwrap();
    let head = HexHead { across_flats: 18e-3, height: 7.5e-3 };
    let tip = ThreadStart::Chamfered { end_radius: 4.6e-3 };
    add(
        "left-hand bolt with head",
        Part::Bolt(left.with_start(tip).unwrap().with_body(20e-3, Some(head)).unwrap()),
    );
    let short = standard_bolt(30e-3, 3.5e-3, 20e-3).unwrap();
    add(
        "bolt with head and no shank",
        Part::Bolt(short.with_body(0.0, Some(HexHead { across_flats: 46e-3, height: 19e-3 })).unwrap()),
    );
    add("blunt nut", Part::Nut(Nut::new(20e-3, 2.5e-3, 16e-3, 30e-3, play, Hand::Left).unwrap()));
    add("block", Part::Block(Block::new(Vector3::new(0.03, 0.02, 0.05)).unwrap()));
    add("sphere", Part::Capsule(Capsule::new(0.02, 0.0).unwrap()));
    add("capsule", Part::Capsule(Capsule::new(0.01, 0.03).unwrap()));
    parts
}

fn assert_closed(name: &str, mesh: &TriMesh) {
    let mut edges: HashMap<(u32, u32), u32> = HashMap::new();
    for [a, b, c] in &mesh.triangles {
        for edge in [(*a, *b), (*b, *c), (*c, *a)] {
            *edges.entry(edge).or_default() += 1;
        }
    }
    for (&(a, b), &count) in &edges {
        assert_eq!(count, 1, "{name}: edge {a}-{b} is used twice in one direction");
        assert!(
            edges.contains_key(&(b, a)),
            "{name}: edge {a}-{b} is open at {:?}",
            mesh.vertices[a as usize]
        );
    }
}

#[test]
fn meshes_are_closed_and_lie_on_the_surface() {
    for (name, part) in parts() {
        let mesh = part.mesh(&MeshOptions::default()).unwrap();
        assert_closed(&name, &mesh);
        for vertex in &mesh.vertices {
            let distance = part.sample(*vertex).distance;
            assert!(distance.abs() < 2e-9, "{name}: vertex {vertex:?} is {distance:e} m off the surface");
        }
    }
}

#[test]
fn mesh_and_closed_form_agree_on_mass_and_inertia_to_a_tenth_of_a_percent() {
    let mut worst = (0.0, String::new());
    for (name, part) in parts() {
        let mesh = part.mesh(&MeshOptions::default()).unwrap().inertia(STEEL).unwrap();
        let closed = part.inertia(STEEL).unwrap();
        let mass = (mesh.mass / closed.mass - 1.0).abs();
        let moment = (mesh.moment - closed.moment).norm() / closed.moment.norm();
        let center = (mesh.center_of_mass - closed.center_of_mass).norm() / part.aabb().unwrap().diagonal();
        let error = mass.max(moment).max(center);
        assert!(error < 1e-3, "{name}: mass {mass:e}, inertia {moment:e}, centre {center:e}");
        if error > worst.0 {
            worst = (error, name);
        }
    }
    println!("worst: {:.4} % on {}", worst.0 * 100.0, worst.1);
}

#[test]
fn nodes_lie_on_the_surface_and_follow_other_dimensions() {
    let spacing = NodeSpacing::of_distances([2e-3, 2e-3, 1e-3, 1e-3, 0.5e-3]);
    let mut positions = Columns3::default();
    for (name, part) in parts() {
        let nodes = part.nodes(&spacing);
        assert!(nodes.count(NodeKind::Face) > 0, "{name}");
        part.place(&nodes, &mut positions);
        for (index, point) in positions.iter().enumerate() {
            let distance = part.sample(point).distance + part.node_offset();
            assert!(
                distance.abs() < 2e-9,
                "{name}: {:?} {:?} at {point:?} is {distance:e} m off",
                nodes.kind[index],
                nodes.chart(index)
            );
        }
    }
    // the same node set on a part with other dimensions
    let families: [(Part, Part); 4] = [
        (preset("m48x5-bolt").unwrap(), Part::Bolt(standard_bolt(48.2e-3, 5.05e-3, 40e-3).unwrap())),
        (preset("m48x5-nut").unwrap(), Part::Nut(standard_nut(47.9e-3, 4.95e-3, 15e-3, 74e-3).unwrap())),
        (peg(6, 0.0), {
            let section = FitSection::Polygon { sides: 6, corner_radius: 0.0 };
            let other = PegDimensions {
                section,
                diameter: 30.02e-3,
                length: 51e-3,
                tip_chamfer: 0.8e-3,
                tail_chamfer: 0.5e-3,
            };
            Part::Sectioned(other.build().unwrap())
        }),
        (hole(0, 0.0, None), hole(0, 0.0, None)),
    ];
    for (first, other) in families {
        let nodes = first.nodes(&spacing);
        other.place(&nodes, &mut positions);
        for point in positions.iter() {
            assert!(other.sample(point).distance.abs() < 2e-9, "{point:?}");
        }
    }
}

#[test]
fn normals_are_the_gradient_of_the_distance() {
    for (name, part) in parts() {
        let mesh = part.mesh(&MeshOptions { chord_tolerance: 20e-6, max_edge: 8e-3 }).unwrap();
        let mut smooth = 0;
        let mut tested = 0;
        for (index, vertex) in mesh.vertices.iter().enumerate().step_by(7) {
            let side = [-1.0, 1.0, 0.6][index % 3];
            let point = vertex + Vector3::new(0.31, -0.17, 0.23) * side * 0.4e-3;
            let step = 1e-7;
            let slope = |axis: usize| {
                let mut shift = Vector3::zeros();
                shift[axis] = step;
                (part.sample(point + shift).distance - part.sample(point - shift).distance) / (2.0 * step)
            };
            let difference = Vector3::new(slope(0), slope(1), slope(2));
            let sample = part.sample(point);
            assert!((sample.normal.norm() - 1.0).abs() < 1e-9, "{name}");
            tested += 1;
            // on a kink of the distance (inside an edge) the difference quotient mixes two faces
            smooth += usize::from((difference - sample.normal).norm() < 1e-3);
        }
        assert!(smooth * 100 >= tested * 97, "{name}: {smooth} of {tested}");
    }
}

#[test]
fn the_mesh_of_every_standard_thread_is_closed_and_has_the_mass_of_the_thread() {
    let coarse = MeshOptions { chord_tolerance: 20e-6, max_edge: 20e-3 };
    for name in preset_names().iter().filter(|name| name.contains("-bolt") || name.contains("-nut")) {
        let part = preset(name).unwrap();
        let mesh = part.mesh(&coarse).unwrap();
        assert_closed(name, &mesh);
        let error = mesh.inertia(STEEL).unwrap().mass / part.inertia(STEEL).unwrap().mass - 1.0;
        assert!(error.abs() < 1e-3, "{name}: {error:e}");
    }
}

#[test]
fn the_mesh_doctor_finds_nothing_in_exported_meshes() {
    for (name, part) in parts() {
        let mesh = part.mesh(&MeshOptions::default()).unwrap();
        let diagnosis = examine(&mesh, &DoctorOptions::default());
        assert!(diagnosis.findings.is_empty(), "{name}: {:#?}", diagnosis.findings);
        assert!(diagnosis.skipped.is_empty(), "{name}: {:?}", diagnosis.skipped);
    }
}

/// Outside, the nearest piece is never farther away than the part; inside, the deepest piece has the depth of the
/// part, except near a concave edge, where the union is slightly deeper than any piece.
#[test]
fn pieces_bound_the_distance_outside_and_give_the_depth_inside() {
    let spacing = NodeSpacing::of_distances([3e-3, 3e-3, 1.5e-3, 1.5e-3, 0.7e-3]);
    for (name, part) in parts() {
        let nodes = part.nodes(&spacing);
        let (mut inside, mut equal) = (0, 0);
        for index in 0..nodes.len() {
            let node = part.place_one(nodes.chart(index));
            let shift = Vector3::new(0.37, -0.53, 0.71) * [1.0, -1.0, 0.3, -0.4][index % 4] * 40e-6;
            let distance = part.sample(node + shift).distance;
            let mut nearest = f64::INFINITY;
            part.each_piece(node + shift, 1e-3, |number, branches| {
                assert!(number < Part::MOST_PIECES);
                let own = branches.iter().map(|branch| branch.distance).fold(f64::NEG_INFINITY, f64::max);
                nearest = nearest.min(own);
            });
            let place = nodes.chart(index);
            if distance > 0.0 {
                assert!(nearest <= distance + 2e-9, "{name} {place:?}: {nearest:e} against {distance:e}");
            } else {
                assert!(
                    nearest <= 0.5 * distance + 2e-9,
                    "{name} {place:?}: {nearest:e} against {distance:e}"
                );
                inside += 1;
                equal += usize::from((nearest - distance).abs() < 2e-9);
            }
        }
        assert!(equal * 100 >= inside * 95, "{name}: {equal} of {inside}");
    }
}
