//! Depth networks in the step: both tasks are done with the embedded ones, steps repeat themselves and take no memory,
//! and a network of another part is refused.

use tightfit_network::{
    Activation, Features, Field, FieldFile, Layer, Network, Primitive, Random, Range, Residual,
};
use tightfit_simulation::{Audit, Parameters, Scene, Simulation};

fn neural(name: &str) -> Scene {
    Scene::find_with(name, &["method.detection=neural".into()]).unwrap()
}

#[test]
fn the_hole_and_the_bolt_have_embedded_networks_and_the_other_side_stays_exact() {
    for (scene, with, without) in [("peg-in-hole", "hole", "peg"), ("bolting", "bolt", "nut")] {
        let bodies = neural(scene).bodies;
        let has_network =
            |name: &str| bodies.iter().find(|body| body.name == name).unwrap().network.is_some();
        assert!(has_network(with) && !has_network(without), "{scene}");
        assert!(Scene::find(scene).unwrap().bodies.iter().all(|body| body.network.is_none()));
    }
}

#[test]
fn the_peg_goes_in_against_a_network_of_the_hole() {
    let scene = neural("peg-in-hole");
    let mut run = Simulation::new(scene.clone(), 1);
    let audit = Audit::new(&scene, &Parameters::of(&scene));
    let (mut deepest, mut depth, mut contacts) = (0.0_f64, f64::NEG_INFINITY, 0);
    for step in 0..420 {
        let certificate = run.step();
        assert!(certificate.converged, "step {step}");
        contacts += certificate.active;
        if step % 5 == 0 {
            deepest = deepest.max(audit.penetration(&scene, &Parameters::of(&scene), &run.state));
        }
        depth = depth.max(-run.world_from_part(run.scene.body("peg").unwrap()).translation.z);
    }
    assert!(contacts > 100, "the peg must touch");
    assert!(deepest < 5e-6, "{deepest}");
    assert!(depth > 0.02, "{depth}");
}

#[test]
fn a_turn_of_the_nut_on_a_network_of_the_bolt_has_the_lead_of_the_thread() {
    let scene = neural("bolting-engaged");
    let mut run = Simulation::new(scene.clone(), 1);
    let audit = Audit::new(&scene, &Parameters::of(&scene));
    let mut places = Vec::new();
    for step in 0..200 {
        let certificate = run.step();
        assert!(certificate.converged, "step {step}");
        places.push((run.state.spins[0], run.state.motions[0].center.z));
    }
    let deepest = audit.penetration(&scene, &Parameters::of(&scene), &run.state);
    assert!(deepest < 10e-6, "{deepest}");
    let ((from, low), (to, high)) = (places[120], places[199]);
    let lead = (high - low) / (to - from) * std::f64::consts::TAU;
    assert!((lead - 5e-3).abs() < 0.02e-3, "{lead} over {} rad", to - from);
}

#[test]
fn steps_repeat_themselves_with_the_workspace_cleared() {
    let hashes = |forgets: bool| {
        let mut run = Simulation::new(neural("peg-in-hole"), 1);
        let one = |_| {
            if forgets {
                run.forget();
            }
            run.advance().hash
        };
        (0..150).map(one).collect::<Vec<_>>()
    };
    assert_eq!(hashes(false), hashes(true));
}

#[test]
fn a_part_of_other_dimensions_is_not_answered_by_the_network() {
    // the hole of the parameters is 80 µm wider, so the scene's network does not stand for it
    let hash = |scene: Scene| {
        let mut wide = tightfit_shape::preset::hole_50();
        wide.diameter += 80e-6;
        let hole = scene.body("hole").unwrap();
        let mut run = Simulation::new(scene, 1);
        run.parameters.bodies[hole].part = tightfit_shape::Part::Sectioned(wide.build().unwrap());
        (0..60).map(|_| run.advance().hash).collect::<Vec<_>>()
    };
    assert_eq!(hash(neural("peg-in-hole")), hash(Scene::find("peg-in-hole").unwrap()));
}

/// A hole without chamfer is a ring: a network that adds nothing to it must hold a peg that lies on the wall.
#[test]
fn a_network_on_top_of_a_plain_shape_carries_what_lies_on_it() {
    let layer = Layer { weights: vec![0.0; 2], biases: vec![0.0], activation: Activation::Identity };
    let range = |low, high| Range::new("test", low, high).unwrap();
    let inputs = vec![range(0.02, 0.042), range(-0.053, 0.003)];
    let primitive = Primitive::Ring { radii: [0.025_017_5, 0.038], heights: [-0.05, 0.0] };
    let field =
        Field::new(Features::Revolved, inputs, range(-1e-9, 1e-9), Network::new(vec![layer]).unwrap());
    let field = field.unwrap().with_residual(Residual { primitive, values: range(-2e-3, 2e-3) }).unwrap();
    let folder = std::env::temp_dir().join("tightfit-neural-residual");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("ring.safetensors");
    FieldFile { field, recipe: serde_json::Value::Null }.save(&path).unwrap();
    let text = format!(
        r#"
        name = "peg-on-the-wall"
        gravity_m_s2 = [-9.81, 0, 0]
        [parts.hole]
        shape = {{ kind = "hole", diameter_mm = 50.035, depth_mm = 50, outer_diameter_mm = 76, chamfer_mm = 0 }}
        motion = "fixed"
        network = {:?}
        [parts.peg]
        shape = {{ kind = "peg", diameter_mm = 49.97, length_mm = 30, tip_chamfer_mm = 1, tail_chamfer_mm = 1 }}
        mass_kg = 0.5
        position_mm = [0, 0, -40]
        [method]
        detection = "neural"
        "#,
        path.display().to_string()
    );
    let mut run = Simulation::new(Scene::from_toml(&text).unwrap(), 1);
    for _ in 0..60 {
        run.step();
    }
    let record = run.advance();
    assert!(record.certificate.converged && record.certificate.penetration < 0.1e-6);
    assert!((record.bodies[0].force.x - 0.5 * 9.81).abs() < 1e-3, "{}", record.bodies[0].force);
    assert!(
        (record.bodies[0].motion.center.x + 32.5e-6).abs() < 0.2e-6,
        "{}",
        record.bodies[0].motion.center.x
    );
}

#[test]
fn a_network_of_another_part_and_a_scene_without_any_are_refused() {
    let folder = std::env::temp_dir().join("tightfit-neural-detection");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("other.safetensors");
    let sizes = [2, 8, 1];
    let network =
        Network::random(&sizes, Activation::Relu, Activation::Identity, &mut Random::new(1)).unwrap();
    let range = |low, high| Range::new("test", low, high).unwrap();
    let inputs = vec![range(0.02, 0.042), range(-0.053, 0.003)];
    let field = Field::new(Features::Revolved, inputs, range(-2e-3, 2e-3), network).unwrap();
    FieldFile { field, recipe: serde_json::Value::Null }.save(&path).unwrap();

    let file = format!("parts.hole.network={:?}", path.display().to_string());
    let sets = ["method.detection=neural".to_string(), file];
    let error = Scene::find_with("peg-in-hole", &sets).unwrap_err().to_string();
    assert!(error.contains("parts.hole.network") && error.contains("train depth"), "{error}");
    let missing = ["method.detection=neural".into(), "parts.hole.network=none.safetensors".into()];
    let error = Scene::find_with("peg-in-hole", &missing).unwrap_err().to_string();
    assert!(error.contains("none.safetensors"), "{error}");
    let error = Scene::find_with("square-key", &["method.detection=neural".into()]).unwrap_err().to_string();
    assert!(error.contains("method.detection") && error.contains("parts.NAME.network"), "{error}");
    let error = Scene::find_with("square-key", &["method.detection=magic".into()]).unwrap_err().to_string();
    assert!(error.contains("method.detection") && error.contains("neural"), "{error}");
}
