//! Untrained networks: clusters that are contacts hold a peg, averages of all near contacts do not.

use tightfit_interaction::{InteractionNetwork, InteractionOptions};
use tightfit_interaction_training::clustering::{
    braced_start, interaction_pair, plain_surface, spread_start,
};
use tightfit_interaction_training::embedding::usual_ranges;
use tightfit_interaction_training::virtual_experiment::{VirtualOptions, generate_trial, thread_scene};
use tightfit_interaction_training::wrench::{LoadModel, RecordedScene, WrenchErrors, WrenchPredictor};
use tightfit_learning::identification::HoldingSpring;
use tightfit_simulation::{
    ClusteringMethod, CspaceMethod, Methods, Outcome, Preset, Scene, Simulation, Summary,
};

/// The paper's methods on the peg, with a network that spreads its clusters.
fn peg(options: InteractionOptions) -> (bool, Summary) {
    let mut scene = Scene::find_with("peg-in-hole", &["method.preset=refined".to_string()]).unwrap();
    let body = scene.bodies.iter().find(|body| body.name == "peg").unwrap();
    let surface = plain_surface(&body.part, body.inertia.unwrap().center_of_mass).unwrap();
    let network = spread_start(usual_ranges(&surface), options, 1).unwrap();
    scene.interaction = Some(interaction_pair(&scene, network, surface).unwrap());
    scene.methods.clustering = ClusteringMethod::Interaction;
    let mut run = Simulation::new(scene, 1);
    run.with_audit();
    let records: Vec<_> = (0..420).map(|_| run.advance()).collect();
    (Outcome::of(&run, &records).completed, Summary::of(&records))
}

#[test]
fn clusters_that_are_contacts_insert_the_peg() {
    let (completed, touching) = peg(InteractionOptions::TOUCHING);
    let (_, near) = peg(InteractionOptions::PAPER);
    let [held, sunk] = [&touching, &near].map(|summary| summary.audited.unwrap()[0]);
    println!("deepest: contacts {held:e} m, averages {sunk:e} m");
    assert!(completed);
    assert!(held < 50e-6 && sunk > 5.0 * held, "{touching:?} {near:?}");
    assert!(touching.energy_injected <= 1e-15, "{touching:?}");
}

/// The nut's load is carried although only the unloaded flank of its thread penetrates: every normal that the load would leave
/// is turned.
#[test]
fn a_braced_start_holds_a_nut_whose_recorded_pose_is_off() {
    let scene = thread_scene(48.0, 5.0).unwrap();
    let recorded = RecordedScene::new(&scene, 0.01).unwrap();
    let body = scene.bodies.iter().find(|body| body.name == "nut").unwrap();
    let surface = plain_surface(&body.part, body.inertia.unwrap().center_of_mass).unwrap();
    let trial =
        generate_trial(&scene, &VirtualOptions { seconds: 0.5, ..VirtualOptions::default() }, 1).unwrap();
    let spring = HoldingSpring::default();
    let mut moments = LoadModel::Measured.moments(&recorded, &spring, &trial).unwrap();
    // the nut is recorded 0.3 mm too high: the lower flanks, which carry it, are free
    for moment in &mut moments.moments {
        moment.motion.center.z += 0.3e-3;
    }
    let error = |network: InteractionNetwork| {
        let mut recorded = recorded.clone();
        recorded.scene.interaction =
            Some(interaction_pair(&recorded.scene, network, surface.clone()).unwrap());
        let methods = Methods {
            clustering: ClusteringMethod::Interaction,
            cspace: CspaceMethod::None,
            ..Methods::from(Preset::Paper)
        };
        let mut predictor = WrenchPredictor::new(&recorded, methods, spring);
        let predicted: Vec<[f64; 6]> = moments.moments.iter().map(|own| predictor.predict(own)).collect();
        let errors = WrenchErrors::of(predicted.iter().zip(&moments.measured));
        errors.force / errors.measured[0]
    };
    let ranges = usual_ranges(&surface);
    let spread = error(spread_start(ranges, InteractionOptions::PRINTED, 1).unwrap());
    let braced = error(braced_start(ranges, InteractionOptions::PRINTED, 1).unwrap());
    println!("force error of the measured: spread {spread:.3}, braced {braced:.3}");
    // the part is lost without it
    assert!(spread > 0.9 && braced < 0.5 * spread, "{spread} {braced}");
}
