//! The covariance under adaptation: full, diagonal or a few directions.

use super::constants::Constants;
use super::directions::Directions;
use super::full::Full;
use super::generation::Ranked;
use super::options::Covariance;
use super::separable::Separable;

/// The covariance under adaptation.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Full(Box<Full>),
    Separable(Separable),
    LowRank(Directions),
}

impl Shape {
    pub(super) fn new(covariance: Covariance, dimension: usize) -> Self {
        match covariance {
            Covariance::Full => Self::Full(Box::new(Full::new(dimension))),
            Covariance::Separable => Self::Separable(Separable::new(dimension)),
            Covariance::LowRank => Self::LowRank(Directions::new(dimension)),
        }
    }

    /// y = A z.
    pub(super) fn shaped(&self, z: &[f64], generation: u64) -> Vec<f64> {
        match self {
            Self::Full(full) => full.shaped(z),
            Self::Separable(separable) => separable.shaped(z),
            Self::LowRank(directions) => directions.shaped(z, generation),
        }
    }

    pub(super) fn adapt(&mut self, ranked: &Ranked<'_>, constants: &Constants) {
        match self {
            Self::Full(full) => full.adapt(ranked, constants),
            Self::Separable(separable) => separable.adapt(ranked, constants),
            Self::LowRank(directions) => directions.adapt(ranked, constants),
        }
    }

    /// Largest standard deviation along a parameter, in units of σ; 1 for directions.
    pub(super) fn widest(&self) -> f64 {
        match self {
            Self::Full(full) => full.widest(),
            Self::Separable(separable) => separable.widest(),
            Self::LowRank(_) => 1.0,
        }
    }

    /// All numbers as named columns, for a file.
    pub(super) fn columns(&self) -> Vec<(&'static str, Vec<f64>)> {
        match self {
            Self::Full(full) => full.columns(),
            Self::Separable(separable) => vec![("variances", separable.variances.clone())],
            Self::LowRank(directions) => vec![("directions", directions.rows.concat())],
        }
    }

    /// Restores them; `false` when a length is wrong.
    pub(super) fn set_columns(&mut self, column: impl Fn(&str) -> Option<Vec<f64>>) -> bool {
        match self {
            Self::Full(full) => full.set_columns(column),
            Self::Separable(separable) => match column("variances") {
                Some(own) if own.len() == separable.variances.len() => {
                    separable.variances = own;
                    true
                }
                _ => false,
            },
            Self::LowRank(directions) => column("directions").is_some_and(|own| directions.set(&own)),
        }
    }
}
