//! A whole trial simulated from its first state: only the spring to the recorded poses leads the part (paper 5.4, Fig. 10).

use tightfit_simulation::{BodyMotion, Input, Methods, State, Workspace, step};

use super::predictor::contact_wrench;
use super::{HoldingSpring, RecordedScene};
use crate::recordings::Recording;

/// Contact wrench of every step, from the first sample on [N, N·m], and the farthest that the part was from the recorded poses [m].
#[must_use]
pub fn closed_loop(
    recorded: &RecordedScene,
    methods: Methods,
    spring: &HoldingSpring,
    recording: &Recording,
) -> (Vec<[f64; 6]>, f64) {
    let parameters = recorded.with(methods);
    let mut state = State::start(&recorded.scene, &parameters);
    let mut workspace = Workspace::default();
    let mut farthest = 0.0_f64;
    let mut wrenches = Vec::with_capacity(recording.samples.len());
    for (index, pair) in recording.samples.windows(2).enumerate() {
        let targets = [&pair[0], &pair[1]].map(|sample| recorded.center(&sample.world_from_part));
        if index == 0 {
            let (center, rotation) = (targets[0].translation, targets[0].rotation);
            state.motions[0] = BodyMotion { center, rotation, twist: pair[0].twist };
        }
        let mut input = Input::none(&state);
        input.couplings[0] = Some(spring.coupling(targets[0], targets[1]));
        let _ = step(&recorded.scene, &parameters, &mut state, &input, &mut workspace);
        farthest = farthest.max((state.motions[0].center - targets[1].translation).norm());
        wrenches.push(contact_wrench(&workspace, recorded.scene.step));
    }
    (wrenches, farthest)
}
