//! Scratch memory of a step, and caches that never change a result.

use std::sync::Arc;
use std::time::Instant;

use nalgebra::{Matrix6, Vector3};
use tightfit_interaction::{ContactSet, InteractionWorkspace};
use tightfit_network::InferenceScratch;
use tightfit_pipeline::clustering::{ClusteringMethod, ClusteringWorkspace};
use tightfit_pipeline::configuration::ConfigurationContact;
use tightfit_pipeline::detection::{Clearances, NetworkScratch, NodeBlocks, most_crossings};
use tightfit_pipeline::integration::BodyMotion;
use tightfit_pipeline::make_room;
use tightfit_pipeline::records::{Contacts, WrenchRow};
use tightfit_pipeline::solving::pose_projection::ProjectionWorkspace;
use tightfit_pipeline::solving::{ApproachSpeeds, SolverWorkspace, SweepWorkspace, WarmStart};
use tightfit_shape::Part;
use tightfit_spatial::Columns3;

use super::arm::ArmScratch;
use super::early_push::MOST_ASKED;
use super::kept_contacts::KeptContacts;
use super::nearby::Detected;
use crate::{CspaceMethod, Input, Motion, Parameters, Scene, State};

/// Contacts with an impulse that the state of an environment has room for from its first step on; more of them take memory
/// in the step that meets them.
const KEPT_WARM: usize = 32;

/// Generalised impulses [N·s, N·m·s] and velocities [m/s, rad/s] of a second solution, stacked per body.
#[derive(Debug, Default)]
pub(super) struct Solution {
    pub(super) generalised: Vec<f64>,
    pub(super) velocity: Vec<f64>,
}

/// Contacts of a pair as its interaction network takes them, and what it makes of them.
#[derive(Debug, Default)]
pub(super) struct InteractionScratch {
    pub(super) contacts: ContactSet,
    /// Places in the record of those that are not left out.
    pub(super) chosen: Vec<u32>,
    pub(super) workspace: InteractionWorkspace,
}

/// Buffers of one environment. Clearing it between steps changes no result.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Nodes of every body in its part's frame [m].
    pub(super) nodes: Vec<Arc<NodeBlocks>>,
    /// Those of the scene's own parts, where many environments share them; else none.
    shared_nodes: Vec<Arc<NodeBlocks>>,
    /// Whether a body's network or mesh answers for it: the part of the environment is the one it was made for.
    pub(super) has_scene_part: Vec<bool>,
    pub(super) network: NetworkScratch,
    /// What is known of nodes that are not near, for both directions of every pair.
    pub(super) clearances: Vec<[Clearances; 2]>,
    /// Whether the scene's C-space networks are those of the environment's parts.
    pub(super) knows_configurations: bool,
    pub(super) configuration_scratch: InferenceScratch,
    /// Contacts in C-space and the free bodies they are of.
    pub(super) configurations: Vec<(u32, ConfigurationContact)>,
    /// Conditions on whole bodies, of the impact and of the smooth stage.
    pub(super) impact_rows: Vec<WrenchRow>,
    pub(super) smooth_rows: Vec<WrenchRow>,
    /// Candidate contacts at the pose of the state, and what they were found for.
    pub(super) contacts: Contacts,
    pub(super) detected: Option<Detected>,
    /// Where the contacts of each pair of parts end in the record.
    pub(super) pair_ends: Vec<usize>,
    /// All of them, while those that stand for them are in `contacts`; the memory of those otherwise.
    pub(super) all_contacts: Contacts,
    pub(super) clustering: ClusteringWorkspace,
    pub(super) interaction: InteractionScratch,
    /// Most contacts that the nodes can have, and those that there is room for.
    most_contacts: usize,
    room: usize,
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
    /// By how much the motion of the step bends [m]. Identities of the contacts that are asked again before all are found,
    /// and what they answer.
    pub(super) bend: f64,
    pub(super) asked: Vec<u32>,
    pub(super) answers: Contacts,
    /// Motions before a correction that may be taken back.
    pub(super) uncorrected: Vec<BodyMotion>,
    /// W, M⁻¹ and M of every free body in world axes.
    pub(super) response: Vec<Matrix6<f64>>,
    pub(super) inverse_mass: Vec<Matrix6<f64>>,
    pub(super) mass: Vec<Matrix6<f64>>,
    /// b of every contact [m/s].
    pub(super) approach: ApproachSpeeds,
    pub(super) solver: SolverWorkspace,
    pub(super) sweeps: SweepWorkspace,
    pub(super) impact_warm: WarmStart,
    /// Room for the warm start of whichever environment has its turn.
    lent_warm: WarmStart,
    pub(super) projection: ProjectionWorkspace,
    /// The impact with rebound, while the plastic one is sought.
    pub(super) rebound: Solution,
    /// The arm that holds a part.
    pub(super) arm: ArmScratch,
    /// Impulses of the smooth stages of all pieces of the step, stacked per body [N·s, N·m·s].
    pub(super) impulse: Vec<f64>,
    /// Those of the impacts of all pieces, and of the piece under way.
    pub(super) impact_impulse: Vec<f64>,
    pub(super) struck: Vec<f64>,
}

/// What a workspace knows of one environment: put aside while another takes its turn, it spares the next step a
/// detection and the placing of nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundContacts {
    nodes: Vec<Arc<NodeBlocks>>,
    has_scene_part: Vec<bool>,
    clearances: Vec<[Clearances; 2]>,
    knows_configurations: bool,
    contacts: KeptContacts,
    pair_ends: Vec<usize>,
    detected: Option<Detected>,
    most_contacts: usize,
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
    /// When the stage under way began.
    clock: Instant,
}

impl Environment<'_> {
    /// Ends a stage, and begins the next one; how long it took [s].
    pub(super) fn lap(&mut self) -> f64 {
        let now = Instant::now();
        now.duration_since(std::mem::replace(&mut self.clock, now)).as_secs_f64()
    }
}

impl Workspace {
    /// Forgets every cache; the next step finds everything anew.
    pub fn clear(&mut self) {
        *self = Self { shared_nodes: std::mem::take(&mut self.shared_nodes), ..Self::default() };
    }

    /// Places the nodes and takes all memory that steps need. The first step does so too; doing it before leaves that one
    /// no slower than the others.
    pub fn prepare(&mut self, scene: &Scene, parameters: &Parameters, state: &mut State) {
        if self.nodes.len() != scene.bodies.len() {
            self.nodes = scene
                .bodies
                .iter()
                .zip(&parameters.bodies)
                .enumerate()
                .map(|(index, (body, own))| {
                    let shared = self.shared_nodes.get(index).filter(|_| own.part == body.part);
                    shared.map_or_else(|| Arc::new(placed(body, &own.part)), Arc::clone)
                })
                .collect();
            let bodies = scene.bodies.iter().zip(&parameters.bodies);
            let has_scene_part = |(body, own): (&crate::Body, &crate::BodyParameters)| {
                (body.network.is_some() || body.mesh.is_some()) && own.part == body.part
            };
            self.has_scene_part = bodies.map(has_scene_part).collect();
            self.clearances.clear();
            self.clearances.resize_with(scene.contacts.len(), Default::default);
            scene.bodies.iter().filter_map(|body| body.network.as_ref()).for_each(|network| {
                self.network.make_room(network);
            });
            self.knows_configurations = scene.cspace.as_ref().is_some_and(|pair| {
                let is_same = |body: usize| parameters.bodies[body].part == scene.bodies[body].part;
                is_same(pair.moving) && is_same(pair.fixed)
            });
            self.most_contacts = most_contacts(scene, parameters, &self.nodes, &self.has_scene_part);
            make_room(&mut self.pair_ends, scene.contacts.len());
        }
        self.contacts.make_room(self.most_contacts, both_move(scene));
        self.answers.make_room(MOST_ASKED * Part::MOST_PIECES as usize, both_move(scene));
        if self.room < self.most_contacts || self.before.motions.len() != state.motions.len() {
            self.make_room(state);
        }
        self.make_room_for_methods(scene, parameters);
        // a state may come from anywhere; its memory is that of the step from then on
        state.warm.make_room(state.motions.len(), self.most_contacts);
    }

    pub(super) fn environment<'a>(
        &'a mut self,
        scene: &'a Scene,
        parameters: &'a Parameters,
        input: &'a Input,
        state: &mut State,
    ) -> Environment<'a> {
        self.prepare(scene, parameters, state);
        self.before.copy_from(state);
        self.impulse.clear();
        self.impact_impulse.clear();
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
            clock: Instant::now(),
        }
    }

    /// Forgets the contacts that were found for a step that was not taken.
    pub(super) fn forget_contacts(&mut self) {
        self.detected = None;
    }

    /// A workspace whose environments share the nodes of the scene's own parts.
    pub(crate) fn sharing(nodes: &[Arc<NodeBlocks>]) -> Self {
        Self { shared_nodes: nodes.to_vec(), ..Self::default() }
    }

    /// Takes up what is known of an environment, and lends its state the room for a warm start.
    pub(crate) fn take_up(&mut self, found: &mut FoundContacts, state: &mut State) {
        self.swap(found);
        if self.detected.is_some() {
            found.contacts.put_back(&mut self.contacts);
        }
        self.lent_warm.copy_from(&state.warm);
        std::mem::swap(&mut state.warm, &mut self.lent_warm);
    }

    /// Puts what is known of an environment aside, as far as there is room for it, and takes back the lent room.
    pub(crate) fn put_aside(&mut self, found: &mut FoundContacts, state: &mut State) {
        std::mem::swap(&mut state.warm, &mut self.lent_warm);
        // no more room than they need: a copy by itself would take twice that
        let kept = KEPT_WARM.min(self.most_contacts).max(self.lent_warm.ids.len());
        state.warm.make_room(state.motions.len(), kept);
        state.warm.copy_from(&self.lent_warm);
        // more impulses than usual leave less room for contacts
        let beyond = kept.saturating_sub(KEPT_WARM) * (size_of::<Vector3<f64>>() + size_of::<u32>());
        found.contacts.make_room(own_bytes(&self.nodes, &self.shared_nodes) + beyond, self.most_contacts);
        if !found.contacts.keep(&self.contacts) {
            self.detected = None;
        }
        self.swap(found);
    }

    fn swap(&mut self, found: &mut FoundContacts) {
        std::mem::swap(&mut self.nodes, &mut found.nodes);
        std::mem::swap(&mut self.has_scene_part, &mut found.has_scene_part);
        std::mem::swap(&mut self.clearances, &mut found.clearances);
        std::mem::swap(&mut self.knows_configurations, &mut found.knows_configurations);
        std::mem::swap(&mut self.pair_ends, &mut found.pair_ends);
        std::mem::swap(&mut self.detected, &mut found.detected);
        std::mem::swap(&mut self.most_contacts, &mut found.most_contacts);
    }

    /// Takes all memory that any step of this scene can need.
    fn make_room(&mut self, state: &State) {
        let (bodies, contacts) = (state.motions.len(), self.most_contacts);
        for buffer in [
            &mut self.start,
            &mut self.free,
            &mut self.end,
            &mut self.pose_velocity,
            &mut self.wanted,
            &mut self.rebound.generalised,
            &mut self.rebound.velocity,
            &mut self.impulse,
            &mut self.impact_impulse,
            &mut self.struck,
        ] {
            make_room(buffer, 6 * bodies);
        }
        for matrices in [&mut self.response, &mut self.inverse_mass, &mut self.mass] {
            make_room(matrices, bodies);
        }
        make_room(&mut self.uncorrected, bodies);
        make_room(&mut self.asked, MOST_ASKED);
        self.approach.make_room(contacts);
        self.solver.make_room(bodies, contacts);
        self.projection.make_room(bodies, contacts);
        self.impact_warm.make_room(bodies, contacts);
        self.before.warm.make_room(bodies, contacts);
        self.room = contacts;
    }

    /// Takes the memory that only some methods need.
    fn make_room_for_methods(&mut self, scene: &Scene, parameters: &Parameters) {
        let methods = &parameters.methods;
        let (contacts, pairs) = (self.most_contacts, scene.contacts.len());
        let is_clustered = methods.clustering != ClusteringMethod::None;
        let solved = (methods.clustering.most_of_a_pair(contacts) * pairs).min(contacts);
        if methods.solver.sweeps() && self.sweeps.room() < solved {
            self.sweeps.make_room(solved);
        }
        if let Some(pair) = scene.cspace.as_ref().filter(|_| methods.cspace != CspaceMethod::None) {
            pair.space.make_room(&mut self.configuration_scratch);
            let rows = CspaceMethod::MOST_ROWS as usize;
            make_room(&mut self.configurations, rows);
            make_room(&mut self.impact_rows, rows);
            make_room(&mut self.smooth_rows, rows);
        }
        if is_clustered {
            self.clustering.make_room(methods.clustering, contacts, pairs);
            let network = scene.interaction.as_ref();
            if let Some(own) = network.filter(|_| methods.clustering == ClusteringMethod::Interaction) {
                let contacts = contacts.max(own.clustering.surface.points().len());
                self.interaction.contacts.make_room(contacts);
                make_room(&mut self.interaction.chosen, contacts);
                self.interaction.workspace.make_room(contacts);
            }
            // both, since they change places
            self.contacts.make_room(contacts, both_move(scene));
            self.all_contacts.make_room(contacts, both_move(scene));
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

    /// Contact impulses of the impacts of the last step, stacked likewise; a force sensor feels both.
    #[must_use]
    pub fn impact_impulse(&self) -> &[f64] {
        &self.impact_impulse
    }
}

/// Whether the second side of a contact may move.
fn both_move(scene: &Scene) -> bool {
    scene.bodies.iter().filter(|body| body.motion != Motion::Fixed).count() > 1
}

/// The nodes of a body on a part.
pub(crate) fn placed(body: &crate::Body, part: &tightfit_shape::Part) -> NodeBlocks {
    let mut positions = Columns3::with_capacity(body.nodes.len());
    part.place(&body.nodes, &mut positions);
    NodeBlocks::weighed(positions, &body.nodes.left)
}

/// Memory of the nodes that are not among the shared ones [bytes].
fn own_bytes(nodes: &[Arc<NodeBlocks>], shared: &[Arc<NodeBlocks>]) -> usize {
    let is_own = |nodes: &&Arc<NodeBlocks>| !shared.iter().any(|other| Arc::ptr_eq(other, nodes));
    nodes.iter().filter(is_own).map(|nodes| nodes.bytes()).sum()
}

impl FoundContacts {
    /// Memory of what no other environment shares [bytes].
    pub(crate) fn bytes(&self, shared: &[Arc<NodeBlocks>]) -> usize {
        let clearances: usize = self.clearances.iter().flatten().map(Clearances::bytes).sum();
        let places = self.nodes.capacity() * size_of::<Arc<NodeBlocks>>()
            + self.clearances.capacity() * size_of::<[Clearances; 2]>()
            + self.pair_ends.capacity() * size_of::<usize>()
            + self.has_scene_part.capacity();
        own_bytes(&self.nodes, shared) + clearances + places + self.contacts.bytes()
    }
}

/// Contacts that there is room for per triangle of a pair of meshes. Pairs of triangles have no useful bound: where more
/// are found, the buffers grow in that step.
const PER_TRIANGLE: usize = 4;

/// Most contacts of all pairs: every node of either side against every piece of the other, and every crossing of edges.
fn most_contacts(
    scene: &Scene,
    parameters: &Parameters,
    nodes: &[Arc<NodeBlocks>],
    has_scene_part: &[bool],
) -> usize {
    let of_pair = |pair: &crate::ContactPair| {
        let [a, b] = pair.bodies;
        let mesh = |body: usize| scene.bodies[body].mesh.as_ref().filter(|_| has_scene_part[body]);
        if let [Some(a), Some(b)] = pair.bodies.map(mesh) {
            return PER_TRIANGLE * (a.len() + b.len());
        }
        let pieces = |body: usize| parameters.bodies[body].part.most_pieces();
        let [first, second] = pair.bodies.map(|body| &parameters.bodies[body].part);
        nodes[a].len() * pieces(b) + nodes[b].len() * pieces(a) + most_crossings(first, second) as usize
    };
    scene.contacts.iter().map(of_pair).sum()
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
