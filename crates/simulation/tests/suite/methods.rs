//! Every set of methods through the same step: what each keeps, and what it costs.

use tightfit_simulation::{
    ClusteringMethod, CspaceMethod, Disturbance, IntegrationMethod, Limit, Methods, Outcome, Preset, Record,
    Scene, Simulation, SolverMethod, Summary, WrenchDifference,
};

/// The scene with `[method]` values replaced.
fn scene(name: &str, replacements: &[&str]) -> Scene {
    let replacements: Vec<String> = replacements.iter().map(ToString::to_string).collect();
    Scene::find_with(name, &replacements).unwrap()
}

fn simulate(scene: Scene, steps: usize) -> (Simulation, Vec<Record>) {
    let mut run = Simulation::new(scene, 1);
    run.with_audit();
    let records = (0..steps).map(|_| run.advance()).collect();
    (run, records)
}

#[test]
fn every_preset_inserts_the_peg_without_leaving_cone_or_hole() {
    for preset in [Preset::Tight, Preset::Standard, Preset::Refined] {
        let (run, records) =
            simulate(scene("peg-in-hole", &[&format!("method.preset={}", preset.name())]), 420);
        let summary = Summary::of(&records);
        assert!(Outcome::of(&run, &records).completed, "{preset:?}");
        assert!(summary.cone <= 1e-9, "{preset:?} {summary:?}");
        assert!(summary.energy_injected <= 1e-15, "{preset:?} {summary:?}");
        // the projection sees all contacts, whatever was solved; the paper has none
        let [deepest, ..] = summary.audited.unwrap();
        assert_eq!(run.parameters.methods.projection, preset != Preset::Refined);
        assert!(deepest < if preset == Preset::Refined { 200e-6 } else { 2e-6 }, "{preset:?} {summary:?}");
        assert!(records.iter().all(|record| !record.certificate.limits.contains(Limit::NotFinite)));
        assert_eq!(summary.left_out > 0.0, preset != Preset::Tight, "{preset:?} {summary:?}");
        // the wiggled peg is wedged: Newton solves all of it, sweeps do not
        assert_eq!(summary.unconverged > 20, preset != Preset::Tight, "{preset:?} {summary:?}");
    }
}

#[test]
fn each_clustering_solves_its_few_and_certifies_all() {
    for (choice, most) in [("none", usize::MAX), ("k-means", 12)] {
        // of a peg in its hole the rims alone count
        let finer = ["peg", "hole"].map(|part| format!("parts.{part}.nodes={{ edge_spacing_mm = 0.15 }}"));
        let settings = [&format!("method.clustering={choice}"), &finer[0], &finer[1]];
        let (_, records) = simulate(scene("peg-in-hole", &settings.map(String::as_str)), 280);
        let active = records.iter().map(|record| record.certificate.active).max().unwrap();
        let candidates = records.iter().map(|record| record.certificate.candidates).max().unwrap();
        assert!((1..=most).contains(&active), "{choice}: {active}");
        assert!(candidates > 1000, "{choice}: {candidates}");
        let seconds: f64 = records.iter().map(|record| record.certificate.stage_seconds.clustering).sum();
        assert_eq!(seconds > 0.0, choice != "none");
        let summary = Summary::of(&records);
        let [deepest, ..] = summary.audited.unwrap();
        assert!(deepest < 5e-6, "{choice}: {deepest:e}");
    }
}

#[test]
fn without_projection_what_clustering_leaves_out_comes_in() {
    let deepest = |choice: &str| {
        let paper = ["method.preset=refined", "method.cspace=none", choice];
        let (_, records) = simulate(scene("peg-in-hole", &paper), 280);
        Summary::of(&records).audited.unwrap()[0]
    };
    let (kept, lost) = (deepest("method.projection=true"), deepest("method.projection=false"));
    println!("peg by the paper's preset: {kept:e} m with projection, {lost:e} m without");
    assert!(kept < 1e-6 && lost > 10.0 * kept, "{kept:e} {lost:e}");
}

/// The paper's Fig. 8, shorter: mean of the audited penetration under a random wrench.
#[test]
fn the_c_space_rows_keep_out_most_of_what_clustering_lets_in() {
    let mean = |choice: &str| {
        let scene = scene("peg-in-hole", &["method.preset=refined", &format!("method.cspace={choice}")]);
        let steps = (scene.drives[0].duration() / scene.dt).round() as usize;
        let mut run = Simulation::new(scene, 1);
        run.with_audit();
        run.disturbance = Some(Disturbance { force: 20.0, torque: 0.5 });
        let records: Vec<Record> = (0..steps + 300).map(|_| run.advance()).collect();
        let summary = Summary::of(&records);
        assert!(summary.cone <= 1e-9 && summary.energy_injected <= 1e-15, "{choice}: {summary:?}");
        records[steps..].iter().map(|record| record.audited.unwrap()).sum::<f64>() / 300.0
    };
    let (with, without) = (mean("network"), mean("none"));
    println!("mean penetration of the peg: {with:e} m with C-space, {without:e} m without");
    assert!(with < without / 3.0, "{with:e} {without:e}");
}

#[test]
fn c_space_rows_are_for_scenes_that_have_networks_and_solvers_that_sweep() {
    let paper = scene("peg-in-hole", &["method.preset=refined"]);
    assert_eq!(paper.methods.cspace, CspaceMethod::Network { rows: 16 });
    assert!(paper.cspace.is_some());
    let one = scene("peg-in-hole", &["method.preset=refined", "method.cspace_rows=1"]);
    assert_eq!(one.methods.cspace, CspaceMethod::Network { rows: 1 });
    // a preset takes what is there
    for choices in [&["method.preset=refined", "method.solver=ladder"][..], &["method.preset=tight"]] {
        assert_eq!(scene("peg-in-hole", choices).methods.cspace, CspaceMethod::None);
    }
    assert_eq!(scene("block-on-table", &["method.preset=refined"]).methods.cspace, CspaceMethod::None);
    for (name, choices, answer) in [
        ("peg-in-hole", &["method.cspace=network"][..], "is not for solver `ladder`"),
        ("peg-in-hole", &["method.cspace_rows=2"], "choose method.cspace `network`"),
        ("peg-in-hole", &["method.preset=refined", "method.cspace_rows=17"], "method.cspace_rows = 17"),
        ("block-on-table", &["method.solver=sor", "method.cspace=network"], "tightfit train cspace"),
        (
            "peg-in-hole",
            &["parts.peg.cspace={ against = \"peg\", networks = [\"x\"] }"],
            "names no fixed part; fixed parts: hole",
        ),
        ("peg-in-hole", &["parts.peg.cspace={ against = \"hole\", networks = [\"x\"] }"], "check the path"),
    ] {
        let choices: Vec<String> = choices.iter().map(ToString::to_string).collect();
        let error = Scene::find_with(name, &choices).unwrap_err().to_string();
        assert!(error.contains(answer), "{choices:?}: {error}");
    }
}

/// Other dimensions than those that the networks were made for: the row is not there.
#[test]
fn c_space_networks_are_asked_for_their_own_parts_only() {
    let hashes = |widens: bool, choice: &str| {
        let mut run = Simulation::new(
            scene("peg-in-hole", &["method.preset=refined", &format!("method.cspace={choice}")]),
            1,
        );
        if widens {
            let wider = scene(
                "peg-in-hole",
                &[
                    "parts.hole.shape={ kind = \"hole\", diameter_mm = 50.06, depth_mm = 50, outer_diameter_mm = 76, chamfer_mm = 1 }",
                ],
            );
            let hole = wider.body("hole").unwrap();
            run.parameters.bodies[hole].part = wider.bodies[hole].part.clone();
        }
        (0..260).map(|_| run.advance().hash).collect::<Vec<u64>>()
    };
    assert!(hashes(false, "network") != hashes(false, "none"));
    assert!(hashes(true, "network") == hashes(true, "none"));
}

#[test]
fn contacts_of_each_pair_are_clustered_for_themselves() {
    // two hexagons on one floor: each keeps four of its six corners
    let mut text = String::from(
        "name = \"two\"\ngravity_m_s2 = [0, 0, -9.81]\n[method]\nclustering = \"k-means\"\nclusters = 4\n[parts.floor]\nmotion = \"fixed\"\nshape = { kind = \"half-space\" }\n",
    );
    for (name, x) in [("left", 0), ("right", 100)] {
        text += &format!(
            "[parts.{name}]\nshape = {{ kind = \"peg\", diameter_mm = 30, length_mm = 20, tip_chamfer_mm = 0, sides = 6 }}\nposition_mm = [{x}, 0, 0]\n"
        );
    }
    let (run, records) = simulate(Scene::from_toml(&text).unwrap(), 20);
    let last = &records.last().unwrap().certificate;
    assert!(last.candidates > 8 && last.active <= 8 && last.active >= 6, "{last:?}");
    for motion in &run.state.motions {
        assert!((motion.center.z - 0.01).abs() < 1e-6, "both rest on the floor: {}", motion.center.z);
    }
}

#[test]
fn every_integration_rests_and_slides_on_a_table() {
    for rule in IntegrationMethod::ALL {
        let (run, records) =
            simulate(scene("block-on-table", &[&format!("method.integration={}", rule.name())]), 100);
        let summary = Summary::of(&records);
        assert!(summary.cone <= 1e-9 && summary.audited.unwrap()[0] < 1e-6, "{rule:?} {summary:?}");
        assert_eq!(run.parameters.methods.integration, rule);
    }
}

#[test]
fn results_do_not_depend_on_what_a_workspace_remembers() {
    for preset in [Preset::Standard, Preset::Refined] {
        let paths = [false, true].map(|forgets| {
            let mut run =
                Simulation::new(scene("peg-in-hole", &[&format!("method.preset={}", preset.name())]), 1);
            let step = |_| {
                if forgets {
                    run.forget();
                }
                run.advance().hash
            };
            (0..260).map(step).collect::<Vec<u64>>()
        });
        assert!(paths[0] == paths[1], "{preset:?}");
    }
}

#[test]
fn methods_at_the_same_states_differ_by_their_own_doing_alone() {
    let scene = scene("peg-in-hole", &[]);
    let difference = |methods: Methods| {
        WrenchDifference::at_the_same_states(&scene, methods, 1, None, 280, |_, _, _| ()).unwrap()
    };
    let own = difference(scene.methods);
    assert_eq!([own.force, own.torque], [0.0, 0.0]);
    assert!(own.reference[0] > 0.1);
    let paper = difference(Preset::Refined.into());
    assert!(paper.force > 1e-3 * paper.reference[0], "{paper:?}");
    assert_eq!(paper.reference, own.reference);
}

#[test]
fn a_scene_file_chooses_methods_and_wrong_ones_are_answered() {
    let methods = |text: &str| {
        let whole = format!(
            "name = \"x\"\n[parts.a]\nshape = {{ kind = \"half-space\" }}\nmotion = \"fixed\"\n{text}"
        );
        Scene::from_toml(&whole).map(|scene| scene.methods).map_err(|error| error.to_string())
    };
    assert_eq!(methods("").unwrap(), Methods::from(Preset::Tight));
    let paper = methods("[method]\npreset = \"refined\"\nsweeps = 400\nclusters = 8\n").unwrap();
    let SolverMethod::Sor(options, _) = paper.solver else { panic!("{paper:?}") };
    assert_eq!((options.sweeps, options.tolerance), (400, 1e-5));
    assert_eq!(paper.clustering, ClusteringMethod::KMeans { clusters: 8 });
    assert_eq!(paper.integration, IntegrationMethod::PaperMidpoint);
    let swapped = methods("[method]\npreset = \"refined\"\nsolver = \"ladder\"\n").unwrap();
    assert_eq!((swapped.solver, swapped.preset), (SolverMethod::Ladder, Preset::Refined));

    for (text, answer) in [
        ("[method]\nsolver = \"lcp\"\n", "line 6: method.solver = \"lcp\": allowed: `ladder`, `sor`, `pgs`"),
        ("[method]\nsweeps = 10\n", "method.sweeps = 10: is not for solver `ladder`"),
        ("[method]\nsolver = \"pgs\"\nslip = \"coulomb\"\n", "method.slip"),
        ("[method]\nclustering = \"none\"\nclusters = 5\n", "choose method.clustering `k-means`"),
        ("[method]\nsolver = \"sor\"\nrelaxation = 2.5\n", "line 7: method.relaxation = 2.5"),
        ("[method]\nintegrator = \"euler\"\n", "known keys: `anticipation`, `clustering`"),
    ] {
        let error = methods(text).unwrap_err();
        assert!(error.contains(answer), "{text}: {error}");
    }
}
