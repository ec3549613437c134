//! The C-space rows within the step (paper section 4.3, Algorithm 1).
//!
//! ```text
//! 0 ≤ λ_C ⊥ N_CᵀV + b_C ≥ 0        b_C of φ_C as of any gap:  impact φ⁺/T,  smooth max(0, 2φ⁺/T + N_CᵀV₀)
//! ```
//!
//! A body that collides in C-space (φ_C ≤ 0) has the paper's row: the body as a whole must not go deeper than its nearest
//! contact allows. At 10 ms that comes too late, since the body crosses its play within a step. So a stage whose motion would
//! end in collision is solved again with the row of the contact that the motion comes to. What has come in already is not
//! pushed out, as it is not at nodes.

use nalgebra::Vector6;
use tightfit_network::InferenceScratch;
use tightfit_pipeline::cspace::{CspaceContact, FreeBody, LocalField, colliding_contact, coming_contact};

use super::context::Piece;
use super::free_motion::Masses;
use crate::CspaceMethod;
use crate::audit::pose;

/// Depth that requires no further row [m].
const ALLOWED: f64 = 0.2e-6;

/// Contacts in C-space.
#[derive(Debug, Default)]
pub(super) struct CspaceContacts {
    /// Each with the free body that it is of.
    pub(super) found: Vec<(u32, CspaceContact)>,
    pub(super) scratch: InferenceScratch,
}

impl CspaceContacts {
    /// Finds the contact that is nearest to the pose of the state, if the body collides there; false where the step has no
    /// C-space rows.
    pub(super) fn find(&mut self, piece: &Piece, masses: &Masses) -> bool {
        self.found.clear();
        if !is_used(piece) {
            return false;
        }
        let field = local_field(piece, masses, &mut self.scratch);
        // a network that was built can be evaluated: errors are of those that do not fit
        let nearest =
            field.and_then(|(body, mut field)| Some((body, colliding_contact(&mut field).ok().flatten()?)));
        self.found.extend(nearest);
        true
    }

    /// Adds the contact that a motion with stacked velocities comes to within the piece; whether there is one, and room for it.
    pub(super) fn add_coming(&mut self, piece: &Piece, masses: &Masses, velocity: &[f64]) -> bool {
        let methods = piece.context.methods();
        if !is_used(piece) || !methods.anticipation || self.found.len() >= methods.cspace.rows() as usize {
            return false;
        }
        let field = local_field(piece, masses, &mut self.scratch);
        let coming = field.and_then(|(body, mut field)| {
            let velocity = &velocity[6 * body as usize..];
            let displacement = Vector6::from_fn(|k, _| piece.span.duration * velocity[k]);
            Some((body, coming_contact(&mut field, &displacement, ALLOWED).ok().flatten()?))
        });
        self.found.extend(coming);
        coming.is_some()
    }
}

/// The field that covers the pose of the state, and the free body that it is of.
fn local_field<'a>(
    piece: &Piece<'a>,
    masses: &Masses,
    scratch: &'a mut InferenceScratch,
) -> Option<(u32, LocalField<'a>)> {
    let (scene, parameters) = (piece.context.scene, piece.context.parameters);
    let pair = scene.cspace.as_ref()?;
    let index = scene.free_index(pair.moving)?;
    let inertia = parameters.bodies[pair.moving].inertia?;
    let world_from_fixed = pose(scene, parameters, piece.state, pair.fixed);
    let body = FreeBody {
        world_from_part: pose(scene, parameters, piece.state, pair.moving),
        center_in_part: inertia.center_of_mass,
        mass: inertia.mass,
        inverse_mass: masses.inverse[index],
    };
    let fixed_from_part = world_from_fixed.inverse() * body.world_from_part;
    let field = pair.space.field_at(&fixed_from_part, body.center_in_part)?;
    Some((index as u32, LocalField::new(field, world_from_fixed, body, scratch)))
}

/// Whether the step has C-space rows: not where pairs bounce, since a row would keep them from touching.
fn is_used(piece: &Piece) -> bool {
    let methods = piece.context.methods();
    methods.cspace != CspaceMethod::None
        && methods.solver.sweeps()
        && piece.context.parts.fits_cspace
        && !piece.context.scene.bounces()
}
