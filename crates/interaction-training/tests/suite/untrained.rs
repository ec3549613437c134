//! Untrained networks: clusters that are contacts hold a peg, averages of all near contacts do not.

use tightfit_interaction::InteractionOptions;
use tightfit_interaction_training::clustering::{interaction_pair, plain_surface, spread_start};
use tightfit_interaction_training::embedding::usual_ranges;
use tightfit_simulation::{ClusteringMethod, Outcome, Scene, Simulation, Summary};

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
