//! One environment of a batch, and its step in the workspace of a lane.

use std::sync::Arc;

use nalgebra::Vector3;
use tightfit_pipeline::detection::NodeBlocks;
use tightfit_pipeline::integration::{BodyMotion, Coupling};
use tightfit_spatial::{Pose, Wrench};

use super::lane::{Lane, Waiting};
use super::{AdvanceSummary, Fault, Setup, check};
use crate::{Audit, BodyParameters, Certificate, Drive, Input, Limit, Scene, Waypoint, step};

/// Source of the inputs of an environment.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Control {
    /// Its drive, if it has one.
    #[default]
    Drive,
    /// This input, until another is given.
    Given(Input),
}

/// An environment.
#[derive(Clone, Debug)]
pub(super) struct Environment {
    pub(super) setup: Setup,
    pub(super) control: Control,
    pub(super) fault: Option<Fault>,
    pub(super) certificate: Certificate,
    /// Contact impulse of the last step, impacts included, six numbers per free body [N·s, N·m·s].
    pub(super) impulse: Vec<f64>,
    pub(super) summary: AdvanceSummary,
    /// Audits every step, if it is wanted.
    pub(super) audit: Option<Audit>,
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
            summary: AdvanceSummary::new(setup.state.motions.len()),
            audit: None,
            waiting: Waiting::default(),
            setup,
        }
    }

    /// Steps until the end or a fault.
    pub(super) fn advance(&mut self, scene: &Scene, lane: &mut Lane, steps: usize) {
        self.summary.clear();
        if self.fault.is_some() {
            return;
        }
        lane.take_up(&mut self.waiting, &mut self.setup.state);
        for _ in 0..steps {
            if let Err(fault) = self.step(scene, lane) {
                self.fault = Some(fault);
                break;
            }
            let Setup { parameters, state, .. } = &self.setup;
            self.summary.add(&self.certificate, &self.impulse, parameters.dt);
            if let Some(audit) = &self.audit {
                self.summary.add_audit(audit.penetration(scene, parameters, state));
            }
        }
        lane.put_aside(&mut self.waiting, &mut self.setup.state);
    }

    /// Memory that no other environment shares [bytes].
    pub(super) fn bytes(&self, shared: &[Arc<NodeBlocks>]) -> usize {
        let Setup { parameters, state, drives } = &self.setup;
        let of_state = state.motions.capacity() * size_of::<BodyMotion>()
            + (state.spins.capacity() + state.warm.velocity.capacity()) * size_of::<f64>()
            + state.kinematic.capacity() * size_of::<Pose>()
            + state.warm.ids.capacity() * size_of::<u32>()
            + state.warm.impulses.capacity() * size_of::<Vector3<f64>>();
        let of_parameters = parameters.bodies.capacity() * size_of::<BodyParameters>()
            + parameters.friction.capacity() * size_of::<f64>();
        let of_waypoints = |drive: &Drive| drive.waypoints.capacity() * size_of::<Waypoint>();
        let of_drives =
            drives.capacity() * size_of::<Drive>() + drives.iter().map(of_waypoints).sum::<usize>();
        let of_input = match &self.control {
            Control::Drive => 0,
            Control::Given(input) => {
                input.couplings.capacity() * size_of::<Option<Coupling>>()
                    + input.wrenches.capacity() * size_of::<Wrench>()
                    + input.kinematic.capacity() * size_of::<Pose>()
            }
        };
        let of_impulse = self.impulse.capacity() * size_of::<f64>();
        size_of::<Self>()
            + of_state
            + of_parameters
            + of_drives
            + of_input
            + of_impulse
            + self.summary.bytes()
            + self.waiting.bytes(shared)
    }

    fn step(&mut self, scene: &Scene, Lane { workspace, input, .. }: &mut Lane) -> Result<(), Fault> {
        let Setup { parameters, state, drives } = &mut self.setup;
        let input = match &self.control {
            Control::Given(given) => given,
            Control::Drive => {
                input.clear(state);
                input.follow(drives, scene, parameters, state);
                input
            }
        };
        check::state(state)?;
        check::input(input, state)?;
        self.certificate = step(scene, parameters, state, input, workspace);
        self.impulse.clear();
        self.impulse.extend_from_slice(workspace.generalised_impulse());
        for (sum, impact) in self.impulse.iter_mut().zip(workspace.impact_impulse()) {
            *sum += impact;
        }
        let (limits, taken) = (self.certificate.limits, state.step_count);
        let fault = match self.certificate.arm_failure {
            Some(failure) => Some(Fault::Arm { step: taken, failure }),
            None => limits.contains(Limit::NotFinite).then_some(Fault::NotFinite { step: taken }),
        };
        if let Some(fault) = fault {
            // The step restored the state but advanced its count.
            state.step_count -= 1;
            return Err(fault);
        }
        Ok(())
    }

    pub(super) fn drive_input(&self, scene: &Scene) -> Input {
        let Setup { parameters, state, drives } = &self.setup;
        Input::of_drives(drives, scene, parameters, state)
    }
}
