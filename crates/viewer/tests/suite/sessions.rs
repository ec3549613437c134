//! Commands change what they say, and nothing else.

use tightfit_simulation::{Scene, Simulation};
use tightfit_spatial::Vector3;
use tightfit_viewer::{Command, Session};

fn apply(session: &mut Session, text: &str) {
    session.apply(Command::parse(text).unwrap()).unwrap();
}

fn hash(session: &Session) -> u64 {
    session.simulation().state.hash()
}

#[test]
fn a_session_takes_the_same_steps_as_the_simulation() {
    let mut session = Session::open("bolting").unwrap();
    let mut simulation = Simulation::new(Scene::find("bolting").unwrap(), 1);
    for _ in 0..60 {
        session.step();
        let _ = simulation.step();
        let mut frame = Vec::new();
        session.write_frame(&mut frame);
        let _ = session.heat_message();
    }
    assert_eq!(hash(&session), simulation.state.hash());
}

#[test]
fn a_paused_session_does_not_move_and_goes_on_where_it_was() {
    let mut session = Session::open("peg-in-hole").unwrap();
    assert_eq!(session.advance(0.05, || true), 5);
    apply(&mut session, r#"{"do":"pause"}"#);
    let before = hash(&session);
    assert_eq!(session.advance(1.0, || true), 0);
    apply(&mut session, r#"{"do":"move","part":"peg","linear":[0,0,0],"angular":[0,0,0]}"#);
    assert_eq!(session.advance(1.0, || true), 0, "a key that is let go does not end the pause");
    assert_eq!(hash(&session), before);
    apply(&mut session, r#"{"do":"step","count":3}"#);
    assert_eq!(session.simulation().state.step_count, 8);
    apply(&mut session, r#"{"do":"play"}"#);
    apply(&mut session, r#"{"do":"speed","factor":0.5}"#);
    assert_eq!(session.advance(0.08, || true), 4);
}

#[test]
fn a_reset_repeats_the_run() {
    let mut session = Session::open("bolting").unwrap();
    apply(&mut session, r#"{"do":"step","count":40}"#);
    let first = hash(&session);
    apply(&mut session, r#"{"do":"move","part":"nut","linear":[0.01,0,0],"angular":[0,0,-3]}"#);
    session.advance(0.1, || true);
    assert_ne!(hash(&session), first);
    apply(&mut session, r#"{"do":"reset"}"#);
    apply(&mut session, r#"{"do":"step","count":40}"#);
    assert_eq!(hash(&session), first);
}

/// Turning by hand moves the nut along its thread by the pitch, and contact stays certified.
#[test]
fn a_hand_turns_the_engaged_nut_along_its_thread() {
    let mut session = Session::open("bolting-engaged").unwrap();
    let nut = session.simulation().scene.body_id("nut").unwrap();
    let start = session.simulation().world_from_part(nut).translation.z;
    let spin = session.simulation().state.spins[0];
    let mut worst: f64 = 0.0;
    for _ in 0..300 {
        apply(&mut session, r#"{"do":"move","part":"nut","linear":[0,0,0],"angular":[0,0,-3.2]}"#);
        session.step();
        worst = worst.max(session.simulation().certificate().penetration);
    }
    let turned = (session.simulation().state.spins[0] - spin) / std::f64::consts::TAU;
    let sunk = session.simulation().world_from_part(nut).translation.z - start;
    println!("turned {turned:.3} turns, sunk {:.3} mm, worst penetration {:.2} um", sunk * 1e3, worst * 1e6);
    assert!(turned < -1.0, "it turned by {turned}");
    assert!((sunk / turned - 5e-3).abs() < 0.15e-3, "pitch of 5 mm, found {}", sunk / turned);
    assert!(worst < 5e-6, "penetration {worst}");
}

/// A lost client means zero force: the set-point of an open hand is at the part.
#[test]
fn an_open_hand_exerts_no_force() {
    let mut session = Session::open("bolting").unwrap();
    for _ in 0..20 {
        apply(&mut session, r#"{"do":"move","part":"nut","linear":[0.02,0.01,0.02],"angular":[0,0,3]}"#);
        session.step();
    }
    session.release();
    for _ in 0..3 {
        session.step();
    }
    let nut = session.simulation().scene.body_id("nut").unwrap();
    let drive = session.simulation().scene.drive_of(nut).unwrap();
    assert_eq!(drive.force, Vector3::zeros());
    let mut frame = Vec::new();
    session.write_frame(&mut frame);
    // no gravity and no drive: the damper brings the nut to rest
    for _ in 0..200 {
        session.step();
    }
    assert!(session.simulation().state.motions[0].twist.linear_in_world.norm() < 1e-3);
}

#[test]
fn a_hand_moves_an_arm_by_its_set_point() {
    let mut session = Session::open("peg-in-hole-arm").unwrap();
    let peg = session.simulation().scene.body_id("peg").unwrap();
    let start = session.simulation().world_from_part(peg).translation;
    for _ in 0..60 {
        apply(&mut session, r#"{"do":"move","part":"peg","linear":[0,0,0.02],"angular":[0,0,0]}"#);
        session.step();
    }
    let lifted = session.simulation().world_from_part(peg).translation - start;
    println!("the arm lifted the peg by {lifted:?}");
    assert!(lifted.z > 3e-3 && lifted.z < 20e-3, "{lifted}");
    assert!(session.simulation().certificate().arm_failure.is_none());
}

#[test]
fn a_part_without_a_drive_can_be_dragged() {
    let mut session = Session::open("block-on-table").unwrap();
    let free =
        session.simulation().scene.bodies.iter().find(|body| body.inertia.is_some()).unwrap().name.clone();
    let body = session.simulation().scene.body_id(&free).unwrap();
    let start = session.simulation().world_from_part(body).translation;
    for _ in 0..150 {
        let command = format!(r#"{{"do":"move","part":"{free}","linear":[0,0,0.02],"angular":[0,0,0]}}"#);
        apply(&mut session, &command);
        session.step();
    }
    let lifted = session.simulation().world_from_part(body).translation.z - start.z;
    assert!(lifted > 5e-3, "lifted by {lifted}");
}

#[test]
fn a_fixed_part_an_unknown_scene_and_a_file_are_refused() {
    let mut session = Session::open("bolting").unwrap();
    let before = hash(&session);
    for wrong in [
        r#"{"do":"move","part":"bolt","linear":[0,0,0],"angular":[0,0,0]}"#,
        r#"{"do":"drag","part":"screw","position":[0,0,0],"rotation":[0,0,0,1]}"#,
        r#"{"do":"scene","name":"../Cargo.toml"}"#,
        r#"{"do":"scene","name":"Cargo.toml"}"#,
        r#"{"do":"set","changes":["friction=-1"]}"#,
        r#"{"do":"toml","text":"name = 3"}"#,
        r#"{"do":"clearance","gap":0.0001}"#,
        r#"{"do":"heat","part":"screw"}"#,
    ] {
        let error = session.apply(Command::parse(wrong).unwrap()).unwrap_err();
        assert!(!error.to_string().is_empty(), "{wrong}");
        assert_eq!((hash(&session), session.generation()), (before, 1), "{wrong}");
    }
}

#[test]
fn a_change_of_friction_clearance_or_method_starts_a_new_scene() {
    let mut session = Session::open("peg-in-hole").unwrap();
    apply(&mut session, r#"{"do":"set","changes":["friction=0.3"]}"#);
    assert_eq!(session.simulation().parameters.friction[0], 0.3);
    apply(&mut session, r#"{"do":"clearance","gap":0.0001}"#);
    assert!((session.simulation().task_clearance().unwrap() - 1e-4).abs() < 1e-12);
    assert_eq!(session.generation(), 3);
    apply(&mut session, r#"{"do":"step","count":100}"#);
    assert!(session.simulation().certificate().converged);
}

#[test]
fn a_mirroring_session_shows_another_simulation_and_passes_its_hand_on() {
    let mut elsewhere = Simulation::new(Scene::find("bolting-engaged").unwrap(), 1);
    let (mut session, end) = Session::mirroring(elsewhere.branch());
    assert_eq!(end.set_point(), None);
    for text in [r#"{"do":"step"}"#, r#"{"do":"reset"}"#, r#"{"do":"scene","name":"peg-in-hole"}"#] {
        let refused = session.apply(Command::parse(text).unwrap()).unwrap_err();
        assert!(refused.to_string().contains("runs elsewhere"), "{refused}");
    }
    let show = |elsewhere: &mut Simulation, session: &mut Session| {
        let record = elsewhere.advance();
        end.show(&elsewhere.state, &record, elsewhere.contact_points());
        assert_eq!(session.advance(0.01, || true), 1);
        assert_eq!(hash(session), elsewhere.state.hash());
    };
    show(&mut elsewhere, &mut session);
    apply(&mut session, r#"{"do":"move","part":"nut","linear":[0.05,0,0],"angular":[0,0,0]}"#);
    let nut = elsewhere.scene.body_id("nut").unwrap();
    let before = session.simulation().world_from_part(nut).translation.x;
    (0..10).for_each(|_| show(&mut elsewhere, &mut session));
    let moved = end.set_point().unwrap().translation.x - before;
    assert!((moved - 5e-3).abs() < 1e-4, "{moved}");
    apply(&mut session, r#"{"do":"release"}"#);
    session.advance(0.01, || true);
    assert_eq!(end.set_point(), None);
}
