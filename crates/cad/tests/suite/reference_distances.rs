//! The distance equals that of OCCT's BRepExtrema to 1 nm, without a wrong sign, at faces, edges and corners.

use nalgebra::Vector3;
use tightfit_cad::File;

use crate::support::{BORED_BLOCK, reference_folder};

#[test]
fn distances_equal_those_of_occt() {
    let Some(folder) = reference_folder() else { return };
    for name in ["bearing_seat", "housing", "keyed_shaft", "taper_sphere"] {
        let solid = File::open(&folder.join(format!("{name}.step"))).unwrap().solid(None).unwrap();
        let text = std::fs::read_to_string(folder.join(format!("{name}.distance.txt"))).unwrap();
        let mut count = 0;
        for line in text.lines() {
            let numbers: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            let [x, y, z, expected] = numbers[..] else { continue };
            let sample = solid.sample(Vector3::new(x, y, z) * 1e-3);
            let error = (sample.distance * 1e3 - expected).abs();
            assert!(error < 1e-6, "{name} at {x} {y} {z}: {} mm, OCCT {expected} mm", sample.distance * 1e3);
            count += 1;
        }
        assert_eq!(count, 1000, "{name}");
    }
}

/// The gradient is the derivative of the distance where the distance is smooth.
#[test]
fn gradients_equal_differences_of_the_distance() {
    let Some(folder) = reference_folder() else { return };
    for name in ["bearing_seat", "keyed_shaft", "taper_sphere"] {
        let solid = File::open(&folder.join(format!("{name}.step"))).unwrap().solid(None).unwrap();
        let text = std::fs::read_to_string(folder.join(format!("{name}.distance.txt"))).unwrap();
        let mut checked = 0;
        for line in text.lines() {
            let numbers: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            let [x, y, z, expected] = numbers[..] else { continue };
            // differences lose digits near edges, where the distance bends
            if expected.abs() < 0.05 {
                continue;
            }
            let p = Vector3::new(x, y, z) * 1e-3;
            let normal = solid.sample(p).normal;
            assert!((normal.norm() - 1.0).abs() < 1e-12);
            let h = 1e-7;
            let difference = |k: usize| {
                let mut step = Vector3::zeros();
                step[k] = h;
                (solid.sample(p + step).distance - solid.sample(p - step).distance) / (2.0 * h)
            };
            let numeric = Vector3::new(difference(0), difference(1), difference(2));
            // on the medial axis the difference mixes two faces and is no unit vector
            if (numeric.norm() - 1.0).abs() < 1e-6 {
                assert!((numeric - normal).norm() < 1e-6, "{name} at {x} {y} {z}");
                checked += 1;
            }
        }
        assert!(checked > 500, "{name}: {checked}");
    }
}

#[test]
fn assemblies_list_their_bodies_and_ask_for_one() {
    let Some(folder) = reference_folder() else { return };
    let file = File::open(&folder.join("bearing608.step")).unwrap();
    assert_eq!(file.names().len(), 14);
    let message = file.solid(None).unwrap_err().to_string();
    assert!(message.contains("14 bodies") && message.contains("`OuterRace`"), "{message}");
    let message = file.solid(Some("Cage")).unwrap_err().to_string();
    assert!(message.contains("no body is called `Cage`"), "{message}");
    // rollers lie on a circle about the axis of the bearing: placements nest
    let radius = |name: &str| {
        let bounds = file.solid(Some(name)).unwrap().aabb();
        let centre = 0.5 * (bounds.min + bounds.max);
        centre.norm()
    };
    assert!((radius("Roller") - radius("Roller 7")).abs() < 1e-9);
}

/// Beside overhanging free-form faces too: the nearest point is on their edges.
#[test]
fn points_around_a_part_are_outside() {
    let Some(folder) = reference_folder() else { return };
    for name in ["gear20", "nut_m12_thread", "screw_m12_thread", "spline_shaft", "taper_sphere"] {
        let file = File::open(&folder.join(format!("{name}.step"))).unwrap();
        for body in file.names().iter().take(3) {
            let solid = file.solid(Some(body)).unwrap();
            let (low, high) = (solid.bounds.min, solid.bounds.max);
            let mut random = tightfit_spatial::SplitMix(7);
            for number in 0..300 {
                let mut point = Vector3::from_fn(|k, _| low[k] + random.unit() * (high[k] - low[k]));
                let (axis, beyond) = (number % 3, 1e-6 + 3e-3 * random.unit());
                point[axis] = if number % 2 == 0 { low[axis] - beyond } else { high[axis] + beyond };
                let distance = solid.sample(point).distance;
                assert!(distance > 0.0, "{name}, {body} at {point:?}: {distance} m");
            }
        }
    }
}

/// Properties for validation name a solid in a representation without a product.
#[test]
fn a_solid_that_a_property_names_again_is_one_body() {
    let text = BORED_BLOCK
        .replace("#10 = ADVANCED", "#9500 = ADVANCED")
        .replace("(#4,#10)", "(#4,#9500)")
        .replace("#15 = MANIFOLD", "#9001 = SHAPE_REPRESENTATION('',(#15),#429);\n#15 = MANIFOLD");
    let file = File::parse(text.as_bytes()).unwrap();
    assert_eq!(file.names(), ["Open CASCADE STEP translator 8.0 1"]);
}
