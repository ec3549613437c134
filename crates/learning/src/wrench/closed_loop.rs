//! A whole trial simulated from its first judged state: only the spring to the recorded poses leads the part (paper 5.4, Fig. 10).
//!
//! That state is the one of the load model, the same for every method. The recorded pose itself will not do where it is that of a
//! hand: under load it lies tens of micrometres inside the other part, and methods without projection take seconds to come out.

use tightfit_simulation::{Input, Methods, State, Workspace, step};

use super::predictor::contact_wrench;
use super::{HoldingSpring, Moments, RecordedScene};

/// Contact wrench of the step of every moment of a trial [N, N·m], and the farthest that the part was from the recorded poses [m]. Of
/// the moments' states only the first is looked at.
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
        wrenches.push(contact_wrench(&workspace, recorded.scene.step));
    }
    (wrenches, farthest)
}
