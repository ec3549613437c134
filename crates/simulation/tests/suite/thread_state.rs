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
