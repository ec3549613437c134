//! Calibration file of a peg, a hole and a sensor: converts trials to recordings and writes the scene.
//!
//! ```text
//! Trial ─► pose:    tool pose ∘ tool_from_part, in the frame of that trial's hole
//!          wrench:  bias and weight removed, at the part's centre of mass
//! ```
//!
//! A recording's world is the hole's frame: origin in the middle of the mouth, +z out of the hole. The part's frame is
//! at the tip of a round peg, in the middle of a block, +z towards its tail. The data do not determine its centre of
//! mass: it is put at the centre of compliance, where the grasp decouples translation and rotation. The pose assumes a
//! stiff grasp; `grasp` is its compliance. The measured wrench does not enter the pose, so a prediction from the pose
//! does not use it.

use std::path::Path;

use nalgebra::{Matrix6, Vector2};
use serde::{Deserialize, Serialize};
use tightfit_shape::TriMesh;
use tightfit_shape::mesh::{LengthUnit, save};
use tightfit_spatial::{Pose, Quaternion, Twist, UnitQuaternion, Vector3};

use super::{GraspSpring, HoldingSpring, Mouth, Outline, Play, SensorLoad, pocket_mesh, tool_from_tip};
use crate::LearningError;
use crate::recordings::{Recording, Sample, Trial};

/// Length of the peg beyond the depth of the hole [m]; its real length is not in the data.
const TAIL: f64 = 10e-3;
/// Density of the peg in the scene [kg/m³]; not in the data either. It matters little: the holder carries the weight.
const DENSITY: f64 = 1200.0;

/// All identified quantities.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Friction coefficient [-].
    pub friction: f64,
    /// Outline of the peg.
    pub peg: PegNumbers,
    /// The hole.
    pub hole: HoleNumbers,
    /// The sensor.
    pub sensor: SensorNumbers,
    /// C: compliance of the grasp at the peg's tip, part axes, rows [m, m, m, rad, rad, rad] per [N, N, N, N·m, N·m,
    /// N·m].
    #[serde(alias = "grasp_give")]
    pub grasp_compliance: [[f64; 6]; 6],
    /// Residual gap at loaded contacts, one standard deviation [mm]; zero where unknown.
    #[serde(default)]
    pub gap_scatter_mm: f64,
    /// Quantities of each trial.
    pub trials: Vec<TrialNumbers>,
}

/// Outline and pose of the peg.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PegNumbers {
    /// Half widths along x and y [mm]; equal radii for a round one.
    pub half_mm: [f64; 2],
    /// Whether it is round.
    pub is_round: bool,
    /// Length in the scene [mm].
    pub length_mm: f64,
    /// Tip in the tool's frame [mm].
    pub tool_from_tip_mm: [f64; 3],
    /// Attitude of the part in the tool's frame, quaternion w, x, y, z.
    pub tool_from_tip_wxyz: [f64; 4],
}

/// The hole.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct HoleNumbers {
    /// Clearance on each side along x and y [mm].
    pub clearance_mm: [f64; 2],
    /// Depth [mm].
    pub depth_mm: f64,
    /// Attitude, quaternion w, x, y, z.
    pub world_from_hole_wxyz: [f64; 4],
}

/// The sensor.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SensorNumbers {
    /// Its axes in the tool's, quaternion w, x, y, z.
    pub tool_from_sensor_wxyz: [f64; 4],
    /// Its origin in the tool's frame [mm].
    pub origin_mm: [f64; 3],
    /// Mass on the sensor [kg].
    pub mass_kg: f64,
    /// Centre of that mass from its origin, tool axes [mm].
    pub center_mm: [f64; 3],
    /// Lag of the wrench behind the motion [ms].
    #[serde(default)]
    pub lag_ms: f64,
}

/// Quantities of one trial.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TrialNumbers {
    /// Its name.
    pub name: String,
    /// Middle of the mouth [mm]; `None` without insertion.
    pub mouth_mm: Option<[f64; 3]>,
    /// Bias of the force [N], tool axes.
    pub bias_n: [f64; 3],
    /// Bias of the torque [N·m].
    pub bias_nm: [f64; 3],
    /// Whether the set-up was identified from this trial; otherwise only its bias and the position of its hole were.
    #[serde(default = "yes")]
    pub trains: bool,
}

fn yes() -> bool {
    true
}

fn wxyz(rotation: &UnitQuaternion<f64>) -> [f64; 4] {
    [rotation.w, rotation.i, rotation.j, rotation.k]
}

fn rotation([w, x, y, z]: [f64; 4]) -> UnitQuaternion<f64> {
    UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z))
}

fn millimetres(vector: Vector3<f64>) -> [f64; 3] {
    (vector * 1e3).into()
}

fn metres(numbers: [f64; 3]) -> Vector3<f64> {
    Vector3::from(numbers) * 1e-3
}

impl Calibration {
    /// From identified quantities.
    #[must_use]
    pub fn new(trials: &[Trial], load: &SensorLoad, mouth: &Mouth, play: &Play, friction: f64) -> Self {
        let tip = tool_from_tip(mouth);
        let (half, is_round) = match mouth.outline {
            Outline::Round { radius } => ([radius; 2], true),
            Outline::Rectangle { half } => (half, false),
        };
        let number = |(index, trial): (usize, &Trial)| TrialNumbers {
            name: trial.name.clone(),
            mouth_mm: play.mouths[index].map(millimetres),
            bias_n: load.bias[index][0].into(),
            bias_nm: load.bias[index][1].into(),
            trains: true,
        };
        Self {
            friction,
            peg: PegNumbers {
                half_mm: half.map(|half| half * 1e3),
                is_round,
                length_mm: (play.depth + TAIL) * 1e3,
                tool_from_tip_mm: millimetres(tip.translation),
                tool_from_tip_wxyz: wxyz(&tip.rotation),
            },
            hole: HoleNumbers {
                clearance_mm: play.clearance.map(|clearance| clearance * 1e3),
                depth_mm: play.depth * 1e3,
                world_from_hole_wxyz: wxyz(&play.world_from_hole),
            },
            sensor: SensorNumbers {
                tool_from_sensor_wxyz: wxyz(&load.tool_from_sensor),
                origin_mm: [0.0, 0.0, (mouth.tool_to_tip - mouth.sensor_to_tip) * 1e3],
                mass_kg: load.mass,
                center_mm: millimetres(load.center),
                lag_ms: 0.0,
            },
            grasp_compliance: std::array::from_fn(|i| std::array::from_fn(|j| play.compliance[(i, j)])),
            gap_scatter_mm: play.scatter * 1e3,
            trials: trials.iter().enumerate().map(number).collect(),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or is not a calibration.
    pub fn load(path: &Path) -> Result<Self, LearningError> {
        let wrong = |problem: String| LearningError::File {
            path: path.display().to_string(),
            problem,
            remedy: "`tightfit identify LOGS --write FOLDER` writes calibration.toml",
        };
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        toml::from_str(&text).map_err(|error| wrong(error.to_string()))
    }

    /// Writes `calibration.toml`, `scene.toml` and, for a peg that is not round, `pocket.stl` into a folder.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), LearningError> {
        let wrong = |path: &Path, problem: String| LearningError::File {
            path: path.display().to_string(),
            problem,
            remedy: "choose a folder that can be written",
        };
        std::fs::create_dir_all(folder).map_err(|error| wrong(folder, error.to_string()))?;
        let put = |name: &str, text: String| {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(|error| wrong(&path, error.to_string()))
        };
        let text = toml::to_string(self).map_err(|error| wrong(folder, error.to_string()))?;
        put("calibration.toml", text)?;
        put("scene.toml", self.scene())?;
        if !self.peg.is_round {
            let path = folder.join("pocket.stl");
            save(&self.pocket(), &path, LengthUnit::Millimetre)
                .map_err(|error| wrong(&path, error.to_string()))?;
        }
        Ok(())
    }

    /// The hole of a rectangular peg as a mesh [m], frame in the middle of its mouth.
    #[must_use]
    pub fn pocket(&self) -> TriMesh {
        let wide = |axis: usize| (self.peg.half_mm[axis] + self.hole.clearance_mm[axis]) * 1e-3;
        pocket_mesh(Vector2::new(wide(0), wide(1)), self.hole.depth_mm * 1e-3)
    }

    /// The scene: the hole at the origin, the peg above it.
    #[must_use]
    pub fn scene(&self) -> String {
        let [x, y] = self.peg.half_mm.map(|half| 2.0 * half);
        let (length, depth) = (self.peg.length_mm, self.hole.depth_mm);
        let mass = DENSITY
            * length
            * x
            * y
            * 1e-9
            * if self.peg.is_round { std::f64::consts::FRAC_PI_4 } else { 1.0 };
        // The mass is assumed anyway. At the centre of compliance a push does not rotate the part.
        let center = match self.grasp() {
            Some(grasp) => {
                format!("center_of_mass_mm = [0, 0, {}]\n", (grasp.height - self.origin()) * 1e3)
            }
            None => String::new(),
        };
        let [hole, peg, height] = match self.peg.is_round {
            true => [
                format!(
                    "shape = {{ kind = \"hole\", diameter_mm = {}, depth_mm = {depth}, outer_diameter_mm = {}, floor_mm = 5 }}",
                    x + 2.0 * self.hole.clearance_mm[0],
                    4.0 * x
                ),
                format!("shape = {{ kind = \"peg\", diameter_mm = {x}, length_mm = {length} }}"),
                "2".to_string(),
            ],
            false => [
                "shape = { kind = \"mesh\", file = \"pocket.stl\", unit = \"mm\" }".to_string(),
                format!("shape = {{ kind = \"block\", size_mm = [{x}, {y}, {length}] }}"),
                (length / 2.0 + 2.0).to_string(),
            ],
        };
        format!(
            "name = \"identified-fit\"\ndescription = \"A peg and its hole with dimensions from recordings\"\ngravity_m_s2 = [0, 0, 0]\nfriction = {}\n\n\
             [parts.hole]\n{hole}\nmotion = \"fixed\"\n\n[parts.peg]\n{peg}\nmass_kg = {mass}\n{center}position_mm = [0, 0, {height}]\n",
            self.friction
        )
    }

    /// Pose of the part's frame in the tool's.
    #[must_use]
    pub fn tool_from_part(&self) -> Pose {
        let tip = Pose::new(metres(self.peg.tool_from_tip_mm), rotation(self.peg.tool_from_tip_wxyz));
        tip * Pose::from_translation(Vector3::new(0.0, 0.0, self.origin()))
    }

    /// Height of the part's frame above its tip [m]: a peg's is at its tip, a block's in its middle.
    fn origin(&self) -> f64 {
        if self.peg.is_round { 0.0 } else { self.peg.length_mm * 0.5e-3 }
    }

    /// C about the tip as a matrix.
    #[must_use]
    pub fn compliance(&self) -> Matrix6<f64> {
        Matrix6::from_fn(|i, j| self.grasp_compliance[i][j])
    }

    /// The compliance as a spring by axis; `None` where the compliance along the hole is unknown.
    #[must_use]
    pub fn grasp(&self) -> Option<GraspSpring> {
        GraspSpring::of(&self.compliance(), self.peg.length_mm * 1e-3)
    }

    /// The spring of predictions, damped for this step [s] and softened for the scatter of the gaps at loads with this
    /// root mean square by axis [N, N·m].
    #[must_use]
    pub fn spring(&self, step: f64, loads: [f64; 6]) -> Option<HoldingSpring> {
        let grasp = self.grasp()?;
        let stiff = HoldingSpring::settling(grasp.stiffness, grasp.turning_stiffness, step);
        // Contacts are at most half the depth from their middle.
        Some(stiff.softened(self.gap_scatter_mm * 1e-3, self.hole.depth_mm * 0.5e-3, loads, step))
    }

    /// Contact force [N] and torque about the sensor's origin [N·m] for the motion of a row, tool axes: the reading one
    /// lag later.
    fn contact_at(&self, load: &SensorLoad, trial: &Trial, row: usize) -> [Vector3<f64>; 2] {
        let time = trial.time[row] + self.sensor.lag_ms * 1e-3;
        let last = trial.len() - 1;
        let after = trial.time.partition_point(|own| *own <= time).clamp(1, last.max(1)).min(last);
        let before = after.saturating_sub(1);
        let between = trial.time[after] - trial.time[before];
        let share = if between > 0.0 { ((time - trial.time[before]) / between).clamp(0.0, 1.0) } else { 0.0 };
        let [first, second] = [before, after].map(|row| load.contact(trial, 0, row));
        [0, 1].map(|of| first[of] + (second[of] - first[of]) * share)
    }

    /// A trial as a recording in the hole's frame.
    ///
    /// # Errors
    /// When the calibration lacks the trial or its hole.
    pub fn recording(&self, trial: &Trial) -> Result<Recording, LearningError> {
        let unknown = |problem: &str| LearningError::File {
            path: trial.name.clone(),
            problem: problem.to_string(),
            remedy: "identify again with this trial among the logs",
        };
        let numbers = self.trials.iter().find(|numbers| numbers.name == trial.name);
        let numbers = numbers.ok_or_else(|| unknown("the calibration has no such trial"))?;
        let mouth = numbers
            .mouth_mm
            .ok_or_else(|| unknown("the peg was never in the hole, so its position is unknown"))?;
        let hole_from_world = Pose::new(metres(mouth), rotation(self.hole.world_from_hole_wxyz)).inverse();
        let tool_from_part = self.tool_from_part();
        let load = SensorLoad {
            tool_from_sensor: rotation(self.sensor.tool_from_sensor_wxyz),
            mass: self.sensor.mass_kg,
            center: metres(self.sensor.center_mm),
            bias: vec![[numbers.bias_n.into(), numbers.bias_nm.into()]],
        };
        // The scene's centre of mass, the reference point of the wrench.
        let height = self.grasp().map_or(self.peg.length_mm * 0.5e-3, |grasp| grasp.height);
        let center = tool_from_part.transform_point(Vector3::new(0.0, 0.0, height - self.origin()));
        let arm = center - metres(self.sensor.origin_mm);
        let start = (0..trial.len()).find(|row| trial.has_wrench(*row)).unwrap_or(0);
        let sample = |row: usize| {
            let world_from_tool = trial.world_from_tool[row];
            let [force, torque] = self.contact_at(&load, trial, row);
            let hole_from_tool = hole_from_world * world_from_tool;
            let twist = trial.twist_at(row, 2);
            let lever = world_from_tool.rotation * center;
            let velocity = twist.velocity_at(&world_from_tool.rotation, lever);
            Sample {
                time: trial.time[row] - trial.time[start],
                world_from_part: hole_from_tool * tool_from_part,
                twist: Twist::new(
                    hole_from_world.transform_vector(velocity),
                    tool_from_part.rotation.inverse() * twist.angular_in_body,
                ),
                force: hole_from_tool.transform_vector(force),
                torque: hole_from_tool.transform_vector(torque - arm.cross(&force)),
                load: None,
            }
        };
        Ok(Recording { name: trial.name.clone(), samples: (start..trial.len()).map(sample).collect() })
    }
}
