//! A recording of a log. The run is repeated, which gives contacts too. A run that was driven by hand cannot be
//! repeated: its poses, wrenches and certificates are then taken from the log's columns.

use tightfit_robot::chain::JointKind;
use tightfit_simulation::log::{Log, Values};
use tightfit_simulation::{Certificate, Motion, Record, Scene, SceneError, Simulation, State};
use tightfit_spatial::{Pose, Quaternion, UnitQuaternion, Vector3};

use crate::{Recording, Session};

impl Recording {
    /// Records the run of a log; the flag tells whether every step was repeated to the last bit.
    ///
    /// # Errors
    /// When the log's scene cannot be built: a mesh file may be gone.
    pub fn of_log(log: &Log, label: &str) -> Result<(Self, bool), SceneError> {
        let scene = log.build_scene()?;
        if let Some(recording) = repeated(log, &scene, label) {
            return Ok((recording, true));
        }
        let mut session = Session::new(scene, Vec::new());
        let mut recording = Self::new(&session, label);
        recording.follow(&mut session);
        for row in 0..log.steps() {
            let state = state_at(log, session.simulation(), row);
            let record = record_at(log, session.simulation(), row);
            session.adopt(state, record);
            recording.follow(&mut session);
        }
        recording.finish(&mut session);
        Ok((recording, false))
    }
}

/// The run again; `None` as soon as a fingerprint differs from the log's.
fn repeated(log: &Log, scene: &Scene, label: &str) -> Option<Recording> {
    let Some(Values::Whole(hashes)) = log.column("state_hash") else { return None };
    let mut simulation = Simulation::new(scene.clone(), log.meta.seed);
    simulation.disturbance = log.meta.disturbance;
    let mut session = Session::of_simulation(simulation, Vec::new());
    let mut recording = Recording::new(&session, label);
    recording.follow(&mut session);
    for hash in hashes {
        session.step();
        if session.simulation().state.hash() != *hash {
            return None;
        }
        recording.follow(&mut session);
    }
    recording.finish(&mut session);
    Some(recording)
}

/// A number of a row; zero where the log has none.
fn number(log: &Log, row: usize, name: &str) -> f64 {
    match log.column(name) {
        Some(Values::Real(values)) => values.get(row).copied().unwrap_or(0.0),
        Some(Values::Whole(values)) => values.get(row).map_or(0.0, |value| *value as f64),
        _ => 0.0,
    }
}

fn vector(log: &Log, row: usize, prefix: &str, unit: &str) -> Vector3<f64> {
    Vector3::from_fn(|axis, _| number(log, row, &format!("{prefix}_{}{unit}", ["x", "y", "z"][axis])))
}

fn rotation(log: &Log, row: usize, name: &str) -> Option<UnitQuaternion<f64>> {
    let imaginary = vector(log, row, &format!("{name}.quaternion"), "");
    let quaternion = Quaternion::from_parts(number(log, row, &format!("{name}.quaternion_w")), imaginary);
    UnitQuaternion::try_new(quaternion, 0.5)
}

/// Name of a part in the log.
fn plain(name: &str) -> String {
    name.replace([',', '"', '#', '\n', '\r'], "_")
}

/// The state after a row; velocities and memories of solver and controller stay as they are.
fn state_at(log: &Log, simulation: &Simulation, row: usize) -> State {
    let mut state = simulation.state.clone();
    state.step_count = row as u64 + 1;
    let of_motion = |motion: Motion| {
        let bodies = simulation.scene.bodies.iter().filter(move |body| body.motion == motion);
        bodies.map(|body| plain(&body.name))
    };
    for (motion, name) in state.motions.iter_mut().zip(of_motion(Motion::Free)) {
        if let Some(rotation) = rotation(log, row, &name) {
            motion.rotation = rotation;
            motion.center = vector(log, row, &format!("{name}.center"), "_m");
        }
    }
    for (pose, name) in state.kinematic.iter_mut().zip(of_motion(Motion::Kinematic)) {
        if let Some(rotation) = rotation(log, row, &name) {
            *pose = Pose::new(vector(log, row, &format!("{name}.position"), "_m"), rotation);
        }
    }
    if let (Some(arm), Some(motion)) = (&simulation.scene.arm, state.arm.as_deref_mut()) {
        for (index, joint) in arm.chain.joints().iter().enumerate() {
            let unit = if joint.kind == JointKind::Turning { "rad" } else { "m" };
            motion.joints.angles[index] = number(log, row, &format!("arm.{}_{unit}", plain(&joint.name)));
        }
    }
    state
}

/// What the log keeps of a step.
fn record_at(log: &Log, simulation: &Simulation, row: usize) -> Record {
    let driven = simulation.scene.led_body();
    let name = plain(&simulation.scene.bodies[driven].name);
    let flag =
        |name: &str| matches!(log.column(name), Some(Values::Flag(values)) if values.get(row) == Some(&true));
    let mut certificate = Certificate {
        penetration: number(log, row, "penetration_m"),
        coulomb: number(log, row, "coulomb_residual_m_s"),
        complementarity: number(log, row, "complementarity_m_s"),
        cone: number(log, row, "cone_violation"),
        energy_injected: number(log, row, "energy_injected_j"),
        contact_work: number(log, row, "contact_work_j"),
        projection_work: number(log, row, "projection_work_j"),
        candidates: number(log, row, "candidates") as usize,
        active: number(log, row, "active_contacts") as usize,
        iterations: number(log, row, "solver_iterations") as u32,
        converged: flag("converged"),
        ..Certificate::default()
    };
    certificate.stage_seconds.detection = number(log, row, "detection_s");
    certificate.stage_seconds.clustering = number(log, row, "clustering_s");
    certificate.stage_seconds.solving = number(log, row, "solving_s");
    certificate.stage_seconds.integration = number(log, row, "integration_s");
    Record {
        time: number(log, row, "time_s"),
        pose: Pose::identity(),
        angle: number(log, row, "task_angle_rad"),
        depth: simulation.scene.task.map(|_| number(log, row, "task_depth_m")),
        force: vector(log, row, &format!("{name}.contact_force"), "_n"),
        torque: vector(log, row, &format!("{name}.contact_torque"), "_nm"),
        step_seconds: certificate.stage_seconds.total(),
        certificate,
        audited: None,
        audited_place: None,
        engaged: flag("engaged"),
        bodies: Vec::new(),
        kinematic: Vec::new(),
        arm: None,
        hash: 0,
    }
}
