//! What the covariance may be, as one choice.

use serde::{Deserialize, Serialize};

use super::constants::Constants;
use super::directions::Directions;
use super::full::Full;
use super::separable::Separable;

/// Which covariance is adapted.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Covariance {
    /// All of it: n² numbers and n³/3 operations every n/10 generations or so.
    #[default]
    Full,
    /// Its diagonal: n numbers.
    Separable,
    /// A product of 4 + 3 ln n directions (LM-MA-ES): n ln n numbers, sees what couples many parameters.
    LowRank,
}

/// A candidate as it was drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Draw {
    /// z, standard normal.
    pub(super) z: Vec<f64>,
    /// y = A z.
    pub(super) y: Vec<f64>,
}

/// What a generation was like, best candidate first.
pub(super) struct Ranked<'a> {
    pub(super) draws: &'a [Draw],
    /// Places of the candidates, best first.
    pub(super) order: &'a [usize],
    /// Σ wᵢ zᵢ over the better half.
    pub(super) mean_z: &'a [f64],
    /// p_c after the generation.
    pub(super) path: &'a [f64],
    /// Whether p_c was held back.
    pub(super) stalled: bool,
}

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

    /// Largest standard deviation along a parameter, in units of σ; a bound for directions.
    pub(super) fn widest(&self) -> f64 {
        match self {
            Self::Full(full) => full.widest(),
            Self::Separable(separable) => separable.widest(),
            Self::LowRank(_) => 1.0,
        }
    }

    /// All numbers in columns, for a file.
    pub(super) fn columns(&self) -> Vec<(&'static str, Vec<f64>)> {
        match self {
            Self::Full(full) => full.columns(),
            Self::Separable(separable) => vec![("variances", separable.variances.clone())],
            Self::LowRank(directions) => vec![("directions", directions.rows.concat())],
        }
    }

    /// Takes them back; `false` when a length is wrong.
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
