//! Parts of many kinds that fall on one another and are shaken in their holes: no step is deeper than its certificate says.

use tightfit_simulation::{Audit, Scene, Simulation};

/// Runs a scene; every step must converge, without limits, and be told as deep as the audit finds it.
fn check(name: &str, text: &str, steps: usize) {
    let scene = Scene::from_toml(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut simulation = Simulation::new(scene, 7);
    let audit = Audit::new(&simulation.scene, &simulation.parameters);
    for step in 1..=steps {
        let certificate = simulation.step();
        let depth = audit.penetration(&simulation.scene, &simulation.parameters, &simulation.state);
        assert!(
            certificate.limits.is_empty() && certificate.converged,
            "{name}, step {step}: {certificate:?}"
        );
        let is_told = depth < 0.2e-6 || certificate.penetration >= 0.9 * depth;
        assert!(is_told, "{name}, step {step}: {} m of {depth} m", certificate.penetration);
    }
}

const CAPSULE: &str = "kind = 'capsule', diameter_mm = 16, length_mm = 30";
const CONE: &str = "kind = 'cone', diameter_mm = 36, length_mm = 40";
const CYLINDER: &str = "kind = 'cylinder', diameter_mm = 25, length_mm = 40";
const HEXAGON: &str = "kind = 'peg', diameter_mm = 18, length_mm = 40, tip_chamfer_mm = 0, sides = 6";
const RING: &str = "kind = 'hole', diameter_mm = 20, depth_mm = 20, outer_diameter_mm = 40, chamfer_mm = 0";

/// A part that falls from a place [mm] at an attitude [deg] on a fixed one.
fn fall(lower: (&str, [f64; 3]), upper: &str, place: [f64; 3], attitude: [f64; 3]) -> String {
    format!(
        "name = 'fall'\nfriction = 0.3\ngravity_m_s2 = [0, 0, -9.81]\n\
         [parts.lower]\nshape = {{ {} }}\nmotion = 'fixed'\nrotation_deg = {:?}\n\
         [parts.upper]\nshape = {{ {upper} }}\nposition_mm = {place:?}\nrotation_deg = {attitude:?}\n",
        lower.0, lower.1
    )
}

/// The rim of the one is nearest to the wall of the other between its nodes, by 40 µm; so is the axis of a capsule to a rim or an edge.
#[test]
fn rims_walls_and_capsules() {
    let lying = [90.0, 0.0, 0.0];
    let attitudes = [
        ([80.0, 15.0, 0.0], [6.0, 4.0]),
        ([55.0, 30.0, 0.0], [9.0, -3.0]),
        ([20.0, 70.0, 10.0], [-8.0, 7.0]),
    ];
    let cases = [
        ("cone on a lying cylinder", (CYLINDER, lying), CONE, 40.5),
        ("cylinder on a lying cylinder", (CYLINDER, lying), CYLINDER, 40.5),
        ("capsule on a standing cylinder", (CYLINDER, [0.0; 3]), CAPSULE, 48.0),
        ("capsule on a ring", (RING, [0.0; 3]), CAPSULE, 28.0),
        ("cylinder on the outside of a ring", (RING, lying), CYLINDER, 48.0),
        ("capsule on a hexagonal bar", (HEXAGON, [90.0, 0.0, 17.0]), CAPSULE, 37.0),
    ];
    for (name, lower, upper, height) in cases {
        for (attitude, [x, y]) in attitudes {
            check(name, &fall(lower, upper, [x, y, height], attitude), 50);
        }
    }
}

/// A peg that goes into its hole and is shaken there: tilt [deg] and turn [deg] at the mouth.
fn shaken(section: &str, tilt: f64, turn: f64) -> String {
    format!(
        "name = 'shaken'\nfriction = 0.2\n\
         [parts.hole]\nmotion = 'fixed'\n\
         shape = {{ kind = 'hole', diameter_mm = 22.04, depth_mm = 30, outer_diameter_mm = 54, chamfer_mm = 0, {section} }}\n\
         [parts.peg]\nshape = {{ kind = 'peg', diameter_mm = 22, length_mm = 45, tip_chamfer_mm = 0, {section} }}\n\
         [drive]\npart = 'peg'\nstiffness_n_m = [2000, 2000, 2000]\nturning_stiffness_nm_rad = [2, 2, 2]\n\
         damping_per_s = 50\noffset_mm = 0.2\ntilt_deg = {tilt:?}\n\
         waypoints = [{{ time_s = 0.0, position_mm = [0, 0, 1.5], turns = {} }}, \
         {{ time_s = 1.2, position_mm = [0, 0, -20], turns = 0.0 }}]\n\
         wiggle = {{ from_s = 1.4, until_s = 2.2, amplitude_mm = 0.8, frequency_hz = 1.1, tilt_deg = 1.5, tilt_frequency_hz = 1.4 }}\n",
        turn / 360.0
    )
}

/// A bottom edge that crosses the rim of a hole beyond the corner between two walls, 20 µm deep.
#[test]
fn sharp_prisms_beside_the_corners_of_their_holes() {
    for sides in [3, 5] {
        check(&format!("{sides} sides"), &shaken(&format!("sides = {sides}"), 0.5, 1.7), 230);
    }
    let small = "diameter_mm = 8.6, length_mm = 45, tip_chamfer_mm = 1, kind = 'peg', sides = 3";
    let chamfered = "kind = 'hole', diameter_mm = 8.665, depth_mm = 30, outer_diameter_mm = 27.2, chamfer_mm = 1, sides = 3";
    check("a chamfered triangle", &fall((chamfered, [0.0; 3]), small, [0.1, 0.1, 1.5], [3.0, 2.0, -3.7]), 80);
    let triangle = "diameter_mm = 20, length_mm = 45, tip_chamfer_mm = 0, kind = 'peg', sides = 3";
    let hole = "kind = 'hole', diameter_mm = 20.05, depth_mm = 30, outer_diameter_mm = 70, chamfer_mm = 0, sides = 3";
    check("a triangle falls", &fall((hole, [0.0; 3]), triangle, [3.0, 2.0, 18.0], [10.0, 4.0, 0.0]), 50);
}

/// Round corners over those of the hole graze them, and cross them at places to which their middles do not lead.
#[test]
fn round_corners_over_round_corners() {
    for (sides, radius) in [(3, 1.3), (6, 3.0), (8, 3.0)] {
        let section = format!("sides = {sides}, corner_radius_mm = {radius}");
        check(&section, &shaken(&section, 2.2, 0.4), 230);
    }
}
