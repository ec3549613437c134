//! Passive set-position modulation: how far the proxy may jump towards the simulated part.
//!
//! ```text
//! P(s) = ½ K |x − p − s δ|² + ½ K_τ |θ − s δ_θ|²        energy of the device's spring after the share s of a jump
//! s*   = max { s in [0, 1] :  P(s) ≤ max(P(0), E) }     E: tank of the port
//! ```
//!
//! A simulation step moves the proxy's set position at once, which winds the spring up without work of the hand. The jump is
//! allowed as far as the energy of the spring stays within what the hand has put in. E − P is the tank of Lee and Huang
//! (IEEE Trans. Robotics 26(2), 2010), with the true dissipation of the loop in place of its lower bound D_min. The rest of
//! the jump is made up for later.

use tightfit_spatial::Vector3;

/// Stiffness along and about the axes [N/m, N·m/rad].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness {
    /// K [N/m].
    pub linear: f64,
    /// K_τ [N·m/rad].
    pub turning: f64,
}

impl Stiffness {
    /// Energy of the springs [J] at a deflection: shift [m] and rotation vector [rad].
    #[must_use]
    pub fn energy(&self, [shift, turn]: [Vector3<f64>; 2]) -> f64 {
        (self.linear * shift.norm_squared() + self.turning * turn.norm_squared()) / 2.0
    }
}

/// s*: the share of a jump δ of the proxy that the tank allows, at a deflection proxy − device.
#[must_use]
pub fn allowed_share(
    stiffness: Stiffness,
    deflection: [Vector3<f64>; 2],
    jump: [Vector3<f64>; 2],
    tank_level: f64,
) -> f64 {
    // P(s) = P(0) + s b + s² a
    let a = stiffness.energy(jump);
    let b = stiffness.linear * deflection[0].dot(&jump[0]) + stiffness.turning * deflection[1].dot(&jump[1]);
    let room = (tank_level - stiffness.energy(deflection)).max(0.0);
    if a + b <= room {
        return 1.0;
    }
    // a > 0 here: with a = 0 the jump is zero, and so is b
    ((libm::sqrt(b * b + 4.0 * a * room) - b) / (2.0 * a)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tightfit_spatial::SplitMix;

    #[test]
    fn a_jump_never_winds_the_spring_beyond_the_tank() {
        let mut random = SplitMix::stream(5);
        let stiffness = Stiffness { linear: 2000.0, turning: 2.5 };
        for _ in 0..10_000 {
            let mut pair = || [random.ball() * 0.01, random.ball() * 0.5];
            let (deflection, jump) = (pair(), pair());
            let level = random.unit() * 0.5;
            let share = allowed_share(stiffness, deflection, jump, level);
            let energy = |s: f64| stiffness.energy([0, 1].map(|i| deflection[i] + jump[i] * s));
            assert!(energy(share) <= energy(0.0).max(level) + 1e-12);
            assert!(share == 1.0 || energy((share + 1e-3).min(1.0)) > energy(0.0).max(level) - 1e-9);
        }
    }
}
