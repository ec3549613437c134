//! The grade of a run follows its certificates, and the tolerance follows the clearance.

use tightfit_simulation::{
    Assessment, Grade, Limit, MeasuredBy, Outcome, Reason, Record, Scene, Simulation, Summary,
    built_in_scenes,
};

fn finished(scene: Scene) -> (Simulation, Vec<Record>) {
    let steps = (scene.duration() / scene.dt).round() as usize;
    let mut run = Simulation::new(scene, 1);
    let mut records = Vec::new();
    while records.len() < steps && !run.is_over() {
        records.push(run.advance());
    }
    (run, records)
}

#[test]
fn built_in_scenes_are_certified() {
    for scene in built_in_scenes() {
        let (run, records) = finished(Scene::find(scene.name).unwrap());
        let assessment = Assessment::of(&run, &records);
        assert!(assessment.is_certified(), "{}: {:?}", scene.name, assessment.reasons);
    }
}

#[test]
fn penetration_is_tolerated_up_to_a_tenth_of_the_clearance() {
    // hole 50.035 mm less peg 49.97 mm, half of it on each side; 0.1 mm across the flanks of the thread; no task
    for (name, tolerance) in [("peg-in-hole", 3.25e-6), ("bolting", 10e-6), ("block-on-table", 10e-6)] {
        let run = Simulation::new(Scene::find(name).unwrap(), 1);
        let found = Assessment::of(&run, &[]).tolerance;
        assert!((found - tolerance).abs() < 0.01e-6, "{name}: {found}");
    }
    let keys = [
        "parts.nut.shape={ kind = \"nut\", diameter_mm = 48, pitch_mm = 5, height_mm = 38, across_flats_mm = 74, radial_clearance_mm = 0.1 }",
        "parts.bolt.shape={ kind = \"bolt\", diameter_mm = 48, pitch_mm = 5, length_mm = 40, radial_clearance_mm = 0.05 }",
    ];
    let scene = Scene::find_with("bolting", &keys.map(String::from)).unwrap();
    let found = Assessment::of(&Simulation::new(scene, 1), &[]).tolerance;
    assert!(found < 10e-6, "less play, less tolerance: {found}");
}

#[test]
fn every_reason_voids_the_certificate_and_only_a_failed_task_fails_the_run() {
    let run = Simulation::new(Scene::find("peg-in-hole").unwrap(), 1);
    let done =
        Outcome { completed: true, depth: Some(0.02), turns: None, lead: None, state: None, torque: None };
    let grade = |outcome: &Outcome, summary: &Summary| Assessment::from_parts(&run, outcome, summary);
    let good = Summary { steps: 10, ..Summary::default() };
    assert_eq!(grade(&done, &good).grade, Grade::Certified);
    assert_eq!(grade(&Outcome { completed: false, ..done.clone() }, &good).reasons, [Reason::NotCompleted]);

    let hit = |limit: Limit| {
        let mut summary = good.clone();
        summary.limit_steps[Limit::ALL.iter().position(|one| *one == limit).unwrap()] = 2;
        grade(&done, &summary)
    };
    for limit in Limit::ALL.into_iter().filter(|limit| *limit != Limit::NotConverged) {
        let expected = if limit.voids_certificate() { Grade::CompletedUncertified } else { Grade::Certified };
        assert_eq!(hit(limit).grade, expected, "{limit:?}");
    }
    let void = |summary: Summary| {
        let assessment = grade(&done, &summary);
        assert_eq!((assessment.grade, assessment.reasons.len()), (Grade::CompletedUncertified, 1));
        assessment.reasons[0]
    };
    let unconverged = void(Summary { unconverged: 1, coulomb: 2e-5, ..good.clone() });
    assert_eq!(
        unconverged.to_string(),
        "1 of 10 steps did not converge (Coulomb residual up to 2.0e-5 m/s, allowed 1e-5 m/s)"
    );
    let deep = void(Summary { penetration: [4e-6, 0.0, 0.0], ..good.clone() });
    assert!(matches!(deep, Reason::Penetration { by: MeasuredBy::Certificate, .. }), "{deep:?}");
    let audited = void(Summary { audited: Some([4e-6, 0.0, 0.0]), ..good.clone() });
    assert_eq!(audited.name(), "audited_penetration");
    void(Summary { audited: Some([f64::NAN, 0.0, 0.0]), ..good.clone() });
    // springs of 2000 N/m over some centimetres supply some joules
    let blown_up = void(Summary { contact_work: 1e5, ..good.clone() });
    assert!(blown_up.to_string().contains("blown up"), "{blown_up}");
    assert_eq!(grade(&done, &Summary { contact_work: 1.0, ..good }).grade, Grade::Certified);
}
