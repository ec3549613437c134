//! Steps that the kernels leave to the host: the CPU's own step, from the same state.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use tightfit_simulation::batch::{AdvanceSummary, Control, Fault, Setup};
use tightfit_simulation::{Certificate, Input, Limit, Scene, State, Workspace, step};

use crate::records::{Environment, FROZEN, STEPPED};
use crate::setup_record::{read_state, report, write_state};

/// An environment as the host knows it.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Parameters and drives; its state is the first one, or that after the last
    /// [`advance_where`](crate::GpuBatch::advance_where).
    pub(crate) setup: Setup,
    /// What the steps of that call came to together.
    pub(crate) summary: AdvanceSummary,
    pub(crate) control: Control,
    pub(crate) fault: Option<Fault>,
    /// Certificate of the last step, where the host took it.
    pub(crate) by_host: Option<Box<Certificate>>,
}

/// Workspaces of the host's threads.
pub(crate) struct Fallback {
    workspaces: Vec<Mutex<(Workspace, State)>>,
}

impl Fallback {
    pub(crate) fn new(scene: &Scene) -> Self {
        let threads = rayon::current_num_threads().max(1);
        let one = || Mutex::new((Workspace::of_scene(scene), State::default()));
        Self { workspaces: std::iter::repeat_with(one).take(threads).collect() }
    }

    /// Takes one step of each environment.
    pub(crate) fn take_steps(&self, scene: &Scene, known: &mut [&mut Known], records: &mut [Environment]) {
        known.par_iter_mut().zip(records).for_each(|(known, record)| {
            let thread = rayon::current_thread_index().unwrap_or(0) % self.workspaces.len();
            let mut own = self.workspaces[thread].lock().unwrap_or_else(PoisonError::into_inner);
            let (workspace, state) = &mut *own;
            read_state(record, state);
            match take_step(scene, known, state, workspace) {
                Ok(certificate) => {
                    record.impulse = std::array::from_fn(|k| {
                        let at = |column: &[f64]| column.get(k).copied().unwrap_or(0.0);
                        at(workspace.generalised_impulse()) + at(workspace.impact_impulse())
                    });
                    record.status = STEPPED;
                    record.by_host = 1;
                    record.report = report(&certificate);
                    record.add_step();
                    // a warm start beyond the room of the record is a colder one
                    if write_state(state, record).is_err() {
                        state.warm.clear();
                        let _ = write_state(state, record);
                    }
                    known.by_host = Some(Box::new(certificate));
                }
                Err(fault) => {
                    record.status = FROZEN;
                    known.fault = Some(fault);
                }
            }
        });
    }
}

fn take_step(
    scene: &Scene,
    known: &Known,
    state: &mut State,
    workspace: &mut Workspace,
) -> Result<Certificate, Fault> {
    let Setup { parameters, drives, .. } = &known.setup;
    let number = state.step_count + 1;
    let input = match &known.control {
        Control::Given(input) => input.clone(),
        Control::Drive => Input::of_drives(drives, scene, parameters, state),
    };
    if let Some((name, value)) = not_finite(&input) {
        return Err(Fault::Input { step: number, name, value, remedy: "it must be finite" });
    }
    workspace.forget_environment();
    let certificate = step(scene, parameters, state, &input, workspace);
    match certificate.limits.contains(Limit::NotFinite) {
        true => Err(Fault::NotFinite { step: number }),
        false => Ok(certificate),
    }
}

/// Name and value of a number of an input that is not finite.
fn not_finite(input: &Input) -> Option<(String, String)> {
    let wrench = input.wrenches.iter().enumerate().find(|(_, wrench)| {
        !wrench.force_in_world.iter().chain(wrench.torque_in_body.iter()).all(|value| value.is_finite())
    });
    if let Some((index, wrench)) = wrench {
        return Some((format!("wrench on free body {index}"), format!("{wrench:?}")));
    }
    let couplings = input.couplings.iter().enumerate();
    couplings.filter_map(|(index, own)| Some((index, own.as_ref()?))).find_map(|(index, own)| {
        let gains = [own.stiffness, own.damping, own.turning_stiffness, own.turning_damping];
        let is_sound =
            gains.iter().flat_map(|gain| gain.iter()).all(|value| value.is_finite() && *value >= 0.0)
                && own.target.is_finite()
                && own.next_target.is_finite()
                && own.twist.is_finite();
        (!is_sound).then(|| (format!("coupling of free body {index}"), format!("{own:?}")))
    })
}
