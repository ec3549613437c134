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
}
