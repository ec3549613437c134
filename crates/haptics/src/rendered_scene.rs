//! The simulation behind a loop: takes set-points, returns pose and planes.
//!
//! The part's drive becomes the loop's spring and damper, so that proxy and part follow the same law. The spring is passive
//! at any step (docs/design/math.md §1.4). Its set-point stays within reach of the part:
//!
//! ```text
//! |x_t − c| ≤ min(1.5 F_max / K, 0.1 m)        angle(R_t, R) ≤ min(1.5 τ_max / K_τ, 1 rad)
//! ```
//!
//! In a scene with an arm the set-point is that of the arm's controller (paper, section 5.6).

use thiserror::Error;
use tightfit_shape::Symmetry;
use tightfit_simulation::{Audit, BodyId, BodyMotion, Drive, Motion, Record, Simulation, Waypoint};
use tightfit_spatial::{Inertia, Pose, UnitQuaternion, Vector3};

use crate::contact_planes::HeldPlanes;
use crate::haptic_loop::{RenderedPart, StepOrder, StepResult};
use crate::local_proxy::ProxyCoupling;

/// Why a scene cannot be rendered.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum RenderError {
    /// Not exactly one part can be felt.
    #[error("scene `{scene}` has {count} free parts; a hand can hold scenes with exactly one")]
    Parts {
        /// Its name.
        scene: String,
        /// Number of free parts.
        count: usize,
    },
}

/// A simulation whose part is held by a hand.
pub struct RenderedScene {
    simulation: Simulation,
    body: BodyId,
    inertia: Inertia,
    is_held_by_arm: bool,
    reach: [f64; 2],
    before: Pose,
    observer: Option<Observer>,
}

/// Sees the simulation after every step.
type Observer = Box<dyn FnMut(&Simulation, &Record) + Send>;

impl RenderedScene {
    /// Takes a simulation; its free part loses its drive and strategy.
    ///
    /// # Errors
    /// When the scene has not exactly one free part.
    pub fn new(mut simulation: Simulation) -> Result<Self, RenderError> {
        let scene = &simulation.scene;
        let free: Vec<BodyId> =
            scene.body_ids().filter(|body| scene.bodies[*body].motion == Motion::Free).collect();
        let inertia = free.first().and_then(|body| simulation.parameters.bodies[*body].inertia);
        let (&[body], Some(inertia)) = (free.as_slice(), inertia) else {
            return Err(RenderError::Parts { scene: scene.name.clone(), count: free.len() });
        };
        let is_held_by_arm = scene.arm.as_ref().is_some_and(|arm| arm.body == body);
        if is_held_by_arm {
            if let Some(arm) = &mut simulation.scene.arm {
                arm.strategy = None;
            }
            if let Some(motion) = simulation.state.arm.as_deref_mut() {
                motion.strategy = None;
            }
        }
        let before = simulation.world_from_part(body);
        if simulation.scene.drive_of(body).is_none() {
            simulation.scene.drives.insert(0, Drive::still(body, before));
        }
        Ok(Self { simulation, body, inertia, is_held_by_arm, reach: [0.0; 2], before, observer: None })
    }

    /// Shows every step to an observer, such as a viewer, in the thread of the simulation.
    pub fn observe_by(&mut self, observer: impl FnMut(&Simulation, &Record) + Send + 'static) {
        self.observer = Some(Box::new(observer));
    }

    /// Gives the part the loop's spring and damper.
    pub fn couple(&mut self, coupling: &ProxyCoupling) {
        let stiffness = coupling.stiffness;
        self.reach = coupling.reach;
        if let Some(drive) = self.simulation.scene.drives.iter_mut().find(|drive| drive.body == self.body) {
            drive.stiffness = Vector3::repeat(stiffness.linear);
            drive.turning_stiffness = Vector3::repeat(stiffness.turning);
            drive.damping = coupling.damping_rate;
            (drive.force, drive.wiggle) = (Vector3::zeros(), None);
        }
    }

    /// The part as the loop must know it.
    #[must_use]
    pub fn part(&self) -> RenderedPart {
        let scene = &self.simulation.scene;
        let pairs = scene.contacts.iter().zip(&self.simulation.parameters.friction);
        let own = pairs.filter(|(pair, _)| pair.bodies.contains(&self.body)).map(|(_, friction)| *friction);
        // an arm carries the weight of what it holds
        let gravity = if self.is_held_by_arm { Vector3::zeros() } else { scene.gravity };
        RenderedPart {
            motion: self.motion(),
            inertia: self.inertia,
            gravity,
            friction: own.fold(0.0, f64::max),
        }
    }

    /// One step towards the set-point of an order.
    pub fn step(&mut self, order: &StepOrder) -> (StepResult, Record) {
        let motion = self.motion();
        let target = order.target.map_or(Pose::new(motion.center, motion.rotation), |target| {
            within_reach(&target, &motion, self.reach)
        });
        let world_from_part =
            Pose::new(target.translation - target.rotation * self.inertia.center_of_mass, target.rotation);
        self.guide(world_from_part);
        let record = self.simulation.advance();
        if let Some(observer) = &mut self.observer {
            observer(&self.simulation, &record);
        }
        let motion = self.motion();
        let contacts = self.simulation.contact_points();
        let planes = HeldPlanes::choose(motion.center, motion.rotation, &contacts);
        (StepResult { number: order.number, motion, planes }, record)
    }

    fn guide(&mut self, next: Pose) {
        if !self.is_held_by_arm {
            self.simulation.guide(self.body, next);
            return;
        }
        let (time, step) = (self.simulation.time(), self.simulation.parameters.dt);
        let waypoint = |time: f64, pose: &Pose| Waypoint {
            time,
            position: pose.translation,
            angle: 0.0,
            rotation: pose.rotation,
        };
        let waypoints = vec![waypoint(time, &self.before), waypoint(time + step, &next)];
        self.before = next;
        if let Some(drive) = self.simulation.scene.drives.iter_mut().find(|drive| drive.body == self.body) {
            (drive.stream, drive.offset, drive.tilt) = (None, 0.0, 0.0);
            drive.waypoints = waypoints;
        }
    }

    fn motion(&self) -> BodyMotion {
        let index = self.simulation.scene.bodies[..self.body.index()]
            .iter()
            .filter(|body| body.motion == Motion::Free)
            .count();
        self.simulation.state.motions[index]
    }

    /// The simulation.
    #[must_use]
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// An audit of this scene.
    #[must_use]
    pub fn audit(&self) -> Audit {
        Audit::new(&self.simulation.scene, &self.simulation.parameters)
    }

    /// Penetration of the present state by an audit [m].
    #[must_use]
    pub fn audited(&self, audit: &Audit) -> f64 {
        let Simulation { scene, parameters, state, .. } = &self.simulation;
        audit.penetration(scene, parameters, state)
    }

    /// Time step [s].
    #[must_use]
    pub fn step_seconds(&self) -> f64 {
        self.simulation.parameters.dt
    }

    /// Pitch of a thread that the part is or runs on [m], negative for a left-hand one.
    #[must_use]
    pub fn pitch(&self) -> Option<f64> {
        match self.simulation.parameters.bodies[self.body].part.symmetry() {
            Symmetry::Screw { pitch } => Some(pitch),
            _ => None,
        }
    }
}

/// The nearest set-point within reach of the part [m, rad].
fn within_reach(target: &Pose, motion: &BodyMotion, [most_shift, most_angle]: [f64; 2]) -> Pose {
    let away = target.translation - motion.center;
    let turn = (target.rotation * motion.rotation.inverse()).scaled_axis();
    let shrunk = |vector: Vector3<f64>, most: f64| vector * (most / vector.norm().max(most));
    let rotation = UnitQuaternion::from_scaled_axis(shrunk(turn, most_angle)) * motion.rotation;
    Pose::new(motion.center + shrunk(away, most_shift), rotation)
}
