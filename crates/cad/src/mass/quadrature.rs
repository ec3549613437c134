//! Gauss-Legendre quadrature: n nodes integrate polynomials of degree 2n − 1 exactly.

/// Number of nodes per panel.
const COUNT: usize = 12;

/// Nodes in (−1, 1) with their weights.
#[derive(Clone, Debug)]
pub(crate) struct Gauss([[f64; 2]; COUNT]);

impl Gauss {
    /// The roots of the Legendre polynomial, by Newton's method.
    pub(crate) fn new() -> Self {
        let mut rule = [[0.0; 2]; COUNT];
        for (k, entry) in rule.iter_mut().enumerate() {
            let mut x = libm::cos(std::f64::consts::PI * (k as f64 + 0.75) / (COUNT as f64 + 0.5));
            let mut slope = 0.0;
            for _ in 0..8 {
                let (mut before, mut here) = (1.0, x);
                for n in 2..=COUNT {
                    let n = n as f64;
                    (before, here) = (here, ((2.0 * n - 1.0) * x * here - (n - 1.0) * before) / n);
                }
                slope = COUNT as f64 * (x * here - before) / (x * x - 1.0);
                x -= here / slope;
            }
            *entry = [x, 2.0 / ((1.0 - x * x) * slope * slope)];
        }
        Self(rule)
    }

    /// Calls with each node and weight of the interval from a to b; b may be below a.
    pub(crate) fn each(&self, a: f64, b: f64, mut visit: impl FnMut(f64, f64)) {
        let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
        self.0.iter().for_each(|[x, w]| visit(middle + half * x, half * w));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_exact() {
        let rule = Gauss::new();
        let mut sum = 0.0;
        rule.each(0.5, 2.0, |x, w| sum += w * x.powi(11));
        let exact = (2.0f64.powi(12) - 0.5f64.powi(12)) / 12.0;
        assert!((sum / exact - 1.0).abs() < 1e-14);
    }
}
