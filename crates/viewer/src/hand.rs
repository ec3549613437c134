//! A hand on a part: the set-point of a passive spring and damper, moved by keys, a gizmo or a device.
//!
//! The set-point stays within reach of the part, so that the spring's force is bounded:
//!
//! ```text
//! |x_set − x| ≤ F_max / k        angle(R_set, R) ≤ min(τ_max / k_τ, 1 rad)
//! ```
//!
//! Along an axis without a spring (a nut that its thread guides) the hand presses with a force in proportion to its
//! velocity command. In a scene with an arm the set-point is that of the arm's controller.

use tightfit_simulation::{BodyId, Drive, Motion, Simulation, Waypoint};
use tightfit_spatial::{Pose, Quaternion, UnitQuaternion, Vector3};

/// Largest spring force of a hand [N].
const MOST_FORCE: f64 = 60.0;
/// Largest spring torque of a hand [N·m].
const MOST_TORQUE: f64 = 2.5;
/// Largest force and torque of an open hand [N, N·m]: they stop a part that coasts, and nobody feels them.
const OPEN: [f64; 2] = [0.2, 0.01];
/// Largest angle between part and set-point [rad]: beyond half a turn a spring has two directions.
const MOST_ANGLE: f64 = 1.0;
/// Force along an axis without a spring, per speed of the command [N·s/m]: 20 N at 20 mm/s.
const FORCE_PER_SPEED: f64 = 1000.0;
/// Stiffness that is assumed of an arm's controller [N/m]; it only sets how far the set-point may lead.
const ARM_STIFFNESS: f64 = 2000.0;
/// As [`ARM_STIFFNESS`], about the axes [N·m/rad].
const ARM_TURNING_STIFFNESS: f64 = 10.0;
/// Frequency of the spring of a part that has no drive [Hz].
const SPRING_FREQUENCY: f64 = 6.0;

/// A hand that holds a part.
#[derive(Clone, Debug)]
pub(crate) struct Hand {
    pub(crate) body: BodyId,
    set_point: Pose,
    linear: Vector3<f64>,
    angular: Vector3<f64>,
    /// Constant force of the scene's drive, world axes [N].
    base_force: Vector3<f64>,
    is_open: bool,
}

impl Hand {
    /// Takes a part; the set-point is where the drive has it, or at the part. `None` for a part that cannot move.
    pub(crate) fn take(simulation: &mut Simulation, body: BodyId) -> Option<Self> {
        if simulation.scene.bodies[body].motion == Motion::Fixed {
            return None;
        }
        let time = simulation.time();
        let here = simulation.world_from_part(body);
        let known = simulation.scene.drives.iter().position(|drive| drive.body == body);
        let set_point = match known {
            Some(index) => simulation.scene.drives[index].target(time),
            None => {
                let drive = soft_drive(simulation, body, here);
                simulation.scene.drives.insert(0, drive);
                here
            }
        };
        let is_held = simulation.scene.arm.as_ref().is_some_and(|arm| arm.body == body);
        if is_held {
            if let Some(arm) = &mut simulation.scene.arm {
                arm.strategy = None;
            }
            if let Some(motion) = simulation.state.arm.as_deref_mut() {
                motion.strategy = None;
            }
        }
        let drive = simulation.scene.drives.iter_mut().find(|drive| drive.body == body)?;
        drive.wiggle = None;
        let base_force = drive.force;
        let zero = Vector3::zeros();
        Some(Self { body, set_point, linear: zero, angular: zero, base_force, is_open: false })
    }

    /// Moves with a velocity from now on: linear in world axes [m/s], angular in part axes [rad/s].
    pub(crate) fn set_velocity(&mut self, linear: [f64; 3], angular: [f64; 3]) {
        (self.linear, self.angular, self.is_open) = (linear.into(), angular.into(), false);
    }

    /// Moves the set-point to a pose.
    pub(crate) fn set_pose(&mut self, position: [f64; 3], [x, y, z, w]: [f64; 4]) {
        let rotation = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z));
        self.set_point = Pose::new(position.into(), rotation);
        (self.linear, self.angular, self.is_open) = (Vector3::zeros(), Vector3::zeros(), false);
    }

    /// Lets go: the set-point moves to the part and follows it, so that next to no force acts.
    pub(crate) fn release(&mut self) {
        (self.linear, self.angular, self.is_open) = (Vector3::zeros(), Vector3::zeros(), true);
    }

    /// Whether it has let go.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Begins at a pose, in place of the set-point of the scene's drive.
    pub(crate) fn begin_at(&mut self, pose: Pose) {
        self.set_point = pose;
    }

    /// The set-point.
    pub(crate) fn set_point(&self) -> Pose {
        self.set_point
    }

    /// Moves the set-point over the next step, before the step.
    pub(crate) fn guide(&mut self, simulation: &mut Simulation) {
        let step = simulation.parameters.dt;
        let here = simulation.world_from_part(self.body);
        let before = self.set_point;
        let Some(index) = simulation.scene.drives.iter().position(|drive| drive.body == self.body) else {
            return;
        };
        let drive = &simulation.scene.drives[index];
        let is_held = simulation.scene.arm.as_ref().is_some_and(|arm| arm.body == self.body);
        let next = self.moved(&here, drive, is_held, step);
        let free_axes = if is_held {
            Vector3::zeros()
        } else {
            drive.stiffness.map(|stiffness| if stiffness > 0.0 { 0.0 } else { 1.0 })
        };
        let push = self.linear.component_mul(&free_axes) * FORCE_PER_SPEED;
        let force = if self.is_open { Vector3::zeros() } else { self.base_force + push };
        let time = simulation.time();
        let drive = &mut simulation.scene.drives[index];
        drive.force = force;
        self.set_point = next;
        if is_held {
            // the arm's controller reads the drive's set-points
            (drive.stream, drive.offset, drive.tilt) = (None, 0.0, 0.0);
            let waypoint = |time: f64, pose: &Pose| Waypoint {
                time,
                position: pose.translation,
                angle: 0.0,
                rotation: pose.rotation,
            };
            drive.waypoints = vec![waypoint(time, &before), waypoint(time + step, &next)];
        } else {
            simulation.guide(self.body, next);
        }
    }

    /// The set-point after a step, within reach of the part.
    fn moved(&self, here: &Pose, drive: &Drive, is_held: bool, step: f64) -> Pose {
        let [most_force, most_torque] = if self.is_open { OPEN } else { [MOST_FORCE, MOST_TORQUE] };
        let turn = UnitQuaternion::from_scaled_axis(self.angular * step);
        let mut target = Pose::new(self.set_point.translation, self.set_point.rotation * turn);
        // along an axis without a spring the set-point rests, so that the damper brakes the part
        let is_sprung = |axis: usize| is_held || drive.stiffness[axis] > 0.0;
        let sprung = Vector3::from_fn(|axis, _| f64::from(u8::from(is_sprung(axis))));
        target.translation = self.set_point.translation + (self.linear * step).component_mul(&sprung);
        let away = (target.translation - here.translation).component_mul(&sprung);
        let stiffness = if is_held { ARM_STIFFNESS } else { drive.stiffness.amax().max(1.0) };
        let reach = most_force / stiffness;
        if away.norm() > reach {
            target.translation += away * (reach / away.norm() - 1.0);
        }
        let between = here.rotation.rotation_to(&target.rotation);
        let turning = if is_held { ARM_TURNING_STIFFNESS } else { drive.turning_stiffness.amax() };
        let most = (most_torque / turning.max(1e-6)).min(MOST_ANGLE);
        if between.angle() > most {
            let share = most / between.angle();
            target.rotation = UnitQuaternion::from_scaled_axis(between.scaled_axis() * share) * here.rotation;
        }
        target.rotation.renormalize();
        target
    }

    /// Force and torque of the spring on the part now, world axes [N, N·m], dampers aside.
    pub(crate) fn wrench(&self, simulation: &Simulation) -> [Vector3<f64>; 2] {
        let Some(drive) = simulation.scene.drive_of(self.body) else { return [Vector3::zeros(); 2] };
        let here = simulation.world_from_part(self.body);
        let force =
            drive.stiffness.component_mul(&(self.set_point.translation - here.translation)) + drive.force;
        let between = here.rotation.inverse() * self.set_point.rotation;
        let torque = here.rotation * drive.turning_stiffness.component_mul(&between.scaled_axis());
        [force, torque]
    }
}

/// A drive for a part that has none, at its present pose.
fn soft_drive(simulation: &Simulation, body: BodyId, here: Pose) -> Drive {
    let inertia = simulation.parameters.bodies[body].inertia;
    let mass = inertia.map_or(0.5, |inertia| inertia.mass);
    let moment = inertia.map_or(1e-4, |inertia| inertia.moment.diagonal().amax());
    let square = (std::f64::consts::TAU * SPRING_FREQUENCY).powi(2);
    Drive {
        stiffness: Vector3::repeat(mass * square),
        turning_stiffness: Vector3::repeat(moment * square),
        damping: 2.0 * std::f64::consts::TAU * SPRING_FREQUENCY,
        force: -simulation.scene.gravity * mass,
        ..Drive::still(body, here)
    }
}
