//! What is integrated, and what the next step is started from.

use serde::{Deserialize, Serialize};
use tightfit_pipeline::integration::{BodyMotion, twist_angle};
use tightfit_pipeline::solving::WarmStart;
use tightfit_spatial::{Pose, Twist};

use crate::snapshot::StateNumbers;
use crate::{ArmMotion, Motion, Parameters, Scene};

/// Energy in the tank before any contact has dissipated some [J]: a hundredth of what the peg's insertion dissipates.
const TANK_AT_START: f64 = 1e-4;

/// Everything that a step changes. Nothing hidden survives a step outside it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "StateNumbers", try_from = "StateNumbers")]
pub struct State {
    /// Steps taken.
    pub step: u64,
    /// Motion of the free bodies, in the order of the scene.
    pub motions: Vec<BodyMotion>,
    /// Angle of every free body about its own z axis, counted over whole turns [rad].
    pub spins: Vec<f64>,
    /// Poses of the kinematic bodies' parts, in the order of the scene.
    pub kinematic: Vec<Pose>,
    /// Warm start of the contact solver.
    pub warm: WarmStart,
    /// Energy that contacts have dissipated and projections may use [J].
    pub tank: f64,
    /// The arm of the scene, where it has one.
    pub arm: Option<Box<ArmMotion>>,
}

impl State {
    /// The scene as its file describes it, at rest.
    #[must_use]
    pub fn start(scene: &Scene, parameters: &Parameters) -> Self {
        let mut motions = Vec::new();
        let mut spins = Vec::new();
        let mut kinematic = Vec::new();
        for (index, (body, own)) in scene.bodies.iter().zip(&parameters.bodies).enumerate() {
            if let (Motion::Free, Some(_)) = (body.motion, own.inertia) {
                let drive = scene.drive.as_ref().filter(|drive| drive.body == index);
                let twist = twist_angle(&body.world_from_part.rotation);
                spins.push(drive.map_or(twist, |drive| unwrapped(twist, drive.angle(0.0))));
            }
        }
        for (body, own) in scene.bodies.iter().zip(&parameters.bodies) {
            match (body.motion, own.inertia) {
                (Motion::Free, Some(inertia)) => motions.push(BodyMotion {
                    center: body.world_from_part.transform_point(inertia.center_of_mass),
                    rotation: body.world_from_part.rotation,
                    twist: Twist::zero(),
                }),
                (Motion::Kinematic, _) => kinematic.push(body.world_from_part),
                _ => {}
            }
        }
        let arm = scene.arm.as_ref().and_then(|arm| {
            let inertia = parameters.bodies[arm.body].inertia?;
            Some(Box::new(ArmMotion::start(arm, arm.start, &inertia, scene.gravity)))
        });
        Self { step: 0, motions, spins, kinematic, warm: WarmStart::default(), tank: TANK_AT_START, arm }
    }

    /// Becomes a copy of another state and keeps its memory.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        let Self { step, motions, spins, kinematic, warm, tank, arm } = self;
        *step = other.step;
        motions.clone_from(&other.motions);
        spins.clone_from(&other.spins);
        kinematic.clone_from(&other.kinematic);
        warm.copy_from(&other.warm);
        *tank = other.tank;
        match (arm.as_deref_mut(), other.arm.as_deref()) {
            (Some(own), Some(other)) => *own = *other,
            _ => arm.clone_from(&other.arm),
        }
    }

    /// Whether every number is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.arm.as_ref().is_none_or(|arm| arm.is_finite())
            && self.motions.iter().all(|motion| {
                let pose = Pose::new(motion.center, motion.rotation);
                // what has no finite square has no energy and no distance
                pose.is_finite()
                    && motion.center.norm_squared().is_finite()
                    && motion.twist.to_vector().norm_squared().is_finite()
            })
    }

    /// 64-bit fingerprint of every bit of the state (FNV-1a), the same on every machine.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        hash.word(self.step);
        hash.word(self.tank.to_bits());
        for motion in &self.motions {
            let twist = motion.twist.to_vector();
            let numbers = motion.center.iter().chain(motion.rotation.coords.iter()).chain(twist.iter());
            numbers.for_each(|value| hash.word(value.to_bits()));
        }
        self.spins.iter().for_each(|spin| hash.word(spin.to_bits()));
        for pose in &self.kinematic {
            let numbers = pose.translation.iter().chain(pose.rotation.coords.iter());
            numbers.for_each(|value| hash.word(value.to_bits()));
        }
        self.warm.velocity.iter().for_each(|value| hash.word(value.to_bits()));
        self.warm.ids.iter().for_each(|id| hash.word(u64::from(*id)));
        self.warm.impulses.iter().flat_map(|p| p.iter()).for_each(|value| hash.word(value.to_bits()));
        if let Some(arm) = &self.arm {
            arm.each_word(|word| hash.word(word));
        }
        hash.0
    }
}

impl State {
    /// A hash of where the bodies are and how they move: detection follows from these.
    pub(crate) fn motion_hash(&self) -> u64 {
        let mut hash = 0_u64;
        // one multiplication a number: every step needs it
        let mut add = |value: &f64| {
            hash = (hash.rotate_left(29) ^ value.to_bits()).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        };
        for BodyMotion { center, rotation, twist } in &self.motions {
            let velocity = twist.linear_in_world.iter().chain(twist.angular_in_body.iter());
            center.iter().chain(rotation.coords.iter()).chain(velocity).for_each(&mut add);
        }
        for pose in &self.kinematic {
            pose.translation.iter().chain(pose.rotation.coords.iter()).for_each(&mut add);
        }
        hash
    }
}

/// An angle known up to whole turns, nearest to another [rad].
pub(crate) fn unwrapped(angle: f64, near: f64) -> f64 {
    angle + std::f64::consts::TAU * ((near - angle) / std::f64::consts::TAU).round()
}

struct Fnv(u64);

impl Fnv {
    fn word(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
