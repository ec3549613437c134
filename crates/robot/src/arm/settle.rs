//! Midpoint speeds of an arm under nonlinear efforts: dry friction, stops and saturated drives.
//!
//! ```text
//! A v = b + forward + s [back + T/2 led − T/2 K v] − r D v − d v + φ + σ + τ_e,        v = q̄̇,   w = 2v − q̇₀ ≈ q̇₁
//! φ = −f sign w, |φ| ≤ f where w = 0        Coulomb friction on the end speed; otherwise no joint would come to rest
//! 0 ≤ σ ⊥ w + b_s ≥ 0                       stop, towards the range; b_s = 2 gap/T + q̇₀ ahead of it, 0 at it
//! ```
//!
//! A, b    the arm's inertia over the step;  d, f  viscous and Coulomb friction of each joint
//! s, r    shares of spring and damping within the effort limits (`saturation`), or given by an earlier attempt at the
//!         step, since contact changes the speeds
//! τ_e     effort of the held part in the last step: it decides which joints slide and is not part of the result
//!
//! Sweeps over the joints find φ and σ. Near rest they dissipate, since w is the point nearest to the frictionless
//! one. Friction is then frozen as a resistance φ = −ρ v with ρ ≥ 0 through the solution; it dissipates for every v
//! under contact. Where φ is along v, because the joint is about to reverse, φ stays a constant effort. If friction
//! would then add energy in total, those efforts are dropped. A joint that friction holds at rest gets ρ = f/v_s and
//! creeps by v_s. The frozen equations are linear in v: contacts and grasp see one matrix, H = ∂v/∂τ.

use super::saturation::Shares;
use super::{ArmCommand, ArmError, ArmState};
use crate::{Chain, JointMatrix, JointSet, JointVector};

/// Sweeps over the joints for friction and stops.
const SWEEPS: usize = 60;
/// Change of the efforts at which the sweeps stop [N·m or N].
const SETTLED: f64 = 1e-10;
/// Most reductions of the feedback; the last one is accepted.
const WEAKENINGS: usize = 20;
/// Share of its overshoot that a joint beyond its range returns per step [-].
const RETURN: f64 = 0.2;

/// The inertia of an arm over a step: A v = b without other efforts.
pub(super) struct Inertial {
    /// A.
    pub(super) matrix: JointMatrix,
    /// b, including gravity [N·m].
    pub(super) effort: JointVector,
}

/// State and efforts of the arm during the step.
pub(super) struct Acting<'a> {
    pub(super) state: &'a ArmState,
    pub(super) command: &'a ArmCommand,
    /// τ_e [N·m or N].
    pub(super) expected: &'a JointVector,
    /// s and r, if known.
    pub(super) shares: Option<Shares>,
    /// T [s].
    pub(super) step: f64,
}

/// The linear response of the arm, and the dependence of efforts on speeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Settled {
    /// v without external effort.
    pub(super) speeds: JointVector,
    /// H.
    pub(super) response: JointMatrix,
    /// s and r.
    pub(super) shares: Shares,
    /// `forward` clamped to the effort limits.
    pub(super) forward: JointVector,
    /// Drives at their effort limit.
    pub(super) effort_limited: JointSet,
    /// d + ρ, and φ of the joints that reverse.
    pub(super) friction: [JointVector; 2],
    /// σ.
    pub(super) stop: JointVector,
}

impl Settled {
    /// Effort of the drives at speeds v.
    pub(super) fn drive(&self, command: &ArmCommand, step: f64, speeds: &JointVector) -> JointVector {
        let [spring, damping] = feedback(command, step, speeds);
        self.forward + spring * self.shares.spring - damping * self.shares.damping
    }

    /// The largest shares at speeds v within the effort limits.
    pub(super) fn shares_at(
        &self,
        chain: &Chain,
        command: &ArmCommand,
        step: f64,
        speeds: &JointVector,
    ) -> Shares {
        let limits = chain.of_joints(|joint| joint.limits.effort);
        Shares::largest(&self.forward, &feedback(command, step, speeds), &limits)
    }
}

/// x and y: efforts of spring and damping at speeds v.
fn feedback(command: &ArmCommand, step: f64, speeds: &JointVector) -> [JointVector; 2] {
    [command.back + (command.led - command.stiffness * speeds) * (step / 2.0), command.damping * speeds]
}

pub(super) fn settle(chain: &Chain, inertial: &Inertial, acting: &Acting) -> Result<Settled, ArmError> {
    let limits = chain.of_joints(|joint| joint.limits.effort);
    let mut effort_limited = JointSet::default();
    let mut forward = acting.command.forward;
    for joint in 0..chain.count() {
        if forward[joint].abs() > limits[joint] {
            forward[joint] = forward[joint].clamp(-limits[joint], limits[joint]);
            effort_limited.insert(joint);
        }
    }
    let mut shares = acting.shares.unwrap_or(Shares::WHOLE);
    for round in 0.. {
        let settled = settle_at(chain, inertial, acting, &forward, shares)?;
        let feedback =
            feedback(acting.command, acting.step, &(settled.speeds + settled.response * acting.expected));
        let weaker = match acting.shares {
            Some(given) => given,
            None => shares.weakened(&forward, &feedback, &limits, &mut effort_limited),
        };
        if weaker == shares || round >= WEAKENINGS {
            return Ok(Settled { effort_limited, ..settled });
        }
        shares = weaker;
    }
    Err(ArmError::Unsolvable)
}

/// The response for known shares of spring and damping.
fn settle_at(
    chain: &Chain,
    inertial: &Inertial,
    acting: &Acting,
    forward: &JointVector,
    shares: Shares,
) -> Result<Settled, ArmError> {
    let Acting { command, step, .. } = *acting;
    let viscous = chain.of_joints(|joint| joint.damping);
    let spring = command.stiffness * (shares.spring * step / 2.0);
    let resistance = spring + command.damping * shares.damping + JointMatrix::from_diagonal(&viscous);
    let matrix = inertial.matrix + resistance;
    let pull = command.back + command.led * (step / 2.0);
    let pushed = inertial.effort + forward + pull * shares.spring;
    let response = matrix.try_inverse().ok_or(ArmError::Unsolvable)?;
    let Dry { resisting, mut turning, stop } =
        dry_efforts(chain, &response, &(response * (pushed + acting.expected)), acting);
    let response = match resisting.amax() > 0.0 {
        true => {
            (matrix + JointMatrix::from_diagonal(&resisting)).try_inverse().ok_or(ArmError::Unsolvable)?
        }
        false => response,
    };
    let middle = response * (pushed + turning + stop + acting.expected);
    if (turning - resisting.component_mul(&middle)).dot(&middle) > 0.0 {
        turning.fill(0.0);
    }
    let speeds = response * (pushed + turning + stop);
    if !speeds.iter().all(|speed| speed.is_finite()) {
        return Err(ArmError::Unsolvable);
    }
    let (friction, effort_limited) = ([viscous + resisting, turning], JointSet::default());
    Ok(Settled { speeds, response, shares, forward: *forward, effort_limited, friction, stop })
}

/// Dry friction and stops, frozen.
struct Dry {
    /// ρ.
    resisting: JointVector,
    /// φ where it is along v.
    turning: JointVector,
    /// σ.
    stop: JointVector,
}

/// Dry friction and stops, from the response H and the speeds v of the arm without them.
fn dry_efforts(chain: &Chain, response: &JointMatrix, speeds: &JointVector, acting: &Acting) -> Dry {
    let mut friction = JointVector::zeros();
    let mut stop = JointVector::zeros();
    let mut speeds = *speeds;
    let start = &acting.state.speeds;
    for _ in 0..SWEEPS {
        let mut change = 0.0_f64;
        for (index, joint) in chain.joints().iter().enumerate() {
            let per_effort = 2.0 * response[(index, index)];
            let mut push = |speeds: &mut JointVector, from: f64, to: f64| {
                *speeds += response.column(index) * (to - from);
                change = change.max((to - from).abs());
                to
            };
            let end = 2.0 * speeds[index] - start[index];
            let level = joint.friction;
            let wanted = (friction[index] - end / per_effort).clamp(-level, level);
            friction[index] = push(&mut speeds, friction[index], wanted);
            if let Some((inwards, allowed)) = approach(joint.limits, acting, index) {
                let end = (2.0 * speeds[index] - start[index]) * inwards;
                let wanted = (stop[index] * inwards - (end + allowed) / per_effort).max(0.0) * inwards;
                stop[index] = push(&mut speeds, stop[index], wanted);
            }
        }
        if change <= SETTLED {
            break;
        }
    }
    let mut dry = Dry { resisting: JointVector::zeros(), turning: JointVector::zeros(), stop };
    for (index, joint) in chain.joints().iter().enumerate() {
        let (effort, speed, most) = (friction[index], speeds[index], joint.friction / chain.sticking_speed());
        if speed.abs() <= chain.sticking_speed() {
            dry.resisting[index] = most;
        } else if effort * speed <= 0.0 {
            dry.resisting[index] = (-effort / speed).min(most);
        } else {
            dry.turning[index] = effort;
        }
    }
    dry
}

/// Direction into the range (+1 or −1) from the nearer stop, and the allowed end speed towards that stop. `None` for
/// a joint without a stop.
fn approach(limits: crate::chain::JointLimits, acting: &Acting, joint: usize) -> Option<(f64, f64)> {
    let (angle, speed) = (acting.state.angles[joint], acting.state.speeds[joint]);
    let (gap, inwards) = match angle - limits.lower < limits.upper - angle {
        true => (angle - limits.lower, 1.0),
        false => (limits.upper - angle, -1.0),
    };
    let per_step = gap / acting.step;
    let allowed = if gap < 0.0 { RETURN * per_step } else { (2.0 * per_step + speed * inwards).max(0.0) };
    per_step.is_finite().then_some((inwards, allowed))
}
