//! One tick of the haptic loop. It reads no clock and starts no thread: time is an argument.
//!
//! ```text
//! tick, 1 kHz          device x_k, V_k ─► watchdog ─► tank books −F_{k−1}·Δx_k
//!                      x_t = x_k + ρ f̂_hum/K ─► proxy p_k on held planes, set position moved towards the part
//!                      F_k = limit by tank [ bound ( K (p_k − x_k) + ρ f̂_env ) ] ─► device
//! exchange, 100 Hz     order j: x_t ─► step of the scene ─► pose N_j and planes of order j
//!                      δ = (N_j − p(t_j)) − (s(now) − s(t_j))          s: sum of jumps of the proxy
//! ```
//!
//! A step that was ordered at t_j moves the part as the device moved until t_j, so its result belongs to the proxy at t_j,
//! however late it comes. δ is what the proxy mispredicted and has not made up for since: a delay of the scene
//! corrects nothing twice. The jump δ is spread over as long as the result took and limited by [`allowed_share`].
//!
//! Spring and force channels are clamped to what the device can render ([`ClampedCoupling`]).

use std::collections::VecDeque;

use tightfit_simulation::BodyMotion;
use tightfit_spatial::{Inertia, Pose, UnitQuaternion, Vector3};

use crate::contact_planes::HeldPlanes;
use crate::device::{DeviceDescription, DeviceSample, DeviceWrench};
use crate::four_channel::ForceChannels;
use crate::local_proxy::{LocalProxy, ProxyCoupling, ProxyTarget, vector_near};
use crate::passivity_tank::{PassivityTank, TankOptions};
use crate::set_position::{Stiffness, allowed_share};
use crate::stiffness_clamp::{ClampedCoupling, Sampling};
use crate::watchdog::Watchdog;

/// The stiffest hand that holds a handle [N/m, N·m/rad].
const STIFFEST_HAND: [f64; 2] = [800.0, 5.0];
/// Orders whose results may be outstanding.
const MOST_ORDERS: usize = 64;

/// Settings of a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopOptions {
    /// Tick of the loop [s].
    pub tick: f64,
    /// Wanted stiffness of the coupling [N/m].
    pub stiffness: f64,
    /// The same about the axes [N·m/rad].
    pub turning_stiffness: f64,
    /// Damping of the part against its set-point, per mass [1/s].
    pub damping_rate: f64,
    /// ρ of the force channels [-].
    pub feed_forward: f64,
    /// Cutoff of the force channels [Hz].
    pub cutoff: f64,
    /// Longest silence of the device before the force is zero [s].
    pub patience: f64,
    /// Capacity of the tank [J].
    pub tank_capacity: f64,
    /// Whether the tank limits forces and jumps; without it the port may be active.
    pub is_guarded: bool,
    /// Whether stiffness and force channels are clamped to what the device can render.
    pub is_clamped: bool,
}

impl Default for LoopOptions {
    fn default() -> Self {
        Self {
            tick: 1e-3,
            stiffness: 2000.0,
            turning_stiffness: 2.5,
            damping_rate: 80.0,
            feed_forward: 0.5,
            cutoff: 200.0,
            patience: 0.02,
            tank_capacity: 1.0,
            is_guarded: true,
            is_clamped: true,
        }
    }
}

/// The part that the loop renders.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RenderedPart {
    /// Its motion at the start.
    pub motion: BodyMotion,
    /// Its inertia.
    pub inertia: Inertia,
    /// Gravity [m/s²].
    pub gravity: Vector3<f64>,
    /// Friction of its contacts [-].
    pub friction: f64,
}

/// Set-point of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepOrder {
    /// Number of the order.
    pub number: u64,
    /// Set-point of the centre of mass and of the attitude; `None` where nobody holds the part.
    pub target: Option<Pose>,
}

/// What a step sends back.
#[derive(Clone, Debug, PartialEq)]
pub struct StepResult {
    /// Number of its order.
    pub number: u64,
    /// Motion of the part at the end of the step.
    pub motion: BodyMotion,
    /// Its contacts there.
    pub planes: HeldPlanes,
}

/// Where device and part were when the hand took the part.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    device: Pose,
    center: Vector3<f64>,
    rotation: UnitQuaternion<f64>,
}

/// What was sent, kept until its result comes.
#[derive(Clone, Copy, Debug)]
struct Sent {
    number: u64,
    center: Vector3<f64>,
    rotation: UnitQuaternion<f64>,
    jumped: [Vector3<f64>; 2],
}

/// The loop between a device and a simulation.
#[derive(Clone, Debug)]
pub struct HapticLoop {
    options: LoopOptions,
    device: DeviceDescription,
    coupling: ProxyCoupling,
    proxy: LocalProxy,
    channels: ForceChannels,
    tank: PassivityTank,
    watchdog: Watchdog,
    anchor: Option<Anchor>,
    sample: Option<DeviceSample>,
    target: Option<ProxyTarget>,
    output: DeviceWrench,
    sent: VecDeque<Sent>,
    next_order: u64,
    /// Sum of the jumps since the start.
    jumped: [Vector3<f64>; 2],
    /// Jump that is still to be made, and its part per second.
    due: [Vector3<f64>; 2],
    due_rate: f64,
    limited: u64,
}

impl HapticLoop {
    /// A loop around a part at rest in free space.
    #[must_use]
    pub fn new(part: &RenderedPart, device: DeviceDescription, options: LoopOptions) -> Self {
        let sampling = Sampling { period: options.tick.max(device.period), delay: device.delay };
        let lag = 1.0 / (std::f64::consts::TAU * options.cutoff);
        let clamp = |stiffness: f64, damping: f64, hand: f64| {
            let wanted = ClampedCoupling { stiffness, share: options.feed_forward };
            match options.is_clamped {
                true => ClampedCoupling::new(wanted, damping, hand, sampling, lag),
                false => wanted,
            }
        };
        let linear = clamp(options.stiffness, device.damping, STIFFEST_HAND[0]);
        let turning = clamp(options.turning_stiffness, device.turning_damping, STIFFEST_HAND[1]);
        let stiffness = Stiffness { linear: linear.stiffness, turning: turning.stiffness };
        let share = linear.share.min(turning.share);
        let tank = TankOptions {
            capacity: options.tank_capacity,
            acceleration: device.acceleration,
            angular_acceleration: device.angular_acceleration,
            longest_hold: 1.5 * sampling.period,
            ..TankOptions::default()
        };
        Self {
            options,
            device,
            coupling: ProxyCoupling::new(
                stiffness,
                options.damping_rate,
                [device.most_force, device.most_torque],
            ),
            proxy: LocalProxy::new(part.motion, part.inertia, part.gravity, part.friction),
            channels: ForceChannels::new(share, options.cutoff),
            tank: PassivityTank::new(tank),
            watchdog: Watchdog::new(options.patience.max(2.0 * device.period)),
            anchor: None,
            sample: None,
            target: None,
            output: DeviceWrench::default(),
            sent: VecDeque::new(),
            next_order: 0,
            jumped: [Vector3::zeros(); 2],
            due: [Vector3::zeros(); 2],
            due_rate: 0.0,
            limited: 0,
        }
    }

    /// One tick of `dt` seconds: the newest sample of the device, `None` where none came; returns the wrench on the device.
    pub fn tick(&mut self, sample: Option<&DeviceSample>, dt: f64) -> DeviceWrench {
        let sample = sample.filter(|sample| sample.is_finite());
        let was_tripped = self.watchdog.is_tripped();
        self.watchdog.pass(dt, sample.is_some());
        if let Some(sample) = sample {
            self.book(sample, was_tripped);
            self.sample = Some(*sample);
        }
        if self.watchdog.is_tripped() {
            self.let_go();
            return self.output;
        }
        let Some(device) = self.sample else { return self.output };
        let (center, rotation) = self.held_at(&device);
        let follow = self.channels.to_proxy();
        let Stiffness { linear, turning } = self.coupling.stiffness;
        let shift = follow.force / linear.max(1.0);
        let turn = follow.torque / turning.max(1e-3);
        let target = ProxyTarget {
            center: center + shift,
            rotation: UnitQuaternion::from_scaled_axis(turn) * rotation,
            linear: device.linear,
            angular: device.angular,
        };
        self.target = Some(target);
        let contact = self.proxy.step(&target, &self.coupling, dt);
        self.channels.follow(&contact, device.hand.as_ref(), dt);
        self.jump(center, &rotation, dt);
        if sample.is_none() {
            // a wrench is held from sample to sample, so that its work is known exactly
            return self.output;
        }
        let deflection = self.proxy.deflection(center, &rotation);
        let [shift, turn] = self.coupling.within_reach(deflection);
        let spring = DeviceWrench { force: shift * linear, torque: turn * turning };
        let wanted = spring + self.channels.to_device();
        let wanted = wanted.bounded(self.device.most_force, self.device.most_torque);
        self.output = match self.options.is_guarded {
            true => {
                let (share, wrench) = self.tank.limit(&wanted, device.linear, device.angular);
                self.limited += u64::from(share < 1.0);
                wrench
            }
            false => wanted,
        };
        self.output
    }

    /// Books the work of the last wrench, and anchors the hand where it takes the part anew.
    fn book(&mut self, sample: &DeviceSample, was_tripped: bool) {
        if let Some(last) = self.sample
            && !was_tripped
        {
            let shift = sample.pose.translation - last.pose.translation;
            let turn = (sample.pose.rotation * last.pose.rotation.inverse()).scaled_axis();
            self.tank.settle(&self.output, shift, turn);
        }
        if self.anchor.is_none() {
            let BodyMotion { center, rotation, .. } = self.proxy.motion;
            self.anchor = Some(Anchor { device: sample.pose, center, rotation });
        }
    }

    /// No force, and nobody holds the part.
    fn let_go(&mut self) {
        (self.anchor, self.target, self.output) = (None, None, DeviceWrench::default());
        self.channels.clear();
    }

    /// Where a device has the part: centre of mass and attitude.
    fn held_at(&self, sample: &DeviceSample) -> (Vector3<f64>, UnitQuaternion<f64>) {
        let Some(anchor) = self.anchor else {
            return (self.proxy.motion.center, self.proxy.motion.rotation);
        };
        let turn = sample.pose.rotation * anchor.device.rotation.inverse();
        (anchor.center + sample.pose.translation - anchor.device.translation, turn * anchor.rotation)
    }

    /// Moves the proxy towards the simulated part, as far as the tank allows.
    fn jump(&mut self, center: Vector3<f64>, rotation: &UnitQuaternion<f64>, dt: f64) {
        let part = (self.due_rate * dt).min(1.0);
        let jump = self.due.map(|due| due * part);
        let share = match self.options.is_guarded {
            true => {
                let deflection = self.proxy.deflection(center, rotation);
                let deflection = self.coupling.within_reach(deflection);
                allowed_share(self.coupling.stiffness, deflection, jump, self.tank.level())
            }
            false => 1.0,
        };
        let jump = jump.map(|jump| jump * share);
        self.proxy.shift(jump);
        for (axis, jump) in jump.iter().enumerate() {
            self.due[axis] -= jump;
            self.jumped[axis] += jump;
        }
    }

    /// The set-point for the next step of the scene.
    pub fn order(&mut self) -> StepOrder {
        let number = self.next_order;
        self.next_order += 1;
        let BodyMotion { center, rotation, .. } = self.proxy.motion;
        self.sent.push_back(Sent { number, center, rotation, jumped: self.jumped });
        if self.sent.len() > MOST_ORDERS {
            self.sent.pop_front();
        }
        let target = self.target.map(|target| {
            let deflection = self.proxy.deflection(target.center, &target.rotation);
            let [shift, turn] = self.coupling.within_reach(deflection);
            Pose::new(center - shift, UnitQuaternion::from_scaled_axis(-turn) * rotation)
        });
        StepOrder { number, target }
    }

    /// Takes the result of a step that lasts `step` seconds.
    pub fn deliver(&mut self, result: StepResult, step: f64) {
        while self.sent.front().is_some_and(|sent| sent.number < result.number) {
            self.sent.pop_front();
        }
        self.proxy.hold(result.planes);
        let Some(sent) = self.sent.front().copied().filter(|sent| sent.number == result.number) else {
            return;
        };
        if self.anchor.is_none() {
            // nobody feels the jump
            self.proxy.motion = result.motion;
            (self.due, self.jumped) = Default::default();
            self.sent.iter_mut().for_each(|sent| sent.jumped = Default::default());
            return;
        }
        let turn = vector_near(&(result.motion.rotation * sent.rotation.inverse()), Vector3::zeros());
        let missed = [result.motion.center - sent.center, turn];
        self.due = [0, 1].map(|axis| missed[axis] - (self.jumped[axis] - sent.jumped[axis]));
        // a later result corrects more slowly: what it saw is as old
        let age = (self.next_order - result.number).max(1) as f64 * step;
        self.due_rate = 1.0 / age;
    }

    /// The spring after the clamp.
    #[must_use]
    pub fn coupling(&self) -> ProxyCoupling {
        self.coupling
    }

    /// Motion of the proxy.
    #[must_use]
    pub fn proxy(&self) -> &BodyMotion {
        &self.proxy.motion
    }

    /// Replaces the planes without a step, for a wall that no simulation has.
    pub fn hold(&mut self, planes: HeldPlanes) {
        self.proxy.hold(planes);
    }

    /// The tank of the port.
    #[must_use]
    pub fn tank(&self) -> &PassivityTank {
        &self.tank
    }

    /// The watchdog.
    #[must_use]
    pub fn watchdog(&self) -> &Watchdog {
        &self.watchdog
    }

    /// The wrench on the device now.
    #[must_use]
    pub fn output(&self) -> DeviceWrench {
        self.output
    }

    /// Ticks at which the tank reduced the wrench.
    #[must_use]
    pub fn limited_ticks(&self) -> u64 {
        self.limited
    }
}
