//! The contact law of a register of rows, without branches (formulas in `contact_law.rs`).

use tightfit_spatial::{Simd, Wide, Wide3};

use super::contact_law::Touch;
use super::row_blocks::{PerRow, PerRow3, WideRows};

/// Upper bound of α: at one the slip law loses its root.
const LARGEST_RATIO: f64 = 0.999_999_9;

/// Stiffness of the rows of a register: K = a nᵀ + c h hᵀ + k I [kg].
#[derive(Clone, Copy)]
pub(super) struct Stiffness<S: Simd> {
    /// a [kg]; zero unless slipping.
    pub(super) ahead: Wide3<S>,
    /// h, a unit vector across normal and sliding.
    pub(super) across: Wide3<S>,
    /// c [kg]; zero unless slipping.
    pub(super) resistance: Wide<S>,
    /// k [kg]; zero unless sticking.
    pub(super) isotropic: Wide<S>,
}

/// The affine law p = q − K v of the rows of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct LawBlock {
    /// p of the last pass [N·s].
    pub(super) impulse: PerRow3,
    /// q [N·s].
    offset: PerRow3,
    ahead: PerRow3,
    across: PerRow3,
    resistance: PerRow,
    isotropic: PerRow,
    /// Prescribed state of each row, 1 closed or 0 open, where rows do not choose their state.
    pub(super) held: PerRow,
}

/// [v; ω] of a body in every lane.
pub(super) type WideTwist<S> = [Wide3<S>; 2];

/// Relative velocities of rows [m/s]; `SIDES` of the bodies are free.
#[inline(always)]
pub(super) fn relative<S: Simd, const SIDES: usize>(
    rows: &WideRows<S>,
    [a, b]: &[WideTwist<S>; 2],
) -> Wide3<S> {
    let own = a[0] + a[1].cross(rows.arms[0]) - rows.drift;
    if SIDES == 1 { own } else { own - (b[0] + b[1].cross(rows.arms[1])) }
}

/// p at the relative velocities `v`.
#[inline(always)]
pub(super) fn impulses<S: Simd>(rows: &WideRows<S>, v: Wide3<S>, softness: Wide<S>) -> Wide3<S> {
    let touch = Touch::of(rows.normal, v, rows.approach, rows.friction);
    let zero = Wide::splat(softness.simd(), 0.0);
    let stiffness = zero.is_below(touch.depth).keep(rows.rate * softness.recip());
    touch.direction(rows.normal) * stiffness
}

/// p and K at the relative velocities `v`.
#[inline(always)]
pub(super) fn impulses_and_stiffness<S: Simd>(
    rows: &WideRows<S>,
    v: Wide3<S>,
    softness: Wide<S>,
) -> (Wide3<S>, Stiffness<S>) {
    let n = rows.normal;
    let touch = Touch::of(n, v, rows.approach, rows.friction);
    let zero = Wide::splat(softness.simd(), 0.0);
    let stiffness = zero.is_below(touch.depth).keep(rows.rate * softness.recip());
    let sticks = touch.speed.is_at_most(touch.limit);
    let inverse = sticks.drop(touch.speed.recip());
    let e = touch.tangential * inverse;
    let slipping = sticks.drop(stiffness);
    let law = Stiffness {
        ahead: (n - e * rows.friction) * slipping,
        across: n.cross(e),
        resistance: slipping * touch.limit * inverse,
        isotropic: stiffness - slipping,
    };
    (touch.direction(n) * stiffness, law)
}

/// q and K of the affine law for the state of each row's trial impulse (`mixed_newton.rs`), from the impulses `p`.
/// Where `held` is given, it states which rows are closed instead.
#[inline(always)]
pub(super) fn mixed_laws<S: Simd>(
    rows: &WideRows<S>,
    v: Wide3<S>,
    p: Wide3<S>,
    softness: Wide<S>,
    held: Option<Wide<S>>,
) -> (Wide3<S>, Stiffness<S>) {
    let simd = softness.simd();
    let (zero, one) = (Wide::splat(simd, 0.0), Wide::splat(simd, 1.0));
    let kept = one - softness;
    let (n, rate, friction) = (rows.normal, rows.rate, rows.friction);
    let (normal_impulse, normal_speed) = (n.dot(p), n.dot(v));
    let trial_normal = kept * normal_impulse - rate * (normal_speed + rows.approach);
    let is_open = held.unwrap_or(trial_normal).is_at_most(zero);
    // A row that is held closed may pull.
    let trial_normal = zero.is_below(trial_normal).keep(trial_normal);
    let stiff = is_open.drop(rate * softness.recip());
    let trial = (p - n * normal_impulse) * kept - (v - n * normal_speed) * rate;
    let length = trial.norm();
    let sticks = length.is_at_most(friction * trial_normal);
    let inverse = length.is_at_most(zero).drop(length.recip());
    let along = trial * inverse;
    let across = n.cross(along);
    let ratio = (friction * trial_normal * inverse).or_less(Wide::splat(simd, LARGEST_RATIO));
    let gain = (one - ratio * kept).recip();
    let resistance = (ratio * rate * gain).or_less(stiff);
    let w = resistance * across.dot(v) - ratio * kept * gain * across.dot(p);

    // Open rows neither slip nor stick.
    let does_not_slip = sticks | is_open;
    let slipping = does_not_slip.drop(stiff);
    let ray = n + along * does_not_slip.drop(friction);
    let law = Stiffness {
        ahead: ray * slipping,
        across,
        resistance: does_not_slip.drop(resistance),
        isotropic: stiff - slipping,
    };
    (ray * (-stiff * rows.approach) + across * does_not_slip.drop(w), law)
}

impl<S: Simd> Stiffness<S> {
    /// K x.
    #[inline(always)]
    pub(super) fn times(&self, rows: &WideRows<S>, x: Wide3<S>) -> Wide3<S> {
        let aside = self.across * (self.resistance * self.across.dot(x));
        self.ahead * rows.normal.dot(x) + aside + x * self.isotropic
    }

    /// The rows of K.
    #[inline(always)]
    pub(super) fn matrix(&self, rows: &WideRows<S>) -> [Wide3<S>; 3] {
        let [a, b, c] = self.ahead.0;
        let [d, e, f] = (self.across * self.resistance).0;
        let (Wide3([nx, ny, nz]), Wide3([hx, hy, hz]), k) = (rows.normal, self.across, self.isotropic);
        [
            Wide3([k.plus(nx, a).plus(hx, d), (ny * a).plus(hy, d), (nz * a).plus(hz, d)]),
            Wide3([(nx * b).plus(hx, e), k.plus(ny, b).plus(hy, e), (nz * b).plus(hz, e)]),
            Wide3([(nx * c).plus(hx, f), (ny * c).plus(hy, f), k.plus(nz, c).plus(hz, f)]),
        ]
    }
}

impl LawBlock {
    /// p = q − K v of the rows of a register.
    #[inline(always)]
    pub(super) fn impulse_at<S: Simd>(&self, rows: &WideRows<S>, v: Wide3<S>, register: usize) -> Wide3<S> {
        let simd = rows.rate.simd();
        let law = Stiffness {
            ahead: Wide3::load(simd, &self.ahead, register),
            across: Wide3::load(simd, &self.across, register),
            resistance: Wide::load(simd, &self.resistance, register),
            isotropic: Wide::load(simd, &self.isotropic, register),
        };
        Wide3::load(simd, &self.offset, register) - law.times(rows, v)
    }

    /// Whether the law of a row is that of a closed contact.
    pub(super) fn is_closed(&self, lane: usize) -> bool {
        self.isotropic[lane] > 0.0 || self.ahead.iter().any(|axis| axis[lane] != 0.0)
    }

    /// Stores q and K of the rows of a register.
    #[inline(always)]
    pub(super) fn keep<S: Simd>(&mut self, offset: Wide3<S>, law: &Stiffness<S>, register: usize) {
        offset.store(&mut self.offset, register);
        law.ahead.store(&mut self.ahead, register);
        law.across.store(&mut self.across, register);
        law.resistance.store(&mut self.resistance, register);
        law.isotropic.store(&mut self.isotropic, register);
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;
    use tightfit_spatial::Scalar;

    use super::*;
    use crate::solving::contact_law::ContactRow;
    use crate::solving::row_blocks::{BLOCK_ROWS, RowBlocks};

    fn rows() -> Vec<ContactRow> {
        let row = ContactRow::example();
        let at = |k: u32| ContactRow { arm_a: row.arm_a * f64::from(k), contact: k, ..row.clone() };
        (0..5).map(at).collect()
    }

    /// Normal and tangential speeds that stick, slip, slip at little depth, and separate.
    const CASES: [(f64, f64); 4] = [(-0.5, 0.05), (-0.5, 0.9), (-0.11, 3.0), (0.2, 0.3)];

    fn velocity(row: &ContactRow, (normal, along): (f64, f64)) -> Vector3<f64> {
        row.normal * normal + Vector3::new(2.0, -1.0, 0.0) / 5_f64.sqrt() * along
    }

    /// The lanes of a block, one by one.
    fn lanes(rows: &[ContactRow]) -> Vec<WideRows<Scalar>> {
        let mut blocks = RowBlocks::default();
        blocks.load(rows);
        (0..BLOCK_ROWS).map(|lane| blocks.blocks[0].wide(Scalar::new(), lane)).collect()
    }

    #[test]
    fn blocks_and_single_rows_have_equal_impulses_and_empty_lanes_none() {
        let rows = rows();
        for case in CASES {
            let v = velocity(&rows[0], case);
            for (lane, wide) in lanes(&rows).iter().enumerate() {
                let expected = rows.get(lane).and_then(|row| row.impulse(&v, 0.1)).unwrap_or_default();
                let (v, softness) = (Wide3::one(&v), Wide::one(0.1));
                let (also, _) = impulses_and_stiffness(wide, v, softness);
                for found in [impulses(wide, v, softness), also] {
                    assert!((found.value() - expected).norm() < 1e-14, "{case:?} {lane}");
                }
            }
        }
    }

    #[test]
    fn the_stiffness_is_minus_the_slope_of_the_impulse() {
        let rows = rows();
        let wide = &lanes(&rows)[1];
        for case in CASES {
            let (v, softness) = (velocity(&rows[0], case), Wide::one(0.1));
            let (_, law) = impulses_and_stiffness(wide, Wide3::one(&v), softness);
            let matrix = law.matrix(wide).map(Wide3::value);
            for axis in 0..3 {
                let unit = Vector3::ith(axis, 1.0);
                let at = |step: f64| impulses(wide, Wide3::one(&(v + unit * step)), softness).value();
                let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
                assert!(
                    (slope + law.times(wide, Wide3::one(&unit)).value()).norm() < 1e-6,
                    "{case:?} {axis}"
                );
                let column = Vector3::from(matrix.map(|line| line[axis]));
                assert!((slope + column).norm() < 1e-6, "{case:?} {axis}");
            }
        }
    }
}
