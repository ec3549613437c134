//! Controllers that are set absurdly: refused when the scene is built, or stopped by name; nothing explodes.

use tightfit_robot::control::ControlError;
use tightfit_simulation::batch::{Batch, Fault};
use tightfit_simulation::{ArmFailure, Limit, Scene, Simulation};

const SCENE: &str = "peg-in-hole-arm";

/// The three controllers, with factors on stiffness and damping.
fn controllers(stiffness: f64, damping: f64) -> [String; 3] {
    let three = |value: f64| format!("[{value:?}, {value:?}, {value:?}]");
    let (k, d) = (three(2000.0 * stiffness), three(200.0 * damping));
    let (k_turning, d_turning) = (three(20.0 * stiffness), three(2.0 * damping));
    [
        format!(
            "{{ kind = \"impedance\", stiffness_n_m = {k}, damping_ns_m = {d}, turning_stiffness_nm_rad = {k_turning}, \
             turning_damping_nms_rad = {d_turning} }}"
        ),
        format!(
            "{{ kind = \"admittance\", mass_kg = {}, turning_mass_kg_m2 = {}, stiffness_n_m = {k}, damping_ns_m = {d}, \
             turning_stiffness_nm_rad = {k_turning}, turning_damping_nms_rad = {d_turning} }}",
            three(12.0),
            three(0.8)
        ),
        format!(
            "{{ kind = \"joints\", joint_frequency_rad_s = {:?}, joint_damping_ratio = {damping:?} }}",
            40.0 * stiffness.sqrt()
        ),
    ]
}

fn scene(controller: &str) -> Result<Scene, String> {
    let setting = format!("arm.controller={controller}");
    Scene::find_with(SCENE, &[setting]).map_err(|error| error.to_string())
}

/// Runs until the end or a failure; the part never leaves the place, and is where it was when the arm fails.
fn assert_contained(mut run: Simulation, steps: usize) -> (Vec<Limit>, Option<ArmFailure>) {
    let mut hit: Vec<Limit> = Vec::new();
    for _ in 0..steps {
        let before = run.state.motions.clone();
        let record = run.advance();
        hit.extend(record.certificate.limits.iter());
        assert!(run.state.is_finite());
        assert!(record.bodies[0].motion.center.norm() < 2.0, "{:?}", record.bodies[0].motion);
        if let Some(failure) = record.certificate.arm_failure {
            assert!(record.certificate.limits.contains(Limit::ArmFailed));
            assert_eq!(run.state.motions, before, "the step was taken");
            return (hit, Some(failure));
        }
    }
    (hit, None)
}

#[test]
fn a_hundred_times_the_stiffness_does_not_explode() {
    for controller in controllers(100.0, 1.0) {
        match scene(&controller) {
            // a hundredth of critical is the least
            Err(error) => assert!(error.contains("critical"), "{error}"),
            Ok(scene) => {
                let (hit, failure) = assert_contained(Simulation::new(scene, 1), 300);
                if let Some(failure) = failure {
                    assert!(!failure.to_string().is_empty());
                    assert!(hit.contains(&Limit::ArmFailed), "{controller}");
                }
            }
        }
    }
}

#[test]
fn no_damping_is_refused_by_name() {
    for controller in controllers(1.0, 0.0) {
        let error = scene(&controller).map(|_| ()).unwrap_err();
        assert!(error.contains("arm.controller") && error.contains("damping"), "{error}");
    }
}

#[test]
fn a_set_point_that_is_no_number_stops_the_arm_by_name() {
    for controller in controllers(1.0, 1.0) {
        for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut scene = scene(&controller).unwrap();
            // it is reached after half a second
            let waypoints = &mut scene.drives[0].waypoints;
            let mut last = *waypoints.last().unwrap();
            waypoints.insert(1, tightfit_simulation::Waypoint { time: 0.5, ..waypoints[0] });
            last.position.y = wrong;
            *waypoints.last_mut().unwrap() = last;
            let (_, failure) = assert_contained(Simulation::new(scene.clone(), 1), 100);
            let failure = failure.expect("it is named");
            assert_eq!(failure, ArmFailure::Control(ControlError::NotFinite("the set-point")));
            assert!(failure.to_string().contains("the set-point holds a number that is not finite"));

            let mut batch = Batch::new(scene, 1, 1).unwrap();
            batch.advance(100);
            let (_, fault) = batch.faults().next().unwrap();
            assert!(matches!(fault, Fault::Arm { .. }) && fault.to_string().contains("set-point"), "{fault}");
        }
    }
}

#[test]
fn a_set_point_out_of_this_world_is_a_limit() {
    for controller in controllers(1.0, 1.0) {
        for far in [5.0, 1e6, 1e200] {
            let mut scene = scene(&controller).unwrap();
            scene.drives[0].waypoints.last_mut().unwrap().position.x = far;
            let (hit, failure) = assert_contained(Simulation::new(scene, 1), 150);
            let named = [Limit::OutOfReach, Limit::DriveEffort, Limit::JointSpeed, Limit::JointRange];
            let is_named = failure.is_some() || hit.iter().any(|limit| named.contains(limit));
            assert!(is_named, "{controller} to {far:e} m: {hit:?}");
        }
    }
}
