//! The step without contact, and the contacts at its start.

use nalgebra::Vector3;
use tightfit_pipeline::detection::{DetectionOptions, Side, detect_pair, mesh_ids, most_crossings};
use tightfit_pipeline::integration::{Coupling, inverse_mass, mass_matrix};
use tightfit_pipeline::records::{Contacts, NOT_FREE};
use tightfit_spatial::{Pose, Wrench};

use super::margin::{AHEAD, MOST, bend, closed_within, margin};
use super::nearby::Detected;
use super::workspace::{Environment, Workspace};
use crate::{Certificate, Input, Limit, Parameters, Scene, State};

/// Parts that are deeper inside one another before the first step [m] were put there by mistake.
const BEGAN_INSIDE: f64 = 1e-5;

impl Workspace {
    /// Contacts at the pose of a state whose gap is below `margin` [m], without a step.
    pub fn contacts_at(
        &mut self,
        scene: &Scene,
        parameters: &Parameters,
        state: &mut State,
        margin: f64,
    ) -> &Contacts {
        let input = Input::none(state);
        self.environment(scene, parameters, &input, state).detect(state, margin, &mut Certificate::default());
        // a step looks by its own margin
        self.forget_contacts();
        self.contacts()
    }
}

impl Environment<'_> {
    pub(super) fn prepare(&mut self, state: &State, certificate: &mut Certificate) {
        self.is_under_way = true;
        let scratch = &mut *self.scratch;
        scratch.start.clear();
        scratch.inverse_mass.clear();
        scratch.mass.clear();
        for (motion, inertia) in state.motions.iter().zip(self.parameters.free_inertia()) {
            scratch.start.extend(motion.world_velocity());
            scratch.inverse_mass.push(inverse_mass(motion, &inertia));
            scratch.mass.push(mass_matrix(motion, &inertia));
        }
        if self.scene.arm.is_some() {
            self.condense_impact(state);
        }
        self.predict(state);
        certificate.stage_seconds.integration += self.lap();

        // the contacts of the last step's end serve, unless the step turned out to go farther than they look
        let (asked, widened) = (self.margin(state, None), self.scratch.widened);
        let pose = state.pose_hash();
        let serves = |known: Detected| {
            let is_here = known.step == state.step && known.pose == pose;
            is_here && known.asked >= asked && known.looked >= widened
        };
        let is_current = self.scratch.detected.is_some_and(serves)
                // the velocity of moved surfaces was not known at the last step's end
                && state.kinematic.is_empty();
        if !is_current {
            match widened > 0.0 {
                true => self.detect(state, asked.max(widened), certificate),
                false => self.look(state, asked, certificate),
            }
        }
        certificate.candidates = self.scratch.contacts.len();
        let is_start = state.step == 0 && self.elapsed == 0.0;
        if is_start && self.scratch.contacts.smallest_gap() < -BEGAN_INSIDE {
            certificate.limits.insert(Limit::BeganInside);
        }
    }

    /// V_free and W from the velocities `start`.
    pub(super) fn predict(&mut self, state: &State) {
        let step = self.duration;
        self.scratch.free.clear();
        self.scratch.response.clear();
        for (index, (motion, inertia)) in state.motions.iter().zip(self.parameters.free_inertia()).enumerate()
        {
            let motion = motion.with_world_velocity(&self.scratch.start[6 * index..6 * index + 6]);
            let load = self.input.wrenches.get(index).copied().unwrap_or_else(Wrench::zero);
            let weight = Wrench::new(self.scene.gravity * inertia.mass, Vector3::zeros());
            let coupling = self.coupling(index);
            let rule = self.parameters.methods.integration;
            let mut free = rule.free_step(&motion, &inertia, &(load + weight), coupling.as_ref(), step);
            if self.scene.arm.is_some() {
                free = self.with_arm(index, state, &motion, free);
            }
            self.scratch.free.extend(free.velocity);
            self.scratch.response.push(free.response);
        }
    }

    /// Widest margin of all pairs [m], for the velocities of the state or for given ones.
    pub(super) fn margin(&self, state: &State, velocities: Option<&Vec<f64>>) -> f64 {
        let pairs = self.scene.contacts.iter().map(|pair| {
            let sides = pair.bodies.map(|body| self.side(body, state, velocities, 0));
            margin([&sides[0], &sides[1]], self.scene.step)
        });
        pairs.fold(0.0, f64::max)
    }

    /// Whether the pose would move farther than detection has looked; the step is then begun again with a wider look.
    ///
    /// Nodes beyond the margin have a larger gap than it, so a motion that stays within it cannot touch them.
    pub(super) fn outran(&mut self, state: &State) -> bool {
        self.fill_pose_velocity();
        let needed = self.margin(state, Some(&self.scratch.pose_velocity));
        let known = self.scratch.detected.map_or(0.0, |detected| detected.looked);
        // the margin looks half a step farther than the motion goes: only the motion itself must stay inside
        let is_outrun = needed > AHEAD * known && known < MOST;
        self.scratch.widened = if is_outrun { needed } else { 0.0 };
        is_outrun
    }

    /// Says so where the step goes farther than detection looks at all.
    pub(super) fn judge_speed(&self, state: &State, certificate: &mut Certificate) {
        if self.scratch.detected.is_none_or(|detected| detected.looked < MOST) {
            return;
        }
        let pairs = self.scene.contacts.iter().map(|pair| {
            let sides = pair.bodies.map(|body| self.side(body, state, Some(&self.scratch.pose_velocity), 0));
            closed_within([&sides[0], &sides[1]], self.duration)
        });
        if pairs.fold(0.0, f64::max) > MOST {
            certificate.limits.insert(Limit::TooFast);
        }
    }

    /// Velocity that the pose moves with, before any projection.
    pub(super) fn fill_pose_velocity(&mut self) {
        let rule = self.parameters.methods.integration;
        let scratch = &mut *self.scratch;
        scratch.pose_velocity.clear();
        let both = scratch.start.iter().zip(&scratch.end);
        scratch.pose_velocity.extend(both.map(|(start, end)| rule.pose_velocity(*start, *end)));
    }

    /// Finds the contacts of all pairs at the pose of the state.
    pub(super) fn detect(&mut self, state: &State, margin: f64, certificate: &mut Certificate) {
        let mut contacts = std::mem::take(&mut self.scratch.contacts);
        let mut network = std::mem::take(&mut self.scratch.network);
        let mut clearances = std::mem::take(&mut self.scratch.clearances);
        contacts.clear();
        let mut pair_ends = std::mem::take(&mut self.scratch.pair_ends);
        pair_ends.clear();
        for ((sides, options), clearances) in self.pairs(state, margin).zip(&mut clearances) {
            detect_pair([&sides[0], &sides[1]], &options, clearances, &mut network, &mut contacts);
            pair_ends.push(contacts.len());
        }
        self.scratch.contacts = contacts;
        self.scratch.network = network;
        self.scratch.clearances = clearances;
        self.scratch.pair_ends = pair_ends;
        self.scratch.detected =
            Some(Detected { step: state.step, pose: state.pose_hash(), asked: margin, looked: margin });
        certificate.stage_seconds.detection += self.lap();
    }

    /// The pairs of bodies as detection sees them, at the pose of the state.
    pub(super) fn pairs(
        &self,
        state: &State,
        margin: f64,
    ) -> impl Iterator<Item = ([Side<'_>; 2], DetectionOptions)> {
        let mut first_id: u32 = 0;
        self.scene.contacts.iter().zip(&self.parameters.friction).map(move |(pair, friction)| {
            let counts = pair.bodies.map(|body| self.scratch.nodes[body].len() as u32);
            let sides = [
                self.side(pair.bodies[0], state, None, first_id),
                self.side(pair.bodies[1], state, None, first_id + counts[0]),
            ];
            first_id = match sides.each_ref().map(|side| side.mesh) {
                [Some(first), Some(second)] => first_id.wrapping_add(mesh_ids(first, second)),
                _ => first_id
                    .wrapping_add(counts[0] + counts[1] + most_crossings(sides[0].part, sides[1].part)),
            };
            let options = DetectionOptions {
                margin,
                crossings: self.parameters.methods.crossings,
                horizon: self.scene.step,
                friction: *friction,
                restitution: pair.restitution,
            };
            (sides, options)
        })
    }

    /// How far the motion of the step bends at most [m].
    pub(super) fn bend(&self, state: &State) -> f64 {
        let pairs = self.scene.contacts.iter().map(|pair| {
            let sides = pair.bodies.map(|body| self.side(body, state, Some(&self.scratch.pose_velocity), 0));
            bend([&sides[0], &sides[1]], self.duration)
        });
        pairs.fold(0.0, f64::max)
    }

    /// A body as detection sees it, with the velocity of the state or a given one.
    fn side(&self, body: usize, state: &State, velocities: Option<&Vec<f64>>, first_id: u32) -> Side<'_> {
        let part = &self.parameters.bodies[body].part;
        let own = &self.scene.bodies[body];
        let (network, mesh) = match self.scratch.has_scene_part[body] {
            true => (own.network.as_deref(), own.mesh.as_deref()),
            false => (None, None),
        };
        let nodes = &self.scratch.nodes[body];
        if let (Some(index), Some(inertia)) =
            (self.scene.free_index(body), self.parameters.bodies[body].inertia)
        {
            let motion = &state.motions[index];
            let own = motion.world_velocity();
            let velocity = velocities.map_or(&own[..], |all| &all[6 * index..6 * index + 6]);
            return Side {
                part,
                network,
                mesh,
                nodes,
                world_from_part: motion.world_from_part(inertia.center_of_mass),
                center: motion.center,
                body: index as u32,
                linear: Vector3::new(velocity[0], velocity[1], velocity[2]),
                angular: Vector3::new(velocity[3], velocity[4], velocity[5]),
                first_id,
            };
        }
        let (world_from_part, [linear, angular]) = match self.scene.kinematic_index(body) {
            Some(index) => (state.kinematic[index], self.kinematic_velocity(index, state)),
            None => (self.scene.bodies[body].world_from_part, [Vector3::zeros(); 2]),
        };
        let center = world_from_part.translation;
        Side {
            part,
            network,
            mesh,
            nodes,
            world_from_part,
            center,
            body: NOT_FREE,
            linear,
            angular,
            first_id,
        }
    }

    /// Velocity that brings a kinematic part to its next pose.
    fn kinematic_velocity(&self, index: usize, state: &State) -> [Vector3<f64>; 2] {
        let here: Pose = state.kinematic[index];
        let next = self.input.kinematic.get(index).filter(|_| self.is_under_way);
        let Some(next) = next else { return [Vector3::zeros(); 2] };
        let turn = (next.rotation * here.rotation.inverse()).scaled_axis();
        [(next.translation - here.translation) / self.left, turn / self.left]
    }

    /// Spring and damper of a free body over the piece under way.
    pub(super) fn coupling(&self, index: usize) -> Option<Coupling> {
        let whole = self.input.couplings.get(index).copied().flatten()?;
        let parts = [self.elapsed, self.elapsed + self.duration].map(|time| time / self.scene.step);
        Some(if parts == [0.0, 1.0] { whole } else { whole.during(parts) })
    }
}
