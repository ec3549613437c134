//! Gauss-Legendre rules on an interval.

/// Four points: exact for polynomials of degree seven. (abscissa, weight) on [−1, 1].
pub(crate) const GAUSS_4: [(f64, f64); 4] = [
    (-0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
    (-0.339_981_043_584_856_26, 0.652_145_154_862_546_1),
    (0.339_981_043_584_856_26, 0.652_145_154_862_546_1),
    (0.861_136_311_594_052_6, 0.347_854_845_137_453_85),
];

/// The rule mapped to [low, high].
pub(crate) fn on_interval(rule: &[(f64, f64)], low: f64, high: f64) -> impl Iterator<Item = (f64, f64)> + '_ {
    let (middle, half) = ((low + high) / 2.0, (high - low) / 2.0);
    rule.iter().map(move |&(x, weight)| (middle + half * x, weight * half))
}
