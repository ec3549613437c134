//! Scenes and their files.
//!
//! ```text
//! TOML ─► schema_check ─► description ─► conversion ─► SceneBuilder ─► Scene
//! text     ranges, lines   types of        units,         checks that      constant, shared
//!                          the file        files          need several
//!                                                         fields
//! ```
//!
//! A scene in Rust begins at the builder ([`Scene::builder`]).

mod arm_builder;
mod arm_conversion;
mod arm_description;
mod body_builder;
mod body_id;
mod builder;
mod built_in;
mod conversion;
mod cspace_file;
mod description;
mod drive_builder;
mod error;
mod file_paths;
mod interaction_file;
mod mesh_file;
mod method;
mod method_choice;
mod network_file;
mod overrides;
mod problem;
mod schema_check;
mod shape;
mod shape_description;
mod strategy_conversion;
mod strategy_description;
mod task_builder;
mod uncertainty;
mod warning;

pub use arm_builder::{ArmBuilder, ArmControl};
pub use body_builder::BodyBuilder;
pub use body_id::BodyId;
pub use builder::SceneBuilder;
pub use built_in::{BuiltInScene, built_in_scenes};
pub use description::{Motion, SceneDescription};
pub use drive_builder::DriveBuilder;
pub use error::{SceneError, SceneProblem};
pub use interaction_file::InteractionPair;
pub use method::DetectionMethod;
pub use task_builder::TaskBuilder;
pub use uncertainty::Uncertain;
pub use warning::SceneWarning;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tightfit_pipeline::cspace::CspaceNetworks;
use tightfit_pipeline::detection::DepthNetwork;
use tightfit_shape::Part;
use tightfit_shape::mesh::CollisionMesh;
use tightfit_shape::node::NodeSet;
use tightfit_shape::polyhedron::Polyhedron;
use tightfit_spatial::{Inertia, Pose, Vector3};

use crate::{Arm, Drive, GapField, Methods};

/// What is simulated: constant, shared by all environments. [`Scene::builder`] makes one in Rust, [`Scene::load`]
/// reads a file.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Short name, as in `tightfit run peg-in-hole`.
    pub name: String,
    /// One sentence about it.
    pub description: String,
    /// Acceleration of free fall in world axes [m/s²].
    pub gravity: Vector3<f64>,
    /// Time step that [`crate::Parameters::of`] takes [s].
    pub dt: f64,
    /// The bodies, in the order in which the file or the builder gives them. [`BodyId`] indexes them.
    pub bodies: Vec<Body>,
    /// Friction and restitution of pairs of bodies.
    pub contacts: Vec<ContactPair>,
    /// What guides parts along set-points, at most one drive for each part. [`Simulation`](crate::Simulation) follows the first
    /// one's part.
    pub drives: Vec<Drive>,
    /// An arm that holds a part, if there is one.
    pub arm: Option<Arm>,
    /// What counts as done.
    pub task: Option<Task>,
    /// How contacts are detected. Networks and meshes for it are at the bodies.
    pub detection: DetectionMethod,
    /// Methods of the step.
    pub methods: Methods,
    /// C-space networks of a free part against a fixed one.
    pub cspace: Option<CspacePair>,
    /// Interaction network of a free part against a fixed one.
    pub interaction: Option<InteractionPair>,
    /// Values that are known within a range.
    pub uncertainty: Vec<Uncertain>,
    /// What is allowed but probably not meant.
    pub warnings: Vec<SceneWarning>,
    /// The text that it was built from; empty for a scene that was built in Rust.
    pub source: SceneSource,
}

/// The text of a scene, so that a run of it can be repeated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SceneSource {
    /// TOML text.
    pub text: String,
    /// Folder of the files that it names.
    pub folder: PathBuf,
}

/// What counts as done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Task {
    /// A peg whose frame must come this deep below the hole's.
    Insert {
        /// Body of the hole.
        into: BodyId,
        /// Depth [m].
        depth: f64,
        /// Depth from which the peg counts as engaged [m].
        engaged: f64,
        /// Unit vector of the way in, in the hole's frame; −z unless stated otherwise.
        along: Vector3<f64>,
        /// Position of the peg's frame along it where the depth is zero [m].
        from: f64,
    },
    /// A nut that must be turned on.
    Thread {
        /// Body of the bolt.
        onto: BodyId,
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
    /// Network that replaces the exact distance from [`Self::part`]. Environments whose parameters change the part's
    /// dimensions use the exact distance.
    pub network: Option<Arc<DepthNetwork>>,
    /// Triangles for contacts of [`Self::part`] with parts that have triangles too. Environments whose parameters
    /// change the part's dimensions use the distance.
    pub mesh: Option<Arc<CollisionMesh>>,
    /// [`Self::part`] as a polyhedron, if planes bound it: contacts with other polyhedra are corners and edges.
    pub polyhedron: Option<Arc<Polyhedron>>,
    /// Correction of the gap over its surface, such as wear.
    pub gap_field: Option<Arc<GapField>>,
}

/// C-space networks of a pair. Environments whose parameters change a part's dimensions do not use them.
#[derive(Clone, Debug)]
pub struct CspacePair {
    /// Free body.
    pub moving: BodyId,
    /// Fixed body.
    pub fixed: BodyId,
    /// The networks.
    pub space: Arc<CspaceNetworks>,
}

/// How two bodies touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPair {
    /// The bodies, in the order of the scene.
    pub bodies: [BodyId; 2],
    /// Coulomb friction coefficient μ [-].
    pub friction: f64,
    /// Coefficient of restitution [-]: 0 plastic, 1 elastic.
    pub restitution: f64,
}

impl Scene {
    /// Body that the first drive or the arm guides; without both the first free body.
    #[must_use]
    pub fn led_body(&self) -> BodyId {
        let arm = self.arm.as_ref().map(|arm| arm.body);
        let free = || self.body_ids().find(|body| self.bodies[*body].motion == Motion::Free);
        self.drives.first().map(|drive| drive.body).or(arm).or_else(free).unwrap_or(BodyId::at(0))
    }

    /// Time that the drives or the time limit of the strategy give a run [s].
    #[must_use]
    pub fn duration(&self) -> f64 {
        let strategy = self.arm.as_ref().and_then(|arm| arm.strategy.as_ref());
        let drives = self.drives.iter().map(Drive::duration).reduce(f64::max);
        match (drives, strategy) {
            // the limit is found in the step after it
            (_, Some(strategy)) => strategy.limits().time + self.dt,
            (Some(duration), None) => duration,
            (None, None) => 1.0,
        }
    }

    /// The drive of a body, if it has one.
    #[must_use]
    pub fn drive_of(&self, body: BodyId) -> Option<&Drive> {
        self.drives.iter().find(|drive| drive.body == body)
    }

    /// Scene of a TOML text; files that it names are relative to the working directory.
    ///
    /// # Errors
    /// With every problem found: key, value, what is allowed, line.
    pub fn from_toml(text: &str) -> Result<Self, SceneError> {
        conversion::scene_from_text(text, "scene", Path::new("."))
    }

    /// Scene of a text that another scene was built from.
    ///
    /// # Errors
    /// As [`Self::from_toml`]; also when a file that it names is missing, or the other scene was built in Rust.
    pub fn from_source(source: &SceneSource) -> Result<Self, SceneError> {
        if source.text.is_empty() {
            return Err(SceneError::BuiltInCode);
        }
        conversion::scene_from_text(&source.text, "scene", &source.folder)
    }

    /// Scene of a TOML file; files that it names are relative to its folder.
    ///
    /// # Errors
    /// When the file cannot be read or something in it is wrong.
    pub fn load(path: &Path) -> Result<Self, SceneError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| SceneError::unreadable(&name, &error))?;
        conversion::scene_from_text(&text, &name, path.parent().unwrap_or(Path::new(".")))
    }

    /// A built-in scene by name, or a scene file by path.
    ///
    /// # Errors
    /// When neither exists, or the file is wrong.
    pub fn find(name_or_path: &str) -> Result<Self, SceneError> {
        match built_in_scenes().iter().find(|scene| scene.name == name_or_path) {
            Some(scene) => conversion::scene_from_text(scene.text, scene.name, Path::new(".")),
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
