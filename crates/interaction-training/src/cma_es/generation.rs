//! The candidates of a generation, as drawn and as ranked.

/// A drawn candidate.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Draw {
    /// z, standard normal.
    pub(super) z: Vec<f64>,
    /// y = A z.
    pub(super) y: Vec<f64>,
}

/// A generation, ranked by value.
pub(super) struct Ranked<'a> {
    pub(super) draws: &'a [Draw],
    /// Indices of the candidates, best first.
    pub(super) order: &'a [usize],
    /// Σ wᵢ zᵢ over the better half.
    pub(super) mean_z: &'a [f64],
    /// p_c after the generation.
    pub(super) path: &'a [f64],
    /// Whether p_c was stalled.
    pub(super) stalled: bool,
}
