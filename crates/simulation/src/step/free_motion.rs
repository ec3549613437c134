//! The bodies without contact: velocities at the start, masses, and the free step.
//!
//! ```text
//! V₀ from the state      M, M⁻¹ in world axes      V_f = V₀⁺ + T·(forces),  W of the integration rule
//! ```
//!
//! With an arm, the held part has the arm behind it (`arm.rs`).

use nalgebra::{Matrix6, Vector3};
use tightfit_pipeline::integration::{inverse_mass, mass_matrix};
use tightfit_pipeline::make_room;
use tightfit_spatial::Wrench;

use super::arm::ArmPiece;
use super::context::{Context, Piece};
use crate::State;

/// Mass matrices of every free body in world axes.
#[derive(Debug, Default)]
pub(super) struct Masses {
    /// M⁻¹.
    pub(super) inverse: Vec<Matrix6<f64>>,
    /// M.
    pub(super) own: Vec<Matrix6<f64>>,
}

/// The step of every free body without contact.
#[derive(Debug, Default)]
pub(super) struct FreeMotion {
    /// V_f, stacked [m/s, rad/s].
    pub(super) velocity: Vec<f64>,
    /// W: change of velocity per impulse.
    pub(super) response: Vec<Matrix6<f64>>,
}

impl Masses {
    pub(super) fn make_room(&mut self, bodies: usize) {
        make_room(&mut self.inverse, bodies);
        make_room(&mut self.own, bodies);
    }
}

impl FreeMotion {
    pub(super) fn make_room(&mut self, bodies: usize) {
        make_room(&mut self.velocity, 6 * bodies);
        make_room(&mut self.response, bodies);
    }
}

/// Velocities of the state, stacked.
pub(super) fn start_velocities(state: &State, out: &mut Vec<f64>) {
    out.clear();
    state.motions.iter().for_each(|motion| out.extend(motion.world_velocity()));
}

/// M and M⁻¹ of the free bodies, without an arm.
pub(super) fn fill_masses(context: &Context, state: &State, out: &mut Masses) {
    out.inverse.clear();
    out.own.clear();
    for (motion, inertia) in state.motions.iter().zip(context.parameters.free_inertia()) {
        out.inverse.push(inverse_mass(motion, &inertia));
        out.own.push(mass_matrix(motion, &inertia));
    }
}

/// V_f and W over the piece from velocities after the impact.
pub(super) fn predict(
    piece: &Piece,
    after_impact: &[f64],
    mut arm: Option<&mut ArmPiece>,
    out: &mut FreeMotion,
) {
    let Piece { context, state, span, .. } = piece;
    out.velocity.clear();
    out.response.clear();
    for (index, (motion, inertia)) in state.motions.iter().zip(context.parameters.free_inertia()).enumerate()
    {
        let motion = motion.with_world_velocity(&after_impact[6 * index..6 * index + 6]);
        let load = context.input.wrenches.get(index).copied().unwrap_or_else(Wrench::zero);
        let weight = Wrench::new(context.scene.gravity * inertia.mass, Vector3::zeros());
        let coupling = context.coupling(index, *span);
        let rule = piece.integration();
        let mut free = rule.free_step(&motion, &inertia, &(load + weight), coupling.as_ref(), span.duration);
        if let Some(arm) = arm.as_deref_mut().filter(|arm| arm.index == index) {
            free = arm.predict(piece, &motion, free);
        }
        out.velocity.extend(free.velocity);
        out.response.push(free.response);
    }
}
