//! One step of time, on one page.
//!
//! ```text
//! State ─► prepare ─► impact ─► smooth ─► project ─► advance ─► certify ─► State + Certificate
//!          V_free, W   plastic   midpoint  all nodes  pose,      residuals,
//!          contacts    at t_k    law       (pose)     Cayley,    penetration,
//!                                                     detect     energy
//! ```

mod advance;
mod contact_stages;
mod margin;
mod prepare;
mod project;
mod workspace;

pub(crate) use workspace::FoundContacts;
pub use workspace::Workspace;

use crate::{Certificate, Input, Limit, Parameters, Scene, State};

/// Advances the state by one step. Trouble is named in the certificate; nothing panics.
pub fn step(
    scene: &Scene,
    parameters: &Parameters,
    state: &mut State,
    input: &Input,
    workspace: &mut Workspace,
) -> Certificate {
    let mut certificate = Certificate { converged: true, ..Certificate::default() };
    let mut env = workspace.environment(scene, parameters, input, state);

    loop {
        env.prepare(state, &mut certificate);
        env.impact(state, &mut certificate);
        env.smooth(state, &mut certificate);
        if !env.outran(state) {
            break;
        }
        // only the time of the first attempt counts
        certificate = Certificate {
            converged: true,
            stage_seconds: certificate.stage_seconds,
            ..Certificate::default()
        };
    }
    env.project(state, &mut certificate);
    env.advance(state, &mut certificate);

    if !state.is_finite() {
        state.copy_from(&workspace.before);
        certificate.limits.insert(Limit::NotFinite);
        certificate.converged = false;
    }
    state.step += 1;
    certificate
}
