//! Detection by triangles in the step: both tasks are done with it, bodies at rest are carried, steps repeat themselves,
//! and what cannot be met so is refused.

use tightfit_simulation::{Audit, DetectionMethod, Parameters, Scene, Simulation};

fn meshed(name: &str, more: &[&str]) -> Scene {
    let sets: Vec<String> =
        ["method.detection=mesh"].iter().chain(more).map(|set| (*set).to_string()).collect();
    Scene::find_with(name, &sets).unwrap()
}

#[test]
fn the_scene_says_how_contacts_are_found() {
    let scene = meshed("peg-in-hole", &[]);
    assert_eq!(scene.detection, DetectionMethod::Mesh);
    assert!(scene.bodies.iter().all(|body| body.mesh.is_some() && body.network.is_none()));
    let exact = Scene::find("peg-in-hole").unwrap();
    assert!(exact.detection == DetectionMethod::Exact && exact.bodies.iter().all(|body| body.mesh.is_none()));
    // finer triangles, more of them
    let finer = meshed("peg-in-hole", &["method.mesh_tolerance_mm=0.001"]);
    let count = |scene: &Scene| scene.bodies[scene.body("hole").unwrap()].mesh.as_ref().unwrap().len();
    assert!(count(&finer) > count(&scene));
}

#[test]
fn the_peg_goes_in_and_penetrates_no_more_than_its_facets() {
    let scene = meshed("peg-in-hole", &[]);
    let mut run = Simulation::new(scene.clone(), 1);
    let audit = Audit::new(&scene, &Parameters::of(&scene));
    let (mut deepest, mut depth, mut touching) = (0.0_f64, f64::NEG_INFINITY, 0);
    for step in 0..420 {
        let certificate = run.step();
        assert!(certificate.converged, "step {step}");
        touching += usize::from(certificate.active > 0);
        if step % 10 == 0 {
            deepest = deepest.max(audit.penetration(&scene, &Parameters::of(&scene), &run.state));
        }
        depth = depth.max(-run.world_from_part(run.scene.body("peg").unwrap()).translation.z);
    }
    assert!(touching > 100, "the peg must touch");
    assert!(deepest < 2e-6, "{deepest}");
    assert!(depth > 0.02, "{depth}");
}

/// Facets hold a part off that slides over them: the face ahead is turned by an angle of the arc, and the step looks
/// ahead. The nut rides higher than on the exact thread, but its lead is the thread's.
#[test]
fn a_turn_of_the_nut_has_the_lead_of_the_thread_and_rides_on_the_facets() {
    let places = |scene: Scene| {
        let mut run = Simulation::new(scene, 1);
        let one = |_| {
            run.step();
            (run.state.spins[0], run.state.motions[0].center.z)
        };
        (0..160).map(one).collect::<Vec<_>>()
    };
    let mesh = places(meshed("bolting-engaged", &["method.mesh_tolerance_mm=0.01"]));
    let exact = places(Scene::find("bolting-engaged").unwrap());
    let ((from, low), (to, high)) = (mesh[80], mesh[159]);
    let lead = (high - low) / (to - from) * std::f64::consts::TAU;
    assert!((lead - 5e-3).abs() < 0.05e-3, "{lead} over {} rad", to - from);
    let higher = mesh[159].1 - exact[159].1;
    assert!(higher > 0.0 && higher < 0.2e-3, "{higher}");
}

/// Two free blocks on a fixed one, all by their triangles: each pair carries the weight above it.
#[test]
fn blocks_at_rest_carry_their_weight() {
    let block = |name: &str, z: f64, motion: &str| {
        let width = 40.0 - z / 2.0;
        format!(
            "[parts.{name}]\nshape = {{ kind = \"block\", size_mm = [{width}, {width}, 20] }}\nposition_mm = [0, 0, {z}]\n\
             mass_kg = 0.2\nmotion = \"{motion}\"\n"
        )
    };
    let text = ["name = \"tower\"\ngravity_m_s2 = [0, 0, -9.81]\nfriction = 0.4\n".to_string()]
        .into_iter()
        .chain([block("a", 0.0, "fixed"), block("b", 20.0, "free"), block("c", 40.0, "free")])
        .chain(["[method]\ndetection = \"mesh\"\n".to_string()])
        .collect::<String>();
    let mut run = Simulation::new(Scene::from_toml(&text).unwrap(), 1);
    for _ in 0..40 {
        run.step();
    }
    let record = run.advance();
    for (index, height) in [(0, 20e-3), (1, 40e-3)] {
        let motion = record.bodies[index].motion;
        assert!((motion.center.z - height).abs() < 1e-6, "{index}: {}", motion.center.z);
        assert!(motion.twist.linear_in_world.norm() < 1e-6, "{index}");
        let force = record.bodies[index].force;
        assert!((force.z - 0.2 * 9.81).abs() < 1e-4 && force.xy().norm() < 1e-4, "{index}: {force}");
    }
}

#[test]
fn steps_repeat_themselves_with_the_workspace_cleared() {
    let hashes = |forgets: bool| {
        let mut run = Simulation::new(meshed("peg-in-hole", &["method.mesh_tolerance_mm=0.01"]), 1);
        let one = |_| {
            if forgets {
                run.forget();
            }
            run.advance().hash
        };
        (0..100).map(one).collect::<Vec<_>>()
    };
    assert_eq!(hashes(false), hashes(true));
}

#[test]
fn a_part_of_other_dimensions_is_met_by_its_distance() {
    let hashes = |scene: Scene| {
        let mut wide = tightfit_shape::preset::hole_50();
        wide.diameter += 80e-6;
        let hole = scene.body("hole").unwrap();
        let mut run = Simulation::new(scene, 1);
        run.parameters.bodies[hole].part = tightfit_shape::Part::Sectioned(wide.build().unwrap());
        (0..60).map(|_| run.advance().hash).collect::<Vec<_>>()
    };
    assert_eq!(hashes(meshed("peg-in-hole", &[])), hashes(Scene::find("peg-in-hole").unwrap()));
}

#[test]
fn parts_without_triangles_and_idle_options_are_refused() {
    let ball = "name = \"ball\"\n[parts.floor]\nmotion = \"fixed\"\nshape = { kind = \"half-space\" }\n\
                [parts.ball]\nshape = { kind = \"sphere\", diameter_mm = 10 }\n[method]\ndetection = \"mesh\"\n";
    let error = Scene::from_toml(ball).unwrap_err().to_string();
    assert!(error.contains("method.detection") && error.contains("half-space"), "{error}");
    let error =
        Scene::find_with("peg-in-hole", &["method.mesh_tolerance_mm=0.01".into()]).unwrap_err().to_string();
    assert!(error.contains("mesh_tolerance_mm") && error.contains("`mesh`"), "{error}");
    let sets = ["method.detection=mesh".into(), "method.mesh_tolerance_mm=0".into()];
    let error = Scene::find_with("peg-in-hole", &sets).unwrap_err().to_string();
    assert!(error.contains("mesh_tolerance_mm"), "{error}");
}
