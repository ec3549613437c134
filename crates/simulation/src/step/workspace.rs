//! Memory of a step, and caches that never change a result.

use std::sync::Arc;

use tightfit_pipeline::clustering::ClusteringMethod;
use tightfit_pipeline::detection::{Clearances, NodeBlocks, most_crossings};
use tightfit_pipeline::make_room;
use tightfit_pipeline::records::Contacts;
use tightfit_shape::Part;
use tightfit_spatial::{Columns3, Vector3};

use super::arm::ArmPiece;
use super::body_views::BodyViews;
use super::clusters::Clusters;
use super::contact_problem::{Allowances, SolverMemory, StageSolution};
use super::context::{Context, PlacedParts};
use super::correction::CorrectionMemory;
use super::cspace::CspaceContacts;
use super::detection::{Candidates, DetectionMemory, Search};
use super::free_motion::Masses;
use super::pair_impulses::PairImpulse;
use super::projection::ProjectionMemory;
use super::smooth::SmoothMotion;
use crate::{BodyId, CspaceMethod, Input, Motion, Parameters, Scene, State};

/// Buffers of one environment. Clearing it between steps changes no result.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(super) parts: PlacedParts,
    pub(super) memory: PieceMemory,
    /// The state before the step, for a step that cannot be taken.
    pub(super) before: State,
    /// Impulses of the smooth stages and of the impacts of all pieces, stacked per free body [N·s, N·m·s].
    pub(super) impulse: Vec<f64>,
    pub(super) impact_impulse: Vec<f64>,
    /// Contact impulses of every pair of bodies of the scene, of all stages.
    pub(super) pair_impulses: Vec<PairImpulse>,
    /// Nodes of the scene's own parts, where many environments share them; else none.
    shared_nodes: Vec<Arc<NodeBlocks>>,
    /// Contacts that there is room for.
    room: usize,
}

/// What the stages of a piece pass on, in the order in which they write it. Velocities are [v; ω] in world axes, stacked per
/// free body [m/s, rad/s].
#[derive(Debug, Default)]
pub(super) struct PieceMemory {
    /// The state at the start of the piece, for a piece that is taken again.
    pub(super) begun: State,
    /// V₀ of the state.
    pub(super) start: Vec<f64>,
    pub(super) masses: Masses,
    pub(super) candidates: Candidates,
    pub(super) detection: DetectionMemory,
    /// The arm behind the part that it holds.
    pub(super) arm: Option<ArmPiece>,
    pub(super) cspace: CspaceContacts,
    pub(super) clusters: Clusters,
    pub(super) allowed: Allowances,
    pub(super) solver: SolverMemory,
    /// V₀⁺.
    pub(super) impact: StageSolution,
    /// V_f, V₁.
    pub(super) smooth: SmoothMotion,
    /// V̄, with which the pose moves before any projection.
    pub(super) pose_velocity: Vec<f64>,
    pub(super) projection: ProjectionMemory,
    pub(super) correction: CorrectionMemory,
}

/// What a workspace knows of one environment beside its contacts.
#[derive(Clone, Debug, Default)]
pub(crate) struct EnvironmentCache {
    pub(crate) parts: PlacedParts,
    clearances: Vec<[Clearances; 2]>,
    pair_ends: Vec<usize>,
    pub(crate) search: Option<Search>,
}

impl Workspace {
    /// Forgets every cache; the next step finds everything anew.
    pub fn clear(&mut self) {
        *self = Self { shared_nodes: std::mem::take(&mut self.shared_nodes), ..Self::default() };
    }

    /// Forgets the environment but keeps the memory: the next step may be one of another environment of the same scene.
    pub fn forget_environment(&mut self) {
        self.parts = PlacedParts::default();
        self.memory.candidates.search = None;
    }

    /// A workspace for the environments of one scene; those that have the scene's own parts share its nodes.
    #[must_use]
    pub fn of_scene(scene: &Scene) -> Self {
        let place = |body: &crate::Body| Arc::new(placed(scene, body, &body.part));
        let nodes: Vec<_> = scene.bodies.iter().map(place).collect();
        Self::sharing(&nodes)
    }

    /// Places the nodes and takes all memory that steps need. The first step does so too; doing it before leaves that one
    /// no slower than the others.
    pub fn prepare(&mut self, scene: &Scene, parameters: &Parameters, state: &mut State) {
        if self.parts.nodes.len() != scene.bodies.len() {
            self.place_parts(scene, parameters);
        }
        let (bodies, contacts) = (state.motions.len(), self.parts.most_contacts);
        let memory = &mut self.memory;
        memory.candidates.contacts.make_room(contacts, both_move(scene));
        memory.correction.make_room_for_early_contacts(both_move(scene));
        if self.room < contacts || self.before.motions.len() != bodies {
            for buffer in
                [&mut memory.start, &mut memory.pose_velocity, &mut self.impulse, &mut self.impact_impulse]
            {
                make_room(buffer, 6 * bodies);
            }
            memory.masses.make_room(bodies);
            memory.detection.make_room(bodies, contacts);
            memory.allowed.make_room(contacts);
            let pairs = scene.contacts.len();
            make_room(&mut memory.candidates.required, pairs);
            memory.solver.make_room(bodies, contacts, pairs);
            memory.impact.make_room(bodies, pairs);
            memory.smooth.free.make_room(bodies);
            memory.smooth.end.make_room(bodies, pairs);
            memory.projection.make_room(bodies, contacts);
            memory.correction.make_room(bodies);
            self.before.warm.make_room(bodies, contacts);
            memory.begun.warm.make_room(bodies, contacts);
            self.room = contacts;
        }
        self.make_room_for_methods(scene, parameters);
        // a state may come from anywhere; its memory is that of the step from then on
        state.warm.make_room(bodies, contacts);
    }

    fn place_parts(&mut self, scene: &Scene, parameters: &Parameters) {
        let bodies = || scene.bodies.iter().zip(&parameters.bodies);
        let nodes = bodies().enumerate().map(|(index, (body, own))| {
            let shared = self.shared_nodes.get(index).filter(|_| own.part == body.part);
            shared.map_or_else(|| Arc::new(placed(scene, body, &own.part)), Arc::clone)
        });
        let polyhedra = bodies().map(|(body, own)| match own.part == body.part {
            true => body.polyhedron.clone(),
            false => own.part.polyhedron().map(Arc::new),
        });
        let has_scene_part = bodies()
            .map(|(body, own)| (body.network.is_some() || body.mesh.is_some()) && own.part == body.part);
        let mut parts = PlacedParts {
            nodes: nodes.collect(),
            polyhedra: polyhedra.collect(),
            has_scene_part: has_scene_part.collect(),
            fits_cspace: scene.cspace.as_ref().is_some_and(|pair| {
                let is_same = |body: BodyId| parameters.bodies[body].part == scene.bodies[body].part;
                is_same(pair.moving) && is_same(pair.fixed)
            }),
            most_contacts: 0,
        };
        parts.most_contacts = most_contacts(scene, parameters, &parts);
        self.parts = parts;
        let PieceMemory { detection, candidates, .. } = &mut self.memory;
        detection.clearances.clear();
        detection.clearances.resize_with(scene.contacts.len(), Default::default);
        for network in scene.bodies.iter().filter_map(|body| body.network.as_ref()) {
            detection.scratch.make_room(network);
        }
        make_room(&mut candidates.pair_ends, scene.contacts.len());
    }

    /// Takes the memory that only some methods need.
    fn make_room_for_methods(&mut self, scene: &Scene, parameters: &Parameters) {
        let (methods, memory) = (&parameters.methods, &mut self.memory);
        let (contacts, pairs) = (self.parts.most_contacts, scene.contacts.len());
        let solved = (methods.clustering.most_of_a_pair(contacts) * pairs).min(contacts);
        if methods.solver.sweeps() && memory.solver.sweeps.room() < solved {
            memory.solver.sweeps.make_room(solved);
        }
        if let Some(pair) = scene.cspace.as_ref().filter(|_| methods.cspace != CspaceMethod::None) {
            pair.space.make_room(&mut memory.cspace.scratch);
            make_room(&mut memory.cspace.found, CspaceMethod::MOST_ROWS as usize);
            memory.allowed.make_room_for_rows();
        }
        if methods.clustering != ClusteringMethod::None {
            memory.clusters.chosen.make_room(methods.clustering, contacts, pairs);
            memory.clusters.contacts.make_room(contacts, both_move(scene));
            make_room(&mut memory.clusters.pair_ends, pairs);
            let network = scene.interaction.as_ref();
            if let Some(own) = network.filter(|_| methods.clustering == ClusteringMethod::Interaction) {
                let contacts = contacts.max(own.clustering.surface.points().len());
                let scratch = &mut memory.clusters.interaction;
                scratch.contacts.make_room(contacts);
                make_room(&mut scratch.chosen, contacts);
                scratch.workspace.make_room(contacts);
            }
        }
    }

    /// A workspace whose environments share the nodes of the scene's own parts.
    pub(crate) fn sharing(nodes: &[Arc<NodeBlocks>]) -> Self {
        Self { shared_nodes: nodes.to_vec(), ..Self::default() }
    }

    /// Exchanges what is known of one environment for what is known of another. The record of contacts stays: it is large, and
    /// lent to all.
    pub(crate) fn exchange(&mut self, cache: &mut EnvironmentCache) -> &mut Candidates {
        let PieceMemory { candidates, detection, .. } = &mut self.memory;
        std::mem::swap(&mut self.parts, &mut cache.parts);
        std::mem::swap(&mut detection.clearances, &mut cache.clearances);
        std::mem::swap(&mut candidates.pair_ends, &mut cache.pair_ends);
        std::mem::swap(&mut candidates.search, &mut cache.search);
        candidates
    }

    /// Contacts at the pose of a state whose gap is below `margin` [m], without a step.
    pub fn contacts_at(
        &mut self,
        scene: &Scene,
        parameters: &Parameters,
        state: &mut State,
        margin: f64,
    ) -> &Contacts {
        self.prepare(scene, parameters, state);
        let Self { parts, memory: PieceMemory { candidates, detection, .. }, .. } = self;
        let input = Input::none(state);
        let context = Context { scene, parameters, input: &input, parts, start: state };
        candidates.find_near(&BodyViews::after(&context, state), margin, detection);
        // a step searches by its own margin
        candidates.search = None;
        &candidates.contacts
    }

    /// Candidate contacts of the last detection.
    #[must_use]
    pub fn contacts(&self) -> &Contacts {
        &self.memory.candidates.contacts
    }

    /// Contact impulses of the last step, impacts aside, stacked per free body: linear [N·s], angular about its
    /// centre of mass [N·m·s], world axes.
    #[must_use]
    pub fn generalised_impulse(&self) -> &[f64] {
        &self.impulse
    }

    /// Contact impulses of the last step by pairs of the scene, impacts included; C-space rows act beside the contacts and are not
    /// among them.
    #[must_use]
    pub fn pair_impulses(&self) -> &[PairImpulse] {
        &self.pair_impulses
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

/// The nodes of a body on a part. They slide where the scene has an exact solid or round corners, two convex turned solids, turned
/// solids and polyhedra, or a thread and what it does not engage, and those of capsules always; rims come along with them.
pub(crate) fn placed(scene: &Scene, body: &crate::Body, part: &Part) -> NodeBlocks {
    let mut positions = Columns3::with_capacity(body.nodes.len());
    part.place(&body.nodes, &mut positions);
    let nodes = NodeBlocks::weighed(positions, &body.nodes.left);
    let is_solid = |part: &Part| matches!(part, Part::Cad(_)) || part.has_round_corners();
    let has_solid = scene.bodies.iter().any(|body| is_solid(&body.part));
    let has_polyhedron = scene.bodies.iter().any(|body| body.polyhedron.is_some());
    let has_turned = scene.bodies.iter().any(|body| matches!(body.part, Part::Sectioned(_)));
    let are_turned = |pair: &crate::ContactPair| {
        pair.bodies.iter().all(|body| scene.bodies[*body].part.turned().is_some())
    };
    let has_turned_pair = scene.contacts.iter().any(are_turned);
    let is_beside_thread = |pair: &crate::ContactPair| {
        let [first, second] = pair.bodies.map(|body| &scene.bodies[body]);
        let [one, other] = [first, second].map(|body| body.world_from_part.rotation * Vector3::z());
        first.part.is_thread_beside(&second.part, one.dot(&other))
    };
    let has_thread_beside = scene.contacts.iter().any(is_beside_thread);
    let nodes = if part.is_turned() { nodes.with_walls(part) } else { nodes };
    let has_mixed = has_polyhedron && has_turned;
    if has_solid || has_turned_pair || has_mixed || has_thread_beside || part.has_core_nodes() {
        nodes.sliding(part.slides(&body.nodes), part)
    } else if has_polyhedron {
        nodes.with_edges(part.sharp_edges())
    } else {
        nodes
    }
}

impl EnvironmentCache {
    /// Memory beside the nodes [bytes].
    pub(crate) fn bytes(&self) -> usize {
        let clearances: usize = self.clearances.iter().flatten().map(Clearances::bytes).sum();
        clearances
            + self.parts.nodes.capacity() * size_of::<Arc<NodeBlocks>>()
            + self.clearances.capacity() * size_of::<[Clearances; 2]>()
            + self.pair_ends.capacity() * size_of::<usize>()
            + self.parts.has_scene_part.capacity()
    }
}

/// Contacts that there is room for per triangle of a pair of meshes. Pairs of triangles have no useful bound: where more
/// are found, the buffers grow in that step.
const PER_TRIANGLE: usize = 4;

/// Contacts that there is room for per corner and edge of a pair of polyhedra; the same holds.
const PER_FEATURE: usize = 2;

/// Most contacts of all pairs: every node of either side against every piece of the other, and every crossing of edges.
fn most_contacts(scene: &Scene, parameters: &Parameters, parts: &PlacedParts) -> usize {
    let PlacedParts { nodes, polyhedra, has_scene_part, .. } = parts;
    let of_pair = |pair: &crate::ContactPair| {
        let [a, b] = pair.bodies;
        let mesh = |body: BodyId| scene.bodies[body].mesh.as_ref().filter(|_| has_scene_part[body.index()]);
        if let [Some(a), Some(b)] = pair.bodies.map(mesh) {
            return PER_TRIANGLE * (a.len() + b.len());
        }
        let polyhedron = |body: BodyId| polyhedra[body.index()].as_ref();
        let of_polyhedra = match pair.bodies.map(polyhedron) {
            [Some(a), Some(b)] => {
                PER_FEATURE * (a.corners.len() + b.corners.len() + a.edges.len() + b.edges.len())
            }
            // those of a ball
            [Some(one), None] | [None, Some(one)] => one.faces.len() + one.edges.len() + one.corners.len(),
            [None, None] => 0,
        };
        let pieces = |body: BodyId| parameters.bodies[body].part.most_pieces();
        let [first, second] = pair.bodies.map(|body| &parameters.bodies[body].part);
        nodes[a.index()].len() * pieces(b)
            + nodes[b.index()].len() * pieces(a)
            + most_crossings(first, second) as usize
            + 2 * nodes[a.index()].wall_count() * nodes[b.index()].wall_count()
            + of_polyhedra
    };
    scene.contacts.iter().map(of_pair).sum()
}

impl Scene {
    /// Number of the free body that a body is, if it is one.
    #[must_use]
    pub fn free_index(&self, body: BodyId) -> Option<usize> {
        let is = |motion: Motion| move |other: &&crate::Body| other.motion == motion;
        (self.bodies[body].motion == Motion::Free)
            .then(|| self.bodies[..body.index()].iter().filter(is(Motion::Free)).count())
    }

    /// Number of the kinematic body that a body is, if it is one.
    pub(crate) fn kinematic_index(&self, body: BodyId) -> Option<usize> {
        let is = |other: &&crate::Body| other.motion == Motion::Kinematic;
        (self.bodies[body].motion == Motion::Kinematic)
            .then(|| self.bodies[..body.index()].iter().filter(is).count())
    }
}
