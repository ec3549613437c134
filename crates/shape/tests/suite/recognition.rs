//! Round surfaces in meshes: a mesh made from a solid gives that solid back.

use nalgebra::Vector3;
use tightfit_shape::mesh::{MeshOptions, TriMesh};
use tightfit_shape::preset::{hole_50, peg_50};
use tightfit_shape::recognition::{RoundKind, Unrecognised, recognise};
use tightfit_shape::{Part, Sample};

/// A prism about z: corners of its section (counter-clockwise, seen from the axis one after the other), from z = 0 to
/// `height` [m].
fn prism(section: &[[f64; 2]], height: f64) -> TriMesh {
    let mut mesh = TriMesh::default();
    for z in [0.0, height] {
        mesh.vertices.extend(section.iter().map(|[x, y]| Vector3::new(*x, *y, z)));
    }
    mesh.vertices.extend([Vector3::zeros(), Vector3::new(0.0, 0.0, height)]);
    let count = section.len() as u32;
    let [below, above] = [2 * count, 2 * count + 1];
    for k in 0..count {
        let next = (k + 1) % count;
        mesh.triangles.extend([[k, next, count + next], [k, count + next, count + k]]);
        mesh.triangles.extend([[below, next, k], [above, count + k, count + next]]);
    }
    mesh
}

/// Corners of a spline shaft of six teeth with straight sides: `count` chords per turn on its two cylinders.
fn spline_section(inner: f64, outer: f64, width: f64, count: usize) -> Vec<[f64; 2]> {
    let half = |r: f64| (0.5 * width / r).asin();
    let arc = |r: f64, from: f64, to: f64| -> Vec<[f64; 2]> {
        let steps = (count as f64 * (to - from) / std::f64::consts::TAU).ceil() as usize;
        let at = |k: usize| from + (to - from) * k as f64 / steps as f64;
        (0..=steps).map(|k| [r * at(k).cos(), r * at(k).sin()]).collect()
    };
    let pitch = std::f64::consts::TAU / 6.0;
    (0..6)
        .flat_map(|tooth| {
            let middle = pitch * f64::from(tooth);
            let crest = arc(outer, middle - half(outer), middle + half(outer));
            let root = arc(inner, middle + half(inner), middle + pitch - half(inner));
            crest.into_iter().chain(root)
        })
        .collect()
}

/// A D-shaft of radius r with a flat at x = flat: `count` chords around.
fn d_section(r: f64, flat: f64, count: usize) -> Vec<[f64; 2]> {
    let half = (flat / r).acos();
    let turn = std::f64::consts::TAU - 2.0 * half;
    (0..=count)
        .map(|k| half + turn * k as f64 / count as f64)
        .map(|angle| [r * angle.cos(), r * angle.sin()])
        .collect()
}

/// Points near the surface of a part: in its grown box, kept where the part is close.
fn points_near(
    part: &dyn Fn(Vector3<f64>) -> Sample,
    low: Vector3<f64>,
    high: Vector3<f64>,
) -> Vec<Vector3<f64>> {
    let mut state = 0x1234_5678_9abc_def1_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut points = Vec::new();
    while points.len() < 3000 {
        let mut p = Vector3::from_fn(|k, _| low[k] - 1e-3 + (high[k] - low[k] + 2e-3) * random());
        // two steps towards the surface, and off it by up to 0.2 mm
        for _ in 0..2 {
            let sample = part(p);
            p -= sample.normal * sample.distance;
        }
        p += Vector3::from_fn(|_, _| 4e-4 * (random() - 0.5));
        points.push(p);
    }
    points
}

fn worst(part: &Part, other: &dyn Fn(Vector3<f64>) -> Sample) -> f64 {
    let bounds = part.aabb().expect("a bounded part");
    let points = points_near(other, bounds.min, bounds.max);
    points.iter().map(|p| (part.sample(*p).distance - other(*p).distance).abs()).fold(0.0, f64::max)
}

#[test]
fn meshes_of_a_peg_and_of_a_hole_become_the_turned_solids_that_they_were_made_from() {
    for (name, part) in [
        ("peg", Part::Sectioned(peg_50().build().expect("a peg"))),
        ("hole", Part::Sectioned(hole_50().build().expect("a hole"))),
    ] {
        let mesh = part.mesh(&MeshOptions::default()).expect("a mesh");
        let (found, recognised) = Part::recognised(&mesh).expect("round surfaces");
        assert!(matches!(found, Part::Sectioned(_)), "{name}: {:?}", recognised.surfaces);
        let error = worst(&found, &|p| part.sample(p));
        assert!(error < 1e-9, "{name}: {error}");
    }
}

#[test]
fn a_d_shaft_of_16_to_256_segments_is_one_cylinder_and_three_planes() {
    let (r, flat) = (10e-3, 7e-3);
    for count in [16, 48, 256] {
        // single precision, as STL stores it
        let mut mesh = prism(&d_section(r, flat, count), 30e-3);
        for vertex in &mut mesh.vertices {
            *vertex = vertex.map(|x| f64::from((1e3 * x) as f32) / 1e3);
        }
        let found = recognise(&mesh).unwrap_or_else(|why| panic!("{count} segments: {why}"));
        assert_eq!(found.surfaces.len(), 1, "{:?}", found.surfaces);
        let surface = found.surfaces[0];
        assert_eq!((surface.kind, surface.facets), (RoundKind::Shaft, count));
        assert!((surface.diameters[0] - 2.0 * r).abs() < 2e-9, "{surface}");
        assert_eq!(found.solid.as_ref().expect("a solid").faces.len(), 4);
        let part = Part::from_solid(found.solid.expect("a solid")).expect("a part");
        let truth = |p: Vector3<f64>| {
            let rho = p.x.hypot(p.y);
            (rho - r).max(p.x - flat).max(-p.z).max(p.z - 30e-3)
        };
        // inside the material the depth is the distance from the nearest face
        for k in 0..2000 {
            let angle = f64::from(k) * 0.7;
            let rho = r - 1e-4 - 1e-6 * f64::from(k % 97);
            let p = Vector3::new(rho * angle.cos(), rho * angle.sin(), 1e-3 + 1.4e-5 * f64::from(k));
            if truth(p) < 0.0 {
                let depth = part.sample(p).distance;
                assert!((depth - truth(p)).abs() < 5e-9, "{p:?}: {depth} {}", truth(p));
            }
        }
    }
}

#[test]
fn a_spline_shaft_of_several_resolutions_has_two_cylinders_and_plane_sides() {
    for count in [48, 96, 256] {
        let mesh = prism(&spline_section(11.5e-3, 14e-3, 6e-3, count), 20e-3);
        let found = recognise(&mesh).unwrap_or_else(|why| panic!("{count} segments: {why}"));
        // six crests, six roots, twelve sides, two ends
        assert_eq!(found.solid.as_ref().expect("a solid").faces.len(), 26, "{count}: {:?}", found.surfaces);
        for surface in &found.surfaces {
            let d = surface.diameters[0];
            assert!((d - 28e-3).abs() < 1e-9 || (d - 23e-3).abs() < 1e-9, "{surface}");
        }
    }
}

#[test]
fn prisms_of_few_sides_and_flat_parts_stay_as_they_are() {
    for sides in [4, 6, 8, 12] {
        let at = |k: usize| std::f64::consts::TAU * k as f64 / sides as f64;
        let section: Vec<_> = (0..sides).map(|k| [1e-2 * at(k).cos(), 1e-2 * at(k).sin()]).collect();
        let why = recognise(&prism(&section, 2e-2)).err();
        assert_eq!(why, Some(Unrecognised::NothingRound), "{sides} sides");
    }
}

#[test]
fn coordinates_rounded_to_a_micrometre_still_give_the_cylinder() {
    let section = |r: f64| -> Vec<[f64; 2]> {
        let at = |k: usize| std::f64::consts::TAU * k as f64 / 144.0;
        (0..144).map(|k| [r * at(k).cos(), r * at(k).sin()]).collect()
    };
    let mut mesh = prism(&section(4.05e-3), 9e-3);
    for vertex in &mut mesh.vertices {
        *vertex = vertex.map(|x| (x * 1e6).round() / 1e6);
    }
    let found = recognise(&mesh).expect("a cylinder");
    assert_eq!(found.solid.as_ref().expect("a solid").faces.len(), 3, "{:?}", found.surfaces);
    assert!((found.surfaces[0].diameters[0] - 8.1e-3).abs() < 1e-7, "{}", found.surfaces[0]);
    assert!(found.surfaces[0].deviation < 1e-6);
}

#[test]
fn a_drill_point_is_a_cone_and_no_thread() {
    // 59° to the axis: as steep as a thread's flank
    let tan = 59.0_f64.to_radians().tan();
    let part = Part::cone(10e-3, 2e-3, 8e-3 / tan).expect("a cone");
    let mesh = part.mesh(&MeshOptions::default()).expect("a mesh");
    let (found, recognised) = Part::recognised(&mesh).expect("a cone");
    assert!(matches!(found, Part::Sectioned(_)), "{:?}", recognised.surfaces);
    assert_eq!(recognised.surfaces[0].kind, RoundKind::Cone);
}

#[test]
fn a_post_that_stands_on_a_plate_as_a_shell_of_its_own_is_one_solid_with_it() {
    let round: Vec<_> = (0..144)
        .map(|k| std::f64::consts::TAU * f64::from(k) / 144.0)
        .map(|angle: f64| [5e-3 * angle.cos(), 5e-3 * angle.sin()])
        .collect();
    let post = prism(&round, 20e-3);
    let mut both = prism(&[[-0.03, -0.03], [0.03, -0.03], [0.03, 0.03], [-0.03, 0.03]], 5e-3);
    let first = both.vertices.len() as u32;
    both.vertices.extend(post.vertices.iter().map(|at| at + Vector3::new(0.0, 0.0, 5e-3)));
    both.triangles.extend(post.triangles.iter().map(|own| own.map(|vertex| first + vertex)));
    let found = recognise(&both).expect("a plate with a post");
    let solid = found.solid.as_ref().expect("a solid");
    let near_post = solid.sample(Vector3::new(6e-3, 0.0, 15e-3)).distance;
    assert!((near_post - 1e-3).abs() < 1e-6, "{near_post}");
    let in_post = solid.sample(Vector3::new(4e-3, 0.0, 15e-3)).distance;
    assert!((in_post + 1e-3).abs() < 1e-6, "{in_post}");
    let above_plate = solid.sample(Vector3::new(20e-3, 20e-3, 6e-3)).distance;
    assert!((above_plate - 1e-3).abs() < 1e-9, "{above_plate}");
}

#[test]
fn a_closed_cavity_stays_empty() {
    let round: Vec<_> = (0..144)
        .map(|k| std::f64::consts::TAU * f64::from(k) / 144.0)
        .map(|angle: f64| [5e-3 * angle.cos(), 5e-3 * angle.sin()])
        .collect();
    let cavity = prism(&round, 20e-3);
    let mut both = prism(&[[-0.02, -0.02], [0.02, -0.02], [0.02, 0.02], [-0.02, 0.02]], 30e-3);
    let first = both.vertices.len() as u32;
    both.vertices.extend(cavity.vertices.iter().map(|at| at + Vector3::new(0.0, 0.0, 5e-3)));
    both.triangles.extend(cavity.triangles.iter().map(|[a, b, c]| [first + a, first + c, first + b]));
    let found = recognise(&both).expect("a block with a cavity");
    let solid = found.solid.as_ref().expect("a solid");
    let off = |x: f64, true_distance: f64| {
        let distance = solid.sample(Vector3::new(x, 0.0, 15e-3)).distance;
        assert!((distance - true_distance).abs() < 1e-6, "{distance} at {x}, true {true_distance}");
    };
    off(4e-3, 1e-3);
    off(6e-3, -1e-3);
    off(21e-3, 1e-3);
}
