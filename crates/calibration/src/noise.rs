//! Size and correlation of the errors, and how much an error counts.

/// k: errors beyond so many spreads count less [-].
const ROBUST: f64 = 2.0;
/// Least spread of errors [N].
const FINEST: f64 = 1e-3;

/// Spread and correlation time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Noise {
    pub(crate) spread: f64,
    pub(crate) correlation: f64,
}

impl Noise {
    /// σ²τ.
    pub(crate) fn information(self) -> f64 {
        self.spread * self.spread * self.correlation
    }
}

pub(crate) fn weight(u: f64) -> f64 {
    (1.0 + (u / ROBUST).powi(2)).sqrt().recip()
}

pub(crate) fn robust_cost(residuals: &[Vec<f64>], noise: Noise) -> f64 {
    let scale = ROBUST * ROBUST;
    let of = |r: &f64| scale * ((1.0 + (r / noise.spread).powi(2) / scale).sqrt() - 1.0);
    residuals.iter().flatten().map(of).sum::<f64>() / noise.correlation
}

/// Spread and correlation time of the errors; both from all trials.
pub(crate) fn noise_of(residuals: &[Vec<f64>]) -> Noise {
    let mut sizes: Vec<f64> = residuals.iter().flatten().map(|r| r.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let spread = (1.4826 * sizes.get(sizes.len() / 2).copied().unwrap_or(0.0)).max(FINEST);
    // clipped errors: an impact must not decide
    let clip = |r: f64| r.clamp(-3.0 * spread, 3.0 * spread);
    let longest = residuals.iter().map(|own| own.len() / 6 / 4).max().unwrap_or(0);
    let product = |lag: usize| -> f64 {
        let of = |own: &Vec<f64>| -> f64 {
            own.iter().zip(own.iter().skip(6 * lag)).map(|(a, b)| clip(*a) * clip(*b)).sum()
        };
        residuals.iter().map(of).sum()
    };
    let square = product(0).max(f64::MIN_POSITIVE);
    let mut correlation = 1.0;
    for lag in 1..longest {
        let own = product(lag) / square;
        if own < 0.05 {
            break;
        }
        correlation += 2.0 * own;
    }
    Noise { spread, correlation }
}
