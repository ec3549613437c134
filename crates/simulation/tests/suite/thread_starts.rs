//! A nut that is set on its bolt touches it where the edges of both starts cross: the certificate sees what the audit sees.

use tightfit_simulation::{Scene, Simulation};

/// A nut of this thread [mm] that is pressed on its bolt and turned on by a turn, shifted and tilted [mm, deg].
fn nut_from_above(
    diameter: f64,
    pitch: f64,
    [shift, tilt]: [f64; 2],
    is_chamfered: bool,
    is_left: bool,
) -> Scene {
    let (height, length) = (0.8 * diameter, 2.0 * diameter);
    let above = length + height / 2.0;
    let hand = if is_left { 1.0 } else { -1.0 };
    let [tip, sink] = match is_chamfered {
        true => [
            format!("start_diameter_mm = {}, ", 0.9 * diameter - pitch),
            format!("start_diameter_mm = {diameter}, "),
        ],
        false => [String::new(), String::new()],
    };
    let common = format!(
        "diameter_mm = {diameter}, pitch_mm = {pitch}, radial_clearance_mm = 0.08, axial_clearance_mm = 0, left_hand = {is_left}"
    );
    Scene::from_toml(&format!(
        "name = 'from above'\nfriction = 0.1\ngravity_m_s2 = [0, 0, 0]\n\
         [parts.bolt]\nshape = {{ kind = 'bolt', length_mm = {length}, {tip}{common} }}\nmotion = 'fixed'\n\
         [parts.nut]\nshape = {{ kind = 'nut', height_mm = {height}, {sink}{common} }}\ncenter_of_mass_mm = [0, 0, 0]\n\
         [drive]\npart = 'nut'\nstiffness_n_m = [2000, 2000, 0]\nturning_stiffness_nm_rad = [0.3, 0.3, 0.5]\n\
         damping_per_s = 50\nforce_n = [0, 0, -5]\noffset_mm = {shift}\ntilt_deg = {tilt}\n\
         waypoints = [{{ time_s = 0, position_mm = [0, 0, {above}] }}, {{ time_s = 0.1, position_mm = [0, 0, {above}] }},\n\
         {{ time_s = 1.1, position_mm = [0, 0, {above}], turns = {hand} }}]\n"
    ))
    .expect("a scene")
}

#[test]
fn a_nut_that_finds_its_thread_is_as_deep_as_its_certificate_says() {
    let cases = [
        nut_from_above(8.0, 1.25, [0.1, 0.0], false, false),
        nut_from_above(10.0, 1.5, [0.1, 0.4], false, true),
        nut_from_above(16.0, 2.0, [0.15, 0.0], false, false),
        nut_from_above(20.0, 2.5, [0.15, 0.3], true, false),
    ];
    for (case, scene) in cases.into_iter().enumerate() {
        let mut simulation = Simulation::new(scene, 1);
        simulation.with_audit();
        for step in 0..110 {
            let record = simulation.advance();
            let (told, seen) = (record.certificate.penetration, record.audited.expect("an audit"));
            assert!(record.certificate.converged, "case {case}, step {step}");
            assert!(
                seen < 1e-6 && (seen < 0.2e-6 || seen - told < 0.1e-6),
                "case {case}, step {step}: {told} of {seen} m"
            );
        }
    }
}
