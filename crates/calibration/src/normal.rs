//! Normal equations with the prior, in units of the priors.

use nalgebra::{DMatrix, DVector};

use crate::fit::Fit;
use crate::linear::Linear;
use crate::prior::Prior;

/// H = data + penalty.
pub(crate) struct Normal {
    /// Priors of the unknowns.
    pub(crate) units: Vec<f64>,
    pub(crate) data: DMatrix<f64>,
    pub(crate) penalty: DMatrix<f64>,
    pub(crate) inverse: DMatrix<f64>,
    /// Gradient of J.
    pub(crate) gradient: DVector<f64>,
}

impl Normal {
    pub(crate) fn new(fit: &Fit, x: &[f64], linear: &Linear, prior: &Prior) -> Self {
        let count = x.len();
        let units: Vec<f64> = fit.unknowns.iter().map(|own| own.prior).collect();
        let scaled = |matrix: &DMatrix<f64>| {
            DMatrix::from_fn(count, count, |i, j| matrix[(i, j)] * units[i] * units[j])
        };
        let mut penalty = DMatrix::zeros(count, count);
        let mut gradient = linear.gradient.clone();
        prior.add(x, &mut penalty, &mut gradient);
        let (data, penalty) = (scaled(&linear.normal), scaled(&penalty));
        let inverse = (&data + &penalty)
            .cholesky()
            .map_or_else(|| DMatrix::identity(count, count), |factors| factors.inverse());
        let gradient = DVector::from_fn(count, |i, _| gradient[i] * units[i]);
        Self { units, data, penalty, inverse, gradient }
    }
}
