//! The experiment at given values of its unknowns.

use std::sync::Arc;

use tightfit_learning::identification::HoldingSpring;
use tightfit_shape::Part;
use tightfit_simulation::{BodyId, GapField, Motion, Parameters, Preset, Scene};
use tightfit_spatial::{Pose, UnitQuaternion, Vector3};

use crate::{CalibrationError, Experiment, Quantity, Unknown, WearChart};

/// Half the difference of a dimension, for the slope of a distance [m] (or degrees).
const DIFFERENCE: f64 = 2e-6;

/// A scene, a hold and a sensor at given values.
#[derive(Clone, Debug)]
pub struct Setup {
    pub(crate) scene: Scene,
    pub(crate) parameters: Parameters,
    pub(crate) spring: HoldingSpring,
    /// Pose of the unloaded part in the recorded one: translation [m] and rotation vector [rad], axes of the part.
    in_hand: [f64; 6],
    /// The same by trial.
    drift: Vec<[f64; 6]>,
    /// Force [N] and torque [N·m], axes of the part.
    pub(crate) bias: [f64; 6],
    /// Time by which the recorded wrench lags behind the recorded pose [s].
    pub(crate) delay: f64,
    /// Mass [kg] and its first moment [kg·m].
    pub(crate) load: [f64; 4],
    /// Parts with a dimension a little larger and a little smaller.
    pub(crate) slopes: Vec<DimensionSlope>,
}

/// A part with one dimension changed.
#[derive(Clone, Debug)]
pub(crate) struct DimensionSlope {
    /// Index of the unknown.
    pub(crate) unknown: usize,
    /// The part's body.
    pub(crate) body: BodyId,
    above: Part,
    below: Part,
    step: f64,
}

impl DimensionSlope {
    /// Derivative of the distance from the part at a point of its frame [-].
    pub(crate) fn at(&self, point: Vector3<f64>) -> f64 {
        (self.above.sample(point).distance - self.below.sample(point).distance) / (2.0 * self.step)
    }
}

impl Setup {
    /// At these coordinates of the fit; with slopes of the dimensions where `is_sloped`.
    ///
    /// # Errors
    /// When a dimension leaves no valid part.
    pub fn new(
        experiment: &Experiment,
        unknowns: &[Unknown],
        wear: Option<WearChart>,
        coordinates: &[f64],
        is_sloped: bool,
    ) -> Result<Self, CalibrationError> {
        let mut scene = experiment.scene.clone();
        let values: Vec<f64> = unknowns.iter().zip(coordinates).map(|(own, x)| own.value(*x)).collect();
        let mut own = Self {
            parameters: Parameters { methods: Preset::Tight.into(), ..Parameters::of(&scene) },
            spring: experiment.spring,
            in_hand: [0.0; 6],
            drift: Vec::new(),
            bias: [0.0; 6],
            delay: 0.0,
            load: [0.0; 4],
            slopes: Vec::new(),
            scene: scene.clone(),
        };
        let (mut along, mut about) = (own.spring.stiffness, own.spring.turning_stiffness);
        let mut moved = [0.0; 6];
        let mut coefficients = Vec::new();
        for (unknown, value) in unknowns.iter().zip(&values) {
            match unknown.quantity {
                Quantity::Dimension { .. } => {}
                Quantity::FixedPose(axis) => moved[axis] = *value,
                Quantity::InHand(axis) => own.in_hand[axis] = *value,
                Quantity::Drift { trial, axis } => {
                    own.drift.resize(own.drift.len().max(trial + 1), [0.0; 6]);
                    own.drift[trial][axis] = *value;
                }
                Quantity::Stiffness(axis) if axis < 3 => along[axis] = *value,
                Quantity::Stiffness(axis) => about[axis - 3] = *value,
                Quantity::Friction => {
                    let factor = value / unknown.start;
                    own.parameters.friction.iter_mut().for_each(|friction| *friction *= factor);
                }
                Quantity::Bias(axis) => own.bias[axis] = *value,
                Quantity::Delay => own.delay = *value,
                Quantity::LoadMass => own.load[0] = *value,
                Quantity::LoadMoment(axis) => own.load[1 + axis] = *value,
                Quantity::Wear(_) => coefficients.push(*value),
            }
        }
        own.spring = HoldingSpring::settling(along, about, experiment.scene.dt);
        let origin = experiment.fixed().next().map(|body| scene.bodies[body].world_from_part.translation);
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(moved[3], moved[4], moved[5]));
        let (origin, shift) = (origin.unwrap_or_default(), Vector3::new(moved[0], moved[1], moved[2]));
        for body in scene.bodies.iter_mut().filter(|body| body.motion == Motion::Fixed) {
            let Pose { translation, rotation } = body.world_from_part;
            body.world_from_part = Pose::new(origin + shift + turn * (translation - origin), turn * rotation);
        }
        let replaced = |changed: Option<(usize, f64)>| -> Result<Scene, CalibrationError> {
            let dimension = |(index, unknown): (usize, &Unknown)| match &unknown.quantity {
                Quantity::Dimension { part, key } => {
                    let shift = changed.filter(|(own, _)| *own == index).map_or(0.0, |(_, shift)| shift);
                    let value = values[index] + shift;
                    let written = if key.ends_with("_mm") { value * 1e3 } else { value };
                    Some(format!("parts.{part}.shape.{key}={written:?}"))
                }
                _ => None,
            };
            let all: Vec<String> = unknowns.iter().enumerate().filter_map(dimension).collect();
            Ok(Scene::from_source_with(&experiment.source, &experiment.scene.name, &all)?)
        };
        let dimensions = || {
            unknowns.iter().enumerate().filter_map(|(index, unknown)| match &unknown.quantity {
                Quantity::Dimension { part, .. } => Some((index, scene.body(part)?)),
                _ => None,
            })
        };
        if dimensions().next().is_some() {
            let built = replaced(None)?;
            for (_, body) in dimensions() {
                own.parameters.bodies[body].part = built.bodies[body].part.clone();
            }
            if is_sloped {
                for (unknown, body) in dimensions() {
                    let [above, below] =
                        [DIFFERENCE, -DIFFERENCE].map(|shift| replaced(Some((unknown, shift))));
                    own.slopes.push(DimensionSlope {
                        unknown,
                        body,
                        above: above?.bodies[body].part.clone(),
                        below: below?.bodies[body].part.clone(),
                        step: DIFFERENCE,
                    });
                }
            }
        }
        if let Some(WearChart { body, chart }) = wear {
            own.parameters.bodies[body].gap_field = GapField::new(chart, coefficients).map(Arc::new);
        }
        own.scene = scene;
        Ok(own)
    }

    /// Where the unloaded part is when the recording has its frame at this pose.
    pub(crate) fn held(&self, trial: usize, recorded: &Pose) -> Pose {
        let drift = self.drift.get(trial).copied().unwrap_or_default();
        let at = |axis: usize| self.in_hand[axis] + drift[axis];
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(at(3), at(4), at(5)));
        *recorded * Pose::new(Vector3::new(at(0), at(1), at(2)), turn)
    }

    /// Hold of the part.
    #[must_use]
    pub fn spring(&self) -> &HoldingSpring {
        &self.spring
    }

    /// The correction of the gap of a part.
    #[must_use]
    pub fn gap_field(&self, body: BodyId) -> Option<&GapField> {
        self.parameters.bodies[body].gap_field.as_deref()
    }
}
