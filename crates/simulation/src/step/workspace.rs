//! Scratch memory of a step, and caches that never change a result.

use nalgebra::Matrix6;
use tightfit_pipeline::detection::NodeBlocks;
use tightfit_pipeline::records::Contacts;
use tightfit_pipeline::solving::pose_projection::ProjectionWorkspace;
use tightfit_pipeline::solving::{ApproachSpeeds, SolverWorkspace, WarmStart};
use tightfit_spatial::Columns3;

use crate::{Input, Motion, Parameters, Scene, State};

/// Generalised impulses [N·s, N·m·s] and velocities [m/s, rad/s] of a second solution, stacked per body.
#[derive(Debug, Default)]
pub(super) struct Solution {
    pub(super) generalised: Vec<f64>,
    pub(super) velocity: Vec<f64>,
}

/// Buffers of one environment. Clearing it between steps changes no result.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Nodes of every body in its part's frame [m].
    pub(super) nodes: Vec<NodeBlocks>,
    /// Candidate contacts at the pose of the state, and the (step, margin) they were found for.
    pub(super) contacts: Contacts,
    pub(super) detected: Option<(u64, f64)>,
    /// Margin that a step begun again asks for [m]; zero otherwise.
    pub(super) widened: f64,
    /// The state before the step, for a step that cannot be taken.
    pub(super) before: State,
    /// Velocities [v; ω] in world axes, stacked: at the start, after the impact, free, at the end, of the pose.
    pub(super) start: Vec<f64>,
    pub(super) free: Vec<f64>,
    pub(super) end: Vec<f64>,
    pub(super) pose_velocity: Vec<f64>,
    /// Velocity of the pose before it was projected.
    pub(super) wanted: Vec<f64>,
    /// W, M⁻¹ and M of every free body in world axes.
    pub(super) response: Vec<Matrix6<f64>>,
    pub(super) inverse_mass: Vec<Matrix6<f64>>,
    pub(super) mass: Vec<Matrix6<f64>>,
    /// b of every contact [m/s].
    pub(super) approach: ApproachSpeeds,
    pub(super) solver: SolverWorkspace,
    pub(super) impact_warm: WarmStart,
    pub(super) projection: ProjectionWorkspace,
    /// The impact with rebound, while the plastic one is sought.
    pub(super) rebound: Solution,
    /// Impulses of the smooth stages of all pieces of the step, stacked per body [N·s, N·m·s].
    pub(super) impulse: Vec<f64>,
}

/// A step in progress: what is constant, and the scratch memory.
pub(super) struct Environment<'a> {
    pub(super) scene: &'a Scene,
    pub(super) parameters: &'a Parameters,
    pub(super) input: &'a Input,
    pub(super) scratch: &'a mut Workspace,
    /// Time of the step that is over, and that is left [s]: 0 and T unless the step is cut at touches.
    pub(super) elapsed: f64,
    pub(super) left: f64,
    /// Time that the piece under way takes [s].
    pub(super) duration: f64,
    /// Whether contacts that bounce and do not touch yet may be left to a later piece.
    pub(super) may_wait: bool,
    /// Whether kinematic parts are on their way; at the end of a piece they stand where they are.
    pub(super) is_under_way: bool,
}

impl Workspace {
    /// Forgets every cache; the next step finds everything anew.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn environment<'a>(
        &'a mut self,
        scene: &'a Scene,
        parameters: &'a Parameters,
        input: &'a Input,
    ) -> Environment<'a> {
        if self.nodes.len() != scene.bodies.len() {
            self.nodes = scene
                .bodies
                .iter()
                .zip(&parameters.bodies)
                .map(|(body, own)| {
                    let mut positions = Columns3::default();
                    own.part.place(&body.nodes, &mut positions);
                    NodeBlocks::new(positions)
                })
                .collect();
        }
        self.impulse.clear();
        Environment {
            scene,
            parameters,
            input,
            scratch: self,
            elapsed: 0.0,
            left: scene.step,
            duration: scene.step,
            may_wait: false,
            is_under_way: true,
        }
    }

    /// Candidate contacts of the last detection.
    #[must_use]
    pub fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    /// Contact impulses of the last step, impacts aside, stacked per free body: linear [N·s], angular about its
    /// centre of mass [N·m·s], world axes.
    #[must_use]
    pub fn generalised_impulse(&self) -> &[f64] {
        &self.impulse
    }
}

impl Scene {
    /// Number of the free body that a body is, if it is one.
    pub(crate) fn free_index(&self, body: usize) -> Option<usize> {
        let is = |motion: Motion| move |other: &&crate::Body| other.motion == motion;
        (self.bodies[body].motion == Motion::Free)
            .then(|| self.bodies[..body].iter().filter(is(Motion::Free)).count())
    }

    /// Number of the kinematic body that a body is, if it is one.
    pub(crate) fn kinematic_index(&self, body: usize) -> Option<usize> {
        let is = |other: &&crate::Body| other.motion == Motion::Kinematic;
        (self.bodies[body].motion == Motion::Kinematic).then(|| self.bodies[..body].iter().filter(is).count())
    }
}
