//! The first force of a rod from the change of the tool's velocity, combined with the foresight.
//!
//! ```text
//! Δv = v̄(t − ℓ … t + T) − v̄(80 ms before … t − ℓ),  Δω likewise     from recorded poses alone
//! f ∝ B Δv + C Δω + κ f̂                            B, C: effective mass of the struck arm over T; κ [N]: weight of f̂
//! min Σ loss((B Δv + C Δω + κ f̂ − f)/|f|) + Σ loss(0.15 b/σ_b)     over the training trials; f: measured force
//!
//! f̂   direction predicted before the contact (`first_contact`)
//! t   time at which the force exceeds the noise      T   window (`first_touch`)
//! ℓ   lead of the contact before its force           b   an entry of B or C; σ_b makes 4 N of a typical change
//! ```
//!
//! A strike beside the tool point also rotates the tool: C separates strikes that Δv alone does not. The arm deflects
//! as soon as it is touched, but its force exceeds the noise of the wrist later: ℓ is chosen by six-fold
//! cross-validation of the direction. f̂ of a training strike must come from a fit without it, otherwise κ would be too
//! large.
//!
//! This is no foresight: it needs the poses during the contact, as a prediction at recorded states does, but no wrench.
//! A hard strike moves the arm by more than its sway, and B Δv decides; a weak one leaves the direction to f̂. B and C
//! hold for one arm, in one attitude, under one controller: its force mode is included.

use nalgebra::Matrix3;
use tightfit_learning::identification::Answer;
use tightfit_learning::identification::least_squares::{Parameter, Problem, Solution};
use tightfit_spatial::Vector3;

/// Candidates of ℓ [s].
pub(crate) const LEADS: [f64; 5] = [0.0, 0.006, 0.010, 0.014, 0.020];
/// Folds of the cross-validation.
pub(crate) const FOLDS: usize = 6;
/// Upper bound of an angle in the comparison of leads [rad].
const WORST: f64 = 0.7;
/// Relative residuals above this count linearly [-].
const LOSS: f64 = 0.15;
/// Expected contribution of one entry of B or C for a typical change of velocity [N].
const EXPECTED: f64 = 4.0;
/// Start of B's diagonal, and limit of an entry's standard deviation [N·s/m].
const WEIGHT: [f64; 2] = [500.0, 400.0];
/// Limit of the standard deviation of an entry of C [N·s].
const TURNING: f64 = 100.0;
/// Start of κ, and limit of its standard deviation [N].
const TRUST: [f64; 2] = [3.0, 1.5];

/// Change of the tool's velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Kick {
    /// Δv [m/s], world.
    pub linear: Vector3<f64>,
    /// Δω [rad/s], world.
    pub angular: Vector3<f64>,
}

/// A first contact with the response of the arm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Strike {
    /// Change of velocity for each lead.
    pub(crate) kicks: [Kick; LEADS.len()],
    /// f̂, world.
    pub(crate) foreseen: Vector3<f64>,
    /// Measured force [N], world.
    pub(crate) force: Vector3<f64>,
}

/// ℓ, B, C and κ.
pub(crate) struct StruckArm {
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

    /// Predicted force [N], world; only its direction is used.
    pub(crate) fn force(&self, strike: &Strike) -> Vector3<f64> {
        let kick = &strike.kicks[self.lead];
        self.weight * kick.linear + self.turning * kick.angular + strike.foreseen * self.trust
    }
}

/// Finds ℓ, B, C and κ from strikes.
pub(crate) fn identify_struck_arm(strikes: &[Strike]) -> (StruckArm, Answer) {
    let misses: Vec<f64> = (0..LEADS.len()).map(|lead| crossed_miss(strikes, lead)).collect();
    let lead = (0..LEADS.len()).min_by(|a, b| misses[*a].total_cmp(&misses[*b])).unwrap_or_default();
    let solution = fit(strikes, lead);
    let mut answer = solution.answer(solution.values.len());
    answer.add("lead of the first contact before its force", "s", LEADS[lead], 0.0);
    (StruckArm::from_values(lead, &solution.values), answer)
}

/// Mean cross-validated angle between measured and predicted forces [rad].
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

    /// A strike whose change of velocity is right at the third lead and unrelated to the force at the others.
    fn struck(kick: Kick, foreseen: Vector3<f64>, force: Vector3<f64>) -> Strike {
        let scrambled = |vector: Vector3<f64>| vector.map(|x| 0.01 * (1e5 * x).sin());
        let other = Kick { linear: scrambled(kick.linear), angular: scrambled(kick.angular) };
        let mut kicks = [other; LEADS.len()];
        kicks[2] = kick;
        Strike { kicks, foreseen, force }
    }

    /// Forces of a known arm with a foresight error of 20°, beside the tool point: linear velocity alone does not
    /// determine them.
    #[test]
    fn lead_and_mass_of_an_arm_are_found_and_correct_a_wrong_foresight() {
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

    /// An arm that does not move determines nothing: B is undetermined, and the foresight is kept.
    #[test]
    fn a_static_arm_keeps_the_foresight() {
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
