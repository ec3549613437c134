//! The door for devices: pose and twist in, wrench out.

mod frame;
mod human;
mod set_point;
mod space_mouse;
mod udp;
mod websocket;

pub use frame::{
    FrameError, INPUT_BYTES, INPUT_BYTES_WITH_HAND, OUTPUT_BYTES, SampleFrame, WrenchFrame, new_token,
};
pub use human::{HumanOptions, HumanPlan, VirtualHuman};
pub use set_point::SetPointDevice;
pub use space_mouse::{SpaceMouse, SpaceMouseReport};
pub use udp::UdpDevice;
pub use websocket::WebSocketDevice;

use tightfit_spatial::{Pose, Vector3};

/// Force and torque, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeviceWrench {
    /// [N].
    pub force: Vector3<f64>,
    /// About the point of the pose [N·m].
    pub torque: Vector3<f64>,
}

impl DeviceWrench {
    /// The wrench times a factor.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self { force: self.force * factor, torque: self.torque * factor }
    }

    /// Interpolates: `part` is 0 at `self` and 1 at `other`.
    #[must_use]
    pub fn towards(&self, other: &Self, part: f64) -> Self {
        let mix = |a: Vector3<f64>, b: Vector3<f64>| a + (b - a) * part;
        Self { force: mix(self.force, other.force), torque: mix(self.torque, other.torque) }
    }

    /// The wrench with force and torque no larger than these [N, N·m].
    #[must_use]
    pub fn bounded(&self, most_force: f64, most_torque: f64) -> Self {
        let bound = |vector: Vector3<f64>, most: f64| {
            let size = vector.norm();
            if size > most { vector * (most / size) } else { vector }
        };
        Self { force: bound(self.force, most_force), torque: bound(self.torque, most_torque) }
    }

    /// Whether every number is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.force.iter().chain(self.torque.iter()).all(|value| value.is_finite())
    }
}

impl std::ops::Add for DeviceWrench {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { force: self.force + other.force, torque: self.torque + other.torque }
    }
}

/// What a device reports: the motion of its handle, and what the hand does to it where that is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceSample {
    /// Pose of the handle in the world of the device. Where its origin lies does not matter: the loop uses the displacement
    /// since the part was taken.
    pub pose: Pose,
    /// Velocity of the handle, world axes [m/s].
    pub linear: Vector3<f64>,
    /// Angular velocity of the handle, world axes [rad/s].
    pub angular: Vector3<f64>,
    /// Wrench of the hand on the handle, where a sensor or an observer knows it.
    pub hand: Option<DeviceWrench>,
}

impl DeviceSample {
    /// A handle at rest.
    #[must_use]
    pub fn at(pose: Pose) -> Self {
        Self { pose, linear: Vector3::zeros(), angular: Vector3::zeros(), hand: None }
    }

    /// Whether every number is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.pose.is_finite()
            && self.linear.iter().chain(self.angular.iter()).all(|value| value.is_finite())
            && self.hand.is_none_or(|hand| hand.is_finite())
    }
}

/// What the loop must know of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeviceDescription {
    /// Time between two samples [s].
    pub period: f64,
    /// Delay of the link, both ways together [s].
    pub delay: f64,
    /// Physical damping of the handle, or what its own controller adds [N·s/m].
    pub damping: f64,
    /// The same about the axes [N·m·s/rad].
    pub turning_damping: f64,
    /// Largest force [N].
    pub most_force: f64,
    /// Largest torque [N·m].
    pub most_torque: f64,
    /// Largest acceleration of the handle [m/s²].
    pub acceleration: f64,
    /// Largest angular acceleration of the handle [rad/s²].
    pub angular_acceleration: f64,
}

impl Default for DeviceDescription {
    /// A desk-top device with six axes that is sampled at 1 kHz.
    fn default() -> Self {
        Self {
            period: 1e-3,
            delay: 0.0,
            damping: 2.0,
            turning_damping: 5e-3,
            most_force: 30.0,
            most_torque: 2.0,
            acceleration: 50.0,
            angular_acceleration: 800.0,
        }
    }
}

/// A device, or what stands for one. Calls must return at once: they are made once per tick.
pub trait Device {
    /// Its properties.
    fn description(&self) -> DeviceDescription;

    /// The newest sample, `None` where nothing came since the last call. `elapsed` is the time since then [s], which a
    /// virtual device lives through.
    fn read(&mut self, elapsed: f64) -> Option<DeviceSample>;

    /// Gives a wrench to the hand, held until the next one.
    fn write(&mut self, wrench: &DeviceWrench);

    /// Net energy that the hand has put into the port at the device, lowest value so far [J], where the device knows it.
    fn lowest_port_energy(&self) -> Option<f64> {
        None
    }
}
