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

/// The same at another friction and step [ms].
fn stepped(text: &str, friction: f64, step: f64) -> String {
    text.replace("friction = 0.3\n", &format!("friction = {friction}\nstep_ms = {step}\n"))
}

/// Ridges of a bolt cross edges, lie on walls and reach into corners between their nodes, by up to 70 µm; so do the ends of threads,
/// shanks, heads, and nuts that do not engage.
#[test]
fn threads_on_what_they_do_not_engage() {
    const BOLT: &str = "kind = 'preset', name = 'm48x5-bolt'";
    const SMALL: &str = "kind = 'preset', name = 'm16-bolt'";
    const HEADED: &str = "kind = 'bolt', diameter_mm = 16, pitch_mm = 2, length_mm = 30, shank_length_mm = 10, head_height_mm = 10";
    const NUT: &str = "kind = 'preset', name = 'm16-nut'";
    const BLOCK: &str = "kind = 'block', size_mm = [33.80, 27.14, 12.61]";
    const SLEEVE: &str = "kind = 'hole', diameter_mm = 37.42, depth_mm = 13.47, outer_diameter_mm = 79.14, chamfer_mm = 0, sides = 6, corner_radius_mm = 2.71";
    const DISC: &str = "kind = 'cylinder', diameter_mm = 35.51, length_mm = 21.74";
    const ROD: &str = "kind = 'cylinder', diameter_mm = 20.42, length_mm = 40.08";
    const ROUNDED: &str = "kind = 'peg', diameter_mm = 39.86, length_mm = 51.63, tip_chamfer_mm = 0, sides = 4, corner_radius_mm = 4";
    let cases = [
        (
            (BOLT, [92.895, -137.523, -91.3]),
            BLOCK,
            [-9.575, -10.563, 102.97],
            [-116.036, 21.346, -18.927],
            0.2,
            2.0,
        ),
        (
            (SMALL, [89.12, -125.197, -81.42]),
            SLEEVE,
            [7.938, 0.59, 102.389],
            [-13.834, -28.781, -168.105],
            0.326,
            5.0,
        ),
        (
            (DISC, [-14.833, -44.274, 0.734]),
            BOLT,
            [7.559, 10.031, 96.543],
            [8.857, -141.935, -88.348],
            0.344,
            10.0,
        ),
        (
            (HEADED, [92.548, -10.721, 21.148]),
            NUT,
            [4.095, 6.063, 97.754],
            [-49.413, 150.296, 10.564],
            0.07,
            5.0,
        ),
        (
            (SMALL, [-13.262, 87.607, -149.429]),
            BOLT,
            [-8.187, 11.835, 95.275],
            [32.692, -12.473, 56.109],
            0.487,
            2.0,
        ),
        (
            (ROD, [146.253, 178.731, -18.014]),
            HEADED,
            [-8.65, -7.382, 95.907],
            [-56.896, -147.206, -93.914],
            0.298,
            2.0,
        ),
        (
            (ROUNDED, [-23.939, 99.719, -5.114]),
            BOLT,
            [5.171, -0.207, 104.715],
            [77.825, -147.104, -133.391],
            0.383,
            5.0,
        ),
    ];
    for (lower, upper, place, attitude, friction, step) in cases {
        let text = stepped(&fall(lower, upper, place, attitude), friction, step);
        check(&format!("{upper} on {}", lower.0), &text, (250.0 / step) as usize);
    }
}

/// The straight edges of a sharp prism are nearest to a round corner between their nodes: 36 and 23 µm.
#[test]
fn sharp_prisms_on_round_corners() {
    let hole = "kind = 'hole', diameter_mm = 33.24, depth_mm = 19.58, outer_diameter_mm = 86.48, chamfer_mm = 0.5, sides = 6";
    let peg = "kind = 'peg', diameter_mm = 26.33, length_mm = 59.97, tip_chamfer_mm = 0, sides = 6, corner_radius_mm = 2.9";
    let text = fall((hole, [0.0, 0.0, 10.1304]), peg, [5.1529, 0.508, 61.794], [168.686, 156.2038, 32.4217]);
    check("a peg with round corners in a sharp hole", &stepped(&text, 0.242, 10.0), 30);
    let peg = "kind = 'peg', diameter_mm = 23.72, length_mm = 35.43, tip_chamfer_mm = 0, sides = 5, corner_radius_mm = 2.12";
    let ring = "kind = 'hole', diameter_mm = 25.83, depth_mm = 27.03, outer_diameter_mm = 71.67, chamfer_mm = 0, sides = 4";
    let text =
        fall((peg, [90.0, 0.0, 5.6953]), ring, [-7.4064, -5.0185, 61.956], [88.2052, 168.6812, 119.0245]);
    check("a square ring on a peg with round corners", &stepped(&text, 0.444, 10.0), 30);
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
