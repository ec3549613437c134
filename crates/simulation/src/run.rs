//! A run: the drive leads, steps follow, records are kept.

use tightfit_pipeline::integration::BodyMotion;
use tightfit_robot::strategy::Phase;
use tightfit_spatial::{Pose, SplitMix, Vector3, Wrench};

use crate::audit::pose;
use crate::{
    ArmRecord, Audit, Certificate, ContactPoint, Input, Parameters, Scene, Snapshot, SnapshotError, State,
    Task, Workspace, step,
};

/// A random wrench after the task is done: each component uniform in ± its amplitude, redrawn every 50 ms. The draws
/// follow the seed of [`Run::new`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disturbance {
    /// Amplitude of each force component [N].
    pub force: f64,
    /// Amplitude of each torque component [N·m].
    pub torque: f64,
}

/// How often a disturbance is redrawn [s].
const REDRAWN: f64 = 0.05;

/// One environment under way.
pub struct Run {
    /// What is simulated.
    pub scene: Scene,
    /// Its parameters.
    pub parameters: Parameters,
    /// Where it stands.
    pub state: State,
    /// Disturbance after the drive's end.
    pub disturbance: Option<Disturbance>,
    input: Input,
    workspace: Workspace,
    audit: Option<Audit>,
    angle: f64,
    random: SplitMix,
    drawn: Option<(u64, Wrench)>,
}

/// What is kept of a step.
#[derive(Clone, Debug)]
pub struct Record {
    /// Time at the end of the step [s].
    pub time: f64,
    /// Pose of the driven part against the fixed one of the task.
    pub pose: Pose,
    /// Angle of the driven part about its axis, counted over turns [rad].
    pub angle: f64,
    /// Contact force on the driven part, mean over the step, world axes [N].
    pub force: Vector3<f64>,
    /// Contact torque about its centre of mass, world axes [N·m].
    pub torque: Vector3<f64>,
    /// What was measured.
    pub certificate: Certificate,
    /// Deepest penetration found by the audit [m].
    pub audited: Option<f64>,
    /// Time that the step took [s], without this record and the audit.
    pub step_seconds: f64,
    /// Whether the task counts as engaged.
    pub engaged: bool,
    /// Every free body after the step, in the order of the scene.
    pub bodies: Vec<BodyRecord>,
    /// The arm after the step, where there is one.
    pub arm: Option<ArmRecord>,
    /// Fingerprint of the state after the step.
    pub hash: u64,
}

/// What is kept of a free body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyRecord {
    /// Motion of its centre of mass.
    pub motion: BodyMotion,
    /// Contact force on it, mean over the step, world axes [N].
    pub force: Vector3<f64>,
    /// Contact torque about its centre of mass, world axes [N·m].
    pub torque: Vector3<f64>,
}

impl BodyRecord {
    /// Of free body `index`, from the generalised impulse of the last step [N·s, N·m·s] of `step` seconds.
    pub(crate) fn of(state: &State, impulse: &[f64], index: usize, step: f64) -> Self {
        let mean = |first: usize| {
            let value = |axis: usize| impulse.get(6 * index + first + axis).copied().unwrap_or(0.0) / step;
            Vector3::new(value(0), value(1), value(2))
        };
        Self { motion: state.motions[index], force: mean(0), torque: mean(3) }
    }
}

impl Run {
    /// A scene at its start.
    #[must_use]
    pub fn new(scene: Scene, seed: u64) -> Self {
        let parameters = Parameters::of(&scene);
        let state = State::start(&scene, &parameters);
        let angle = scene.drive.as_ref().map_or(0.0, |drive| drive.angle(0.0));
        let random = SplitMix::stream(seed);
        Self {
            scene,
            parameters,
            state,
            disturbance: None,
            input: Input::default(),
            workspace: Workspace::default(),
            audit: None,
            angle,
            random,
            drawn: None,
        }
    }

    /// Takes and touches the memory that the first step would take, by a trial of it that leaves no trace but in the caches:
    /// the first step is then no slower than the others. The parts must not be exchanged afterwards without
    /// [`Self::forget`].
    pub fn prepare(&mut self) {
        let before = (self.state.clone(), self.random, self.drawn, self.angle);
        let _ = self.step();
        (self.state, self.random, self.drawn, self.angle) = before;
        self.workspace.prepare(&self.scene, &self.parameters, &mut self.state);
    }

    /// Audits every step from now on.
    pub fn with_audit(&mut self) {
        self.audit = Some(Audit::new(&self.scene, &self.parameters));
    }

    /// Where the strategy of the arm stands, where it has one.
    #[must_use]
    pub fn phase(&self) -> Option<Phase> {
        self.state.arm.as_ref()?.strategy.map(|strategy| strategy.phase)
    }

    /// Whether the strategy of the arm has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.phase().is_some_and(Phase::is_over)
    }

    /// Time of the state [s].
    #[must_use]
    pub fn time(&self) -> f64 {
        self.state.step as f64 * self.scene.step
    }

    /// One step, of which nothing is kept; after the first it allocates no memory.
    pub fn step(&mut self) -> Certificate {
        self.set_input();
        let certificate =
            step(&self.scene, &self.parameters, &mut self.state, &self.input, &mut self.workspace);
        let driven = self.scene.led_body();
        self.angle += turned(self.relative_pose(driven), self.angle);
        certificate
    }

    /// One step and its record.
    pub fn advance(&mut self) -> Record {
        let clock = std::time::Instant::now();
        let certificate = self.step();
        let step_seconds = clock.elapsed().as_secs_f64();
        let driven = self.scene.led_body();
        let pose = self.relative_pose(driven);
        let audited =
            self.audit.as_ref().map(|audit| audit.penetration(&self.scene, &self.parameters, &self.state));
        let impulse = self.workspace.generalised_impulse();
        let body = |index: usize| BodyRecord::of(&self.state, impulse, index, self.scene.step);
        let bodies: Vec<BodyRecord> = (0..self.state.motions.len()).map(body).collect();
        let (force, torque) = self
            .scene
            .free_index(driven)
            .and_then(|index| bodies.get(index))
            .map_or((Vector3::zeros(), Vector3::zeros()), |body| (body.force, body.torque));
        let engaged = match self.scene.task {
            Some(Task::Insert { engaged, .. }) => -pose.translation.z > engaged,
            Some(Task::Thread { onto, engaged, .. }) => self.overlap(driven, onto, &pose) > engaged,
            None => true,
        };
        Record {
            time: self.time(),
            pose,
            angle: self.angle,
            force,
            torque,
            certificate,
            audited,
            step_seconds,
            engaged,
            bodies,
            arm: self.state.arm.as_deref().map(ArmRecord::from),
            hash: self.state.hash(),
        }
    }

    /// Candidate contacts of the state, with the forces of the last step.
    #[must_use]
    pub fn contact_points(&self) -> Vec<ContactPoint> {
        ContactPoint::all(self.workspace.contacts(), &self.state, self.scene.step)
    }

    /// Pose of a body's part now.
    #[must_use]
    pub fn world_from_part(&self, body: usize) -> Pose {
        pose(&self.scene, &self.parameters, &self.state, body)
    }

    /// Forgets every cache; results stay the same, to the last bit.
    pub fn forget(&mut self) {
        self.workspace.clear();
    }

    /// Everything that a continued run needs beyond scene, parameters and disturbance.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let drawn = self.drawn.map(|(period, wrench)| (period, wrench.force_in_world, wrench.torque_in_body));
        Snapshot::new(self.state.clone(), self.angle, self.random.0, drawn)
    }

    /// Goes back (or on) to a snapshot of a run of the same scene.
    ///
    /// # Errors
    /// When the snapshot has another number of bodies.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        snapshot.fits(&self.state)?;
        self.state = snapshot.state.clone();
        self.angle = snapshot.angle;
        self.random = SplitMix(snapshot.random);
        self.drawn = snapshot.drawn.map(|(period, [f, t])| (period, Wrench::new(f.into(), t.into())));
        self.workspace.clear();
        Ok(())
    }

    /// Pose of a part against the fixed one of the task.
    fn relative_pose(&self, body: usize) -> Pose {
        let own = pose(&self.scene, &self.parameters, &self.state, body);
        let fixed = match self.scene.task {
            Some(Task::Insert { into, .. }) => into,
            Some(Task::Thread { onto, .. }) => onto,
            None => return own,
        };
        pose(&self.scene, &self.parameters, &self.state, fixed).inverse() * own
    }

    /// How far the lower end of a nut lies below the tip of a bolt [m].
    fn overlap(&self, nut: usize, bolt: usize, pose: &Pose) -> f64 {
        let extent = |body: usize| self.parameters.bodies[body].part.aabb();
        let (Some(nut), Some(bolt)) = (extent(nut), extent(bolt)) else { return 0.0 };
        bolt.max.z - (pose.translation.z + nut.min.z)
    }

    /// Overlap of the driven nut with a bolt, for a pose of the nut against it [m].
    pub(crate) fn overlap_with(&self, bolt: usize, pose: &Pose) -> f64 {
        let driven = self.scene.led_body();
        self.overlap(driven, bolt, pose)
    }

    /// What acts on the bodies in the next step.
    #[cfg(test)]
    pub(crate) fn input_of_next_step(&mut self) -> &Input {
        self.set_input();
        &self.input
    }

    /// Drive and disturbance of the next step.
    fn set_input(&mut self) {
        let disturbance = self.disturb(self.time());
        self.input.clear(&self.state);
        self.input.follow(self.scene.drive.as_ref(), &self.scene, &self.parameters, &self.state);
        if let Some(index) = self.scene.free_index(self.scene.led_body()) {
            self.input.wrenches[index] = self.input.wrenches[index] + disturbance;
        }
    }

    fn disturb(&mut self, time: f64) -> Wrench {
        let end = self.scene.drive.as_ref().map_or(0.0, crate::Drive::duration);
        let Some(disturbance) = self.disturbance.filter(|_| time >= end) else { return Wrench::zero() };
        let period = ((time - end) / REDRAWN + 1e-9) as u64;
        if let Some((known, wrench)) = self.drawn
            && known == period
        {
            return wrench;
        }
        let mut draw = |amplitude: f64| self.random.centered_cube() * amplitude;
        let wrench = Wrench::new(draw(disturbance.force), draw(disturbance.torque));
        self.drawn = Some((period, wrench));
        wrench
    }
}

/// How far the part has turned beyond a known angle, the shorter way [rad].
fn turned(pose: Pose, known: f64) -> f64 {
    let x = pose.rotation * Vector3::x();
    let angle = libm::atan2(x.y, x.x);
    let difference = angle - known;
    difference - std::f64::consts::TAU * (difference / std::f64::consts::TAU).round()
}
