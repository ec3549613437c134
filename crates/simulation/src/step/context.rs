//! What a step reads and never changes, and the stretch of time that a piece of it covers.

use std::sync::Arc;

use tightfit_pipeline::detection::NodeBlocks;
use tightfit_pipeline::integration::{Coupling, IntegrationMethod};
use tightfit_pipeline::records::Contacts;
use tightfit_shape::polyhedron::Polyhedron;

use super::restitution;
use crate::{Input, Methods, Parameters, Scene, State};

/// What is constant during a step.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) scene: &'a Scene,
    pub(super) parameters: &'a Parameters,
    pub(super) input: &'a Input,
    pub(super) parts: &'a PlacedParts,
    /// The state at the start of the step.
    pub(super) start: &'a State,
}

/// The parts of an environment, prepared once.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlacedParts {
    /// Nodes of every body in its part's frame [m].
    pub(crate) nodes: Vec<Arc<NodeBlocks>>,
    /// Every body as a polyhedron, if planes bound it.
    pub(crate) polyhedra: Vec<Option<Arc<Polyhedron>>>,
    /// Whether the network or mesh of a body may be used: the environment's part is the one that it was made for.
    pub(super) has_scene_part: Vec<bool>,
    /// Whether the scene's C-space networks were made for the environment's parts.
    pub(super) fits_cspace: bool,
    /// Most contacts that the nodes can have.
    pub(crate) most_contacts: usize,
}

impl Context<'_> {
    /// T [s].
    pub(super) fn dt(&self) -> f64 {
        self.parameters.dt
    }

    pub(super) fn methods(&self) -> &Methods {
        &self.parameters.methods
    }

    /// Free body that the arm holds.
    pub(super) fn held_index(&self) -> Option<usize> {
        self.scene.arm.as_ref().and_then(|arm| self.scene.free_index(arm.body))
    }

    /// Spring and damper of a free body over a piece of the step.
    pub(super) fn coupling(&self, index: usize, span: Span) -> Option<Coupling> {
        let whole = self.input.couplings.get(index).copied().flatten()?;
        let shares = [span.elapsed, span.elapsed + span.duration].map(|time| time / self.dt());
        Some(if shares == [0.0, 1.0] { whole } else { whole.during(shares) })
    }
}

/// A stretch of the step [s].
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// From the start of the step to the start of the piece.
    pub(super) elapsed: f64,
    /// From the start of the piece to the end of the step.
    pub(super) left: f64,
    /// Length of the piece: `left`, unless the piece ends at a touch.
    pub(super) duration: f64,
}

impl Span {
    /// The whole step.
    pub(super) fn whole(dt: f64) -> Self {
        Self { elapsed: 0.0, left: dt, duration: dt }
    }

    /// The same piece, cut short.
    pub(super) fn until(self, touch: f64) -> Self {
        Self { duration: touch, ..self }
    }

    /// Whether the piece ends with the step.
    pub(super) fn is_last(self) -> bool {
        self.duration >= self.left
    }

    /// What follows the piece.
    pub(super) fn rest(self, dt: f64) -> Self {
        let elapsed = self.elapsed + self.duration;
        Self { elapsed, left: dt - elapsed, duration: dt - elapsed }
    }
}

/// What the velocity stages of a piece read.
#[derive(Clone, Copy)]
pub(super) struct Piece<'a> {
    pub(super) context: Context<'a>,
    /// At the start of the piece.
    pub(super) state: &'a State,
    pub(super) span: Span,
    pub(super) may: Cuts,
}

/// Why a piece may end before the step does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cuts {
    /// Contacts that bounce and do not touch yet are left to a later piece.
    pub(super) may_wait: bool,
    /// Polyhedra in contact that turn far are advanced by a part of the step.
    pub(super) may_turn_less: bool,
}

impl Piece<'_> {
    /// The piece, cut after `duration` seconds.
    pub(super) fn until(self, duration: Option<f64>) -> Self {
        Self { span: duration.map_or(self.span, |duration| self.span.until(duration)), ..self }
    }

    pub(super) fn integration(&self) -> IntegrationMethod {
        self.context.methods().integration
    }

    /// Whether a contact is left to a later piece.
    pub(super) fn waits(&self, contacts: &Contacts, index: usize) -> bool {
        self.may.may_wait && restitution::is_before_touch(contacts, index)
    }
}
