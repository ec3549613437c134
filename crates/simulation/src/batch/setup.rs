//! Start of one environment: parameters, state and drives, with those of the scene as default.

use std::mem::discriminant;

use tightfit_pipeline::integration::twist_angle;
use tightfit_robot::ReachOptions;
use tightfit_robot::sensing::SensorMemory;
use tightfit_shape::Part;
use tightfit_spatial::{Pose, Twist};

use super::BatchError;
use crate::state::unwrapped;
use crate::{ArmMotion, BodyId, Drive, Parameters, Scene, State};

/// Start of one environment. Its fields may be set freely; the methods keep them consistent.
///
/// ```
/// use tightfit_simulation::Scene;
/// use tightfit_simulation::batch::Setup;
/// use tightfit_shape::preset::preset;
///
/// let scene = Scene::find("peg-in-hole").expect("built in");
/// let mut drive = scene.drives[0].clone();
/// drive.offset = 0.2e-3;
/// let setup = Setup::of(&scene)
///     .with_friction(0.3)
///     .with_part(&scene, "hole", preset("hole-50").expect("built in")).expect("a hole for a hole")
///     .with_drive(&scene, drive).expect("it can start there");
/// assert_eq!(setup.parameters.friction, [0.3]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Dimensions, mass and friction.
    pub parameters: Parameters,
    /// Initial state.
    pub state: State,
    /// The drives, unless inputs are given; at most one for each part.
    pub drives: Vec<Drive>,
}

impl Setup {
    /// The start described by the scene.
    #[must_use]
    pub fn of(scene: &Scene) -> Self {
        let parameters = Parameters::of(scene);
        let state = State::start(scene, &parameters);
        Self { parameters, state, drives: scene.drives.clone() }
    }

    /// μ of all pairs [-].
    #[must_use]
    pub fn with_friction(mut self, friction: f64) -> Self {
        self.parameters.friction.fill(friction);
        self
    }

    /// Changes the dimensions of a body, e.g. the clearance of a hole. Mass and inertia do not change.
    ///
    /// # Errors
    /// When the scene has no such body, or the part is of another kind.
    pub fn with_part(mut self, scene: &Scene, body: &str, part: Part) -> Result<Self, BatchError> {
        let place = scene.body(body).ok_or_else(|| {
            let known: Vec<_> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
            BatchError::UnknownBody { name: body.to_string(), known: known.join(", ") }
        })?;
        let own = &mut self.parameters.bodies[place].part;
        if discriminant(own) != discriminant(&part) {
            return Err(BatchError::OtherKind { name: body.to_string() });
        }
        *own = part;
        Ok(self)
    }

    /// Changes the drive of a body, or adds one. The body starts at the first set-point, together with the arm that
    /// holds it.
    ///
    /// # Errors
    /// When the arm cannot hold the body there.
    pub fn with_drive(mut self, scene: &Scene, drive: Drive) -> Result<Self, BatchError> {
        if let Some(index) = scene.free_index(drive.body) {
            self.place(scene, drive.body, index, drive.target(0.0), Twist::zero())?;
            self.state.spins[index] = unwrapped(self.state.spins[index], drive.angle(0.0));
        }
        match self.drives.iter_mut().find(|known| known.body == drive.body) {
            Some(known) => *known = drive,
            None => self.drives.push(drive),
        }
        Ok(self)
    }

    /// Takes the noise of the force sensor from stream `number` of the scene's seed; 0 is that of a single run.
    /// Without noise it has no effect.
    #[must_use]
    pub fn with_sensor_stream(mut self, scene: &Scene, number: u64) -> Self {
        if let (Some(arm), Some(motion)) = (&scene.arm, self.state.arm.as_deref_mut())
            && arm.sensor.sensor.is_noisy()
        {
            motion.sensor = SensorMemory::new(arm.sensor.seed.wrapping_add(number));
        }
        self
    }

    /// Sets pose and velocity of a free body. An arm that holds it moves along and starts at rest.
    ///
    /// # Errors
    /// When the scene has no such free body, the arm cannot hold it there, or a held body is given a velocity.
    pub fn with_motion(
        mut self,
        scene: &Scene,
        body: &str,
        world_from_part: Pose,
        twist: Twist,
    ) -> Result<Self, BatchError> {
        let place = scene.body(body);
        let found = place.and_then(|place| Some((place, scene.free_index(place)?)));
        let (place, index) = found.ok_or_else(|| BatchError::unknown_body(body, scene))?;
        self.place(scene, place, index, world_from_part, twist)?;
        if let Some(drive) = self.drives.iter().find(|drive| drive.body == place) {
            self.state.spins[index] = unwrapped(self.state.spins[index], drive.angle(0.0));
        }
        Ok(self)
    }

    fn place(
        &mut self,
        scene: &Scene,
        body: BodyId,
        index: usize,
        world_from_part: Pose,
        twist: Twist,
    ) -> Result<(), BatchError> {
        let inertia = self.parameters.bodies[body].inertia.or(scene.bodies[body].inertia);
        let center = inertia.map_or(world_from_part.translation, |inertia| {
            world_from_part.transform_point(inertia.center_of_mass)
        });
        let motion = &mut self.state.motions[index];
        (motion.center, motion.rotation, motion.twist) = (center, world_from_part.rotation, twist);
        self.state.spins[index] = twist_angle(&world_from_part.rotation);
        if let (Some(arm), Some(inertia)) = (scene.arm.as_ref().filter(|arm| arm.body == body), inertia) {
            let name = || scene.bodies[body].name.clone();
            if twist != Twist::zero() {
                return Err(BatchError::HeldMoving { name: name() });
            }
            let target = world_from_part * arm.tip_from_part.inverse();
            let options = ReachOptions { preferred: Some(arm.preferred), ..ReachOptions::default() };
            let reached = arm.chain.reach(&target, &arm.start, &options);
            let reached =
                reached.map_err(|error| BatchError::OutOfHand { name: name(), reason: error.to_string() })?;
            self.state.arm = Some(Box::new(ArmMotion::start(arm, reached.angles, &inertia, scene.gravity)));
        }
        Ok(())
    }
}
