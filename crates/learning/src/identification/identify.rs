//! Identifies everything that recordings of a peg and a hole determine, one question after the other.

use nalgebra::Vector2;
use tightfit_spatial::Vector3;

use super::calibration::TrialNumbers;
use super::{
    Answer, Calibration, Mouth, Play, SensorLoad, identify_friction, identify_height, identify_inertia,
    identify_mouth, identify_play, identify_sensor, identify_time_offset, landings, place_height, place_play,
    tool_from_tip, wrench_at_tip,
};
use crate::recordings::Trial;

/// A quantity to identify.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Question {
    /// Bias, weight and axes of the sensor.
    Sensor,
    /// The ten inertial parameters of what hangs on it.
    Inertia,
    /// Delay of the wrench against the motion.
    TimeOffset,
    /// Outline of the tip, its place, and the plane of the mouth.
    Outline,
    /// Friction coefficient.
    Friction,
    /// Pose of the hole, clearance and give of the grasp.
    Hole,
}

impl Question {
    /// All, in the order of identification.
    pub const ALL: [Self; 6] =
        [Self::Sensor, Self::Inertia, Self::TimeOffset, Self::Outline, Self::Friction, Self::Hole];

    /// Name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sensor => "sensor",
            Self::Inertia => "inertia",
            Self::TimeOffset => "time-offset",
            Self::Outline => "outline",
            Self::Friction => "friction",
            Self::Hole => "hole",
        }
    }
}

/// Quantities known beforehand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Known {
    /// Distance from the tool's point to the peg's tip along the tool's axis [m].
    pub tool_to_tip: Option<f64>,
    /// Friction coefficient.
    pub friction: Option<f64>,
}

/// Results.
#[derive(Clone, Debug)]
pub struct Identification {
    /// Answers by question.
    pub answers: Vec<(Question, Answer)>,
    /// The sensor.
    pub load: SensorLoad,
    /// Tip and plane, if found.
    pub mouth: Option<Mouth>,
    /// Hole and grasp, if found.
    pub play: Option<Play>,
    /// The calibration, if everything was found.
    pub calibration: Option<Calibration>,
    /// Intersections of the lines of force with the tip plane [m], tool axes.
    pub contact_points: Vec<Vector2<f64>>,
    /// Rows inside the hole: torque about the part's y at the tip [N·m] and tilt about it [rad].
    pub tilts: Vec<[f64; 2]>,
}

/// Default friction for the fit of the hole.
const COMMON_FRICTION: f64 = 0.15;

/// Identifies the wanted quantities and those that they depend on. `tell` receives the finished share.
pub fn identify_fit(
    trials: &[Trial],
    wanted: &[Question],
    known: Known,
    mut tell: impl FnMut(f64),
) -> Identification {
    let wants = |question: Question| wanted.contains(&question);
    let (load, sensor) = identify_sensor(trials);
    let mut found = Identification {
        answers: Vec::new(),
        load,
        mouth: None,
        play: None,
        calibration: None,
        contact_points: Vec::new(),
        tilts: Vec::new(),
    };
    if wants(Question::Sensor) {
        found.answers.push((Question::Sensor, sensor));
    }
    tell(0.2);
    if wants(Question::TimeOffset) {
        found.answers.push((Question::TimeOffset, identify_time_offset(trials, &found.load)));
    }
    tell(0.3);
    let rows = landings(trials, &found.load);
    let (mouth, answer) = identify_mouth(trials, &rows, known.tool_to_tip);
    let is_asked = wants(Question::Outline) || wants(Question::Friction) || wants(Question::Hole);
    if is_asked {
        found.answers.push((Question::Outline, answer));
    }
    if wants(Question::Inertia) {
        // Position of the sensor from the landings, else the tool's point.
        let height = mouth.as_ref().map_or(0.0, |mouth| mouth.tool_to_tip - mouth.sensor_to_tip);
        let answer = identify_inertia(trials, &found.load, Vector3::new(0.0, 0.0, height));
        found.answers.push((Question::Inertia, answer));
    }
    let Some(mouth) = mouth.filter(|_| is_asked) else { return found };
    found.contact_points =
        rows.iter().flatten().map(|landing| landing.point_at(mouth.sensor_to_tip)).collect();
    tell(0.5);
    let mut friction = known.friction.unwrap_or(COMMON_FRICTION);
    if known.friction.is_none() {
        let answer = identify_friction(trials, &rows, &mouth);
        friction = answer.get("friction").map_or(friction, |estimate| estimate.value);
        found.answers.push((Question::Friction, answer));
    }
    if wants(Question::Hole) {
        let (mut play, mut answer) =
            identify_play(trials, &found.load, &mouth, friction, |share| tell(0.5 + 0.5 * share));
        if let Some(play) = &mut play {
            answer.extend(identify_height(trials, &rows, &found.load, &mouth, play));
            let mut calibration = Calibration::new(trials, &found.load, &mouth, play, friction);
            calibration.sensor.lag_ms = 1e3 * found.lag();
            found.calibration = Some(calibration);
            found.tilts = tilts(trials, &found.load, &mouth, play);
        }
        found.answers.push((Question::Hole, answer));
        found.play = play;
    }
    found.mouth = Some(mouth);
    found
}

impl Identification {
    /// Lag of the wrench behind the motion [s]; zero where it is unknown.
    fn lag(&self) -> f64 {
        let mut answers = self.answers.iter().filter(|(question, _)| *question == Question::TimeOffset);
        answers.find_map(|(_, answer)| answer.get("lag of the wrench")).map_or(0.0, |lag| lag.value)
    }

    /// The calibration with further trials: the set-up stays as identified, and only the sensor's bias and the position
    /// of the hole come from the further trials.
    #[must_use]
    pub fn calibration_with(&self, others: &[Trial]) -> Option<Calibration> {
        let (mut all, mouth, play) = (self.calibration.clone()?, self.mouth.as_ref()?, self.play.as_ref()?);
        let load = self.load.in_trials(others);
        let mut play = place_play(others, &load, mouth, all.friction, play);
        place_height(others, &landings(others, &load), &load, mouth, &mut play);
        let further = Calibration::new(others, &load, mouth, &play, all.friction).trials;
        all.trials.extend(further.into_iter().map(|own| TrialNumbers { trains: false, ..own }));
        Some(all)
    }
}

/// Torque and tilt about the part's y, well inside the hole.
fn tilts(trials: &[Trial], load: &SensorLoad, mouth: &Mouth, play: &Play) -> Vec<[f64; 2]> {
    let tip = tool_from_tip(mouth);
    let mut all = Vec::new();
    for (index, trial) in trials.iter().enumerate() {
        for row in (0..trial.len()).step_by(10) {
            let world_from_tip = trial.world_from_tool[row] * tip;
            let depth = mouth.height - world_from_tip.translation.z;
            if (0.55 * play.depth..0.75 * play.depth).contains(&depth) {
                let axis = play.world_from_hole.inverse() * world_from_tip.rotation * Vector3::z();
                let [_, torque] = wrench_at_tip(trial, index, row, load, mouth);
                all.push([torque.y, axis.x]);
            }
        }
    }
    all
}
