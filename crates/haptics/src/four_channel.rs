//! Four-channel coupling of device and proxy: positions and forces both ways.
//!
//! ```text
//! F_dev   = K (p − x) + ρ f̂_env             to the device:  position channel, contact force
//! F_proxy = K (x − p) + ρ f̂_hum             to the proxy:   position channel, force of the hand
//! f̂      = low pass of f at f_c < 1/(4T)
//! ```
//!
//! At rest f_hum = −f_env and the spring carries only (1 − ρ) of it: the hand feels the whole contact force while proxy and
//! device are nearer by the factor 1 − ρ. Both force channels carry the same ρ ≤ 0.8; a device that does not measure
//! the force of the hand has ρ = 0, since one channel alone would falsify the force by 1 + ρ. The tank guards the port.
//! The force on the proxy is applied as a displacement ρ f̂_hum / K of its set-point, so that a simulation whose drive is
//! a spring needs no further input.
//!
//! D. A. Lawrence, "Stability and transparency in bilateral teleoperation", IEEE Trans. Robotics and Automation 9(5), 1993;
//! M. Kim, D. J. Lee, "Improving transparency of virtual coupling for haptic interaction with human force observer",
//! Robotica 35(2), 2017.

use std::f64::consts::TAU;

use crate::device::DeviceWrench;

/// Largest ρ.
pub const MOST_FEED_FORWARD: f64 = 0.8;

/// The force channels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ForceChannels {
    /// ρ [-].
    share: f64,
    /// f_c [Hz].
    cutoff: f64,
    environment: DeviceWrench,
    hand: DeviceWrench,
}

impl ForceChannels {
    /// Channels with ρ in [0, 0.8] and a cutoff [Hz].
    #[must_use]
    pub fn new(share: f64, cutoff: f64) -> Self {
        Self { share: share.clamp(0.0, MOST_FEED_FORWARD), cutoff, ..Self::default() }
    }

    /// Follows the contact wrench on the proxy and the wrench of the hand on the device for a tick of `dt` seconds.
    pub fn follow(&mut self, environment: &DeviceWrench, hand: Option<&DeviceWrench>, dt: f64) {
        let cutoff = self.cutoff.min(1.0 / (4.0 * dt));
        let weight = 1.0 - libm::exp(-TAU * cutoff * dt);
        let Some(hand) = hand else {
            (self.environment, self.hand) = Default::default();
            return;
        };
        self.environment = self.environment.towards(environment, weight);
        self.hand = self.hand.towards(hand, weight);
    }

    /// ρ f̂_env, to the device.
    #[must_use]
    pub fn to_device(&self) -> DeviceWrench {
        self.environment.scaled(self.share)
    }

    /// ρ f̂_hum, to the proxy.
    #[must_use]
    pub fn to_proxy(&self) -> DeviceWrench {
        self.hand.scaled(self.share)
    }

    /// Forgets all forces.
    pub fn clear(&mut self) {
        (self.environment, self.hand) = Default::default();
    }
}
