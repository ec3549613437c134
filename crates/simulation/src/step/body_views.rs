//! The bodies of a scene at one pose, as detection sees them, and how far detection must search for them.

use nalgebra::Vector3;
use tightfit_pipeline::detection::{
    BallPair, DetectionOptions, PairBody, TurnedPair, bend, closed_within, crossing_ids, mesh_ids,
    polyhedron_ids, search_margin,
};
use tightfit_pipeline::records::NOT_FREE;
use tightfit_shape::Part;
use tightfit_spatial::{Pose, rotation_vector};

use super::context::{Context, Span};
use crate::{BodyId, State};

/// What moves kinematic parts.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Surfaces {
    /// They reach the poses of the input when the step ends, after this time [s].
    Moving(f64),
    /// They stand: the input of the next step is not known yet.
    Standing,
}

/// The bodies at the pose of a state.
#[derive(Clone, Copy)]
pub(super) struct BodyViews<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) state: &'a State,
    /// Stacked velocities of the free bodies that replace those of the state [m/s, rad/s].
    pub(super) velocities: Option<&'a [f64]>,
    pub(super) surfaces: Surfaces,
}

impl<'a> BodyViews<'a> {
    /// While the step goes on.
    pub(super) fn during(context: &'a Context<'a>, state: &'a State, span: Span) -> Self {
        Self { context, state, velocities: None, surfaces: Surfaces::Moving(span.left) }
    }

    /// At the end of a piece.
    pub(super) fn after(context: &'a Context<'a>, state: &'a State) -> Self {
        Self { context, state, velocities: None, surfaces: Surfaces::Standing }
    }

    /// The same bodies with other velocities.
    pub(super) fn moving_with(self, velocities: &'a [f64]) -> Self {
        Self { velocities: Some(velocities), ..self }
    }

    /// Search distance that the velocities require of each pair [m].
    pub(super) fn margins(&self) -> impl Iterator<Item = f64> {
        let views = *self;
        views.context.scene.contacts.iter().map(move |pair| {
            if !views.context.methods().anticipation {
                return 0.0;
            }
            let sides = pair.bodies.map(|body| views.side(body, 0));
            search_margin([&sides[0], &sides[1]], views.context.dt())
        })
    }

    /// By how much the gap of any node closes within a time, at most [m].
    pub(super) fn closed_within(&self, time: f64) -> f64 {
        self.largest(|sides| closed_within(sides, time))
    }

    /// How far the motion bends off its tangent within a time, at most [m].
    pub(super) fn bend(&self, time: f64) -> f64 {
        self.largest(|sides| bend(sides, time))
    }

    /// How fast a body turns at most, if the free ones move with `velocities` [rad/s].
    pub(super) fn fastest_turn(&self, velocities: &[f64]) -> f64 {
        let free = velocities.chunks_exact(6).map(|own| Vector3::from_column_slice(&own[3..]));
        let kinematic = (0..self.state.kinematic.len()).map(|index| self.kinematic_velocity(index)[1]);
        free.chain(kinematic).map(|turning| turning.norm()).fold(0.0, f64::max)
    }

    /// How fast two polyhedra that have contacts turn against each other, at most [rad/s]; the spin of a turned solid moves none
    /// of its contacts.
    pub(super) fn turning_polyhedra(&self, pair_ends: &[usize]) -> f64 {
        let mut start = 0;
        let mut fastest = 0.0_f64;
        for (pair, &end) in self.context.scene.contacts.iter().zip(pair_ends) {
            if std::mem::replace(&mut start, end) < end {
                let [first, second] = pair.bodies.map(|body| self.side(body, 0));
                let turning = first.angular - second.angular;
                if first.polyhedron.is_some() && second.polyhedron.is_some() {
                    fastest = fastest.max(turning.norm());
                } else if let Some(turned) = TurnedPair::of([&first, &second]) {
                    fastest = fastest.max(turning.cross(&turned.axis()).norm());
                }
            }
        }
        fastest
    }

    fn largest(&self, of_pair: impl Fn([&PairBody; 2]) -> f64) -> f64 {
        let pairs = self.context.scene.contacts.iter().map(|pair| {
            let sides = pair.bodies.map(|body| self.side(body, 0));
            of_pair([&sides[0], &sides[1]])
        });
        pairs.fold(0.0, f64::max)
    }

    /// The pairs of bodies, with the options of a detection within `margin` [m].
    pub(super) fn pairs(&self, margin: f64) -> impl Iterator<Item = ([PairBody<'a>; 2], DetectionOptions)> {
        let (Context { scene, parameters, parts, .. }, views) = (*self.context, *self);
        let mut first_id: u32 = 0;
        scene.contacts.iter().zip(&parameters.friction).map(move |(pair, friction)| {
            let counts = pair.bodies.map(|body| parts.nodes[body.index()].len() as u32);
            let sides =
                [views.side(pair.bodies[0], first_id), views.side(pair.bodies[1], first_id + counts[0])];
            let [first, second] = &sides;
            let ids = if let [Some(first), Some(second)] = [first.mesh, second.mesh] {
                mesh_ids(first, second)
            } else if let [Some(first), Some(second)] = [first.polyhedron, second.polyhedron] {
                polyhedron_ids([first, second]).div_ceil(Part::MOST_PIECES)
            } else if let Some(pair) = TurnedPair::of([first, second]) {
                pair.ids().div_ceil(Part::MOST_PIECES)
            } else if let Some(pair) = BallPair::of([first, second]) {
                pair.ids().div_ceil(Part::MOST_PIECES)
            } else {
                (counts[0] + counts[1]).wrapping_add(crossing_ids([first, second]))
            };
            first_id = first_id.wrapping_add(ids);
            let options = DetectionOptions {
                margin,
                crossings: parameters.methods.crossings,
                horizon: views.context.dt(),
                friction: *friction,
                restitution: pair.restitution,
            };
            (sides, options)
        })
    }

    fn side(&self, body: BodyId, first_id: u32) -> PairBody<'a> {
        let Context { scene, parameters, parts, .. } = *self.context;
        let (own, part) = (&scene.bodies[body], &parameters.bodies[body].part);
        let (network, mesh) = match parts.has_scene_part[body.index()] {
            true => (own.network.as_deref(), own.mesh.as_deref()),
            false => (None, None),
        };
        // where contacts are at nodes alone, or a network replaces the part, it is no polyhedron
        let is_polyhedron = parameters.methods.crossings && network.is_none();
        let polyhedron = parts.polyhedra[body.index()].as_deref().filter(|_| is_polyhedron);
        let (world_from_part, center, free, velocity) =
            match (scene.free_index(body), parameters.bodies[body].inertia) {
                (Some(index), Some(inertia)) => {
                    let motion = &self.state.motions[index];
                    let given = self.velocities.map(|all| &all[6 * index..6 * index + 6]);
                    let own = motion.world_velocity();
                    let velocity = given.unwrap_or(&own[..]);
                    let velocity =
                        [0, 3].map(|first| Vector3::from_column_slice(&velocity[first..first + 3]));
                    (motion.world_from_part(inertia.center_of_mass), motion.center, index as u32, velocity)
                }
                _ => {
                    let (pose, velocity) = match scene.kinematic_index(body) {
                        Some(index) => (self.state.kinematic[index], self.kinematic_velocity(index)),
                        None => (own.world_from_part, [Vector3::zeros(); 2]),
                    };
                    (pose, pose.translation, NOT_FREE, velocity)
                }
            };
        let [linear, angular] = velocity;
        let nodes = &parts.nodes[body.index()];
        PairBody {
            part,
            network,
            mesh,
            polyhedron,
            nodes,
            world_from_part,
            center,
            body: free,
            linear,
            angular,
            first_id,
            worn: parameters.bodies[body].gap_field.as_ref().map_or(0.0, |field| field.largest()),
        }
    }

    /// Velocity that brings a kinematic part to its next pose.
    fn kinematic_velocity(&self, index: usize) -> [Vector3<f64>; 2] {
        let here: Pose = self.state.kinematic[index];
        match (self.surfaces, self.context.input.kinematic.get(index)) {
            (Surfaces::Moving(left), Some(next)) => {
                let turn = rotation_vector(&(next.rotation * here.rotation.inverse()));
                [(next.translation - here.translation) / left, turn / left]
            }
            _ => [Vector3::zeros(); 2],
        }
    }
}
