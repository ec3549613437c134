//! Predicts the wrench of a set of methods at a moment: one step, of which only the contact impulse is kept.

use tightfit_learning::identification::HoldingSpring;
use tightfit_learning::recordings::MeasuredLoad;
use tightfit_simulation::{Input, Methods, Parameters, State, Workspace, step};
use tightfit_spatial::Wrench;

use super::{Moment, RecordedScene};

/// Predicts with one set of methods. Only buffers are kept between moments.
pub struct WrenchPredictor<'a> {
    recorded: &'a RecordedScene,
    parameters: Parameters,
    spring: HoldingSpring,
    start: State,
    state: State,
    input: Input,
    workspace: Workspace,
}

impl<'a> WrenchPredictor<'a> {
    /// With these methods and this spring.
    #[must_use]
    pub fn new(recorded: &'a RecordedScene, methods: Methods, spring: HoldingSpring) -> Self {
        let parameters = recorded.with(methods);
        let start = State::start(&recorded.scene, &parameters);
        let input = Input::none(&start);
        let state = start.clone();
        Self { recorded, parameters, spring, start, state, input, workspace: Workspace::default() }
    }

    /// Contact force and torque about the centre of mass, mean over the step, world axes [N, N·m].
    pub fn predict(&mut self, moment: &Moment) -> [f64; 6] {
        self.state.clone_from(&self.start);
        self.state.motions[0] = moment.motion;
        let coupling = self.spring.coupling(moment.targets[0], moment.targets[1]);
        (self.input.couplings[0], self.input.wrenches[0]) = match moment.load {
            None => (Some(coupling), Wrench::zero()),
            Some(MeasuredLoad { force, torque }) => {
                (None, Wrench::new(force, moment.motion.rotation.inverse() * torque))
            }
        };
        let scene = &self.recorded.scene;
        let _ = step(scene, &self.parameters, &mut self.state, &self.input, &mut self.workspace);
        contact_wrench(&self.workspace, scene.dt)
    }
}

/// Contact wrench on the free part, mean over the last step [N, N·m].
pub(super) fn contact_wrench(workspace: &Workspace, step: f64) -> [f64; 6] {
    // A sensor measures impacts as well.
    let both = [workspace.generalised_impulse(), workspace.impact_impulse()];
    std::array::from_fn(|axis| {
        both.map(|impulse| impulse.get(axis).copied().unwrap_or(0.0)).iter().sum::<f64>() / step
    })
}
