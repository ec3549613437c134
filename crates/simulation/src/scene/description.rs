//! The scene file, as written: millimetres, degrees and grams only here, the unit in every key.
//!
//! The ranges are written once, at the fields: the JSON schema carries them to editors, `schema_check` enforces them.
//! What depends on several fields is checked by the part (a chamfer wider than its peg) or by the builder (a drive of
//! a fixed part).

use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::arm_description::ArmDescription;
use super::method::MethodDescription;
use super::shape_description::ShapeDescription;

/// A scene file: parts, how they touch, what moves them and what counts as done.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SceneDescription {
    /// Short name without spaces.
    pub name: String,
    /// One sentence about the scene.
    #[serde(default)]
    pub description: String,
    /// Acceleration of free fall in world axes [m/s²]; without it parts have no weight, and the scene carries a
    /// warning.
    #[schemars(inner(range(min = -1e4, max = 1e4)))]
    pub gravity_m_s2: Option<[f64; 3]>,
    /// Time step [ms].
    #[serde(default = "default_step")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 100.0))]
    pub step_ms: f64,
    /// Friction coefficient of every pair that `contacts` does not list [-].
    #[serde(default = "default_friction")]
    #[schemars(range(min = 0.0, max = 10.0))]
    pub friction: f64,
    /// The parts, by name. Bodies of the scene keep the order of the file.
    #[schemars(with = "BTreeMap<String, PartDescription>")]
    pub parts: IndexMap<String, PartDescription>,
    /// Pairs of parts with their own friction and restitution.
    #[serde(default)]
    pub contacts: Vec<ContactDescription>,
    /// The drive of one part.
    pub drive: Option<DriveDescription>,
    /// Drives of several parts, at most one for each.
    #[serde(default)]
    pub drives: Vec<DriveDescription>,
    /// An arm that holds a part and moves it along the set-points of the part's drive.
    pub arm: Option<ArmDescription>,
    /// What counts as done.
    pub task: Option<TaskDescription>,
    /// Methods of the step.
    #[serde(default)]
    pub method: MethodDescription,
    /// Values that are known within a range only, as `tightfit identify --write` states them; environments draw from it.
    #[serde(default)]
    pub uncertainty: Vec<UncertaintyDescription>,
}

/// A value that is known within a range.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct UncertaintyDescription {
    /// Dotted key of the value, such as `parts.bolt.shape.diameter_mm`.
    pub key: String,
    /// Lower end, in the unit of the key.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Guides one part along set-points: a free part by a spring and damper or in an arm, a kinematic part exactly. The
/// part starts at the first set-point.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DriveDescription {
    /// Name of the part.
    pub part: String,
    /// Stiffness along the world's axes [N/m]; not for a kinematic part or one in an arm.
    #[schemars(inner(range(min = 0.0, max = 1e9)))]
    pub stiffness_n_m: Option<[f64; 3]>,
    /// Stiffness about the part's axes [N·m/rad]; not for a kinematic part or one in an arm.
    #[schemars(inner(range(min = 0.0, max = 1e9)))]
    pub turning_stiffness_nm_rad: Option<[f64; 3]>,
    /// Damping relative to mass and inertia [1/s]; not for a kinematic part or one in an arm.
    #[schemars(range(min = 0.0, max = 1e6))]
    pub damping_per_s: Option<f64>,
    /// Factor on both stiffnesses [-].
    #[serde(default = "one")]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub stiffness_factor: f64,
    /// Factor on the speed of the set-points [-].
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e3))]
    pub speed_factor: f64,
    /// Constant force on the part, world axes [N]; in an arm the force that it adds to its controller's.
    #[serde(default)]
    #[schemars(inner(range(min = -1e6, max = 1e6)))]
    pub force_n: [f64; 3],
    /// Error of all set-points along x [mm].
    #[serde(default)]
    #[schemars(range(min = -100.0, max = 100.0))]
    pub offset_mm: f64,
    /// Error of all set-points about y [deg].
    #[serde(default)]
    #[schemars(range(min = -45.0, max = 45.0))]
    pub tilt_deg: f64,
    /// Set-points of the part's frame, by time.
    #[serde(default)]
    pub waypoints: Vec<WaypointDescription>,
    /// CSV file of set-points instead, relative to the scene file: columns t_s, x_m, y_m, z_m, qx, qy, qz, qw. For a part in
    /// an arm or a kinematic one.
    pub file: Option<String>,
    /// Attitude of the part's frame in the frame whose poses the file holds: rotations about x, then y, then z [deg].
    #[serde(default)]
    pub file_rotation_deg: [f64; 3],
    /// Time for which the last set-point is held [s].
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1e6))]
    pub hold_s: f64,
    /// A swing around the last set-point.
    pub wiggle: Option<WiggleDescription>,
}

/// A set-point.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WaypointDescription {
    /// When it is reached [s].
    #[schemars(range(min = 0.0, max = 1e6))]
    pub time_s: f64,
    /// Position of the part's frame [mm].
    pub position_mm: [f64; 3],
    /// Attitude of the part's frame: rotations about the world's x, then y, then z axis [deg]. Between two set-points
    /// the part turns about one axis, the shorter way; add a set-point where a rotation exceeds half a turn.
    #[serde(default)]
    pub rotation_deg: [f64; 3],
    /// Turns about the part's z axis before that rotation; more than one turn is allowed.
    #[serde(default)]
    pub turns: f64,
}

/// A swing along x and about y.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WiggleDescription {
    /// When it begins [s].
    #[schemars(range(min = 0.0, max = 1e6))]
    pub from_s: f64,
    /// When it ends [s].
    #[schemars(range(min = 0.0, max = 1e6))]
    pub until_s: f64,
    /// Amplitude along x [mm].
    #[serde(default)]
    pub amplitude_mm: f64,
    /// Its frequency [Hz].
    #[serde(default)]
    pub frequency_hz: f64,
    /// Amplitude about y [deg].
    #[serde(default)]
    pub tilt_deg: f64,
    /// Its frequency [Hz].
    #[serde(default)]
    pub tilt_frequency_hz: f64,
}

/// What counts as done.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum TaskDescription {
    /// A peg whose frame must come this deep below the hole's.
    Insert {
        /// Name of the hole.
        into: String,
        /// Depth [mm].
        depth_mm: f64,
        /// Depth from which the peg counts as engaged [mm].
        engaged_mm: f64,
        /// The way in, in the hole's frame: depth is the position of the peg's frame along it.
        #[serde(default = "downwards")]
        along: [f64; 3],
        /// Where the depth is zero, as such a position [mm].
        #[serde(default)]
        from_mm: f64,
    },
    /// A nut that must be turned on by this many turns.
    Thread {
        /// Name of the bolt.
        onto: String,
        /// Turns.
        turns: f64,
        /// Overlap of nut and bolt from which it counts as engaged [mm].
        engaged_mm: f64,
        /// Torque about its axis to which it must be tightened, within 5 % below and 10 % above [N·m]; `engaged_mm` is then its
        /// overlap on the seat.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e6))]
        torque_nm: Option<f64>,
    },
}

/// The way into a hole whose frame stands on its mouth.
fn downwards() -> [f64; 3] {
    [0.0, 0.0, -1.0]
}

/// A part of the scene.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PartDescription {
    /// Its shape.
    pub shape: ShapeDescription,
    /// File of its depth network, written by `tightfit train depth`, relative to the scene file; for
    /// `method.detection = "neural"`.
    pub network: Option<String>,
    /// C-space networks of this part against a fixed one, for `method.cspace = "network"`.
    pub cspace: Option<CspaceDescription>,
    /// Interaction network that clusters this part's contacts with a fixed one, for `method.clustering =
    /// "interaction"` and the preset `paper`.
    pub interaction: Option<InteractionDescription>,
    /// Whether and how it moves.
    #[serde(default)]
    pub motion: Motion,
    /// Position of the part's frame in the world [mm].
    #[serde(default)]
    pub position_mm: [f64; 3],
    /// Attitude: rotations about the world's x, then y, then z axis [deg].
    #[serde(default)]
    pub rotation_deg: [f64; 3],
    /// Density [kg/m³], steel when neither density nor mass is given.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e6))]
    pub density_kg_m3: Option<f64>,
    /// Mass [kg], instead of a density; the inertia scales with it.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e6))]
    pub mass_kg: Option<f64>,
    /// Centre of mass in the part's frame [mm], where the density is not uniform.
    pub center_of_mass_mm: Option<[f64; 3]>,
    /// Moments of inertia about the centre of mass, along the axes of the part's frame [kg·m²], where the density is
    /// not uniform.
    #[schemars(inner(range(min = 1e-12, max = 1e6)))]
    pub moment_kg_m2: Option<[f64; 3]>,
    /// Distances between nodes.
    #[serde(default)]
    pub nodes: NodeDescription,
    /// How much material is missing all over its surface [um]: a shaft is thinner, a hole wider by twice that; negative
    /// where there is more.
    #[serde(default)]
    #[schemars(range(min = -500.0, max = 500.0))]
    pub undersize_um: f64,
    /// Correction of the gap over its surface: wear and waviness, as `tightfit identify --fit wear` finds them.
    pub gap_field: Option<GapFieldDescription>,
}

/// A smooth correction of the gap over a part's surface: cubic splines around and along its z axis, for each side of the
/// outward normal.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GapFieldDescription {
    /// Section of the part's z axis that it covers [mm].
    pub axial_mm: [f64; 2],
    /// Coefficients around the axis.
    #[schemars(range(min = 1, max = 1000))]
    pub angles: u32,
    /// Coefficients along it.
    #[schemars(range(min = 4, max = 1000))]
    pub heights: u32,
    /// Coefficients [um] where the surface looks up, along the axis first; positive where material is missing. Zero where
    /// left out.
    #[serde(default)]
    #[schemars(inner(range(min = -1e4, max = 1e4)))]
    pub up_um: Vec<f64>,
    /// The same where it looks down.
    #[serde(default)]
    #[schemars(inner(range(min = -1e4, max = 1e4)))]
    pub down_um: Vec<f64>,
    /// The same where it looks sideways.
    #[serde(default)]
    #[schemars(inner(range(min = -1e4, max = 1e4)))]
    pub side_um: Vec<f64>,
}

/// C-space networks of a free part against a fixed one, written by `tightfit train cspace`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CspaceDescription {
    /// Name of the fixed part.
    pub against: String,
    /// Files, relative to the scene file; for each configuration the first whose box covers it is used.
    #[schemars(length(min = 1))]
    pub networks: Vec<String>,
}

/// The interaction network of a free part against a fixed one, written by `tightfit import inrol` or `tightfit train`.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct InteractionDescription {
    /// Name of the fixed part.
    pub against: String,
    /// File of the network and of the part's surface, relative to the scene file.
    pub network: String,
    /// Attitude of the network's frame in the part's frame: rotations about x, then y, then z [deg]. Its origin is
    /// the centre of mass.
    #[serde(default)]
    pub rotation_deg: [f64; 3],
}

/// Whether and how a part moves.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    /// Forces move it.
    #[default]
    Free,
    /// It does not move.
    Fixed,
    /// It follows its drive exactly, whatever the forces.
    Kinematic,
}

/// Largest distances between nodes; where left out, chosen from the size of the part and of its features.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NodeDescription {
    /// On faces [mm].
    #[schemars(range(min = 0.001, max = 1000.0))]
    pub face_spacing_mm: Option<f64>,
    /// Along the helix on the faces of a thread [mm]; four times the faces' where those alone are given.
    #[schemars(range(min = 0.001, max = 1000.0))]
    pub helix_spacing_mm: Option<f64>,
    /// Along the helical edges of a thread [mm]; twice the edges' where those alone are given.
    #[schemars(range(min = 0.001, max = 1000.0))]
    pub helix_edge_spacing_mm: Option<f64>,
    /// Along convex edges [mm].
    #[schemars(range(min = 0.001, max = 1000.0))]
    pub edge_spacing_mm: Option<f64>,
    /// Along the edges of thread starts [mm].
    #[schemars(range(min = 0.001, max = 1000.0))]
    pub start_spacing_mm: Option<f64>,
}

/// How two parts touch.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ContactDescription {
    /// Names of the two parts.
    pub parts: [String; 2],
    /// Friction coefficient [-].
    #[schemars(range(min = 0.0, max = 10.0))]
    pub friction: Option<f64>,
    /// Coefficient of restitution [-]: 0 plastic, 1 elastic.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub restitution: f64,
}

fn one() -> f64 {
    1.0
}

fn default_step() -> f64 {
    10.0
}

fn default_friction() -> f64 {
    0.1
}
