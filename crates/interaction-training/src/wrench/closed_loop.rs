//! A whole trial simulated from its first evaluated state: only the spring to the recorded poses drives the part (paper
//! 5.4, Fig. 10).
//!
//! The start state comes from the load model and is the same for every method. The recorded pose itself may be that of
//! a hand: under load it lies tens of micrometres inside the other part, and methods without projection need seconds to
//! resolve that.

use tightfit_learning::identification::HoldingSpring;
use tightfit_simulation::{Input, Methods, State, Workspace, step};

use super::predictor::contact_wrench;
use super::{Moments, RecordedScene};

/// Contact wrench of every step of a trial [N, N·m], and the largest distance of the part from the recorded poses [m].
/// Only the first of the moments' states is used.
#[must_use]
pub fn closed_loop(
    recorded: &RecordedScene,
    methods: Methods,
    spring: &HoldingSpring,
    trial: &Moments,
) -> (Vec<[f64; 6]>, f64) {
    let parameters = recorded.with(methods);
    let mut state = State::start(&recorded.scene, &parameters);
    let mut workspace = Workspace::default();
    let mut farthest = 0.0_f64;
    let mut wrenches = Vec::with_capacity(trial.moments.len());
    if let Some(first) = trial.moments.first() {
        state.motions[0] = first.motion;
    }
    for targets in trial.moments.iter().map(|moment| &moment.targets) {
        let mut input = Input::none(&state);
        input.couplings[0] = Some(spring.coupling(targets[0], targets[1]));
        let _ = step(&recorded.scene, &parameters, &mut state, &input, &mut workspace);
        farthest = farthest.max((state.motions[0].center - targets[1].translation).norm());
        wrenches.push(contact_wrench(&workspace, recorded.scene.dt));
    }
    (wrenches, farthest)
}
