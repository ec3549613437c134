//! Profiles of the cost: how far the cost itself, not its slopes, lets a hold move.
//!
//! ```text
//! u = H⁻¹ e_i / (H⁻¹)_ii                  unknown i moves, the others follow as the slopes say
//! J(x ± δ u) − J(x) ≥ 2                   δ tripled from two standard deviations until the cost rises as two of them would
//! σ_i = δ/√(2 (J(x ± δ u) − J(x)))        the larger of both sides
//! ```
//!
//! Contacts that stick make J rough: at the bottom of a small dent the slopes tell a narrow range, though the forces fit as well far
//! away, as with a hold that is rigid. A lower place that is found on the way is where the fit goes on.
//!
//! D. Venzon, S. Moolgavkar, "A method for computing profile-likelihood-based confidence intervals", J. R. Stat. Soc. C 37, 1988.

use nalgebra::DMatrix;

use crate::Quantity;
use crate::fit::Fit;

/// Rise of the cost at two standard deviations.
const RISE: f64 = 2.0;
/// Factor between tried distances.
const WIDER: f64 = 3.0;
/// Evaluations on one side at most.
const TRIES: usize = 8;

/// What the profiles say.
pub(crate) struct Profiles {
    /// Standard deviation by unknown, in units of its coordinate; zero where no profile was made.
    pub(crate) sigmas: Vec<f64>,
    /// The lowest place seen, if lower than the middle: cost and coordinates.
    pub(crate) lower: Option<(f64, Vec<f64>)>,
}

impl Fit<'_> {
    /// Profiles of the hold around `x`; `cost` of coordinates, `inverse` of the normal matrix in units of the priors.
    pub(crate) fn profiles(
        &self,
        x: &[f64],
        inverse: &DMatrix<f64>,
        held: &[usize],
        cost: impl Fn(&[f64]) -> f64,
    ) -> Profiles {
        let middle = cost(x);
        let mut found = Profiles { sigmas: vec![0.0; x.len()], lower: None };
        for (index, unknown) in self.unknowns.iter().enumerate() {
            if !matches!(unknown.quantity, Quantity::Stiffness(_)) || held.contains(&index) {
                continue;
            }
            let sigma = inverse[(index, index)].sqrt();
            for side in [1.0, -1.0] {
                let mut distance = 2.0 * sigma;
                for _ in 0..TRIES {
                    let along = side * distance / inverse[(index, index)];
                    let follow =
                        |(k, x): (usize, &f64)| x + along * inverse[(k, index)] * self.unknowns[k].prior;
                    let moved: Vec<f64> = x.iter().enumerate().map(follow).collect();
                    let own = cost(&moved);
                    if own < found.lower.as_ref().map_or(middle, |(least, _)| *least) {
                        found.lower = Some((own, moved));
                    }
                    let rise = own - middle;
                    if rise >= RISE {
                        let own = distance / (2.0 * rise).sqrt() * unknown.prior;
                        found.sigmas[index] = found.sigmas[index].max(own);
                        break;
                    }
                    // the prior ends it
                    found.sigmas[index] = found.sigmas[index].max((0.5 * distance).min(1.0) * unknown.prior);
                    distance *= WIDER;
                }
            }
        }
        found
    }
}
