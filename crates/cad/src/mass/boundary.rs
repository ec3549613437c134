//! Integrals along the boundary of a face.

use nalgebra::Vector3;

use super::parameters::{Inner, Parameters};
use super::quadrature::Gauss;
use super::{MOMENTS, Moments, integrands};
use crate::Solid;
use crate::geometry::Curve;
use crate::solid::Face;

impl Solid {
    /// Moments of a face about an origin; positive for an outward normal.
    pub(super) fn face_moments(&self, face: &Face, origin: Vector3<f64>) -> Option<Moments> {
        let gauss = Gauss::new();
        let (parameters, inner) = Parameters::of(self, face)?;
        let mut sums = [0.0; MOMENTS];
        let mut add = |moments: &Moments, weight: f64| {
            sums.iter_mut().zip(moments).for_each(|(sum, own)| *sum += weight * own);
        };
        // − ∮ H du, or ∮ G dv where the inner integral runs over u; loops are counter-clockwise about the outward
        // normal, which turns them and the area vector together
        let turn = if inner.over == 1 { -1.0 } else { 1.0 };
        for used in &face.boundary {
            let edge = &self.edges[used.edge as usize];
            let way = if used.along { turn } else { -turn };
            for pair in panels(&edge.curve, edge.range).windows(2) {
                gauss.each(pair[0], pair[1], |t, weight| {
                    let [point, tangent, _] = edge.curve.evaluate(t);
                    let [u, v] = parameters.of_point(point, (used.edge, t));
                    let [_, along_u, along_v] = parameters.evaluate(u, v);
                    let speed = outer_speed(along_u, along_v, tangent, inner.over);
                    if speed != 0.0 {
                        add(
                            &inner_integral(&parameters, inner, [u, v], origin, &gauss),
                            way * weight * speed,
                        );
                    }
                });
            }
        }
        for (at, [a, b], sign) in parameters.poles(self, face, inner) {
            for pair in (0..16).map(|k| [k, k + 1].map(|k| a + (b - a) * f64::from(k) / 16.0)) {
                gauss.each(pair[0], pair[1], |outer, weight| {
                    let at = if inner.over == 1 { [outer, at] } else { [at, outer] };
                    let moments = inner_integral(&parameters, inner, at, origin, &gauss);
                    add(&moments, sign * face.sign * weight);
                });
            }
        }
        sums.iter().all(|sum| sum.is_finite()).then_some(sums)
    }
}

/// Derivative of the outer parameter along an edge: least squares of Sᵤ u' + Sᵥ v' = C'.
fn outer_speed(u: Vector3<f64>, v: Vector3<f64>, tangent: Vector3<f64>, inner: usize) -> f64 {
    let (uu, uv, vv) = (u.norm_squared(), u.dot(&v), v.norm_squared());
    let (a, b) = (u.dot(&tangent), v.dot(&tangent));
    let determinant = uu * vv - uv * uv;
    if determinant <= 1e-14 * uu * vv {
        return 0.0;
    }
    if inner == 1 { (a * vv - b * uv) / determinant } else { (b * uu - a * uv) / determinant }
}

fn inner_integral(
    parameters: &Parameters,
    inner: Inner,
    at: [f64; 2],
    origin: Vector3<f64>,
    gauss: &Gauss,
) -> Moments {
    let mut sums = [0.0; MOMENTS];
    for pair in parameters.panels(inner.over, inner.from, at[inner.over]).windows(2) {
        gauss.each(pair[0], pair[1], |x, weight| {
            let [u, v] = if inner.over == 1 { [at[0], x] } else { [x, at[1]] };
            let [point, along_u, along_v] = parameters.evaluate(u, v);
            let moments = integrands(point - origin, along_u.cross(&along_v));
            sums.iter_mut().zip(moments).for_each(|(sum, own)| *sum += weight * own);
        });
    }
    sums
}

/// Ends of panels along an edge.
fn panels(curve: &Curve, range: [f64; 2]) -> Vec<f64> {
    let cuts = curve.pieces(range);
    let count = match curve {
        Curve::Line { .. } => 2,
        Curve::Circle(..) => ((range[1] - range[0]) / 0.5).ceil().max(1.0) as usize,
        _ => 2,
    };
    let part = |pair: &[f64], k: usize| pair[0] + (pair[1] - pair[0]) * k as f64 / count as f64;
    let mut fine: Vec<f64> =
        cuts.windows(2).flat_map(|pair| (0..count).map(move |k| part(pair, k)).collect::<Vec<_>>()).collect();
    fine.extend(cuts.last());
    fine
}
