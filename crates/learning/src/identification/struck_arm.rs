//! The first force of a rod from what it does to the arm: by how much the tool's velocity changes, beside what was foreseen.
//!
//! ```text
//! Δv = v̄(contact … contact + T) − v̄(80 ms before … contact)      from recorded poses alone
//! f ∝ B Δv + κ f̂                                                B: what the struck arm weighs over T [N·s/m]; κ [N]: trust in f̂
//! min Σ loss((B Δv + κ f̂ − f_measured)/|f_measured|)             over the trials that train
//!
//! f̂   direction foreseen before the contact (`first_contact`)     T   window of the first force (`first_touch`)
//! ```
//!
//! This is no foresight: it needs the poses during the contact, as a prediction at recorded states does, and no wrench. A hard strike
//! moves the arm by more than its own sway, and B Δv decides; a weak one leaves the direction to f̂. B is that of one arm, in one attitude,
//! under one controller: its force mode is in it.

use nalgebra::Matrix3;
use tightfit_spatial::Vector3;

use super::Answer;
use super::least_squares::{Parameter, Problem};

/// Residuals, of the force's size, that count linearly beyond.
const LOSS: f64 = 0.15;
/// Start of B's diagonal, and standard deviation of an entry that is too much [N·s/m].
const WEIGHT: [f64; 2] = [500.0, 400.0];
/// Start of κ, and its largest standard deviation [N].
const TRUST: [f64; 2] = [3.0, 1.5];

/// A first contact as the arm felt it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Strike {
    /// Δv [m/s], world.
    pub(super) kick: Vector3<f64>,
    /// f̂, world.
    pub(super) foreseen: Vector3<f64>,
    /// Measured force [N], world.
    pub(super) force: Vector3<f64>,
}

/// B and κ.
pub(super) struct StruckArm {
    weight: Matrix3<f64>,
    trust: f64,
}

impl StruckArm {
    fn from_values(values: &[f64]) -> Self {
        Self { weight: Matrix3::from_row_slice(&values[..9]), trust: values[9] }
    }

    /// The force [N], world; its direction is what is meant.
    pub(super) fn force(&self, strike: &Strike) -> Vector3<f64> {
        self.weight * strike.kick + strike.foreseen * self.trust
    }
}

/// Finds B and κ from strikes.
pub(super) fn identify_struck_arm(strikes: &[Strike]) -> (StruckArm, Answer) {
    let mut parameters = Vec::new();
    for (row, of) in ["x", "y", "z"].into_iter().enumerate() {
        for (column, by) in ["x", "y", "z"].into_iter().enumerate() {
            let start = if row == column { WEIGHT[0] } else { 0.0 };
            let name = format!("weight of the struck arm, force {of} by velocity {by}");
            parameters.push(Parameter::new(name, "N·s/m", start, WEIGHT[1]));
        }
    }
    parameters.push(Parameter::new("force up to which foresight is trusted", "N", TRUST[0], TRUST[1]));
    let residuals = |values: &[f64], index: usize, out: &mut Vec<f64>| {
        let (arm, strike) = (StruckArm::from_values(values), &strikes[index]);
        out.extend(((arm.force(strike) - strike.force) / strike.force.norm()).iter());
    };
    let trials = strikes.len();
    let solution =
        Problem { parameters, trials, residuals: &residuals, loss: LOSS, noise: 0.05, iterations: 60 }
            .solve();
    (StruckArm::from_values(&solution.values), solution.answer(solution.values.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forces of a known arm, each foreseen 20° wrong.
    #[test]
    fn the_weight_of_an_arm_is_found_and_puts_wrong_foresight_right() {
        let truth = Matrix3::new(600.0, 50.0, -150.0, 50.0, 700.0, 0.0, -150.0, 0.0, 900.0);
        let back = truth.try_inverse().expect("no singular arm");
        let strike = |number: usize| {
            let turn = number as f64 * 2.4;
            let force = Vector3::new(6.0 * turn.cos(), 6.0 * turn.sin(), 4.0 + 0.4 * number as f64);
            let wrong = Vector3::new(-turn.sin(), turn.cos(), 0.3 * (3.0 * turn).cos()).normalize() * 0.36;
            Strike { kick: back * force, foreseen: (force.normalize() + wrong).normalize(), force }
        };
        let strikes: Vec<Strike> = (0..30).map(strike).collect();
        let (arm, answer) = identify_struck_arm(&strikes[..20]);
        assert!(answer.refusals.is_empty(), "{:?}", answer.refusals);
        for strike in &strikes[20..] {
            assert!(strike.foreseen.angle(&strike.force).to_degrees() > 15.0);
            assert!(arm.force(strike).angle(&strike.force).to_degrees() < 1.0);
        }
    }

    /// An arm that does not move says nothing: B is refused, and the direction stays as foreseen.
    #[test]
    fn an_arm_that_stays_leaves_foresight_as_it_is() {
        let strike = |number: usize| {
            let force = Vector3::new((number as f64).cos(), (number as f64).sin(), 1.0) * 3.0;
            Strike { kick: Vector3::zeros(), foreseen: force.normalize(), force }
        };
        let strikes: Vec<Strike> = (0..20).map(strike).collect();
        let (arm, answer) = identify_struck_arm(&strikes);
        assert_eq!(answer.refusals.len(), 9);
        assert!(arm.force(&strikes[0]).angle(&strikes[0].force) < 1e-6);
    }
}
