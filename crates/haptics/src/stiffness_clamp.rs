//! The largest stiffness that a sampled device can render.
//!
//! ```text
//! b > K (T/2 + τ) + |B|      ⟹      K ≤ (b − |B|) / (T/2 + τ)
//! ```
//!
//! b [N·s/m] is the physical damping of the device, B that of the rendered wall, T [s] the time for which a force is held,
//! τ [s] the delay of the loop (sample to force). Without delay it is K ≤ 2(b − |B|)/T. The condition is necessary and
//! sufficient for passivity of a sampled wall: J. E. Colgate, G. Schenkel, "Passivity of a class of sampled-data systems:
//! application to haptic interfaces", J. Robotic Systems 14(1), 1997; with delay: N. Diolaiti, G. Niemeyer, F. Barbagli,
//! J. K. Salisbury, "Stability of haptic rendering", IEEE Trans. Robotics 22(2), 2006. The same holds about an axis, with
//! N·m·s/rad and N·m/rad.
//!
//! The force channels of share ρ are stiffness too. On a rigid contact f_env = −K(x − p) − ρ f_hum, and a hand of stiffness
//! k holds the handle, so that the device feels −K(x − p) − ρK(x − p) − ρ² k x, the last two later by the lag τ_f of the low
//! pass. Half of the damping is kept for the spring, what it leaves for the channels:
//!
//! ```text
//! K ≤ ½ b / (T/2 + τ)            ρ K + ρ² k ≤ (b − K (T/2 + τ)) / (T/2 + τ + τ_f)
//! ```

/// Sampling of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// T: time for which a force is held [s].
    pub period: f64,
    /// τ: delay from a sample to the force that answers it, beyond the hold [s].
    pub delay: f64,
}

/// The bound on the stiffness [N/m or N·m/rad] of a device with damping `device_damping` under a wall with damping
/// `wall_damping` [N·s/m or N·m·s/rad]; zero where the device has too little.
#[must_use]
pub fn largest_stiffness(device_damping: f64, wall_damping: f64, sampling: Sampling) -> f64 {
    ((device_damping - wall_damping.abs()) / (sampling.period / 2.0 + sampling.delay)).max(0.0)
}

/// What a coupling may have along or about an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClampedCoupling {
    /// K [N/m or N·m/rad].
    pub stiffness: f64,
    /// ρ [-].
    pub share: f64,
}

impl ClampedCoupling {
    /// The stiffest coupling up to a wanted one, for a hand of stiffness `hand` [N/m or N·m/rad] and force channels with a
    /// lag [s]. Without force channels all of the damping is for the spring.
    #[must_use]
    pub fn new(wanted: Self, device_damping: f64, hand: f64, sampling: Sampling, lag: f64) -> Self {
        let for_spring = if wanted.share > 0.0 { device_damping / 2.0 } else { device_damping };
        let stiffness = wanted.stiffness.min(largest_stiffness(for_spring, 0.0, sampling));
        let late = Sampling { delay: sampling.delay + lag, ..sampling };
        let spent = stiffness * (sampling.period / 2.0 + sampling.delay);
        let room = largest_stiffness(device_damping - spent, 0.0, late);
        let share = (libm::sqrt(stiffness * stiffness + 4.0 * hand * room) - stiffness) / (2.0 * hand);
        Self { stiffness, share: wanted.share.min(share) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_millisecond_needs_half_a_newton_second_per_thousand_newton_per_metre() {
        let now = Sampling { period: 1e-3, delay: 0.0 };
        assert!((largest_stiffness(1.0, 0.0, now) - 2000.0).abs() < 1e-9);
        assert!((largest_stiffness(1.0, -0.5, now) - 1000.0).abs() < 1e-9);
        assert_eq!(largest_stiffness(1.0, 2.0, now), 0.0);
        let late = Sampling { delay: 49.5e-3, ..now };
        assert!((largest_stiffness(1.0, 0.0, late) - 20.0).abs() < 1e-9);
    }

    #[test]
    fn spring_and_channels_together_spend_no_more_than_the_damping() {
        let wanted = ClampedCoupling { stiffness: 5000.0, share: 0.8 };
        for delay in [0.0, 0.01, 0.05] {
            let sampling = Sampling { period: 1e-3, delay };
            let (damping, hand, lag) = (2.0, 800.0, 1e-3);
            let ClampedCoupling { stiffness, share } =
                ClampedCoupling::new(wanted, damping, hand, sampling, lag);
            let spring = stiffness * (0.5e-3 + delay);
            let channels = (share * stiffness + share * share * hand) * (0.5e-3 + delay + lag);
            assert!((spring + channels - damping).abs() < 1e-9, "{delay}: {spring} + {channels}");
        }
    }
}
