//! A scene whose only free part is the recorded part.

use tightfit_simulation::{Methods, Motion, Parameters, Scene, State};
use tightfit_spatial::{Columns3, Inertia, Pose};

use super::FittedLoad;
use crate::LearningError;

/// A scene, its moving part, and a step equal to the sampling period.
#[derive(Clone, Debug)]
pub struct RecordedScene {
    /// The scene without drive and task.
    pub scene: Scene,
    /// Mass properties of the moving part.
    pub inertia: Inertia,
    /// ℓ: root mean square distance of the moving part's nodes from its centre of mass; without nodes the radius of
    /// gyration [m]. It converts torques to forces where both are compared.
    pub lever: f64,
}

impl RecordedScene {
    /// From a scene with one free part, and the sampling period [s].
    ///
    /// # Errors
    /// When the scene has an arm, kinematic parts, or not exactly one free part, or the period is no valid step.
    pub fn new(scene: &Scene, period: f64) -> Result<Self, LearningError> {
        let wrong = |option, value: String, allowed| Err(LearningError::Option { option, value, allowed });
        if !(1e-4..=0.1).contains(&period) {
            return wrong("time between samples [s]", period.to_string(), "0.0001 to 0.1");
        }
        let parameters = Parameters::of(scene);
        let free: Vec<Inertia> = parameters.bodies.iter().filter_map(|body| body.inertia).collect();
        let state = State::start(scene, &parameters);
        let (1, [inertia]) = (state.motions.len(), &free[..]) else {
            return wrong("free parts of the scene", state.motions.len().to_string(), "one");
        };
        if scene.arm.is_some() || !state.kinematic.is_empty() {
            return wrong("scene", scene.name.clone(), "one without an arm and without kinematic parts");
        }
        let mut own = scene.clone();
        own.drives.clear();
        (own.task, own.dt) = (None, period);
        let lever = lever(&own, inertia);
        Ok(Self { scene: own, inertia: *inertia, lever })
    }

    /// Parameters with these methods.
    #[must_use]
    pub fn with(&self, methods: Methods) -> Parameters {
        Parameters { methods, ..Parameters::of(&self.scene) }
    }

    /// With friction and height of the fixed parts from a fitted load.
    #[must_use]
    pub fn fitted(&self, load: &FittedLoad) -> Self {
        let mut own = self.clone();
        for pair in &mut own.scene.contacts {
            pair.friction *= load.friction;
        }
        for body in own.scene.bodies.iter_mut().filter(|body| body.motion == Motion::Fixed) {
            body.world_from_part.translation.z += load.raise;
        }
        own
    }

    /// Pose of the centre of mass for a pose of the part's frame.
    pub(crate) fn center(&self, world_from_part: &Pose) -> Pose {
        Pose::new(world_from_part.transform_point(self.inertia.center_of_mass), world_from_part.rotation)
    }
}

fn lever(scene: &Scene, inertia: &Inertia) -> f64 {
    let mut nodes = Columns3::default();
    if let Some(body) = scene.bodies.iter().find(|body| body.motion == Motion::Free) {
        body.part.place(&body.nodes, &mut nodes);
    }
    let squares: f64 = nodes.iter().map(|node| (node - inertia.center_of_mass).norm_squared()).sum();
    let square = match nodes.len() {
        0 => inertia.moment.trace() / (2.0 * inertia.mass),
        count => squares / count as f64,
    };
    square.sqrt()
}
