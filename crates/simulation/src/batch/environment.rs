//! One environment of a batch: what is its own, and how it takes a step in a lane's workspace.

use super::{Fault, Setup, check};
use crate::step::FoundContacts;
use crate::{Certificate, Input, Limit, Scene, Workspace, step};

/// What leads an environment.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Control {
    /// Its drive, or nothing where it has none.
    #[default]
    Drive,
    /// These loads, until others are given.
    Given(Input),
}

/// An environment.
#[derive(Clone, Debug)]
pub(super) struct Environment {
    pub(super) setup: Setup,
    pub(super) control: Control,
    pub(super) fault: Option<Fault>,
    pub(super) certificate: Certificate,
    /// Generalised contact impulse of the last step, six numbers per free body [N·s, N·m·s].
    pub(super) impulse: Vec<f64>,
    input: Input,
    found: FoundContacts,
}

impl Environment {
    pub(super) fn new(scene: &Scene, setup: Setup) -> Self {
        let fault = check::setup(scene, &setup).err();
        Self {
            control: Control::Drive,
            fault,
            certificate: Certificate::default(),
            impulse: vec![0.0; 6 * setup.state.motions.len()],
            input: Input::default(),
            found: FoundContacts::default(),
            setup,
        }
    }

    /// Steps until the end or a fault.
    pub(super) fn advance(&mut self, scene: &Scene, lane: &mut Workspace, steps: usize) {
        if self.fault.is_some() {
            return;
        }
        lane.exchange(&mut self.found);
        for _ in 0..steps {
            if let Err(fault) = self.step(scene, lane) {
                self.fault = Some(fault);
                break;
            }
        }
        lane.exchange(&mut self.found);
    }

    fn step(&mut self, scene: &Scene, lane: &mut Workspace) -> Result<(), Fault> {
        let Setup { parameters, state, drive } = &mut self.setup;
        let input = match &self.control {
            Control::Given(input) => input,
            Control::Drive => {
                self.input.clear(state);
                if let Some(drive) = drive {
                    self.input.follow(drive, scene, parameters, state);
                }
                &self.input
            }
        };
        check::state(state)?;
        check::input(input, state)?;
        self.certificate = step(scene, parameters, state, input, lane);
        self.impulse.clear();
        self.impulse.extend_from_slice(lane.generalised_impulse());
        if self.certificate.limits.contains(Limit::NotFinite) {
            // the step put the state back and only counted on
            state.step -= 1;
            return Err(Fault::NotFinite { step: state.step + 1 });
        }
        Ok(())
    }

    pub(super) fn drive_input(&self, scene: &Scene) -> Input {
        let Setup { parameters, state, drive } = &self.setup;
        match drive {
            Some(drive) => Input::of_drive(drive, scene, parameters, state),
            None => Input::none(state),
        }
    }
}
