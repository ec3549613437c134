//! One environment of a batch: what is its own, and how it takes a step in a lane's workspace.

use std::sync::Arc;

use nalgebra::Vector3;
use tightfit_pipeline::detection::NodeBlocks;
use tightfit_pipeline::integration::{BodyMotion, Coupling};
use tightfit_spatial::{Pose, Wrench};

use super::lane::{Lane, Waiting};
use super::{Fault, Setup, check};
use crate::{BodyParameters, Certificate, Input, Limit, Scene, Waypoint, Workspace, step};

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
    waiting: Waiting,
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
            waiting: Waiting::default(),
            setup,
        }
    }

    /// Steps until the end or a fault.
    pub(super) fn advance(&mut self, scene: &Scene, lane: &mut Lane, steps: usize) {
        if self.fault.is_some() {
            return;
        }
        lane.take_up(&mut self.waiting, &mut self.setup.state);
        for _ in 0..steps {
            if let Err(fault) = self.step(scene, &mut lane.workspace) {
                self.fault = Some(fault);
                break;
            }
        }
        lane.put_aside(&mut self.waiting, &mut self.setup.state);
    }

    /// Memory that no other environment shares [bytes].
    pub(super) fn bytes(&self, shared: &[Arc<NodeBlocks>]) -> usize {
        let Setup { parameters, state, drive } = &self.setup;
        let of_state = state.motions.capacity() * size_of::<BodyMotion>()
            + (state.spins.capacity() + state.warm.velocity.capacity()) * size_of::<f64>()
            + state.kinematic.capacity() * size_of::<Pose>()
            + state.warm.ids.capacity() * size_of::<u32>()
            + state.warm.impulses.capacity() * size_of::<Vector3<f64>>();
        let of_parameters = parameters.bodies.capacity() * size_of::<BodyParameters>()
            + parameters.friction.capacity() * size_of::<f64>();
        let of_drive = drive.as_ref().map_or(0, |drive| drive.waypoints.capacity() * size_of::<Waypoint>());
        let of_input = self.input.couplings.capacity() * size_of::<Option<Coupling>>()
            + self.input.wrenches.capacity() * size_of::<Wrench>()
            + self.input.kinematic.capacity() * size_of::<Pose>();
        let of_impulse = self.impulse.capacity() * size_of::<f64>();
        size_of::<Self>()
            + of_state
            + of_parameters
            + of_drive
            + of_input
            + of_impulse
            + self.waiting.bytes(shared)
    }

    fn step(&mut self, scene: &Scene, workspace: &mut Workspace) -> Result<(), Fault> {
        let Setup { parameters, state, drive } = &mut self.setup;
        let input = match &self.control {
            Control::Given(input) => input,
            Control::Drive => {
                self.input.clear(state);
                self.input.follow(drive.as_ref(), scene, parameters, state);
                &self.input
            }
        };
        check::state(state)?;
        check::input(input, state)?;
        self.certificate = step(scene, parameters, state, input, workspace);
        self.impulse.clear();
        self.impulse.extend_from_slice(workspace.generalised_impulse());
        let (limits, taken) = (self.certificate.limits, state.step);
        let fault = match self.certificate.arm_failure {
            Some(failure) => Some(Fault::Arm { step: taken, failure }),
            None => limits.contains(Limit::NotFinite).then_some(Fault::NotFinite { step: taken }),
        };
        if let Some(fault) = fault {
            // the step put the state back and only counted on
            state.step -= 1;
            return Err(fault);
        }
        Ok(())
    }

    pub(super) fn drive_input(&self, scene: &Scene) -> Input {
        let Setup { parameters, state, drive } = &self.setup;
        match drive {
            Some(drive) => Input::of_drive(drive, scene, parameters, state),
            None => {
                let mut input = Input::none(state);
                input.follow(None, scene, parameters, state);
                input
            }
        }
    }
}
