//! A B-spline surface, rational or not: a tensor product of the curves' basis functions.
//!
//! ```text
//! S(u, v) = Σ N_i(u) N_j(v) w_ij P_ij / Σ N_i(u) N_j(v) w_ij
//! ```
//!
//! L. Piegl, W. Tiller, "The NURBS Book", 1997, section 4.4.

use nalgebra::{Vector3, Vector4};

use super::Frame;
use super::basis::basis;
use super::spline_curve::{check, homogeneous, placed};
use super::sweep::Local;

/// A B-spline surface.
#[derive(Clone, Debug, PartialEq)]
pub struct SplineSurface {
    degrees: [usize; 2],
    knots: [Vec<f64>; 2],
    /// Control points times weight, and weight; row by row in u.
    poles: Vec<Vector4<f64>>,
    /// Control points per row (along v).
    row: usize,
}

impl SplineSurface {
    /// Surface of these control points [m] (rows in u, columns in v), weights and knots.
    ///
    /// # Errors
    /// A text that says what is inconsistent.
    pub fn new(
        degrees: [usize; 2],
        rows: usize,
        points: &[Vector3<f64>],
        weights: Option<&[f64]>,
        knots: [Vec<f64>; 2],
    ) -> Result<Self, String> {
        if rows == 0 || !points.len().is_multiple_of(rows) {
            return Err("rows of control points of different lengths".into());
        }
        let row = points.len() / rows;
        check(degrees[0], rows, &knots[0])?;
        check(degrees[1], row, &knots[1])?;
        Ok(Self { degrees, knots, poles: homogeneous(points, weights)?, row })
    }

    /// First and last parameter in u and in v.
    #[must_use]
    pub fn range(&self) -> [[f64; 2]; 2] {
        let range = |k: usize| {
            let knots = &self.knots[k];
            [knots[self.degrees[k]], knots[knots.len() - 1 - self.degrees[k]]]
        };
        [range(0), range(1)]
    }

    /// Knots inside the range, in order, with both ends.
    #[must_use]
    pub fn breaks(&self, k: usize) -> Vec<f64> {
        let [start, end] = self.range()[k];
        let mut breaks: Vec<f64> =
            self.knots[k].iter().copied().filter(|&knot| knot >= start && knot <= end).collect();
        breaks.dedup();
        breaks
    }

    /// Degrees in u and v.
    #[must_use]
    pub fn degrees(&self) -> [usize; 2] {
        self.degrees
    }

    /// Control points [m].
    pub fn points(&self) -> impl Iterator<Item = Vector3<f64>> + '_ {
        self.poles.iter().map(|pole| pole.xyz() / pole.w)
    }

    /// The surface seen from outside a frame.
    #[must_use]
    pub fn placed(&self, outer: &Frame) -> Self {
        Self { poles: placed(&self.poles, outer), ..self.clone() }
    }

    /// Point and derivatives at (u, v).
    #[must_use]
    pub fn evaluate(&self, u: f64, v: f64) -> Local {
        let range = self.range();
        let a = basis(&self.knots[0], self.degrees[0], u.clamp(range[0][0], range[0][1]));
        let b = basis(&self.knots[1], self.degrees[1], v.clamp(range[1][0], range[1][1]));
        // s, s_u, s_v, s_uu, s_uv, s_vv in homogeneous coordinates
        let mut sums = [Vector4::zeros(); 6];
        for i in 0..=self.degrees[0] {
            let row = (a.first + i) * self.row + b.first;
            let mut along = [Vector4::zeros(); 3];
            for j in 0..=self.degrees[1] {
                let pole = self.poles[row + j];
                along[0] += pole * b.value[j];
                along[1] += pole * b.first_derivative[j];
                along[2] += pole * b.second_derivative[j];
            }
            sums[0] += along[0] * a.value[i];
            sums[1] += along[0] * a.first_derivative[i];
            sums[2] += along[1] * a.value[i];
            sums[3] += along[0] * a.second_derivative[i];
            sums[4] += along[1] * a.first_derivative[i];
            sums[5] += along[2] * a.value[i];
        }
        let w = sums[0].w;
        let point = sums[0].xyz() / w;
        let u = (sums[1].xyz() - point * sums[1].w) / w;
        let v = (sums[2].xyz() - point * sums[2].w) / w;
        let uu = (sums[3].xyz() - u * (2.0 * sums[1].w) - point * sums[3].w) / w;
        let uv = (sums[4].xyz() - u * sums[2].w - v * sums[1].w - point * sums[4].w) / w;
        let vv = (sums[5].xyz() - v * (2.0 * sums[2].w) - point * sums[5].w) / w;
        Local { point, u, v, uu, uv, vv }
    }
}
