//! A nut on its thread is engaged after any turn, whole or not.

use tightfit_simulation::{Outcome, Scene, Simulation, ThreadState};

#[test]
fn a_nut_that_begins_on_its_thread_is_engaged_whatever_its_turn() {
    for turns in [0.1, 0.5, 1.0, 1.5] {
        let text = format!(
            r#"
name = "nut"
friction = 0.1
gravity_m_s2 = [0, 0, 0]
[parts.bolt]
shape = {{ kind = "bolt", diameter_mm = 12, pitch_mm = 1.75, length_mm = 25, radial_clearance_mm = 0.05 }}
motion = "fixed"
[parts.nut]
shape = {{ kind = "nut", diameter_mm = 12, pitch_mm = 1.75, height_mm = 10, radial_clearance_mm = 0.05 }}
[drive]
part = "nut"
stiffness_n_m = [2000, 2000, 0]
turning_stiffness_nm_rad = [0.3, 0.3, 0.5]
damping_per_s = 50
force_n = [0, 0, -5]
offset_mm = 0.1
waypoints = [
    {{ time_s = 0.0, position_mm = [0, 0, 17.5] }},
    {{ time_s = 0.2, position_mm = [0, 0, 17.5] }},
    {{ time_s = 1.0, position_mm = [0, 0, 17.5], turns = -{turns} }},
]
[task]
kind = "thread"
onto = "bolt"
turns = {turns}
engaged_mm = 2
"#
        );
        let mut simulation = Simulation::new(Scene::from_toml(&text).expect("a scene"), 1);
        let records: Vec<_> = (0..110).map(|_| simulation.advance()).collect();
        let outcome = Outcome::of(&simulation, &records);
        assert_eq!(outcome.state, Some(ThreadState::Engaged), "{turns} turns: {outcome:?}");
        assert!(outcome.completed, "{turns} turns: {outcome:?}");
    }
}

#[test]
fn a_nut_that_finds_its_thread_within_its_last_turn_is_engaged() {
    let text = r#"
name = "countersunk"
friction = 0.15
gravity_m_s2 = [0, 0, 0]
[parts.bolt]
shape = { kind = "bolt", diameter_mm = 24, pitch_mm = 3, length_mm = 40, radial_clearance_mm = 0.05 }
motion = "fixed"
[parts.nut]
shape = { kind = "nut", diameter_mm = 24, pitch_mm = 3, height_mm = 19, radial_clearance_mm = 0.05, start_diameter_mm = 25.5 }
[drive]
part = "nut"
stiffness_n_m = [2000, 2000, 0]
turning_stiffness_nm_rad = [0.5, 0.5, 0.8]
damping_per_s = 50
offset_mm = 0.2
tilt_deg = 2
force_n = [0, 0, -4]
waypoints = [
    { time_s = 0.0, position_mm = [0, 0, 50] },
    { time_s = 0.3, position_mm = [0, 0, 50] },
    { time_s = 2.3, position_mm = [0, 0, 50], turns = -2 },
]
[task]
kind = "thread"
onto = "bolt"
turns = 2
engaged_mm = 3
"#;
    let mut simulation = Simulation::new(Scene::from_toml(text).expect("a scene"), 1);
    let records: Vec<_> = (0..230).map(|_| simulation.advance()).collect();
    let outcome = Outcome::of(&simulation, &records);
    assert_eq!(outcome.state, Some(ThreadState::Engaged), "{outcome:?}");
    let lead = outcome.lead.expect("a lead");
    assert!((lead / 3e-3 - 1.0).abs() < 0.01, "{lead} m");
    // while it still looks for the thread it is not
    let early = Outcome::of(&simulation, &records[..130]);
    assert_ne!(early.state, Some(ThreadState::Engaged), "{early:?}");
}
