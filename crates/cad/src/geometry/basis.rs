//! B-spline basis functions and their first two derivatives.
//!
//! ```text
//! N_i,0(t) = 1 on [t_i, t_i+1)
//! N_i,p(t) = (t − t_i)/(t_i+p − t_i) N_i,p−1 + (t_i+p+1 − t)/(t_i+p+1 − t_i+1) N_i+1,p−1
//! N'_i,p   = p/(t_i+p − t_i) N_i,p−1 − p/(t_i+p+1 − t_i+1) N_i+1,p−1
//! ```
//!
//! L. Piegl, W. Tiller, "The NURBS Book", 1997, sections 2.2 and 2.3.

/// Highest degree that is read; CAD kernels write at most 25.
pub(crate) const HIGHEST_DEGREE: usize = 25;
const COUNT: usize = HIGHEST_DEGREE + 1;

/// Values, first and second derivatives of the degree + 1 functions that are not zero.
pub(crate) struct Basis {
    /// Number of the first function.
    pub first: usize,
    pub value: [f64; COUNT],
    pub first_derivative: [f64; COUNT],
    pub second_derivative: [f64; COUNT],
}

/// The span [t_k, t_k+1) that holds t; the last one that is not empty at the end.
pub(crate) fn span(knots: &[f64], degree: usize, t: f64) -> usize {
    let last = knots.len() - degree - 2;
    let place = knots[degree + 1..=last + 1].partition_point(|&knot| knot <= t);
    let mut span = (degree + place).min(last);
    while span > degree && knots[span] >= knots[span + 1] {
        span -= 1;
    }
    span
}

/// Basis at t for functions of `degree` on `knots`.
pub(crate) fn basis(knots: &[f64], degree: usize, t: f64) -> Basis {
    let k = span(knots, degree, t);
    // rows of functions by degree: level[p][j] = N_{k−p+j, p}; only the last three are needed
    let mut lower = [0.0; COUNT];
    let mut low = [0.0; COUNT];
    let mut value = [0.0; COUNT];
    value[0] = 1.0;
    for p in 1..=degree {
        if p + 1 == degree {
            lower = value;
        }
        if p == degree {
            low = value;
        }
        let mut saved = 0.0;
        for j in 0..p {
            let (left, right) = (knots[k + 1 + j - p], knots[k + 1 + j]);
            let share = if right > left { value[j] / (right - left) } else { 0.0 };
            value[j] = saved + (right - t) * share;
            saved = (t - left) * share;
        }
        value[p] = saved;
    }
    if degree == 1 {
        lower = [0.0; COUNT];
    }
    let first_derivative = derivative(knots, k, degree, &low);
    let second_derivative = if degree >= 2 {
        let inner = derivative(knots, k, degree - 1, &lower);
        derivative(knots, k, degree, &inner)
    } else {
        [0.0; COUNT]
    };
    Basis { first: k - degree, value, first_derivative, second_derivative }
}

/// Derivatives of the functions of degree p from (derivatives of) those of degree p − 1.
fn derivative(knots: &[f64], k: usize, p: usize, low: &[f64; COUNT]) -> [f64; COUNT] {
    let mut out = [0.0; COUNT];
    if p == 0 {
        return out;
    }
    let factor = p as f64;
    for j in 0..p {
        // N_{k−p+1+j, p−1} lies between the functions j and j + 1 of degree p
        let (left, right) = (knots[k + 1 + j - p], knots[k + 1 + j]);
        let share = if right > left { factor * low[j] / (right - left) } else { 0.0 };
        out[j] -= share;
        out[j + 1] += share;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_sum_to_one_and_derivatives_match_differences() {
        let knots = [0.0, 0.0, 0.0, 0.0, 0.3, 0.3, 0.7, 1.0, 1.0, 1.0, 1.0];
        for t in [0.1, 0.31, 0.5, 0.9] {
            let here = basis(&knots, 3, t);
            assert!((here.value[..4].iter().sum::<f64>() - 1.0).abs() < 1e-14);
            let h = 1e-5;
            let (before, after) = (basis(&knots, 3, t - h), basis(&knots, 3, t + h));
            for j in 0..4 {
                let first = (after.value[j] - before.value[j]) / (2.0 * h);
                assert!((first - here.first_derivative[j]).abs() < 1e-7);
                let second = (after.first_derivative[j] - before.first_derivative[j]) / (2.0 * h);
                assert!((second - here.second_derivative[j]).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn degree_one_has_no_second_derivative() {
        let here = basis(&[0.0, 0.0, 1.0, 1.0], 1, 0.25);
        assert_eq!(here.value[..2], [0.75, 0.25]);
        assert_eq!(here.first_derivative[..2], [-1.0, 1.0]);
        assert_eq!(here.second_derivative[..2], [0.0, 0.0]);
    }
}
