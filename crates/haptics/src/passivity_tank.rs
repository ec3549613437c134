//! The tank: what the hand put into the port, and how much of it a force may take out.
//!
//! ```text
//! E_net(k)  = Σ_{j<k} −F_j · Δξ_j                          energy through the port since the start [J], in is positive
//! E(k+1)    = min(E(k) − F_k · Δξ_k, E_max)                tank; E(0) = 0, so E ≤ E_net
//! P h + ½ M h² ≤ E(k) + ε   for all h in [0, H]            condition on F_k before it is applied
//! P = f·v + τ·ω        M = |f| a_max + |τ| α_max
//! ```
//!
//! F = [f; τ] is the wrench on the device, held from one sample to the next; Δξ the device's displacement (shift, rotation
//! vector), which is measured, so that the sum is exact. How far the device will move while F is held is not known when
//! F is chosen. P h + ½ M h² bounds its work for every motion with accelerations up to a_max and α_max and a hold of up to
//! H. A wrench that may take out more than the tank has is scaled down. Therefore E_net ≥ −ε, whatever planes,
//! springs, delays and the simulation do. ε lends the first forces their energy: without it an empty tank would allow no
//! force, and no force would fill it. The bound E_max keeps a long history of friction from becoming a blow.
//!
//! Energy tanks: D. Lee, K. Huang, "Passive-set-position-modulation framework for interactive robotic systems", IEEE
//! Trans. Robotics 26(2), 2010; observers at the port: B. Hannaford, J.-H. Ryu, "Time-domain passivity control of haptic
//! interfaces", IEEE Trans. Robotics and Automation 18(1), 2002.

use tightfit_spatial::Vector3;

use crate::device::DeviceWrench;

/// Bounds of a tank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TankOptions {
    /// E_max [J].
    pub capacity: f64,
    /// ε [J].
    pub loan: f64,
    /// a_max: largest acceleration of the device [m/s²].
    pub acceleration: f64,
    /// α_max: largest angular acceleration of the device [rad/s²].
    pub angular_acceleration: f64,
    /// H: longest time for which a wrench is held [s].
    pub longest_hold: f64,
}

impl Default for TankOptions {
    fn default() -> Self {
        Self {
            capacity: 1.0,
            loan: 5e-7,
            acceleration: 50.0,
            angular_acceleration: 800.0,
            longest_hold: 1.5e-3,
        }
    }
}

/// The tank of one port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassivityTank {
    options: TankOptions,
    level: f64,
    net: f64,
    lowest: f64,
}

impl PassivityTank {
    /// An empty tank.
    #[must_use]
    pub fn new(options: TankOptions) -> Self {
        Self { options, level: 0.0, net: 0.0, lowest: 0.0 }
    }

    /// Books the displacement of the device under the wrench that it was given: shift and rotation vector, world axes.
    pub fn settle(&mut self, wrench: &DeviceWrench, shift: Vector3<f64>, turn: Vector3<f64>) {
        let energy_in = -wrench.force.dot(&shift) - wrench.torque.dot(&turn);
        self.net += energy_in;
        self.level = (self.level + energy_in).min(self.options.capacity);
        self.lowest = self.lowest.min(self.net);
    }

    /// The largest share of a wrench that cannot empty the tank, for the device's velocities now, world axes.
    #[must_use]
    pub fn limit(
        &self,
        wrench: &DeviceWrench,
        linear: Vector3<f64>,
        angular: Vector3<f64>,
    ) -> (f64, DeviceWrench) {
        let TankOptions { loan, acceleration, angular_acceleration, longest_hold, .. } = self.options;
        let power = wrench.force.dot(&linear) + wrench.torque.dot(&angular);
        let spread = wrench.force.norm() * acceleration + wrench.torque.norm() * angular_acceleration;
        let most_taken = (power + spread * longest_hold / 2.0) * longest_hold;
        let available = (self.level + loan).max(0.0);
        let share = if most_taken > available { available / most_taken } else { 1.0 };
        (share, DeviceWrench { force: wrench.force * share, torque: wrench.torque * share })
    }

    /// E: energy that may be taken out [J].
    #[must_use]
    pub fn level(&self) -> f64 {
        self.level
    }

    /// E_net: energy that went in since the start, less what came out [J].
    #[must_use]
    pub fn net(&self) -> f64 {
        self.net
    }

    /// The lowest E_net so far [J].
    #[must_use]
    pub fn lowest(&self) -> f64 {
        self.lowest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tightfit_spatial::SplitMix;

    /// A controller that pushes the device on as hard as it can, on a device that accelerates at random within the bound.
    #[test]
    fn no_force_takes_out_more_than_the_loan() {
        let options = TankOptions::default();
        let mut random = SplitMix::stream(3);
        for _ in 0..20 {
            let mut tank = PassivityTank::new(options);
            let mut velocity = random.ball() * 0.2;
            for _ in 0..5000 {
                let push = if random.unit() < 0.5 { velocity } else { -velocity };
                let wanted =
                    DeviceWrench { force: push * 500.0 + random.ball() * 5.0, torque: Vector3::zeros() };
                let (_, wrench) = tank.limit(&wanted, velocity, Vector3::zeros());
                let hold = options.longest_hold * random.unit();
                let next = velocity + random.ball() * (options.acceleration * hold);
                tank.settle(&wrench, (velocity + next) * (hold / 2.0), Vector3::zeros());
                velocity = if next.norm() > 1.0 { next / next.norm() } else { next };
            }
            assert!(tank.lowest() >= -options.loan * (1.0 + 1e-9), "{:e}", tank.lowest());
            assert!(tank.level() <= tank.net() + 1e-12 && tank.level() <= options.capacity);
        }
    }

    #[test]
    fn a_resisting_force_fills_an_empty_tank() {
        let mut tank = PassivityTank::new(TankOptions::default());
        let velocity = Vector3::new(0.01, 0.0, 0.0);
        for _ in 0..100 {
            let wanted = DeviceWrench { force: Vector3::new(-5.0, 0.0, 0.0), torque: Vector3::zeros() };
            let (_, wrench) = tank.limit(&wanted, velocity, Vector3::zeros());
            tank.settle(&wrench, velocity * 1e-3, Vector3::zeros());
        }
        assert!(tank.level() > 2e-3, "{:e}", tank.level());
    }
}
