//! The frame of a contact, and D = J W Jᵀ in it.
//!
//! ```text
//! W = [A B; C E]        D = A + B S − S C − S E S,   S x = ρ × x        summed over the free bodies of the contact
//! ```
//!
//! ρ arm [m], W response of a body (change of [v; ω] per generalised impulse), D [1/kg].
//! Products are rounded one by one here, so that all register widths and `nalgebra` give the same bits.
//! No closures: the compiler does not always inline them, and outside its caller a register operation is a call.

use nalgebra::{Matrix3, Matrix6};
use tightfit_spatial::{Scalar, Simd, Wide, Wide3};

use super::problem::VelocityProblem;
use crate::records::NOT_FREE;

/// The rows of a 3×3 matrix.
pub(super) type WideMatrix<S> = [Wide3<S>; 3];

/// Rows n, t₁, t₂: t₁ is normal to n and to the axis that is least along n.
#[inline(always)]
pub(super) fn frame_of<S: Simd>(n: Wide3<S>) -> WideMatrix<S> {
    let [x, y, z] = n.0;
    let zero = Wide::splat(x.simd(), 0.0);
    let (is_x, is_y) = (x.abs().is_at_most(y.abs().or_less(z.abs())), y.abs().is_at_most(z.abs()));
    let first = Wide3([
        is_x.choose(zero, is_y.choose(-z, y)),
        is_x.choose(z, is_y.choose(zero, -x)),
        is_x.choose(-y, is_y.choose(x, zero)),
    ]);
    let [x, y, z] = first.0;
    let length = dot(first, first).sqrt();
    let first = Wide3([x / length, y / length, z / length]);
    [n, first, cross(n, first)]
}

/// M x.
#[inline(always)]
pub(super) fn apply<S: Simd>(matrix: &WideMatrix<S>, x: Wide3<S>) -> Wide3<S> {
    Wide3([dot(matrix[0], x), dot(matrix[1], x), dot(matrix[2], x)])
}

/// D of one body in world axes.
#[inline(always)]
pub(super) fn body_delassus<S: Simd>(response: &Matrix6<f64>, arm: Wide3<S>) -> WideMatrix<S> {
    let simd = arm.0[0].simd();
    let (a, b) = (part(simd, response, 0, 0), part(simd, response, 0, 3));
    let c = times_cross(arm, part(simd, response, 3, 0));
    let e = times_cross(arm, part(simd, response, 3, 3));
    [
        a[0] + cross(b[0], arm) - c[0] - cross(e[0], arm),
        a[1] + cross(b[1], arm) - c[1] - cross(e[1], arm),
        a[2] + cross(b[2], arm) - c[2] - cross(e[2], arm),
    ]
}

/// The 3×3 part of W that starts at this row and column.
#[inline(always)]
fn part<S: Simd>(simd: S, response: &Matrix6<f64>, row: usize, column: usize) -> WideMatrix<S> {
    let part = response.fixed_view::<3, 3>(row, column);
    [
        Wide3::splat(simd, &part.row(0).transpose()),
        Wide3::splat(simd, &part.row(1).transpose()),
        Wide3::splat(simd, &part.row(2).transpose()),
    ]
}

/// F D Fᵀ.
#[inline(always)]
pub(super) fn turned_into<S: Simd>(frame: &WideMatrix<S>, delassus: &WideMatrix<S>) -> WideMatrix<S> {
    [
        apply(frame, combined(delassus, frame[0])),
        apply(frame, combined(delassus, frame[1])),
        apply(frame, combined(delassus, frame[2])),
    ]
}

/// Mᵀ x.
#[inline(always)]
fn combined<S: Simd>(matrix: &WideMatrix<S>, x: Wide3<S>) -> Wide3<S> {
    matrix[0] * x.0[0] + matrix[1] * x.0[1] + matrix[2] * x.0[2]
}

/// The frame of one contact as columns [n t₁ t₂] in world axes, and its D in that frame.
pub(super) fn frame_and_delassus(problem: &VelocityProblem<'_>, contact: usize) -> [Matrix3<f64>; 2] {
    let frame = frame_of(Wide3::one(&problem.contacts.normal.get(contact)));
    let delassus = turned_into(&frame, &world_delassus(problem, contact));
    [matrix(&frame).transpose(), matrix(&delassus)]
}

/// D of one contact in world axes.
pub(super) fn world_delassus(problem: &VelocityProblem<'_>, contact: usize) -> WideMatrix<Scalar> {
    let contacts = problem.contacts;
    let of_body = |body: u32, arm| body_delassus(&problem.response[body as usize], Wide3::one(&arm));
    let first = of_body(contacts.body_a[contact], contacts.arm_a.get(contact));
    match contacts.body_b[contact] {
        NOT_FREE => first,
        body => sum(first, of_body(body, contacts.second_arm(contact))),
    }
}

#[inline(always)]
pub(super) fn sum<S: Simd>(a: WideMatrix<S>, b: WideMatrix<S>) -> WideMatrix<S> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn matrix(rows: &WideMatrix<Scalar>) -> Matrix3<f64> {
    Matrix3::from_rows(&rows.map(|row| row.value().transpose()))
}

/// S M, S x = arm × x.
#[inline(always)]
fn times_cross<S: Simd>(arm: Wide3<S>, [a, b, c]: WideMatrix<S>) -> WideMatrix<S> {
    let [x, y, z] = arm.0;
    [c * y - b * z, a * z - c * x, b * x - a * y]
}

#[inline(always)]
fn cross<S: Simd>(a: Wide3<S>, b: Wide3<S>) -> Wide3<S> {
    let ([x, y, z], [a, b, c]) = (a.0, b.0);
    Wide3([y * c - z * b, z * a - x * c, x * b - y * a])
}

#[inline(always)]
pub(super) fn dot<S: Simd>(a: Wide3<S>, b: Wide3<S>) -> Wide<S> {
    let ([x, y, z], [a, b, c]) = (a.0, b.0);
    x * a + y * b + z * c
}
