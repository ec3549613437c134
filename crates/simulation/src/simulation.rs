//! One environment in one value: scene, parameters, state, drives and workspace.

use tightfit_pipeline::integration::BodyMotion;
use tightfit_robot::strategy::Phase;
use tightfit_spatial::{Pose, SplitMix, Vector3, Wrench};

use crate::audit::pose;
use crate::stopwatch::Stopwatch;
use crate::{
    ArmRecord, Audit, AuditedPlace, BodyId, Certificate, ContactPoint, Input, Motion, Parameters, Scene,
    Snapshot, SnapshotError, State, Task, Workspace, step,
};

/// A random wrench after the task is done: each component uniform in ± its amplitude, redrawn every 50 ms. The draws
/// follow the seed of [`Simulation::new`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disturbance {
    /// Amplitude of each force component [N].
    pub force: f64,
    /// Amplitude of each torque component [N·m].
    pub torque: f64,
}

/// How often a disturbance is redrawn [s].
const REDRAWN: f64 = 0.05;

/// A scene under way: steps it, and reports contacts, wrenches and the certificate. [`step`] beneath it takes the same five
/// values one by one.
///
/// ```
/// use tightfit_simulation::{Scene, Simulation};
///
/// let mut simulation = Simulation::new(Scene::find("peg-in-hole").expect("built in"), 1);
/// let [peg, hole] = ["peg", "hole"].map(|name| simulation.scene.body_id(name).expect("a part"));
/// while simulation.time() < 1.0 {
///     let certificate = simulation.step();
///     assert!(certificate.converged && certificate.penetration < 1e-6);
/// }
/// let force = simulation.wrench_between(peg, hole).force;
/// assert!(force.z > 0.0, "the hole holds the peg up");
/// let branch = simulation.branch();
/// assert_eq!(branch.state, simulation.state);
/// ```
pub struct Simulation {
    /// What is simulated.
    pub scene: Scene,
    /// Its parameters. After a change of parts call [`Self::forget`].
    pub parameters: Parameters,
    /// The state; set it freely between steps.
    pub state: State,
    /// Disturbance after the drive's end.
    pub disturbance: Option<Disturbance>,
    certificate: Certificate,
    /// Set-points of guided bodies at the start and at the end of the next step.
    guided: Vec<(BodyId, [Pose; 2])>,
    input: Input,
    workspace: Workspace,
    audit: Option<Audit>,
    angle: f64,
    random: SplitMix,
    drawn: Option<(u64, Wrench)>,
}

/// A contact wrench, mean over a step with its impacts, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactWrench {
    /// [N].
    pub force: Vector3<f64>,
    /// About the centre of mass of a free body, else about the origin of the part's frame [N·m].
    pub torque: Vector3<f64>,
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
    /// Depth of a peg below the mouth of its hole, or overlap of nut and bolt [m]; `None` without a task.
    pub depth: Option<f64>,
    /// Contact force on the driven part, mean over the step with its impacts, world axes [N].
    pub force: Vector3<f64>,
    /// Contact torque about its centre of mass, likewise [N·m].
    pub torque: Vector3<f64>,
    /// What was measured.
    pub certificate: Certificate,
    /// Deepest penetration found by the audit [m].
    pub audited: Option<f64>,
    /// Where that is, unless all parts are apart.
    pub audited_place: Option<AuditedPlace>,
    /// Time that the step took [s], without this record and the audit.
    pub step_seconds: f64,
    /// Whether the task counts as engaged.
    pub engaged: bool,
    /// Every free body after the step, in the order of the scene.
    pub bodies: Vec<BodyRecord>,
    /// Every kinematic body after the step, in the order of the scene.
    pub kinematic: Vec<KinematicRecord>,
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
    /// Contact force on it, mean over the step with its impacts, world axes [N]: impulse / T.
    pub force: Vector3<f64>,
    /// Contact torque about its centre of mass, likewise [N·m].
    pub torque: Vector3<f64>,
}

/// What is kept of a kinematic body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KinematicRecord {
    /// Pose of its part.
    pub world_from_part: Pose,
    /// Contact force on it, mean over the step with its impacts, world axes [N].
    pub force: Vector3<f64>,
    /// Contact torque about the origin of its part's frame, world axes [N·m].
    pub torque: Vector3<f64>,
}

impl BodyRecord {
    /// Of free body `index`, from the impulses of the last step [N·s, N·m·s] of `step` seconds: of the smooth stage, and of
    /// the impacts.
    pub(crate) fn of(state: &State, impulses: [&[f64]; 2], index: usize, step: f64) -> Self {
        let mean = |first: usize| {
            let value = |axis: usize| {
                let at = 6 * index + first + axis;
                impulses.map(|impulse| impulse.get(at).copied().unwrap_or(0.0)).iter().sum::<f64>() / step
            };
            Vector3::new(value(0), value(1), value(2))
        };
        Self { motion: state.motions[index], force: mean(0), torque: mean(3) }
    }
}

impl Simulation {
    /// A scene at its start.
    #[must_use]
    pub fn new(scene: Scene, seed: u64) -> Self {
        let parameters = Parameters::of(&scene);
        let state = State::start(&scene, &parameters);
        let angle = scene.drives.first().map_or(0.0, |drive| drive.angle(0.0));
        let random = SplitMix::stream(seed);
        Self {
            scene,
            parameters,
            state,
            disturbance: None,
            certificate: Certificate::default(),
            guided: Vec::new(),
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
        self.state.step_count as f64 * self.parameters.dt
    }

    /// One step, of which nothing is kept; after the first it allocates no memory.
    pub fn step(&mut self) -> Certificate {
        self.set_input();
        self.certificate =
            step(&self.scene, &self.parameters, &mut self.state, &self.input, &mut self.workspace);
        self.guided.iter_mut().for_each(|(_, [start, end])| *start = *end);
        let driven = self.scene.led_body();
        self.angle += turned(self.relative_pose(driven), self.angle);
        self.certificate.clone()
    }

    /// One step and its record.
    pub fn advance(&mut self) -> Record {
        let mut watch = Stopwatch::start();
        let certificate = self.step();
        let step_seconds = watch.lap();
        let driven = self.scene.led_body();
        let pose = self.relative_pose(driven);
        let audit = self.audit.as_ref();
        let place = audit.map(|audit| audit.deepest(&self.scene, &self.parameters, &self.state));
        let impulses = [self.workspace.generalised_impulse(), self.workspace.impact_impulse()];
        let body = |index: usize| BodyRecord::of(&self.state, impulses, index, self.parameters.dt);
        let bodies: Vec<BodyRecord> = (0..self.state.motions.len()).map(body).collect();
        let (force, torque) = self
            .scene
            .free_index(driven)
            .and_then(|index| bodies.get(index))
            .map_or((Vector3::zeros(), Vector3::zeros()), |body| (body.force, body.torque));
        let depth = self.depth_at(&pose);
        let engaged = match (self.scene.task, depth) {
            (Some(Task::Insert { engaged, .. } | Task::Thread { engaged, .. }), Some(depth)) => {
                depth > engaged
            }
            _ => true,
        };
        Record {
            time: self.time(),
            pose,
            angle: self.angle,
            depth,
            force,
            torque,
            certificate,
            audited: place.map(|place| place.map_or(0.0, |place| place.depth)),
            audited_place: place.flatten(),
            step_seconds,
            engaged,
            bodies,
            kinematic: self.kinematic_records(),
            arm: self.state.arm.as_deref().map(ArmRecord::from),
            hash: self.state.hash(),
        }
    }

    /// Kinematic bodies with the contact wrench of the last step.
    fn kinematic_records(&self) -> Vec<KinematicRecord> {
        let is_kinematic = |body: &BodyId| self.scene.bodies[*body].motion == Motion::Kinematic;
        let record = |body: BodyId| {
            let ContactWrench { force, torque } = self.wrench_on(body);
            KinematicRecord { world_from_part: self.world_from_part(body), force, torque }
        };
        self.scene.body_ids().filter(is_kinematic).map(record).collect()
    }

    /// The certificate of the last step.
    #[must_use]
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// Contact wrench on a body in the last step, of all other bodies together.
    #[must_use]
    pub fn wrench_on(&self, body: BodyId) -> ContactWrench {
        self.wrench_of(body, |_| true)
    }

    /// Contact wrench on one body by another in the last step. C-space rows act beside the contacts and are not in it.
    #[must_use]
    pub fn wrench_between(&self, on: BodyId, by: BodyId) -> ContactWrench {
        self.wrench_of(on, |other| other == by)
    }

    fn wrench_of(&self, body: BodyId, by: impl Fn(BodyId) -> bool) -> ContactWrench {
        let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
        for (pair, impulse) in self.scene.contacts.iter().zip(self.workspace.pair_impulses()) {
            let sign = match pair.bodies {
                [first, second] if first == body && by(second) => 1.0,
                [first, second] if second == body && by(first) => -1.0,
                _ => continue,
            };
            linear += impulse.linear * sign;
            angular += impulse.angular * sign;
        }
        let about = match self.scene.free_index(body) {
            Some(index) => self.state.motions[index].center,
            None => self.world_from_part(body).translation,
        };
        let dt = self.parameters.dt;
        ContactWrench { force: linear / dt, torque: (angular - about.cross(&linear)) / dt }
    }

    /// Moves the set-point of a driven body to a pose of its part by the end of the next step, instead of the drive's
    /// waypoints; from then on the set-point stays until it is moved again. Springs and damping are those of the drive.
    pub fn guide(&mut self, body: BodyId, world_from_part: Pose) {
        let drive = self.scene.drives.iter().find(|drive| drive.body == body);
        let start = drive.map_or_else(|| self.world_from_part(body), |drive| drive.target(self.time()));
        match self.guided.iter_mut().find(|(own, _)| *own == body) {
            Some((_, [_, end])) => *end = world_from_part,
            None => self.guided.push((body, [start, world_from_part])),
        }
    }

    /// An independent copy that goes on from the same moment to the same bits.
    #[must_use]
    pub fn branch(&self) -> Self {
        Self {
            scene: self.scene.clone(),
            parameters: self.parameters.clone(),
            state: self.state.clone(),
            disturbance: self.disturbance,
            certificate: self.certificate.clone(),
            guided: self.guided.clone(),
            input: Input::default(),
            workspace: Workspace::default(),
            audit: self.audit.clone(),
            angle: self.angle,
            random: self.random,
            drawn: self.drawn,
        }
    }

    /// Candidate contacts of the state, with the forces of the last step.
    #[must_use]
    pub fn contact_points(&self) -> Vec<ContactPoint> {
        ContactPoint::all(self.workspace.contacts(), &self.state, self.parameters.dt)
    }

    /// Pose of a body's part now.
    #[must_use]
    pub fn world_from_part(&self, body: BodyId) -> Pose {
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
    fn relative_pose(&self, body: BodyId) -> Pose {
        let own = pose(&self.scene, &self.parameters, &self.state, body);
        let fixed = match self.scene.task {
            Some(Task::Insert { into, .. }) => into,
            Some(Task::Thread { onto, .. }) => onto,
            None => return own,
        };
        pose(&self.scene, &self.parameters, &self.state, fixed).inverse() * own
    }

    /// How far the lower end of a nut lies below the tip of a bolt [m].
    fn overlap(&self, nut: BodyId, bolt: BodyId, pose: &Pose) -> f64 {
        let extent = |body: BodyId| self.parameters.bodies[body].part.aabb();
        let (Some(nut), Some(bolt)) = (extent(nut), extent(bolt)) else { return 0.0 };
        bolt.max.z - (pose.translation.z + nut.min.z)
    }

    /// Depth of the task at a pose of the driven part against the fixed one [m]: of a peg below the mouth of its hole, or
    /// the overlap of nut and bolt.
    fn depth_at(&self, pose: &Pose) -> Option<f64> {
        match self.scene.task? {
            Task::Insert { along, from, .. } => Some(along.dot(&pose.translation) - from),
            Task::Thread { onto, .. } => Some(self.overlap_with(onto, pose)),
        }
    }

    /// Overlap of the driven nut with a bolt, for a pose of the nut against it [m].
    pub(crate) fn overlap_with(&self, bolt: BodyId, pose: &Pose) -> f64 {
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
        self.input.follow(&self.scene.drives, &self.scene, &self.parameters, &self.state);
        for (body, set_points) in &self.guided {
            self.input.guide(*body, set_points, &self.scene, &self.parameters, &self.state);
        }
        if let Some(index) = self.scene.free_index(self.scene.led_body()) {
            self.input.wrenches[index] = self.input.wrenches[index] + disturbance;
        }
    }

    fn disturb(&mut self, time: f64) -> Wrench {
        let end = self.scene.drives.first().map_or(0.0, crate::Drive::duration);
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
