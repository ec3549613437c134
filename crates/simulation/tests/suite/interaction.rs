//! Clusters of an interaction network through the step: few are solved, all are projected and certified.

use crate::support;

use tightfit_interaction::InteractionOptions;
use tightfit_simulation::{ClusteringMethod, Scene, Simulation, Summary};

const PEG: [&str; 2] = ["peg", "hole"];

#[test]
fn few_clusters_are_solved_and_the_projection_sees_all() {
    for (name, options) in
        [("paper", InteractionOptions::PAPER), ("published", InteractionOptions::PUBLISHED)]
    {
        let settings = support::interaction(name, "peg-in-hole", PEG, options);
        let mut run = Simulation::new(Scene::find_with("peg-in-hole", &settings).unwrap(), 1);
        run.with_audit();
        let records: Vec<_> = (0..260).map(|_| run.advance()).collect();
        let active = records.iter().map(|record| record.certificate.active).max().unwrap();
        assert!((1..=12).contains(&active), "{name}: {active}");
        let summary = Summary::of(&records);
        println!("{name}: {:?} {:?}", summary.penetration, summary.audited);
        assert!(summary.energy_injected <= 1e-15, "{name}: {summary:?}");
        assert!(records.iter().any(|record| record.certificate.stage_seconds.clustering > 0.0));
        assert!(records.iter().any(|record| record.certificate.candidates > 100));
    }
}

#[test]
fn nothing_survives_a_step_outside_the_state() {
    let settings = support::interaction("state", "peg-in-hole", PEG, InteractionOptions::PAPER);
    let start = || Simulation::new(Scene::find_with("peg-in-hole", &settings).unwrap(), 1);
    let (mut plain, mut cleared) = (start(), start());
    for step in 0..200 {
        cleared.forget();
        assert_eq!(plain.advance().hash, cleared.advance().hash, "step {step}");
    }
}

#[test]
fn the_paper_takes_a_network_where_a_part_names_one() {
    let settings = support::interaction("preset", "peg-in-hole", PEG, InteractionOptions::PAPER);
    let scene = |extra: &[&str]| {
        let own = settings[..1].iter().cloned();
        let all: Vec<String> = own.chain(extra.iter().map(ToString::to_string)).collect();
        Scene::find_with("peg-in-hole", &all)
    };
    let paper = scene(&["method.preset=refined"]).unwrap();
    assert_eq!(paper.methods.clustering, ClusteringMethod::Interaction);
    assert!(paper.interaction.is_some());
    for extra in [&["method.preset=refined", "method.clustering=k-means"][..], &["method.preset=standard"]] {
        let other = scene(extra).unwrap();
        assert_eq!(other.methods.clustering, ClusteringMethod::KMeans { clusters: 12 });
        assert!(other.interaction.is_none());
    }
    let wrong = |settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        Scene::find_with("peg-in-hole", &settings).unwrap_err().to_string()
    };
    let clustering = "method.clustering=interaction";
    assert!(wrong(&[clustering]).contains("parts.NAME.interaction"));
    let file = "parts.peg.interaction={ against = \"hole\", network = \"nowhere.safetensors\" }";
    assert!(wrong(&[clustering, file]).contains("nowhere.safetensors"));
    let against = "parts.peg.interaction={ against = \"peg\", network = \"x\" }";
    assert!(wrong(&[clustering, against]).contains("fixed parts: hole"));
    let fixed = "parts.hole.interaction={ against = \"hole\", network = \"x\" }";
    assert!(wrong(&[clustering, fixed]).contains("for free parts"));
}

#[test]
fn the_surface_of_another_part_is_refused() {
    let settings = support::interaction("other", "peg-in-hole", PEG, InteractionOptions::PAPER);
    let on_a_nut: Vec<String> = settings
        .iter()
        .map(|own| own.replace("parts.peg", "parts.nut").replace("\"hole\"", "\"bolt\""))
        .collect();
    let error = Scene::find_with("bolting", &on_a_nut).unwrap_err().to_string();
    assert!(error.contains("parts.nut.interaction.network") && error.contains("another part"), "{error}");
}
