//! A simulation with commands. It reads no clock: the caller says how much time has passed.

use thiserror::Error;
use tightfit_simulation::log::{self, LogError, RunMeta};
use tightfit_simulation::{BodyId, ContactPoint, Record, Scene, SceneError, SceneSource, Simulation, State};
use tightfit_spatial::Pose;

use crate::channels::Values;
use crate::frame::{Detail, FrameBody, FrameHeader, heat_message, mesh_message};
use crate::hand::Hand;
use crate::mirror::{Mirror, MirrorEnd, mirror};
use crate::story::Story;
use crate::totals::Totals;
use crate::{Command, CommandError, VisualMesh, clearance, description, heat};

/// Seed of every run: a session has no disturbance, so nothing is drawn.
const SEED: u64 = 1;
/// Most steps that are kept for the log: half an hour at 10 ms.
const MOST_RECORDS: usize = 180_000;
/// Most simulated time that is caught up after a pause of the caller [s].
const MOST_DUE: f64 = 0.1;

/// Why a command was not carried out.
#[derive(Debug, Error)]
pub enum SessionError {
    /// It is malformed.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The scene does not exist or is wrong.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The part cannot be driven.
    #[error("the part `{part}` cannot be driven: it is fixed; driven parts: {allowed}")]
    Fixed {
        /// Name of the part.
        part: String,
        /// Parts that can be driven.
        allowed: String,
    },
    /// The clearance comes from the scene file.
    #[error("the clearance of scene `{scene}` cannot be set here: change the dimensions in its file")]
    Clearance {
        /// Name of the scene.
        scene: String,
    },
    /// The simulation runs elsewhere.
    #[error(
        "this page shows a simulation that runs elsewhere: it takes the commands move, drag, release and heat"
    )]
    Mirrored,
}

/// A scene under way, with pause, speed, hands and a log.
pub struct Session {
    scene: Scene,
    changes: Vec<String>,
    simulation: Simulation,
    meshes: Vec<Option<VisualMesh>>,
    generation: u32,
    is_paused: bool,
    speed: f64,
    due: f64,
    hand: Option<Hand>,
    story: Story,
    phase: u16,
    totals: Totals,
    last: Option<Record>,
    records: Vec<Record>,
    heat: Option<BodyId>,
    contacts: Vec<ContactPoint>,
    mirror: Option<Mirror>,
}

impl Session {
    /// Opens a built-in scene or a scene file.
    ///
    /// # Errors
    /// When it does not exist or is wrong.
    pub fn open(name_or_path: &str) -> Result<Self, SceneError> {
        Ok(Self::new(Scene::find(name_or_path)?, Vec::new()))
    }

    /// A scene at its start; `changes` are those that were made to its source.
    #[must_use]
    pub fn new(scene: Scene, changes: Vec<String>) -> Self {
        Self::of_simulation(Simulation::new(scene, SEED), changes)
    }

    /// A simulation that has begun, or that starts elsewhere than its scene says.
    #[must_use]
    pub fn of_simulation(simulation: Simulation, changes: Vec<String>) -> Self {
        let mut session = Self {
            scene: simulation.scene.clone(),
            changes,
            simulation,
            meshes: Vec::new(),
            generation: 1,
            is_paused: false,
            speed: 1.0,
            due: 0.0,
            hand: None,
            story: Story::default(),
            phase: 0,
            totals: Totals::default(),
            last: None,
            records: Vec::new(),
            heat: None,
            contacts: Vec::new(),
            mirror: None,
        };
        session.meshes = session.make_meshes();
        session
    }

    /// Shows a simulation that runs elsewhere; `simulation` is a copy of it. The hand moves no part here: its set-point goes
    /// to the other end.
    #[must_use]
    pub fn mirroring(simulation: Simulation) -> (Self, MirrorEnd) {
        let (own, end) = mirror();
        let mut session = Self::of_simulation(simulation, Vec::new());
        session.mirror = Some(own);
        (session, end)
    }

    /// The simulation.
    #[must_use]
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Number of the scene description; it changes when description or meshes change.
    #[must_use]
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Records since the start, the latest half hour at most.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Whether the scene's drives have ended and no hand drives a part.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let ended = self.simulation.time() >= self.scene.duration() - 1e-9 || self.simulation.is_over();
        ended && self.hand.is_none()
    }

    /// The scene description as JSON.
    #[must_use]
    pub fn description(&self) -> String {
        description::describe(&self.simulation, self.generation, &self.changes).to_string()
    }

    /// One message per part that has a mesh.
    #[must_use]
    pub fn mesh_messages(&self) -> Vec<Vec<u8>> {
        let meshes = self.meshes.iter().enumerate();
        meshes.filter_map(|(body, mesh)| Some(mesh_message(body, mesh.as_ref()?))).collect()
    }

    /// The heat map, where one was ordered.
    #[must_use]
    pub fn heat_message(&self) -> Option<Vec<u8>> {
        let body = self.heat?;
        let mesh = self.meshes.get(body.index())?.as_ref()?;
        Some(heat_message(body.index(), &heat::gaps(&self.simulation, body, mesh)))
    }

    /// Carries out a command. A refused command changes nothing.
    ///
    /// # Errors
    /// When the scene, part or value does not exist or is out of range.
    pub fn apply(&mut self, command: Command) -> Result<(), SessionError> {
        let is_of_hand = matches!(
            command,
            Command::Move { .. } | Command::Drag { .. } | Command::Release {} | Command::Heat { .. }
        );
        if self.mirror.is_some() && !is_of_hand {
            return Err(SessionError::Mirrored);
        }
        match command {
            Command::Play {} => {
                if self.is_over() {
                    self.restart();
                }
                self.is_paused = false;
            }
            Command::Pause {} => self.is_paused = true,
            Command::Step { count } => {
                self.is_paused = true;
                (0..count).for_each(|_| self.step());
            }
            Command::Reset {} | Command::Automatic {} => self.restart(),
            Command::Speed { factor } => self.speed = factor,
            Command::Scene { name } => {
                // a page may open built-in scenes only, not files of this machine
                let known = tightfit_simulation::built_in_scenes().iter().any(|scene| scene.name == name);
                let scene = if known { Scene::find(&name)? } else { Scene::find(&built_in_only(&name))? };
                self.replace(scene, Vec::new());
            }
            Command::Toml { text } => self.replace(Scene::from_toml(&text)?, Vec::new()),
            Command::Set { changes } => {
                let source = self.original_source();
                let scene = Scene::from_source_with(&source, &self.scene.name, &changes)?;
                self.replace(scene, changes);
            }
            Command::Clearance { gap } => {
                let mut scene = self.scene.clone();
                if !clearance::set(&self.simulation, &mut scene, gap) {
                    return Err(SessionError::Clearance { scene: scene.name });
                }
                let changes = self.changes.clone();
                self.replace(scene, changes);
            }
            Command::Move { part, linear, angular } => {
                self.hand_on(&part)?.set_velocity(linear, angular);
                // a key that is let go after a pause does not end the pause
                self.is_paused &= linear.iter().chain(&angular).all(|speed| *speed == 0.0);
            }
            Command::Drag { part, position, rotation } => {
                self.hand_on(&part)?.set_pose(position, rotation);
                self.is_paused = false;
            }
            Command::Release {} => self.release(),
            Command::Heat { part } => {
                self.heat = part.map(|part| self.simulation.scene.body_id(&part)).transpose()?;
            }
        }
        Ok(())
    }

    /// Lets go of the part: the drive's force becomes zero. The server calls it when a client is lost.
    pub fn release(&mut self) {
        if let Some(hand) = &mut self.hand {
            hand.release();
        }
    }

    /// Steps for `seconds` of real time, while `may_go_on`; returns the number of steps.
    pub fn advance(&mut self, seconds: f64, mut may_go_on: impl FnMut() -> bool) -> usize {
        if let Some(mirror) = self.mirror.take() {
            let steps = self.follow(&mirror);
            self.mirror = Some(mirror);
            return steps;
        }
        if self.is_paused || self.is_over() {
            self.due = 0.0;
            return 0;
        }
        self.due =
            (self.due + seconds.max(0.0) * self.speed).min(MOST_DUE.max(4.0 * self.simulation.parameters.dt));
        let mut steps = 0;
        // rounding of sums of times must not lose a step
        let step = self.simulation.parameters.dt * (1.0 - 1e-9);
        while self.due >= step && !self.is_over() && may_go_on() {
            self.due -= self.simulation.parameters.dt;
            self.step();
            steps += 1;
        }
        steps
    }

    /// One step and its record.
    pub fn step(&mut self) {
        if let Some(hand) = &mut self.hand {
            hand.guide(&mut self.simulation);
        }
        let record = self.simulation.advance();
        self.observe(record);
    }

    /// Shows the states that wait, and passes the hand's set-point on; returns the number of states.
    fn follow(&mut self, mirror: &Mirror) -> usize {
        let mut count = 0;
        while let Some(shown) = mirror.next() {
            if let Some(hand) = &mut self.hand {
                hand.guide(&mut self.simulation);
            }
            self.adopt(shown.state, shown.record);
            self.contacts = shown.contacts;
            count += 1;
        }
        mirror.pass(self.hand.as_ref().filter(|hand| !hand.is_open()).map(Hand::set_point));
        count
    }

    /// Takes a state and its record from elsewhere in place of a step.
    pub(crate) fn adopt(&mut self, state: State, record: Record) {
        self.simulation.state = state;
        self.observe(record);
    }

    fn observe(&mut self, record: Record) {
        self.phase = self.story.follow(&self.simulation, &record);
        self.totals.follow(&record);
        if self.records.len() < MOST_RECORDS {
            self.records.push(record.clone());
        }
        self.last = Some(record);
    }

    /// Overwrites `bytes` with the state frame.
    pub fn write_frame(&mut self, bytes: &mut Vec<u8>) {
        self.write_detailed_frame(Detail::Live, bytes);
    }

    pub(crate) fn write_detailed_frame(&mut self, detail: Detail, bytes: &mut Vec<u8>) {
        let simulation = &self.simulation;
        let bodies: Vec<Pose> =
            simulation.scene.body_ids().map(|body| simulation.world_from_part(body)).collect();
        let links = links(simulation);
        if self.mirror.is_none() {
            self.contacts = if self.last.is_some() { simulation.contact_points() } else { Vec::new() };
        }
        let driven = simulation.scene.led_body();
        let set_point = match &self.hand {
            Some(hand) => Some(hand.set_point()),
            None => simulation.scene.drive_of(driven).map(|drive| drive.target(simulation.time())),
        };
        let header = FrameHeader {
            phase: self.phase,
            is_paused: self.is_paused,
            has_hand: self.hand.is_some(),
            is_over: self.is_over(),
            has_set_point: set_point.is_some(),
            limits: self.last.as_ref().map(|record| record.certificate.limits).unwrap_or_default(),
            time: simulation.time(),
            step: simulation.state.step_count as u32,
            hash: simulation.state.hash(),
            generation: self.generation,
        };
        let body = FrameBody {
            channels: self.values().in_order(),
            bodies: &bodies,
            set_point: set_point.unwrap_or_else(|| simulation.world_from_part(driven)),
            links: &links,
            contacts: &self.contacts,
            detail,
        };
        header.write(&body, bytes);
    }

    /// Writes the records as a log that `tightfit train clustering` and every other command can read.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write_log(&self, path: &std::path::Path) -> Result<(), LogError> {
        log::write(path, &self.scene, &RunMeta::new(SEED, None), &self.records)
    }

    fn values(&self) -> Values {
        let mut values = self.totals.values(&self.simulation, self.last.as_ref());
        if let Some(hand) = &self.hand {
            let [force, torque] = hand.wrench(&self.simulation);
            [values.hand_force_x, values.hand_force_y, values.hand_force_z] = force.into();
            [values.hand_torque_x, values.hand_torque_y, values.hand_torque_z] = torque.into();
        }
        values
    }

    /// The hand on a part; takes the part where nobody holds it.
    fn hand_on(&mut self, part: &str) -> Result<&mut Hand, SessionError> {
        let body = self.simulation.scene.body_id(part)?;
        if self.hand.as_ref().is_none_or(|hand| hand.body != body) {
            let Some(hand) = Hand::take(&mut self.simulation, body) else {
                let movable = self.simulation.scene.bodies.iter();
                let movable = movable.filter(|body| body.motion != tightfit_simulation::Motion::Fixed);
                let allowed = movable.map(|body| body.name.as_str()).collect::<Vec<_>>().join(", ");
                return Err(SessionError::Fixed { part: part.to_string(), allowed });
            };
            let mut hand = hand;
            if self.mirror.is_some() {
                hand.begin_at(self.simulation.world_from_part(body));
            }
            self.hand = Some(hand);
        }
        match &mut self.hand {
            Some(hand) => Ok(hand),
            None => Err(SessionError::Fixed { part: part.to_string(), allowed: String::new() }),
        }
    }

    /// Source without the changes of the command `set`, which replace one another.
    fn original_source(&self) -> SceneSource {
        let built_in =
            tightfit_simulation::built_in_scenes().iter().find(|scene| scene.name == self.scene.name);
        match built_in {
            Some(scene) => SceneSource { text: scene.text.to_string(), folder: ".".into() },
            None => self.scene.source.clone(),
        }
    }

    fn restart(&mut self) {
        self.simulation = Simulation::new(self.scene.clone(), SEED);
        self.hand = None;
        self.story = Story::default();
        self.phase = 0;
        self.totals = Totals::default();
        self.last = None;
        self.records.clear();
        self.due = 0.0;
    }

    fn replace(&mut self, scene: Scene, changes: Vec<String>) {
        (self.scene, self.changes, self.heat) = (scene, changes, None);
        self.generation += 1;
        self.restart();
        self.meshes = self.make_meshes();
    }

    fn make_meshes(&self) -> Vec<Option<VisualMesh>> {
        self.simulation.parameters.bodies.iter().map(|body| VisualMesh::of(&body.part)).collect()
    }
}

/// A name that no file has, so that the error lists the built-in scenes.
fn built_in_only(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric() || *letter == '-').take(60).chain(['?']).collect()
}

/// Frames of the arm's links, and of its tip.
fn links(simulation: &Simulation) -> Vec<Pose> {
    let (Some(arm), Some(motion)) = (&simulation.scene.arm, simulation.state.arm.as_deref()) else {
        return Vec::new();
    };
    let posture = arm.chain.posture(&motion.joints.angles);
    let links = posture.world_from_link.into_iter().take(arm.chain.count());
    links.chain([posture.world_from_tip]).collect()
}
