//! One step of time, on one page.
//!
//! ```text
//! State ─► prepare ─► cluster ─► impact ─► smooth ─► project ─► advance ─► certify ─► State + Certificate
//!          V_free, W   (not by    plastic   midpoint  all nodes  pose,      residuals,
//!          contacts    default)   at t_k    law       (pose)     Cayley,    penetration,
//!          (C-space)                                              detect     energy
//! ```
//!
//! Where pairs bounce the step is cut at the touches, and each piece goes the same way (`bounce`).

mod advance;
mod arm;
mod bounce;
mod cluster;
mod configuration;
mod contact_stages;
mod early_push;
mod faces;
mod interaction;
mod kept_contacts;
mod margin;
mod nearby;
mod prepare;
mod project;
mod stage;
mod vertex_contacts;
mod workspace;

pub use workspace::Workspace;
pub(crate) use workspace::{FoundContacts, placed};

use workspace::Environment;

use crate::{Certificate, Input, Limit, Parameters, Scene, State};

/// Advances the state by one step. Trouble is named in the certificate; nothing panics.
pub fn step(
    scene: &Scene,
    parameters: &Parameters,
    state: &mut State,
    input: &Input,
    workspace: &mut Workspace,
) -> Certificate {
    let mut env = workspace.environment(scene, parameters, input, state);
    let mut certificate = if scene.bounces() { env.pieces(state) } else { env.piece(state) };

    let is_arm_stopped = certificate.limits.contains(Limit::ArmFailed);
    if is_arm_stopped || !state.is_finite() {
        state.copy_from(&workspace.before);
        workspace.forget_contacts();
        certificate.limits.insert(if is_arm_stopped { Limit::ArmFailed } else { Limit::NotFinite });
        certificate.converged = false;
    }
    state.step += 1;
    certificate
}

impl Environment<'_> {
    /// All that is left of the step, or the piece of it up to the next touch.
    fn piece(&mut self, state: &mut State) -> Certificate {
        let mut certificate = Certificate { converged: true, ..Certificate::default() };
        self.expect_as_before();
        loop {
            self.duration = self.left;
            self.prepare(state, &mut certificate);
            self.find_configuration(state, &mut certificate);
            self.cluster(state, &mut certificate);
            self.impact(state, &mut certificate);
            self.smooth(state, &mut certificate);
            self.uncluster();
            if !self.outran(state) && !self.surprises_arm(state) {
                break;
            }
            // only the time of the first attempt counts
            certificate = Certificate {
                converged: true,
                stage_seconds: certificate.stage_seconds,
                ..Certificate::default()
            };
        }
        self.judge_speed(state, &mut certificate);
        self.project(state, &mut certificate);
        self.advance(state, &mut certificate);
        certificate
    }
}
