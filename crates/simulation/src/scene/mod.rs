//! Scenes and their files.
//!
//! `description` holds the types of the file, from which the schema is generated; `schema_check` holds a
//! document against that schema and finds lines; `build` turns a description into a [`Scene`].

mod arm;
mod arm_description;
mod build;
mod built_in;
mod cspace_file;
mod description;
mod drive;
mod error;
mod file_paths;
mod interaction_file;
mod mesh_file;
mod method;
mod network_file;
mod overrides;
mod schema_check;
mod shape;
mod strategy;
mod strategy_description;

pub use built_in::{BuiltInScene, built_in_scenes};
pub use description::{Motion, SceneDescription};
pub use error::{SceneError, SceneProblem};
pub use interaction_file::InteractionPair;
pub use method::DetectionMethod;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tightfit_pipeline::cspace::CspaceNetworks;
use tightfit_pipeline::detection::DepthNetwork;
use tightfit_shape::Part;
use tightfit_shape::mesh::CollisionMesh;
use tightfit_shape::node::NodeSet;
use tightfit_spatial::{Inertia, Pose, Vector3};

use crate::{Arm, Drive, Methods};

/// What is simulated: constant, shared by all environments.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Short name, as in `tightfit run peg-in-hole`.
    pub name: String,
    /// One sentence for people.
    pub description: String,
    /// Acceleration of free fall in world axes [m/s²].
    pub gravity: Vector3<f64>,
    /// Time step T [s].
    pub step: f64,
    /// The bodies, by name in alphabetical order.
    pub bodies: Vec<Body>,
    /// How pairs of bodies touch.
    pub contacts: Vec<ContactPair>,
    /// What leads a part, if anything does.
    pub drive: Option<Drive>,
    /// An arm that holds a part, if there is one.
    pub arm: Option<Arm>,
    /// What counts as done.
    pub task: Option<Task>,
    /// How contacts are found. What they are found by is with the bodies.
    pub detection: DetectionMethod,
    /// What a step is made of.
    pub methods: Methods,
    /// C-space networks of a free part against a fixed one.
    pub cspace: Option<CspacePair>,
    /// Interaction network of a free part against a fixed one.
    pub interaction: Option<InteractionPair>,
    /// The text it was built from.
    pub source: SceneSource,
}

/// The text of a scene, kept so that a run of it can be repeated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SceneSource {
    /// TOML text.
    pub text: String,
    /// Folder in which files that it names are sought.
    pub folder: PathBuf,
}

/// What counts as done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Task {
    /// A peg whose frame must come this deep below the hole's.
    Insert {
        /// Body of the hole.
        into: usize,
        /// Depth [m].
        depth: f64,
        /// Depth from which the peg counts as engaged [m].
        engaged: f64,
    },
    /// A nut that must be turned on.
    Thread {
        /// Body of the bolt.
        onto: usize,
        /// Turns.
        turns: f64,
        /// Overlap of nut and bolt from which it counts as engaged [m].
        engaged: f64,
        /// Torque about its axis to which it must be tightened [N·m], where it must.
        torque: Option<f64>,
    },
}

/// A part in a scene.
#[derive(Clone, Debug)]
pub struct Body {
    /// Name in the scene.
    pub name: String,
    /// Shape.
    pub part: Part,
    /// Whether and how it moves.
    pub motion: Motion,
    /// Pose of the part's frame at the start.
    pub world_from_part: Pose,
    /// Mass properties in the part's frame; `None` for bodies that do not move freely.
    pub inertia: Option<Inertia>,
    /// Nodes that are tested against the other bodies.
    pub nodes: NodeSet,
    /// What answers for the distance from [`Self::part`]; the part itself when there is none, and in environments
    /// whose parameters give the part other dimensions.
    pub network: Option<Arc<DepthNetwork>>,
    /// Triangles by which [`Self::part`] meets others that have them too; `None` and in environments with other dimensions
    /// it is met by its distance.
    pub mesh: Option<Arc<CollisionMesh>>,
}

/// C-space networks of a pair. In environments whose parameters give a part other dimensions they are not asked.
#[derive(Clone, Debug)]
pub struct CspacePair {
    /// Free body.
    pub moving: usize,
    /// Fixed body.
    pub fixed: usize,
    /// The networks.
    pub space: Arc<CspaceNetworks>,
}

/// How two bodies touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPair {
    /// Indices into the bodies.
    pub bodies: [usize; 2],
    /// Coulomb friction coefficient μ [-].
    pub friction: f64,
    /// Coefficient of restitution [-]: 0 plastic, 1 elastic.
    pub restitution: f64,
}

impl Scene {
    /// Body that the drive or the arm leads; the first one where there is neither.
    #[must_use]
    pub fn led_body(&self) -> usize {
        let arm = self.arm.as_ref().map(|arm| arm.body);
        let free = || self.bodies.iter().position(|body| body.motion == Motion::Free);
        self.drive.as_ref().map(|drive| drive.body).or(arm).or_else(free).unwrap_or(0)
    }

    /// Time that its drive or the limit of its strategy gives a run [s].
    #[must_use]
    pub fn duration(&self) -> f64 {
        let strategy = self.arm.as_ref().and_then(|arm| arm.strategy.as_ref());
        match (&self.drive, strategy) {
            (Some(drive), _) => drive.duration(),
            // the step in which the limit is found is one more
            (None, Some(strategy)) => strategy.limits().time + self.step,
            (None, None) => 1.0,
        }
    }

    /// Scene of a TOML text; files that it names are sought in the working directory.
    ///
    /// # Errors
    /// With every problem found: key, value, what is allowed, line.
    pub fn from_toml(text: &str) -> Result<Self, SceneError> {
        build::scene_from_text(text, "scene", Path::new("."))
    }

    /// Scene of a text that another scene was built from.
    ///
    /// # Errors
    /// As [`Self::from_toml`]; also when a file that it names has gone.
    pub fn from_source(source: &SceneSource) -> Result<Self, SceneError> {
        build::scene_from_text(&source.text, "scene", &source.folder)
    }

    /// Scene of a TOML file; files that it names are sought beside it.
    ///
    /// # Errors
    /// When the file cannot be read or something in it is wrong.
    pub fn load(path: &Path) -> Result<Self, SceneError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| SceneError::unreadable(&name, &error))?;
        build::scene_from_text(&text, &name, path.parent().unwrap_or(Path::new(".")))
    }

    /// A built-in scene by name, or a scene file by path.
    ///
    /// # Errors
    /// When neither exists, or the file is wrong.
    pub fn find(name_or_path: &str) -> Result<Self, SceneError> {
        match built_in_scenes().iter().find(|scene| scene.name == name_or_path) {
            Some(scene) => build::scene_from_text(scene.text, scene.name, Path::new(".")),
            None if Path::new(name_or_path).exists() => Self::load(Path::new(name_or_path)),
            None => Err(SceneError::unknown(name_or_path)),
        }
    }
}

/// JSON schema of the scene file, generated from the types that read it.
#[must_use]
pub fn scene_schema() -> serde_json::Value {
    schemars::schema_for!(SceneDescription).to_value()
}
