//! A scene under construction, in SI units. A scene file is converted into this builder too, so every check that
//! needs several fields is made here, once. Problems carry the builder's dotted keys; `conversion` maps them to keys
//! and lines of the file.

use std::collections::HashSet;
use std::sync::Arc;

use tightfit_shape::mesh::{CollisionMesh, MeshOptions};
use tightfit_spatial::Vector3;

use super::arm_builder::ArmBuilder;
use super::body_builder::BodyBuilder;
use super::cspace_file::{cspace_of, embedded_cspace};
use super::drive_builder::DriveBuilder;
use super::interaction_file::interaction_of;
use super::method_choice::MethodChoice;
use super::network_file::embedded_network;
use super::problem::{Problem, Problems};
use super::task_builder::TaskBuilder;
use super::{
    Body, BodyId, ContactPair, DetectionMethod, Motion, Scene, SceneError, SceneProblem, SceneSource,
    SceneWarning, Uncertain, warning,
};
use crate::{ClusteringMethod, CspaceMethod, IntegrationMethod, Methods, Preset};

/// Longest time step [s].
const LONGEST_STEP: f64 = 0.1;

/// Builds a [`Scene`] in Rust. Lengths are metres, angles radians, times seconds. Bodies keep the order in which they
/// are given.
///
/// ```
/// use tightfit_shape::preset::preset;
/// use tightfit_simulation::{BodyBuilder, Drive, Scene, Task};
/// use tightfit_spatial::Vector3;
///
/// let scene = Scene::builder("my-fit")
///     .gravity(Vector3::new(0.0, 0.0, -9.81))
///     .part("hole", BodyBuilder::fixed(preset("hole-50").expect("built in")))
///     .part("peg", BodyBuilder::free(preset("peg-50").expect("built in")).mass(0.53))
///     .drive(
///         Drive::springs("peg")
///             .stiffness(Vector3::repeat(2000.0))
///             .turning_stiffness(Vector3::new(2.0, 2.0, 0.6))
///             .damping(50.0)
///             .waypoint(0.0, Vector3::new(0.2e-3, 0.0, 3e-3))
///             .waypoint(2.0, Vector3::new(0.2e-3, 0.0, -22e-3)),
///     )
///     .task(Task::insert("hole", 20e-3))
///     .build()
///     .expect("a valid scene");
/// assert_eq!(scene.bodies[scene.body_id("peg").expect("it has one")].name, "peg");
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct SceneBuilder {
    name: String,
    description: String,
    gravity: Option<Vector3<f64>>,
    dt: f64,
    friction: f64,
    parts: Vec<(String, BodyBuilder)>,
    contacts: Vec<ContactBetween>,
    drives: Vec<DriveBuilder>,
    arm: Option<ArmBuilder>,
    /// Part that an arm holds which could not be read, so that other problems are found too.
    held_by_unknown: Option<String>,
    task: Option<TaskBuilder>,
    detection: DetectionMethod,
    mesh_options: MeshOptions,
    methods: MethodChoice,
    uncertainty: Vec<Uncertain>,
    /// Name of the file in error messages, and its text.
    source: Option<SceneSource>,
}

#[derive(Clone, Debug)]
struct ContactBetween {
    parts: [String; 2],
    friction: Option<f64>,
    restitution: f64,
}

impl Scene {
    /// Begins a scene in Rust; scene files are read by [`Self::load`] and [`Self::from_toml`].
    pub fn builder(name: &str) -> SceneBuilder {
        SceneBuilder {
            name: name.to_string(),
            description: String::new(),
            gravity: None,
            dt: 0.01,
            friction: 0.1,
            parts: Vec::new(),
            contacts: Vec::new(),
            drives: Vec::new(),
            arm: None,
            held_by_unknown: None,
            task: None,
            detection: DetectionMethod::default(),
            mesh_options: MeshOptions::default(),
            methods: MethodChoice::default(),
            uncertainty: Vec::new(),
            source: None,
        }
    }
}

impl SceneBuilder {
    /// One sentence about the scene.
    pub fn description(mut self, description: &str) -> Self {
        self.description = description.to_string();
        self
    }

    /// Acceleration of free fall in world axes [m/s²]. Without it parts have no weight, and the scene carries a
    /// warning.
    pub fn gravity(mut self, gravity: Vector3<f64>) -> Self {
        self.gravity = Some(gravity);
        self
    }

    /// Time step [s]; 0.01 by default.
    pub fn dt(mut self, seconds: f64) -> Self {
        self.dt = seconds;
        self
    }

    /// Friction coefficient of every pair without a contact of its own [-]; 0.1 by default.
    pub fn friction(mut self, friction: f64) -> Self {
        self.friction = friction;
        self
    }

    /// Adds a part.
    pub fn part(mut self, name: &str, body: BodyBuilder) -> Self {
        self.parts.push((name.to_string(), body));
        self
    }

    /// Friction and restitution of a pair of parts [-]; restitution is 0 for plastic and 1 for elastic impacts.
    pub fn contact(self, parts: [&str; 2], friction: f64, restitution: f64) -> Self {
        self.contact_with(parts.map(str::to_string), Some(friction), restitution)
    }

    /// The same; the scene's friction where none is given.
    pub(super) fn contact_with(
        mut self,
        parts: [String; 2],
        friction: Option<f64>,
        restitution: f64,
    ) -> Self {
        self.contacts.push(ContactBetween { parts, friction, restitution });
        self
    }

    /// Adds a drive. A part has at most one.
    pub fn drive(mut self, drive: DriveBuilder) -> Self {
        self.drives.push(drive);
        self
    }

    /// An arm that holds a part.
    pub fn arm(mut self, arm: ArmBuilder) -> Self {
        self.arm = Some(arm);
        self
    }

    /// What counts as done.
    pub fn task(mut self, task: TaskBuilder) -> Self {
        self.task = Some(task);
        self
    }

    /// A set of methods, with its detection; [`Preset::Tight`] by default.
    pub fn preset(mut self, preset: Preset) -> Self {
        self.methods = preset.into();
        self.detection = DetectionMethod::of(preset);
        self
    }

    /// Methods one by one. Unlike those of a preset they are never replaced: a method that the scene cannot use is an
    /// error.
    pub fn methods(mut self, methods: Methods) -> Self {
        self.methods = MethodChoice {
            methods,
            needs_cspace: methods.cspace != CspaceMethod::None,
            takes_interaction: false,
            yields_to_arm: false,
        };
        self
    }

    /// How contacts are detected; by the exact distance by default.
    pub fn detection(mut self, detection: DetectionMethod) -> Self {
        self.detection = detection;
        self
    }

    /// How finely curved faces are cut into triangles for [`DetectionMethod::Mesh`].
    pub fn mesh_options(mut self, options: MeshOptions) -> Self {
        self.mesh_options = options;
        self
    }

    pub(super) fn method_choice(mut self, methods: MethodChoice) -> Self {
        self.methods = methods;
        self
    }

    /// Stands for an arm that could not be read.
    pub(super) fn unknown_arm(mut self, holds: &str) -> Self {
        self.held_by_unknown = Some(holds.to_string());
        self
    }

    pub(super) fn uncertainty(mut self, uncertainty: Vec<Uncertain>) -> Self {
        self.uncertainty = uncertainty;
        self
    }

    pub(super) fn source(mut self, source: SceneSource) -> Self {
        self.source = Some(source);
        self
    }

    /// The scene.
    ///
    /// # Errors
    /// With every problem found: key, value and remedy.
    pub fn build(self) -> Result<Scene, SceneError> {
        let name = self.name.clone();
        let problems = self.check();
        let scene = if problems.is_empty() { self.assemble() } else { Err(problems) };
        scene.map_err(|problems| SceneError::Invalid { name, problems })
    }

    /// Everything that is wrong and can be seen before bodies are made.
    pub(super) fn check(&self) -> Vec<SceneProblem> {
        let mut problems = Problems::default();
        let gravity = self.gravity.unwrap_or_default();
        gravity.iter().for_each(|value| problems.range("gravity", *value, [-1e4, 1e4], "m/s²"));
        problems.positive("step", self.dt, LONGEST_STEP, "s");
        problems.range("friction", self.friction, [0.0, 10.0], "");
        if self.parts.is_empty() {
            problems.add("parts", "is empty; give at least one part".into());
        }
        let mut names = HashSet::new();
        for (name, part) in &self.parts {
            if !names.insert(name) {
                problems.add(&format!("parts.{name}"), "is the second part of this name; rename it".into());
            }
            part.check(name, &mut problems);
        }
        self.check_networks(&mut problems);
        for contact in &self.contacts {
            let [first, second] = &contact.parts;
            if let Some(Err((key, remedy))) =
                [first, second].map(|name| self.find(name, "contacts")).into_iter().find(Result::is_err)
            {
                problems.add(&key, remedy);
            } else if first == second {
                problems.add("contacts", format!("names `{first}` twice; a pair needs two parts"));
            }
            problems.range("contacts", contact.friction.unwrap_or_default(), [0.0, 10.0], "as friction");
            problems.range("contacts", contact.restitution, [0.0, 1.0], "as restitution");
        }
        self.check_drives(&mut problems);
        if let Some(task) = &self.task {
            task.check(&mut problems);
            if let Err((key, remedy)) = self.find(&task.other, task.key()) {
                problems.add(&key, remedy);
            }
        }
        let methods = &self.methods.methods;
        if self.methods.needs_cspace && !methods.solver.sweeps() {
            let remedy =
                format!("is not for solver `{}`; choose the solver `sor` or `pgs`", methods.solver.name());
            problems.add("method.cspace", remedy);
        }
        problems.0
    }

    fn check_drives(&self, problems: &mut Problems) {
        let is_free = |name: &str| {
            let part = self.parts.iter().find(|(known, _)| known == name);
            part.is_some_and(|(_, part)| part.motion == Motion::Free)
        };
        let held = self.arm.as_ref().map(|arm| &arm.holds).or(self.held_by_unknown.as_ref());
        // an arm that names no free part is wrong, not the drive of the part that it should hold
        let is_held = |part: &String| held.is_some_and(|held| held == part || !is_free(held));
        let mut driven = Vec::new();
        for (index, drive) in self.drives.iter().enumerate() {
            let key = format!("drives[{index}]");
            match self.find(&drive.part, &format!("{key}.part")) {
                Ok(body) => {
                    let motion = self.parts[body.index()].1.motion;
                    drive.check(&key, motion, is_held(&drive.part), problems);
                }
                Err((key, remedy)) => problems.add(&key, remedy),
            }
            if driven.contains(&drive.part) {
                let remedy = "names a part that has a drive already; a part has at most one";
                problems.add(&format!("{key}.part"), remedy.into());
            }
            driven.push(drive.part.clone());
        }
        if let Some(arm) = &self.arm {
            match self.find(&arm.holds, "arm.holds") {
                Ok(_) if is_free(&arm.holds) => arm.check(&driven, problems),
                Ok(_) => {
                    let remedy = "names a part that is not free; leave its motion out";
                    problems.add("arm.holds", remedy.into());
                }
                Err((key, remedy)) => problems.add(&key, remedy),
            }
        }
    }

    /// C-space and interaction networks are of one free part against a fixed one.
    fn check_networks(&self, problems: &mut Problems) {
        let fixed: Vec<&str> = self
            .parts
            .iter()
            .filter(|(_, part)| part.motion == Motion::Fixed)
            .map(|(name, _)| name.as_str())
            .collect();
        let mut check = |kind: &str, against: &dyn Fn(&BodyBuilder) -> Option<String>| {
            let mut is_second = false;
            for (name, part) in &self.parts {
                let Some(against) = against(part) else { continue };
                let key = format!("parts.{name}.{kind}");
                if is_second {
                    problems.add(&key, "is the second one; only one part may have it".into());
                } else if part.motion != Motion::Free {
                    problems.add(&key, "is for free parts; leave it out or free the part".into());
                } else if !fixed.contains(&against.as_str()) {
                    let remedy = format!("names no fixed part; fixed parts: {}", fixed.join(", "));
                    problems.add(&format!("{key}.against"), remedy);
                }
                is_second = true;
            }
        };
        check("cspace", &|part| part.cspace.as_ref().map(|own| own.against.clone()));
        if self.methods.wants_interaction() {
            check("interaction", &|part| part.interaction.as_ref().map(|own| own.against.clone()));
        }
    }

    /// The body of a name that a key gives.
    fn find(&self, name: &str, key: &str) -> Result<BodyId, Problem> {
        let found = self.parts.iter().position(|(known, _)| known == name);
        found.map(BodyId::at).ok_or_else(|| {
            let known: Vec<&str> = self.parts.iter().map(|(name, _)| name.as_str()).collect();
            (key.to_string(), format!("names `{name}`, which is no part; parts: {}", known.join(", ")))
        })
    }

    /// The scene of a builder that [`Self::check`] has nothing against.
    pub(super) fn assemble(mut self) -> Result<Scene, Vec<SceneProblem>> {
        self.assembled().map_err(|(key, remedy)| {
            let mut problems = Problems::default();
            problems.add(&key, remedy);
            problems.0
        })
    }

    fn assembled(&mut self) -> Result<Scene, Problem> {
        let mut bodies = Vec::with_capacity(self.parts.len());
        for (name, part) in &self.parts {
            bodies.push(self.body(name, part)?);
        }
        self.check_detection(&bodies)?;
        let mut drives = Vec::with_capacity(self.drives.len());
        for drive in &self.drives {
            drives.push(drive.clone().drive(self.find(&drive.part, "drives")?));
        }
        let task = match &self.task {
            Some(task) => Some(task.task(self.find(&task.other, task.key())?)),
            None => None,
        };

        let mut methods = self.methods.methods;
        let cspace = match cspace_of(&bodies, &self.parts)? {
            Some(pair) => Some(pair),
            None => embedded_cspace(&bodies, methods.preset)
                .map_err(|error| -> Problem { ("method.cspace".into(), error.to_string()) })?,
        };
        if cspace.is_none() && methods.cspace != CspaceMethod::None {
            if self.methods.needs_cspace {
                let remedy = "no part has C-space networks; train them with `tightfit train cspace` and name their files \
                              in `parts.NAME.cspace`";
                return Err(("method.cspace".into(), remedy.into()));
            }
            methods.cspace = CspaceMethod::None;
        }
        let interaction = match self.methods.wants_interaction() {
            true => interaction_of(&bodies, &self.parts, methods.preset)?,
            false => None,
        };
        if interaction.is_some() {
            methods.clustering = ClusteringMethod::Interaction;
        } else if methods.clustering == ClusteringMethod::Interaction {
            let remedy = "no part has an interaction network; name its file in `parts.NAME.interaction`";
            return Err(("method.clustering".into(), remedy.into()));
        }
        if self.arm.is_some() && self.methods.yields_to_arm {
            methods.integration = IntegrationMethod::Midpoint;
        }
        for drive in &drives {
            bodies[drive.body].world_from_part = drive.target(0.0);
        }
        let arm = match self.arm.take() {
            Some(arm) => {
                let held = self.find(&arm.holds, "arm.holds")?;
                Some(arm.arm(held, &mut bodies, &drives, task.as_ref(), &methods)?)
            }
            None => None,
        };
        let contacts = self.pairs(&bodies)?;
        let mut scene = Scene {
            name: std::mem::take(&mut self.name),
            description: std::mem::take(&mut self.description),
            gravity: self.gravity.unwrap_or_default(),
            dt: self.dt,
            bodies,
            contacts,
            drives,
            arm,
            task,
            detection: self.detection,
            methods,
            cspace,
            interaction,
            uncertainty: std::mem::take(&mut self.uncertainty),
            warnings: Vec::new(),
            source: self.source.clone().unwrap_or_default(),
        };
        if self.gravity.is_none() {
            scene.warnings.push(SceneWarning::NoGravity { is_from_file: self.source.is_some() });
        }
        let of_bodies = warning::of_bodies(&scene);
        scene.warnings.extend(of_bodies);
        Ok(scene)
    }

    fn body(&self, name: &str, part: &BodyBuilder) -> Result<Body, Problem> {
        let network = match (&part.network, self.detection.is_neural()) {
            (_, false) => None,
            (Some(network), true) => Some(Arc::clone(network)),
            (None, true) => embedded_network(&part.part, self.detection)
                .map_err(|reason| -> Problem { (format!("parts.{name}.network"), reason) })?,
        };
        // parts without end have no mesh
        let is_mesh = self.detection == DetectionMethod::Mesh;
        let mesh = if is_mesh { part.part.mesh(&self.mesh_options).ok() } else { None };
        Ok(Body {
            name: name.to_string(),
            nodes: part.part.nodes(&part.spacing(name)?),
            network,
            mesh: mesh.map(|mesh| Arc::new(CollisionMesh::new(&mesh))),
            polyhedron: part.part.polyhedron().map(Arc::new),
            part: part.part.clone(),
            motion: part.motion,
            world_from_part: part.world_from_part,
            inertia: part.mass_properties(name)?,
            gap_field: part.gap_field.clone(),
        })
    }

    fn check_detection(&self, bodies: &[Body]) -> Result<(), Problem> {
        let remedy = match self.detection {
            DetectionMethod::Neural if bodies.iter().all(|body| body.network.is_none()) => {
                "no part has a depth network; train one with `tightfit train depth` and name its file in \
                 `parts.NAME.network`"
            }
            DetectionMethod::NeuralPaper if bodies.iter().any(|body| body.network.is_none()) => {
                "needs a depth network of every part; train them with `tightfit train depth --paper` and name their files in \
                 `parts.NAME.network`, or choose `exact`"
            }
            DetectionMethod::Mesh if bodies.iter().filter(|body| body.mesh.is_some()).count() < 2 => {
                "needs two parts with a surface of triangles; a half-space and nodes have none, choose `exact`"
            }
            _ => return Ok(()),
        };
        Err(("method.detection".into(), remedy.into()))
    }

    /// The pairs that are listed, then all others of which at least one part is free.
    fn pairs(&self, bodies: &[Body]) -> Result<Vec<ContactPair>, Problem> {
        let mut pairs = Vec::new();
        for contact in &self.contacts {
            let first = self.find(&contact.parts[0], "contacts")?;
            let second = self.find(&contact.parts[1], "contacts")?;
            pairs.push(ContactPair {
                bodies: [first.min(second), first.max(second)],
                friction: contact.friction.unwrap_or(self.friction),
                restitution: contact.restitution,
            });
        }
        let listed = pairs.len();
        let is_free = |index: usize| bodies[index].motion == Motion::Free;
        for first in 0..bodies.len() {
            for second in first + 1..bodies.len() {
                let pair = [first, second].map(BodyId::at);
                let is_listed = pairs[..listed].iter().any(|known| known.bodies == pair);
                if !is_listed && (is_free(first) || is_free(second)) {
                    let friction = self.friction;
                    pairs.push(ContactPair { bodies: pair, friction, restitution: 0.0 });
                }
            }
        }
        Ok(pairs)
    }
}
