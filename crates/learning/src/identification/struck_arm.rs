//! The first force of a rod from what it does to the arm: by how much the tool's velocity changes, beside what was foreseen.
//!
//! ```text
//! Δv = v̄(t − ℓ … t + T) − v̄(80 ms before … t − ℓ),  Δω likewise     from recorded poses alone
//! f ∝ B Δv + C Δω + κ f̂                                            B, C: what the struck arm weighs over T; κ [N]: trust in f̂
//! min Σ loss((B Δv + C Δω + κ f̂ − f)/|f|) + Σ loss(0.15 b/σ_b)     over the trials that train; f: measured force
//!
//! f̂   direction foreseen before the contact (`first_contact`)     t   the force leaves the noise      T   window (`first_touch`)
//! ℓ   lead: by how much the contact is older than its force        b   an entry of B or C; σ_b makes 4 N of a common kick
//! ```
//!
//! Whoever strikes a hand at a finger turns it as well: C tells the one strike from the other where Δv alone does not. The arm gives way as soon
//! as it is touched, its force leaves the noise of the wrist later: of several ℓ the one is taken whose forces, each told without its own sixth
//! of the strikes that train, point best. f̂ of a strike that trains must come from a fit without it, or κ would be that of hindsight.
//!
//! This is no foresight: it needs the poses during the contact, as a prediction at recorded states does, and no wrench. A hard strike
//! moves the arm by more than its own sway, and B Δv decides; a weak one leaves the direction to f̂. B and C are those of one arm, in one
//! attitude, under one controller: its force mode is in them.

use nalgebra::Matrix3;
use tightfit_spatial::Vector3;

use super::Answer;
use super::least_squares::{Parameter, Problem, Solution};

/// ℓ that are tried [s].
pub(super) const LEADS: [f64; 5] = [0.0, 0.006, 0.010, 0.014, 0.020];
/// Parts of the strikes that are told, and foreseen, by the others.
pub(super) const FOLDS: usize = 6;
/// Angles beyond count as this one when leads are compared [rad].
const WORST: f64 = 0.7;
/// Residuals, of the force's size, that count linearly beyond.
const LOSS: f64 = 0.15;
/// What one entry of B or C is expected to make of a common kick [N].
const EXPECTED: f64 = 4.0;
/// Start of B's diagonal, and standard deviation of an entry that is too much [N·s/m].
const WEIGHT: [f64; 2] = [500.0, 400.0];
/// Standard deviation of an entry of C that is too much [N·s].
const TURNING: f64 = 100.0;
/// Start of κ, and its largest standard deviation [N].
const TRUST: [f64; 2] = [3.0, 1.5];

/// How the tool's velocity changes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kick {
    /// Δv [m/s], world.
    pub linear: Vector3<f64>,
    /// Δω [rad/s], world.
    pub angular: Vector3<f64>,
}

/// A first contact as the arm felt it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Strike {
    /// For each of the leads.
    pub(super) kicks: [Kick; LEADS.len()],
    /// f̂, world.
    pub(super) foreseen: Vector3<f64>,
    /// Measured force [N], world.
    pub(super) force: Vector3<f64>,
}

/// ℓ, B, C and κ.
pub(super) struct StruckArm {
    lead: usize,
    weight: Matrix3<f64>,
    turning: Matrix3<f64>,
    trust: f64,
}

impl StruckArm {
    fn from_values(lead: usize, values: &[f64]) -> Self {
        let matrix = |from: usize| Matrix3::from_row_slice(&values[from..from + 9]);
        Self { lead, weight: matrix(0), turning: matrix(9), trust: values[18] }
    }

    /// The force [N], world; its direction is what is meant.
    pub(super) fn force(&self, strike: &Strike) -> Vector3<f64> {
        let kick = &strike.kicks[self.lead];
        self.weight * kick.linear + self.turning * kick.angular + strike.foreseen * self.trust
    }
}

/// Finds ℓ, B, C and κ from strikes.
pub(super) fn identify_struck_arm(strikes: &[Strike]) -> (StruckArm, Answer) {
    let misses: Vec<f64> = (0..LEADS.len()).map(|lead| crossed_miss(strikes, lead)).collect();
    let lead = (0..LEADS.len()).min_by(|a, b| misses[*a].total_cmp(&misses[*b])).unwrap_or_default();
    let solution = fit(strikes, lead);
    let mut answer = solution.answer(solution.values.len());
    answer.give("lead of the first contact before its force", "s", LEADS[lead], 0.0);
    (StruckArm::from_values(lead, &solution.values), answer)
}

/// Mean angle between measured forces and those told without them [rad].
fn crossed_miss(strikes: &[Strike], lead: usize) -> f64 {
    let mut sum = 0.0;
    for fold in 0..FOLDS {
        let is_left_out = |index: &usize| index % FOLDS == fold;
        let others: Vec<Strike> =
            (0..strikes.len()).filter(|index| !is_left_out(index)).map(|index| strikes[index]).collect();
        let arm = StruckArm::from_values(lead, &fit(&others, lead).values);
        for index in (0..strikes.len()).filter(is_left_out) {
            sum += arm.force(&strikes[index]).angle(&strikes[index].force).min(WORST);
        }
    }
    sum / strikes.len().max(1) as f64
}

/// B, C and κ at a lead.
fn fit(strikes: &[Strike], lead: usize) -> Solution {
    let mut parameters = Vec::new();
    for (by, unit, limit) in [("velocity", "N·s/m", WEIGHT[1]), ("turning", "N·s", TURNING)] {
        for (row, of) in ["x", "y", "z"].into_iter().enumerate() {
            for (column, along) in ["x", "y", "z"].into_iter().enumerate() {
                let start = if row == column && by == "velocity" { WEIGHT[0] } else { 0.0 };
                let name = format!("weight of the struck arm, force {of} by {by} {along}");
                parameters.push(Parameter::new(name, unit, start, limit));
            }
        }
    }
    parameters.push(Parameter::new("force up to which foresight is trusted", "N", TRUST[0], TRUST[1]));
    let common = |part: fn(&Kick) -> Vector3<f64>| {
        let squares = strikes.iter().map(|strike| part(&strike.kicks[lead]).norm_squared() / 3.0);
        (squares.sum::<f64>() / strikes.len().max(1) as f64).sqrt()
    };
    let common = [common(|kick| kick.linear), common(|kick| kick.angular)];
    let residuals =
        |values: &[f64], index: usize, out: &mut Vec<f64>| {
            if let Some(strike) = strikes.get(index) {
                let arm = StruckArm::from_values(lead, values);
                out.extend(((arm.force(strike) - strike.force) / strike.force.norm()).iter());
            } else {
                let entries = values[..18].chunks_exact(9).zip(common);
                out.extend(entries.flat_map(|(entries, kick)| {
                    entries.iter().map(move |entry| LOSS * entry * kick / EXPECTED)
                }));
            }
        };
    let trials = strikes.len() + 1;
    Problem { parameters, trials, residuals: &residuals, loss: LOSS, noise: 0.05, iterations: 60 }.solve()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strike whose kick is right at the third lead and has nothing to do with the force at the others.
    fn struck(kick: Kick, foreseen: Vector3<f64>, force: Vector3<f64>) -> Strike {
        let scrambled = |vector: Vector3<f64>| vector.map(|x| 0.01 * (1e5 * x).sin());
        let other = Kick { linear: scrambled(kick.linear), angular: scrambled(kick.angular) };
        let mut kicks = [other; LEADS.len()];
        kicks[2] = kick;
        Strike { kicks, foreseen, force }
    }

    /// Forces of a known arm, each foreseen 20° wrong, at points beside the tool's: kicks alone, without turning, do not tell them.
    #[test]
    fn lead_and_weight_of_an_arm_are_found_and_put_wrong_foresight_right() {
        let weight = Matrix3::new(600.0, 50.0, -150.0, 50.0, 700.0, 0.0, -150.0, 0.0, 900.0);
        let turning = Matrix3::new(0.0, 20.0, 0.0, -30.0, 0.0, 10.0, 0.0, -10.0, 0.0);
        let back = weight.try_inverse().expect("no singular arm");
        let strike = |number: usize| {
            let turn = number as f64 * 2.4;
            let force = Vector3::new(6.0 * turn.cos(), 6.0 * turn.sin(), 4.0 + 0.4 * number as f64);
            let wrong = Vector3::new(-turn.sin(), turn.cos(), 0.3 * (3.0 * turn).cos()).normalize() * 0.36;
            let foreseen = (force.normalize() + wrong).normalize();
            let angular = Vector3::new((1.3 * turn).sin(), (2.1 * turn).cos(), (0.7 * turn).sin()) * 0.1;
            let linear = back * (force - turning * angular);
            struck(Kick { linear, angular }, foreseen, force)
        };
        let strikes: Vec<Strike> = (0..40).map(strike).collect();
        let (arm, answer) = identify_struck_arm(&strikes[..30]);
        assert!(answer.refusals.is_empty(), "{:?}", answer.refusals);
        assert_eq!(arm.lead, 2);
        for strike in &strikes[30..] {
            assert!(strike.foreseen.angle(&strike.force).to_degrees() > 15.0);
            assert!(arm.force(strike).angle(&strike.force).to_degrees() < 1.5);
        }
    }

    /// An arm that does not move says nothing: B is refused, and the direction stays as foreseen.
    #[test]
    fn an_arm_that_stays_leaves_foresight_as_it_is() {
        let strike = |number: usize| {
            let force = Vector3::new((number as f64).cos(), (number as f64).sin(), 1.0) * 3.0;
            struck(Kick::default(), force.normalize(), force)
        };
        let strikes: Vec<Strike> = (0..20).map(strike).collect();
        let (arm, answer) = identify_struck_arm(&strikes);
        assert_eq!(answer.refusals.len(), 18);
        assert!(arm.force(&strikes[0]).angle(&strikes[0].force) < 1e-6);
    }
}
