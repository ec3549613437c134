//! SIMD numbers and vectors, for loops that the compiler does not vectorise by itself.
//!
//! Formulas read as for single numbers. Every width gives the same bits, one lane included, so one formula serves a
//! single row and eight rows. A product is fused with a sum only in [`Wide::plus`] and [`Wide::less`].
//!
//! This file, and the loops that use these types, write arrays out instead of calling `map`: the compiler may compile
//! the closure of `map` as a separate function without the wide registers.

use std::ops::{Add, BitOr, Div, Mul, Neg, Sub};

use nalgebra::Vector3;
use pulp::{Scalar, Simd};

/// One number per lane.
#[derive(Clone, Copy, Debug)]
pub struct Wide<S: Simd> {
    simd: S,
    lanes: S::f64s,
}

/// One boolean per lane.
#[derive(Clone, Copy)]
pub struct Mask<S: Simd> {
    simd: S,
    lanes: S::m64s,
}

/// The first registers of a column, for reading; each register is completely filled.
#[derive(Clone, Copy)]
pub struct Registers<'a, S: Simd> {
    simd: S,
    all: &'a [S::f64s],
}

impl<'a, S: Simd> Registers<'a, S> {
    /// The first `count` registers; panics when the column is shorter.
    #[inline(always)]
    pub fn of(simd: S, column: &'a [f64], count: usize) -> Self {
        Self { simd, all: &S::as_simd_f64s(column).0[..count] }
    }

    /// The numbers of one register.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, register: usize) -> Wide<S> {
        Wide { simd: self.simd, lanes: self.all[register] }
    }
}

/// The first registers of a column, for writing.
pub struct RegistersMut<'a, S: Simd> {
    all: &'a mut [S::f64s],
}

impl<'a, S: Simd> RegistersMut<'a, S> {
    /// The first `count` registers; panics when the column is shorter.
    #[inline(always)]
    pub fn of(_: S, column: &'a mut [f64], count: usize) -> Self {
        Self { all: &mut S::as_mut_simd_f64s(column).0[..count] }
    }

    /// Writes one register.
    #[inline(always)]
    pub fn put(&mut self, register: usize, value: Wide<S>) {
        self.all[register] = value.lanes;
    }
}

/// One vector per lane.
#[derive(Clone, Copy, Debug)]
pub struct Wide3<S: Simd>(pub [Wide<S>; 3]);

impl<S: Simd> Wide<S> {
    /// The same number in every lane.
    #[inline(always)]
    pub fn splat(simd: S, value: f64) -> Self {
        Self { simd, lanes: simd.splat_f64s(value) }
    }

    /// Reads one register of a column.
    #[inline(always)]
    pub fn load(simd: S, column: &[f64], register: usize) -> Self {
        Self { simd, lanes: S::as_simd_f64s(column).0[register] }
    }

    /// Writes one register of a column.
    #[inline(always)]
    pub fn store(self, column: &mut [f64], register: usize) {
        S::as_mut_simd_f64s(column).0[register] = self.lanes;
    }

    /// Adds to one register of a column.
    #[inline(always)]
    pub fn add_to(self, column: &mut [f64], register: usize) {
        let sum = &mut S::as_mut_simd_f64s(column).0[register];
        *sum = self.simd.add_f64s(*sum, self.lanes);
    }

    /// The instruction set.
    #[inline(always)]
    pub fn simd(self) -> S {
        self.simd
    }

    /// x + a b, fused: rounded once.
    #[inline(always)]
    #[must_use]
    pub fn plus(self, a: Self, b: Self) -> Self {
        Self { lanes: self.simd.mul_add_f64s(a.lanes, b.lanes, self.lanes), ..self }
    }

    /// x − a b, fused: rounded once.
    #[inline(always)]
    #[must_use]
    pub fn less(self, a: Self, b: Self) -> Self {
        Self { lanes: self.simd.negate_mul_add_f64s(a.lanes, b.lanes, self.lanes), ..self }
    }

    /// √x.
    #[inline(always)]
    #[must_use]
    pub fn sqrt(self) -> Self {
        Self { lanes: self.simd.sqrt_f64s(self.lanes), ..self }
    }

    /// |x|.
    #[inline(always)]
    #[must_use]
    pub fn abs(self) -> Self {
        self.is_below(self.zero()).choose(-self, self)
    }

    /// 1/x.
    #[inline(always)]
    #[must_use]
    pub fn recip(self) -> Self {
        Self { lanes: self.simd.div_f64s(self.simd.splat_f64s(1.0), self.lanes), ..self }
    }

    /// Minimum over the lanes; no lane may be NaN.
    #[inline(always)]
    pub fn smallest(self) -> f64 {
        self.simd.reduce_min_f64s(self.lanes)
    }

    /// Sum over the lanes; the order of summation depends on the number of lanes.
    #[inline(always)]
    pub fn total(self) -> f64 {
        self.simd.reduce_sum_f64s(self.lanes)
    }

    /// x < y; false where either is NaN.
    #[inline(always)]
    pub fn is_below(self, other: Self) -> Mask<S> {
        Mask { simd: self.simd, lanes: self.simd.less_than_f64s(self.lanes, other.lanes) }
    }

    /// x ≤ y; false where either is NaN.
    #[inline(always)]
    pub fn is_at_most(self, other: Self) -> Mask<S> {
        Mask { simd: self.simd, lanes: self.simd.less_than_or_equal_f64s(self.lanes, other.lanes) }
    }

    /// Minimum per lane; `other` unless x < `other`.
    #[inline(always)]
    #[must_use]
    pub fn or_less(self, other: Self) -> Self {
        self.is_below(other).choose(self, other)
    }

    #[inline(always)]
    fn zero(self) -> Self {
        Self::splat(self.simd, 0.0)
    }
}

impl Wide<Scalar> {
    /// A single number.
    #[inline(always)]
    #[must_use]
    pub fn one(value: f64) -> Self {
        Self { simd: Scalar::new(), lanes: value }
    }

    /// The number.
    #[inline(always)]
    #[must_use]
    pub fn value(self) -> f64 {
        self.lanes
    }
}

impl<S: Simd> Mask<S> {
    /// Selects `yes` where the mask is set, `no` elsewhere.
    #[inline(always)]
    #[must_use]
    pub fn choose(self, yes: Wide<S>, no: Wide<S>) -> Wide<S> {
        Wide { simd: self.simd, lanes: self.simd.select_f64s(self.lanes, yes.lanes, no.lanes) }
    }

    /// Whether the mask is set in every lane.
    #[inline(always)]
    #[must_use]
    pub fn is_everywhere(self) -> bool {
        self.keep(Wide::splat(self.simd, 1.0)).smallest() > 0.0
    }

    /// x where the mask is set, 0 elsewhere.
    #[inline(always)]
    #[must_use]
    pub fn keep(self, x: Wide<S>) -> Wide<S> {
        self.choose(x, x.zero())
    }

    /// 0 where the mask is set, x elsewhere.
    #[inline(always)]
    #[must_use]
    pub fn drop(self, x: Wide<S>) -> Wide<S> {
        self.choose(x.zero(), x)
    }
}

impl<S: Simd> BitOr for Mask<S> {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self { lanes: self.simd.or_m64s(self.lanes, other.lanes), ..self }
    }
}

impl<S: Simd> Add for Wide<S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { lanes: self.simd.add_f64s(self.lanes, other.lanes), ..self }
    }
}

impl<S: Simd> Sub for Wide<S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { lanes: self.simd.sub_f64s(self.lanes, other.lanes), ..self }
    }
}

impl<S: Simd> Mul for Wide<S> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self { lanes: self.simd.mul_f64s(self.lanes, other.lanes), ..self }
    }
}

impl<S: Simd> Div for Wide<S> {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self { lanes: self.simd.div_f64s(self.lanes, other.lanes), ..self }
    }
}

impl<S: Simd> Neg for Wide<S> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { lanes: self.simd.neg_f64s(self.lanes), ..self }
    }
}

impl<S: Simd> Wide3<S> {
    /// The same vector in every lane.
    #[inline(always)]
    pub fn splat(simd: S, value: &Vector3<f64>) -> Self {
        Self([Wide::splat(simd, value.x), Wide::splat(simd, value.y), Wide::splat(simd, value.z)])
    }

    /// Reads one register of each of three columns.
    #[inline(always)]
    pub fn load<const LANES: usize>(simd: S, columns: &[[f64; LANES]; 3], register: usize) -> Self {
        let [x, y, z] = columns;
        Self([Wide::load(simd, x, register), Wide::load(simd, y, register), Wide::load(simd, z, register)])
    }

    /// Writes one register of each of three columns.
    #[inline(always)]
    pub fn store<const LANES: usize>(self, columns: &mut [[f64; LANES]; 3], register: usize) {
        let ([x, y, z], [a, b, c]) = (self.0, columns);
        x.store(a, register);
        y.store(b, register);
        z.store(c, register);
    }

    /// a·b.
    #[inline(always)]
    pub fn dot(self, other: Self) -> Wide<S> {
        let ([x, y, z], [a, b, c]) = (self.0, other.0);
        (x * a).plus(y, b).plus(z, c)
    }

    /// a × b.
    #[inline(always)]
    #[must_use]
    pub fn cross(self, other: Self) -> Self {
        let ([x, y, z], [a, b, c]) = (self.0, other.0);
        Self([(y * c).less(z, b), (z * a).less(x, c), (x * b).less(y, a)])
    }

    /// |a|.
    #[inline(always)]
    pub fn norm(self) -> Wide<S> {
        self.dot(self).sqrt()
    }
}

impl Wide3<Scalar> {
    /// A single vector.
    #[inline(always)]
    #[must_use]
    pub fn one(value: &Vector3<f64>) -> Self {
        Self::splat(Scalar::new(), value)
    }

    /// The vector.
    #[inline(always)]
    #[must_use]
    pub fn value(self) -> Vector3<f64> {
        let [x, y, z] = self.0;
        Vector3::new(x.value(), y.value(), z.value())
    }
}

impl<S: Simd> Add for Wide3<S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([x, y, z], [a, b, c]) = (self.0, other.0);
        Self([x + a, y + b, z + c])
    }
}

impl<S: Simd> Sub for Wide3<S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let ([x, y, z], [a, b, c]) = (self.0, other.0);
        Self([x - a, y - b, z - c])
    }
}

impl<S: Simd> Neg for Wide3<S> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        let [x, y, z] = self.0;
        Self([-x, -y, -z])
    }
}

impl<S: Simd> Mul<Wide<S>> for Wide3<S> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, factor: Wide<S>) -> Self {
        let [x, y, z] = self.0;
        Self([x * factor, y * factor, z * factor])
    }
}
