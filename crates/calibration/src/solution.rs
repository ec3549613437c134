//! The result of a fit: values, ranges, correlations, and what the data do not tell.
//!
//! ```text
//! C = C_b + Σ_k b_k b_kᵀ + d dᵀ       C_b scatter between blocks of the data (`covariance`), b_k shifts by errors of the model that
//!                                     all samples share (`shifts`), d = −H⁻¹ g the step that was left when no step lessened J
//! ```
//!
//! J is rough, since contacts are at nodes and stick: d is how far its smooth part would still move the result.
//!
//! A quantity is refused where its range stays wider than half of the prior's; the direction of the data that is weakest for it is named. It is also refused where its column of slopes equals a
//! combination of others within a twentieth (collinearity index above 20): such a difference is the model's, not the
//! data's. A stiffness of the hold and a pose are refused where friction alone tells them, as along and about the axis of a round
//! peg: contacts that stick carry whatever the step left them, and the value comes out wrong by several times its range.
//!
//! R. Brun, P. Reichert, H. Künsch, "Practical identifiability analysis of large environmental simulation models", Water
//! Resour. Res. 37, 2001.

use nalgebra::{DMatrix, DVector};
use tightfit_spatial::Vector3;

use crate::covariance::{NORMAL, jackknife};
use crate::fit::{Evaluation, Fit};
use crate::linear::Linear;
use crate::noise::Noise;
use crate::normal::Normal;
use crate::prior::geometric;
use crate::{Prediction, Quantity, Setup, Unknown, WearChart};

/// Share of the prior's standard deviation above which a quantity is refused [-].
const REFUSED: f64 = 0.5;
/// Share of the widest open range from which others are held with it [-].
const MOST_OPEN: f64 = 0.5;
/// Smallest eigenvalue of the cosines between slopes, one over the square of the collinearity index [-].
const COLLINEAR: f64 = 2e-3;
/// Share of the load of an axis that normal forces must carry [-]: with less, friction alone tells the stiffness.
const BY_NORMALS: f64 = 0.1;
/// Contacts that are kept for pictures and comparisons at most.
const MOST_TOUCHED: usize = 4000;

/// A quantity after the fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimated {
    /// What it is.
    pub unknown: Unknown,
    /// SI value.
    pub value: f64,
    /// 95 % range, SI.
    pub range: [f64; 2],
    /// Standard deviation in the coordinate of the fit.
    pub sigma: f64,
    /// Why the data do not tell it.
    pub refusal: Option<String>,
}

/// Two quantities that the data tell together better than apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Correlation {
    /// Their names.
    pub names: [String; 2],
    /// Correlation coefficient [-].
    pub value: f64,
}

/// A place of the worn part that carried load.
#[derive(Clone, Debug, PartialEq)]
pub struct Touched {
    /// Point and outward normal in the part's frame.
    pub point: Vector3<f64>,
    /// Outward normal.
    pub normal: Vector3<f64>,
    /// Weight [-].
    pub weight: f64,
    /// Fitted correction of the gap and its standard deviation [m].
    pub wear: [f64; 2],
    /// dφ/dθ of the geometric quantities, in their order.
    pub slopes: Vec<f64>,
}

/// The result of a fit.
#[derive(Clone, Debug)]
pub struct Solution {
    /// All unknowns; coefficients of wear among them.
    pub estimates: Vec<Estimated>,
    /// Coordinates of the fit.
    pub coordinates: Vec<f64>,
    /// Covariance of the coordinates.
    pub covariance: DMatrix<f64>,
    /// Correlations of 0.9 and more.
    pub correlations: Vec<Correlation>,
    /// Chart of the wear.
    pub wear: Option<WearChart>,
    /// Contacts on the worn part.
    pub touched: Vec<Touched>,
    /// Robust spread of the errors [N].
    pub spread: f64,
    /// Correlation time of the errors in compared samples [-].
    pub correlation_time: f64,
    /// Iterations.
    pub iterations: usize,
    /// The experiment at the result.
    pub setup: Setup,
    /// Predictions of the fitted trials.
    pub predictions: Vec<Vec<Prediction>>,
}

impl Solution {
    #[expect(clippy::too_many_arguments, reason = "all that the fit knows at its end")]
    pub(crate) fn new(
        fit: &Fit,
        x: &[f64],
        here: Evaluation,
        linear: &Linear,
        normal: &Normal,
        profiles: &[f64],
        held: &[usize],
        noise: Noise,
        iterations: usize,
    ) -> Self {
        let count = x.len();
        let Normal { units, data, inverse, .. } = normal;
        let scatter = jackknife(linear, normal);
        let mut covariance = scatter.covariance;
        let shifts = linear.shifts.iter().map(|error| DVector::from_fn(count, |i, _| error[i] * units[i]));
        for error in shifts.chain([normal.gradient.clone()]) {
            let shift = inverse * error;
            covariance.ger(1.0, &shift, &shift, 1.0);
        }
        for (index, sigma) in profiles.iter().enumerate() {
            // where the cost lets it move farther than its slopes say, the others follow
            let more = (sigma / units[index]).powi(2) - covariance[(index, index)];
            if more > 0.0 {
                let along = inverse.column(index) / inverse[(index, index)];
                covariance.ger(more, &along, &along, 1.0);
            }
        }
        let collinear = collinear(fit, data);
        let directions = data.clone().symmetric_eigen();
        let estimates = (0..count)
            .map(|index| {
                let unknown = fit.unknowns[index].clone();
                let relative = covariance[(index, index)].sqrt();
                let sigma = relative * unknown.prior;
                let at = |shift: f64| unknown.value(x[index] + shift);
                Estimated {
                    value: at(0.0),
                    range: [-1.0, 1.0].map(|side| at(side * scatter.ranges[index] * sigma)),
                    sigma,
                    refusal: held
                        .contains(&index)
                        .then(|| "the recorded forces leave it open; it was held at its start".to_string())
                        .or_else(|| {
                            let own =
                                collinear.iter().find(|names| names.contains(&unknown.quantity.name()))?;
                            Some(format!("the data do not separate {}", own.join(", ")))
                        })
                        .or_else(|| by_friction_alone(&unknown.quantity, fit, &here))
                        .or_else(|| {
                            refusal(fit, index, relative * scatter.ranges[index] / NORMAL, &directions)
                        }),
                    unknown,
                }
            })
            .collect();
        let covariance = DMatrix::from_fn(count, count, |i, j| covariance[(i, j)] * units[i] * units[j]);
        let correlations = correlations(&fit.unknowns, &covariance);
        let touched = touched(fit, linear, x, &covariance);
        Self {
            estimates,
            coordinates: x.to_vec(),
            covariance,
            correlations,
            wear: fit.wear,
            touched,
            spread: noise.spread,
            correlation_time: noise.correlation,
            iterations,
            setup: here.setup,
            predictions: here.predictions,
        }
    }

    /// Stiffnesses of the hold, friction and delay that still moved from their start and whose range is too wide: the widest, and those at least
    /// half as wide. Others may be wide only because they follow these.
    pub(crate) fn open_holds(&self, held: &[usize]) -> Vec<usize> {
        let width = |index: &usize| {
            let own = &self.estimates[*index];
            let half = own.unknown.coordinate(own.range[1]) - own.unknown.coordinate(own.value);
            half / (NORMAL * own.unknown.prior)
        };
        let is_open = |index: &usize| {
            let is_hold = matches!(
                self.estimates[*index].unknown.quantity,
                Quantity::Stiffness(_) | Quantity::Friction | Quantity::Delay
            );
            is_hold && width(index) > REFUSED && !held.contains(index)
        };
        let open: Vec<usize> = (0..self.estimates.len()).filter(is_open).collect();
        let widest = open.iter().map(width).fold(0.0, f64::max);
        open.into_iter().filter(|index| width(index) >= MOST_OPEN * widest).collect()
    }

    /// Coordinates with every refused quantity at its start in the scene, as in the scene that is written.
    #[must_use]
    pub fn determined(&self) -> Vec<f64> {
        let told = |(own, x): (&Estimated, &f64)| if own.refusal.is_none() { *x } else { 0.0 };
        self.estimates.iter().zip(&self.coordinates).map(told).collect()
    }

    /// Estimates other than coefficients of wear.
    pub fn quantities(&self) -> impl Iterator<Item = &Estimated> {
        self.estimates.iter().filter(|own| !matches!(own.unknown.quantity, Quantity::Wear(_)))
    }

    /// Weighted root mean square of the fitted wear where contact was made, and of its standard deviation [m].
    #[must_use]
    pub fn wear_size(&self) -> [f64; 2] {
        let total: f64 = self.touched.iter().map(|own| own.weight).sum();
        [0, 1].map(|which| {
            let sum: f64 = self.touched.iter().map(|own| own.weight * own.wear[which].powi(2)).sum();
            (sum / total.max(f64::MIN_POSITIVE)).sqrt()
        })
    }

    /// Order of the slopes of [`Touched`]: indices of the geometric quantities.
    #[must_use]
    pub fn geometric(&self) -> Vec<usize> {
        let unknowns: Vec<Unknown> = self.estimates.iter().map(|own| own.unknown.clone()).collect();
        geometric(&unknowns).collect()
    }
}

/// Names of quantities whose slopes are combinations of each other, direction by direction.
fn collinear(fit: &Fit, data: &DMatrix<f64>) -> Vec<Vec<String>> {
    let is_plain = |index: &usize| {
        let quantity = &fit.unknowns[*index].quantity;
        !matches!(quantity, Quantity::Wear(_) | Quantity::Drift { .. }) && data[(*index, *index)] > 1e-9
    };
    let all: Vec<usize> = (0..fit.unknowns.len()).filter(is_plain).collect();
    let unit = |k: usize| data[(all[k], all[k])].sqrt();
    let cosines = DMatrix::from_fn(all.len(), all.len(), |i, j| data[(all[i], all[j])] / (unit(i) * unit(j)));
    if all.len() < 2 {
        return Vec::new();
    }
    let eigen = cosines.symmetric_eigen();
    let weak = (0..all.len()).filter(|k| eigen.eigenvalues[*k] < COLLINEAR);
    let names = |k: usize| {
        let parts = all.iter().enumerate().filter(|(i, _)| eigen.eigenvectors[(*i, k)].abs() > 0.3);
        parts.map(|(_, index)| fit.unknowns[*index].quantity.name()).collect()
    };
    weak.map(names).collect()
}

/// Why a stiffness or a pose is not determined, if normal forces neither load nor feel it.
fn by_friction_alone(quantity: &Quantity, fit: &Fit, here: &Evaluation) -> Option<String> {
    let (axis, is_fixed) = match quantity {
        Quantity::Stiffness(axis) | Quantity::InHand(axis) => (*axis, false),
        Quantity::FixedPose(axis) => (*axis, true),
        _ => return None,
    };
    let fixed = fit.experiment.fixed().next();
    let origin = fixed.map(|body| here.setup.scene.bodies[body].world_from_part.translation);
    let [mut normal, mut tangential] = [0.0, 0.0];
    for prediction in here.predictions.iter().flatten() {
        let unit = Vector3::ith(axis % 3, 1.0);
        let (unit, lever) = match origin.filter(|_| is_fixed) {
            Some(origin) => (unit, prediction.part.translation - origin),
            None => (prediction.part.rotation * unit, Vector3::zeros()),
        };
        for contact in &prediction.contacts {
            let along = |force: Vector3<f64>| match axis {
                0..3 => force.dot(&unit).abs(),
                _ => (contact.arm + lever).cross(&force).dot(&unit).abs(),
            };
            let pressing = contact.normal * contact.force.dot(&contact.normal);
            normal += along(pressing);
            tangential += along(contact.force - pressing);
        }
    }
    (normal < BY_NORMALS * (normal + tangential)).then(|| {
        let share = 100.0 * normal / (normal + tangential);
        format!("friction alone tells it: normal forces carry {share:.0} % of the load along it")
    })
}

/// Why a quantity is not determined, with the direction of the data that is weakest for it.
fn refusal(
    fit: &Fit,
    index: usize,
    relative: f64,
    directions: &nalgebra::SymmetricEigen<f64, nalgebra::Dyn>,
) -> Option<String> {
    let unknown = &fit.unknowns[index];
    // coefficients of wear have neighbours that tell
    if relative <= REFUSED || matches!(unknown.quantity, Quantity::Wear(_) | Quantity::Drift { .. }) {
        return None;
    }
    let weak = (0..fit.unknowns.len())
        .filter(|k| directions.eigenvalues[*k] < (1.0 / REFUSED).powi(2))
        .max_by(|a, b| {
            let part = |k: usize| directions.eigenvectors[(index, k)].abs();
            part(*a).total_cmp(&part(*b))
        });
    let mut names: Vec<String> = Vec::new();
    if let Some(k) = weak {
        for (other, own) in fit.unknowns.iter().enumerate() {
            if directions.eigenvectors[(other, k)].abs() > 0.25 {
                let name = match own.quantity {
                    Quantity::Wear(_) => "wear".to_string(),
                    _ => own.quantity.name(),
                };
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
    let reason = match names.len() {
        0 | 1 => "no recorded force depends on it".to_string(),
        _ => format!("the data do not separate {}", names.join(", ")),
    };
    Some(format!("{reason}; its range would be {:.0} % of what was assumed before", 100.0 * relative))
}

fn correlations(unknowns: &[Unknown], covariance: &DMatrix<f64>) -> Vec<Correlation> {
    let plain = |index: &usize| !matches!(unknowns[*index].quantity, Quantity::Wear(_));
    let all: Vec<usize> = (0..unknowns.len()).filter(plain).collect();
    let mut found = Vec::new();
    for (place, i) in all.iter().enumerate() {
        for j in &all[place + 1..] {
            let value = covariance[(*i, *j)] / (covariance[(*i, *i)] * covariance[(*j, *j)]).sqrt();
            if value.abs() >= 0.9 {
                found.push(Correlation { names: [i, j].map(|k| unknowns[*k].quantity.name()), value });
            }
        }
    }
    found
}

fn touched(fit: &Fit, linear: &Linear, x: &[f64], covariance: &DMatrix<f64>) -> Vec<Touched> {
    let Some(WearChart { chart, .. }) = fit.wear else { return Vec::new() };
    let Some(first) = fit.unknowns.iter().position(|own| matches!(own.quantity, Quantity::Wear(_))) else {
        return Vec::new();
    };
    let every = linear.places.len().div_ceil(MOST_TOUCHED).max(1);
    let of = |place: &crate::sensitivity::ContactPlace| {
        let weights = chart.weights(&place.point, &place.normal);
        let value = weights.iter().map(|(k, w)| w * fit.unknowns[first + k].value(x[first + k])).sum();
        let variance: f64 = weights
            .iter()
            .flat_map(|(i, a)| weights.iter().map(move |(j, b)| a * b * covariance[(first + i, first + j)]))
            .sum();
        Touched {
            point: place.point,
            normal: place.normal,
            weight: place.share,
            wear: [value, variance.max(0.0).sqrt()],
            slopes: place.slopes.clone(),
        }
    };
    linear.places.iter().step_by(every).map(of).collect()
}
