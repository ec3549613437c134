//! Observations for learning: one body of every environment, in columns.

use tightfit_spatial::Columns3;

use super::environment::Environment;
use crate::audit::pose;
use crate::{BodyId, BodyRecord, Scene};

/// One free body over all environments; row i is environment i.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observations {
    /// Time [s].
    pub time: Vec<f64>,
    /// Position of the part's frame, world axes [m].
    pub position: Columns3,
    /// Attitude of the part as a quaternion x, y, z, w [-].
    pub quaternion: [Vec<f64>; 4],
    /// Velocity of the centre of mass, world axes [m/s].
    pub velocity: Columns3,
    /// Angular velocity, body axes [rad/s].
    pub turning_in_body: Columns3,
    /// Contact force, mean over the last step with its impacts, world axes [N].
    pub contact_force: Columns3,
    /// Contact torque about the centre of mass, world axes [N·m].
    pub contact_torque: Columns3,
    /// Deepest penetration by the last certificate [m].
    pub penetration: Vec<f64>,
    /// Whether the last step converged.
    pub converged: Vec<bool>,
    /// Whether the environment is frozen.
    pub frozen: Vec<bool>,
}

impl Observations {
    /// Removes the rows and keeps the memory.
    pub fn clear(&mut self) {
        let Self {
            time, position, quaternion, velocity, turning_in_body, contact_force, contact_torque, ..
        } = self;
        for column in [position, velocity, turning_in_body, contact_force, contact_torque] {
            column.clear();
        }
        for column in quaternion.iter_mut().chain([time, &mut self.penetration]) {
            column.clear();
        }
        self.converged.clear();
        self.frozen.clear();
    }

    /// Appends the body at `place` of the scene, which is free body `index`.
    pub(super) fn push(&mut self, environment: &Environment, scene: &Scene, place: BodyId, index: usize) {
        let setup = &environment.setup;
        // Parameters of another scene have no such body.
        if setup.state.motions.len() <= index || setup.parameters.bodies.len() <= place.index() {
            return self.push_nothing();
        }
        let world_from_part = pose(scene, &setup.parameters, &setup.state, place);
        let record = BodyRecord::of(&setup.state, [&environment.impulse, &[]], index, scene.dt);
        self.time.push(setup.state.step_count as f64 * scene.dt);
        self.position.push(world_from_part.translation);
        for (column, value) in self.quaternion.iter_mut().zip(world_from_part.rotation.coords.iter()) {
            column.push(*value);
        }
        self.velocity.push(record.motion.twist.linear_in_world);
        self.turning_in_body.push(record.motion.twist.angular_in_body);
        self.contact_force.push(record.force);
        self.contact_torque.push(record.torque);
        self.penetration.push(environment.certificate.penetration);
        self.converged.push(environment.certificate.converged);
        self.frozen.push(environment.fault.is_some());
    }

    fn push_nothing(&mut self) {
        let nothing = tightfit_spatial::Vector3::from_element(f64::NAN);
        let Self {
            time, position, quaternion, velocity, turning_in_body, contact_force, contact_torque, ..
        } = self;
        for column in [position, velocity, turning_in_body, contact_force, contact_torque] {
            column.push(nothing);
        }
        for column in quaternion.iter_mut().chain([time, &mut self.penetration]) {
            column.push(f64::NAN);
        }
        self.converged.push(false);
        self.frozen.push(true);
    }
}
