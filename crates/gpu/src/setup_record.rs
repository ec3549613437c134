//! Environments as records, and back.

use bytemuck::Zeroable;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use tightfit_simulation::batch::{Control, Setup};
use tightfit_simulation::{BodyMotion, Certificate, Coupling, Drive, Scene, State, Waypoint};
use tightfit_spatial::{Pose, Twist};

use crate::records::{
    DriveRecord, Environment, MotionRecord, Report, WARM, WAYPOINTS, Waypoint as WaypointRecord,
};

/// Writes state and parameters of an environment; the shapes are the caller's. The name of what is not supported otherwise.
pub(crate) fn environment_record(
    scene: &Scene,
    setup: &Setup,
    control: &Control,
) -> Result<Environment, String> {
    let mut record = Environment::zeroed();
    let Setup { parameters, state, drives } = setup;
    let free =
        parameters.bodies.iter().find_map(|body| body.inertia).ok_or("an environment without a free body")?;
    record.dt = parameters.dt;
    record.friction = parameters.friction.first().copied().unwrap_or(0.0);
    record.mass = free.mass;
    record.center_of_mass = free.center_of_mass.into();
    record.moment = std::array::from_fn(|k| free.moment[(k / 3, k % 3)]);
    record.drive = match control {
        Control::Drive => drives.first().map_or(Ok(DriveRecord::zeroed()), drive_record)?,
        Control::Given(input) => {
            let mut drive = DriveRecord::zeroed();
            drive.is_given = 1;
            if let Some(coupling) = input.couplings.first().copied().flatten() {
                given(&coupling, &mut drive);
            }
            if let Some(wrench) = input.wrenches.first() {
                drive.wrench[..3].copy_from_slice(wrench.force_in_world.as_slice());
                drive.wrench[3..].copy_from_slice(wrench.torque_in_body.as_slice());
            }
            drive
        }
    };
    if drives.len() > 1 {
        return Err("several drives".into());
    }
    if let Some(drive) = drives.first().filter(|drive| scene.free_index(drive.body).is_none()) {
        return Err(format!("the drive of `{}`, which is not free", scene.bodies[drive.body].name));
    }
    write_state(state, &mut record)?;
    Ok(record)
}

/// Writes a state.
pub(crate) fn write_state(state: &State, record: &mut Environment) -> Result<(), String> {
    let motion = state.motions.first().ok_or("a state without a free body")?;
    record.steps = state.step_count;
    record.center = motion.center.into();
    record.rotation = motion.rotation.coords.into();
    record.linear = motion.twist.linear_in_world.into();
    record.turning = motion.twist.angular_in_body.into();
    record.spin = state.spins.first().copied().unwrap_or(0.0);
    record.tank = state.tank;
    record.is_known = 0;
    let warm = &state.warm;
    if warm.ids.len() > WARM {
        return Err(format!("a warm start of {} contacts", warm.ids.len()));
    }
    record.is_warm = i32::from(warm.velocity.len() == 6);
    record.warm_count = warm.ids.len() as i32;
    record.warm_velocity = std::array::from_fn(|k| warm.velocity.get(k).copied().unwrap_or(0.0));
    record.warm_id[..warm.ids.len()].copy_from_slice(&warm.ids);
    for (own, impulse) in record.warm_impulse.iter_mut().zip(&warm.impulses) {
        *own = (*impulse).into();
    }
    Ok(())
}

/// Reads a state.
pub(crate) fn read_state(record: &Environment, into: &mut State) {
    let rotation = Quaternion::from_vector(record.rotation.into());
    into.step_count = record.steps;
    into.motions.clear();
    into.motions.push(BodyMotion {
        center: record.center.into(),
        rotation: UnitQuaternion::new_unchecked(rotation),
        twist: Twist::new(record.linear.into(), record.turning.into()),
    });
    into.spins.clear();
    into.spins.push(record.spin);
    into.tank = record.tank;
    let (warm, count) = (&mut into.warm, record.warm_count as usize);
    warm.clear();
    if record.is_warm != 0 {
        warm.velocity.extend_from_slice(&record.warm_velocity);
    }
    warm.ids.extend_from_slice(&record.warm_id[..count]);
    warm.impulses.extend(record.warm_impulse[..count].iter().map(|own| Vector3::from(*own)));
}

/// Reads a motion; warm start and tank stay on the device.
pub(crate) fn read_motion(motion: &MotionRecord, into: &mut State) {
    into.step_count = motion.steps;
    let rotation = UnitQuaternion::new_unchecked(Quaternion::from_vector(motion.rotation.into()));
    let twist = Twist::new(motion.linear.into(), motion.turning.into());
    into.motions.clear();
    into.motions.push(BodyMotion { center: motion.center.into(), rotation, twist });
    into.spins.clear();
    into.spins.push(motion.spin);
}

/// The certificate of a step that the kernels took; such steps hit no limit.
pub(crate) fn certificate(report: &Report) -> Certificate {
    Certificate {
        penetration: report.penetration,
        coulomb: report.coulomb,
        complementarity: report.complementarity,
        cone: report.cone,
        energy_injected: report.energy_injected,
        contact_work: report.contact_work,
        projection_work: report.projection_work,
        candidates: report.candidates as usize,
        active: report.active as usize,
        level: report.level as u8,
        iterations: report.iterations as u32,
        evaluations: report.evaluations as u32,
        converged: true,
        ..Certificate::default()
    }
}

/// The report of a step that the host took.
pub(crate) fn report(certificate: &Certificate) -> Report {
    Report {
        penetration: certificate.penetration,
        coulomb: certificate.coulomb,
        complementarity: certificate.complementarity,
        cone: certificate.cone,
        energy_injected: certificate.energy_injected,
        contact_work: certificate.contact_work,
        projection_work: certificate.projection_work,
        candidates: certificate.candidates as i32,
        active: certificate.active as i32,
        level: i32::from(certificate.level),
        iterations: certificate.iterations as i32,
        evaluations: certificate.evaluations as i32,
        limits: i32::from(!certificate.converged),
    }
}

fn drive_record(drive: &Drive) -> Result<DriveRecord, String> {
    let mut record = DriveRecord::zeroed();
    if drive.stream.is_some() {
        return Err("a drive that follows a table".into());
    }
    if drive.waypoints.len() > WAYPOINTS {
        return Err(format!("a drive with {} waypoints, {WAYPOINTS} at most", drive.waypoints.len()));
    }
    let is_rotated = |waypoint: &Waypoint| waypoint.rotation != UnitQuaternion::identity();
    record.has_rotations = i32::from(drive.waypoints.iter().any(is_rotated));
    record.is_driven = 1;
    record.waypoints = drive.waypoints.len() as i32;
    record.stiffness = drive.stiffness.into();
    record.turning_stiffness = drive.turning_stiffness.into();
    record.damping = drive.damping;
    record.force = drive.force.into();
    (record.offset, record.tilt) = (drive.offset, drive.tilt);
    for (own, waypoint) in record.at.iter_mut().zip(&drive.waypoints) {
        *own = waypoint_record(waypoint);
    }
    if let Some(wiggle) = drive.wiggle {
        (record.span, record.shift, record.swing) = (wiggle.span, wiggle.shift, wiggle.tilt);
    }
    Ok(record)
}

pub(crate) fn waypoint_record(waypoint: &Waypoint) -> WaypointRecord {
    let Waypoint { time, position, angle, rotation } = *waypoint;
    WaypointRecord { time, position: position.into(), angle, rotation: rotation.coords.into() }
}

fn given(coupling: &Coupling, drive: &mut DriveRecord) {
    let numbers = |pose: &Pose| {
        let (place, turn) = (pose.translation, pose.rotation.coords);
        [place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w]
    };
    drive.is_driven = 1;
    drive.stiffness = coupling.stiffness.into();
    drive.turning_stiffness = coupling.turning_stiffness.into();
    drive.linear_damping = coupling.damping.into();
    drive.turning_damping = coupling.turning_damping.into();
    (drive.target, drive.next_target) = (numbers(&coupling.target), numbers(&coupling.next_target));
    drive.twist = coupling.twist;
}
