//! A scripted person at a device, for tests: an arm that follows an intention, and a handle that feels the loop.
//!
//! ```text
//! m v̇ = k (x_i − x) − b_a v + f_tremor + f − b v         J ω̇ = k_τ log(R_i Rᵀ) − b_aτ ω + τ − b_τ ω
//! ```
//!
//! m, J are arm and handle together; k, b_a stiffness and damping of the arm; b the handle's damping; f, τ the wrench of the
//! loop, which acts after half of the delay; the loop gets samples after the other half. The intention (x_i, R_i) is drawn
//! anew at random times and followed smoothly, never farther ahead of the handle than a person would strain. The numbers
//! are of a relaxed arm that holds a handle (N. Hogan, "The mechanics of multi-joint posture and movement control",
//! Biological Cybernetics 52, 1985: 100 to 800 N/m).
//!
//! With a delay the handle guards its own port by a [`PassivityTank`], as the client of a real device on a network should:
//! only there are force and displacement known at the same time.

use std::collections::VecDeque;

use tightfit_spatial::{Pose, SplitMix, UnitQuaternion, Vector3};

use super::{Device, DeviceDescription, DeviceSample, DeviceWrench};
use crate::passivity_tank::{PassivityTank, TankOptions};

/// Longest step of the arm [s].
const SUBSTEP: f64 = 1e-4;
/// Arm and handle [kg, kg·m²].
const MASS: f64 = 1.5;
const MOMENT: f64 = 6e-3;
/// Stiffness and damping of the arm [N/m, N·s/m; N·m/rad, N·m·s/rad].
const ARM: [f64; 2] = [400.0, 20.0];
const WRIST: [f64; 2] = [2.0, 0.06];
/// How far an intention may be ahead of the handle [m, rad].
const STRAIN: [f64; 2] = [0.04, 0.9];
/// Rate at which the intention follows what was drawn [1/s].
const RATE: f64 = 10.0;
/// Tremor [N] and its frequency [Hz].
const TREMOR: [f64; 2] = [0.3, 9.0];

/// What the person does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HumanPlan {
    /// Wrenches in all directions at random, about where the handle was at the start.
    Wrench,
    /// As in the paper's Fig. 19: lowers the nut, searches on top of the bolt, turns it on, then wrenches.
    Bolt,
    /// Holds still.
    Rest,
}

/// A person.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HumanOptions {
    /// Seed of all draws.
    pub seed: u64,
    /// What the person does.
    pub plan: HumanPlan,
    /// Delay of the link, both ways together [s].
    pub delay: f64,
    /// When the person stops moving on and holds what it wants [s].
    pub rest_after: f64,
}

impl Default for HumanOptions {
    fn default() -> Self {
        Self { seed: 1, plan: HumanPlan::Wrench, delay: 0.0, rest_after: f64::INFINITY }
    }
}

/// Where the hand wants the handle, against the start.
#[derive(Clone, Copy, Debug, Default)]
struct Intention {
    shift: Vector3<f64>,
    tilt: Vector3<f64>,
    /// About z, counted over turns [rad].
    turned: f64,
}

impl Intention {
    fn follow(&mut self, other: &Self, share: f64) {
        self.shift += (other.shift - self.shift) * share;
        self.tilt += (other.tilt - self.tilt) * share;
        self.turned += (other.turned - self.turned) * share;
    }
}

/// A scripted person with a device.
#[derive(Clone, Debug)]
pub struct VirtualHuman {
    options: HumanOptions,
    random: SplitMix,
    time: f64,
    pose: Pose,
    linear: Vector3<f64>,
    angular: Vector3<f64>,
    turned: f64,
    /// Drawn, followed once, followed twice.
    intentions: [Intention; 3],
    next_draw: f64,
    hand: DeviceWrench,
    applied: DeviceWrench,
    guard: Option<PassivityTank>,
    port: PassivityTank,
    settled_at: Pose,
    samples: VecDeque<(f64, DeviceSample)>,
    wrenches: VecDeque<(f64, DeviceWrench)>,
}

impl VirtualHuman {
    /// A person whose handle is at the origin.
    #[must_use]
    pub fn new(options: HumanOptions) -> Self {
        let tank = PassivityTank::new(TankOptions::default());
        Self {
            options,
            random: SplitMix::stream(options.seed),
            time: 0.0,
            pose: Pose::identity(),
            linear: Vector3::zeros(),
            angular: Vector3::zeros(),
            turned: 0.0,
            intentions: Default::default(),
            next_draw: 0.0,
            hand: DeviceWrench::default(),
            applied: DeviceWrench::default(),
            guard: (options.delay > 0.0).then_some(tank),
            port: tank,
            settled_at: Pose::identity(),
            samples: VecDeque::new(),
            wrenches: VecDeque::new(),
        }
    }

    /// Speed of the handle [m/s, rad/s].
    #[must_use]
    pub fn speeds(&self) -> [f64; 2] {
        [self.linear.norm(), self.angular.norm()]
    }

    /// Draws what the person wants next.
    fn draw(&mut self) {
        let wrench = |random: &mut SplitMix, middle: Intention| {
            let cube = random.centered_cube();
            Intention {
                shift: middle.shift + random.centered_cube() * 0.03,
                tilt: Vector3::new(cube.x, cube.y, 0.0) * 0.5,
                turned: middle.turned + cube.z * 4.0,
            }
        };
        let pause;
        (self.intentions[0], pause) = match self.options.plan {
            HumanPlan::Rest => (Intention::default(), 1.0),
            HumanPlan::Wrench => {
                (wrench(&mut self.random, Intention::default()), 0.15 + 0.6 * self.random.unit())
            }
            HumanPlan::Bolt => {
                let down =
                    |shift: Vector3<f64>, turned: f64| Intention { shift, turned, ..Default::default() };
                let time = self.time;
                match time {
                    // above the bolt, then pressed on and moved about on its top, turned to and fro
                    ..1.0 => (down(Vector3::new(1e-3, 0.0, 2e-3), 0.0), 0.5),
                    ..6.0 => {
                        let around = self.random.centered_cube();
                        let shift = Vector3::new(3e-3 * around.x, 3e-3 * around.y, -0.012);
                        (down(shift, 0.8 * around.z), 0.25)
                    }
                    // turned on by three turns at half a turn per second, pressed lightly
                    ..13.0 => {
                        let turned = -std::f64::consts::PI * (time - 6.0).min(6.0);
                        let lead = 0.8e-3 * turned;
                        (down(Vector3::new(0.0, 0.0, lead - 0.015), turned), 0.02)
                    }
                    _ => {
                        let middle = down(Vector3::new(0.0, 0.0, -0.015), -18.0);
                        (wrench(&mut self.random, middle), 0.15 + 0.6 * self.random.unit())
                    }
                }
            }
        };
        self.next_draw += pause;
    }

    /// A step of arm and handle.
    fn live(&mut self, dt: f64) {
        let is_resting = self.time >= self.options.rest_after;
        while self.time >= self.next_draw && !is_resting {
            self.draw();
        }
        let [drawn, first, second] = &mut self.intentions;
        first.follow(drawn, RATE * dt);
        second.follow(first, RATE * dt);
        second.turned = second.turned.clamp(self.turned - STRAIN[1], self.turned + STRAIN[1]);
        let wanted = *second;
        let about_z = UnitQuaternion::from_scaled_axis(Vector3::z() * wanted.turned);
        let rotation = UnitQuaternion::from_scaled_axis(wanted.tilt) * about_z;
        let strain = bounded(wanted.shift - self.pose.translation, STRAIN[0]);
        let turn = bounded((rotation * self.pose.rotation.inverse()).scaled_axis(), STRAIN[1]);
        let tremor = match self.options.plan {
            HumanPlan::Rest => 0.0,
            _ if is_resting => 0.0,
            _ => TREMOR[0] * libm::sin(std::f64::consts::TAU * TREMOR[1] * self.time),
        };
        self.hand = DeviceWrench {
            force: strain * ARM[0] - self.linear * ARM[1] + Vector3::new(tremor, 0.7 * tremor, 0.5 * tremor),
            torque: turn * WRIST[0] - self.angular * WRIST[1],
        };
        let device = DeviceDescription::default();
        let force = self.hand.force + self.applied.force - self.linear * device.damping;
        let torque = self.hand.torque + self.applied.torque - self.angular * device.turning_damping;
        self.linear += force * (dt / MASS);
        self.angular += torque * (dt / MOMENT);
        self.pose.translation += self.linear * dt;
        self.pose.rotation = UnitQuaternion::from_scaled_axis(self.angular * dt) * self.pose.rotation;
        self.pose.rotation.renormalize();
        self.turned += self.angular.z * dt;
        self.time += dt;
    }

    /// Books the work of the applied wrench since the last booking.
    fn settle(&mut self) {
        let shift = self.pose.translation - self.settled_at.translation;
        let turn = (self.pose.rotation * self.settled_at.rotation.inverse()).scaled_axis();
        self.port.settle(&self.applied, shift, turn);
        if let Some(guard) = &mut self.guard {
            guard.settle(&self.applied, shift, turn);
        }
        self.settled_at = self.pose;
    }

    /// Applies the wrenches that have arrived.
    fn receive(&mut self) {
        while self.wrenches.front().is_some_and(|(due, _)| *due <= self.time + 1e-9) {
            self.settle();
            let Some((_, wrench)) = self.wrenches.pop_front() else { break };
            self.applied = match &self.guard {
                Some(guard) => guard.limit(&wrench, self.linear, self.angular).1,
                None => wrench,
            };
        }
    }
}

fn bounded(vector: Vector3<f64>, most: f64) -> Vector3<f64> {
    let size = vector.norm();
    if size > most { vector * (most / size) } else { vector }
}

impl Device for VirtualHuman {
    fn description(&self) -> DeviceDescription {
        DeviceDescription { delay: self.options.delay, ..DeviceDescription::default() }
    }

    fn read(&mut self, elapsed: f64) -> Option<DeviceSample> {
        let count = (elapsed / SUBSTEP).ceil().max(1.0);
        for _ in 0..count as usize {
            self.receive();
            self.live(elapsed / count);
        }
        self.settle();
        let (linear, angular) = (self.linear, self.angular);
        let sample = DeviceSample { pose: self.pose, linear, angular, hand: Some(self.hand) };
        self.samples.push_back((self.time + self.options.delay / 2.0, sample));
        let mut newest = None;
        while self.samples.front().is_some_and(|(due, _)| *due <= self.time + 1e-9) {
            newest = self.samples.pop_front().map(|(_, sample)| sample);
        }
        newest
    }

    fn write(&mut self, wrench: &DeviceWrench) {
        self.wrenches.push_back((self.time + self.options.delay / 2.0, *wrench));
    }

    fn lowest_port_energy(&self) -> Option<f64> {
        Some(self.port.lowest())
    }
}
