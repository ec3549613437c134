//! One round of the network over contacts side by side in registers.
//!
//! ```text
//! h  = max(z, slope z)                                         of every hidden sum z
//! z₁ = base + A own_i + B other_l                              relation, first layer composed with X
//! e_i = Σ_l h₄(h₃(h₂(h₁)))                                     divided by its length where the options say so
//! out_i = linear(h(h(base' + A' own_i + C e_i)))               object
//! ```
//!
//! Lanes are contacts; neighbours come one after another, so that every width gives the same bits.

use tightfit_spatial::{Simd, WithSimd, with_registers};

use super::InteractionOptions;
use super::inputs::{AffineInputs, INPUTS};

/// Contacts in the widest register: columns are multiples of it long.
pub const LANES: usize = 8;

const HIDDEN: usize = 16;
const EFFECTS: usize = 4;
const OBJECT: usize = 8;

/// One layer: a row of weights per output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dense<'a> {
    pub(super) inputs: usize,
    pub(super) weights: &'a [f64],
    pub(super) biases: &'a [f64],
}

/// A relation and an object network, the first layers composed with X. `D` numbers of a contact differ: point (and normal).
pub(super) struct Round<'a, const D: usize, const OUT: usize> {
    base: [f64; HIDDEN],
    own: [[f64; D]; HIDDEN],
    other: [[f64; D]; HIDDEN],
    relation: [Dense<'a>; 3],
    object_base: [f64; OBJECT],
    object_own: [[f64; D]; OBJECT],
    object_effect: [[f64; EFFECTS]; OBJECT],
    object: [Dense<'a>; 2],
}

impl<'a, const D: usize, const OUT: usize> Round<'a, D, OUT> {
    pub(super) fn new(inputs: &AffineInputs, relation: [Dense<'a>; 4], object: [Dense<'a>; 3]) -> Self {
        let width = INPUTS + D - 3;
        let [first, relation @ ..] = relation;
        let [object_first, object @ ..] = object;
        let mut round = Self {
            base: [0.0; HIDDEN],
            own: [[0.0; D]; HIDDEN],
            other: [[0.0; D]; HIDDEN],
            relation,
            object_base: [0.0; OBJECT],
            object_own: [[0.0; D]; OBJECT],
            object_effect: [[0.0; EFFECTS]; OBJECT],
            object,
        };
        for output in 0..HIDDEN {
            let row = &first.weights[output * first.inputs..][..first.inputs];
            let (own_base, own) = composed(inputs, &row[..width]);
            let (other_base, other) = composed(inputs, &row[width..]);
            round.base[output] = first.biases[output] + own_base + other_base;
            (round.own[output], round.other[output]) = (own, other);
        }
        for output in 0..OBJECT {
            let row = &object_first.weights[output * object_first.inputs..][..object_first.inputs];
            let (base, own) = composed(inputs, &row[..width]);
            round.object_base[output] = object_first.biases[output] + base;
            round.object_own[output] = own;
            round.object_effect[output].copy_from_slice(&row[width..]);
        }
        round
    }
}

/// Constant and slopes of a row of weights on X (and the normal) as a function of the point (and the normal).
fn composed<const D: usize>(inputs: &AffineInputs, row: &[f64]) -> (f64, [f64; D]) {
    let mut slope = [0.0; D];
    let mut constant = 0.0;
    for (weight, (own_constant, own_slope)) in row.iter().zip(inputs.constant.iter().zip(&inputs.slope)) {
        constant += weight * own_constant;
        slope.iter_mut().zip(own_slope).for_each(|(slope, own)| *slope += weight * own);
    }
    // the normal enters as it is
    slope[3..].copy_from_slice(&row[INPUTS..]);
    (constant, slope)
}

/// A round over columns of `stride` contacts: `D` columns of their own, `D` for each of those they are held against.
pub(super) struct RoundTask<'a, const D: usize, const OUT: usize> {
    pub(super) round: Round<'a, D, OUT>,
    pub(super) options: &'a InteractionOptions,
    pub(super) stride: usize,
    pub(super) own: &'a [f64],
    pub(super) others: &'a [f64],
}

impl<const D: usize, const OUT: usize> RoundTask<'_, D, OUT> {
    /// Writes `OUT` columns.
    pub(super) fn run(&self, out: &mut [f64]) {
        with_registers(InRegisters { task: self, out });
    }
}

struct InRegisters<'a, const D: usize, const OUT: usize> {
    task: &'a RoundTask<'a, D, OUT>,
    out: &'a mut [f64],
}

impl<const D: usize, const OUT: usize> WithSimd for InRegisters<'_, D, OUT> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { task, out } = self;
        let RoundTask { round, options, stride, own, others } = task;
        let slope = (options.slope > 0.0).then(|| simd.splat_f64s(options.slope));
        for register in 0..stride / S::F64_LANES {
            let mut place = [simd.splat_f64s(0.0); D];
            for (axis, place) in place.iter_mut().enumerate() {
                *place = load::<S>(&own[axis * stride..(axis + 1) * stride], register);
            }
            let base = affine(simd, &round.base, &round.own, &place);
            let mut effects = [simd.splat_f64s(0.0); EFFECTS];
            for other in others.chunks_exact(D * stride) {
                let mut place = [simd.splat_f64s(0.0); D];
                for (axis, place) in place.iter_mut().enumerate() {
                    *place = load::<S>(&other[axis * stride..(axis + 1) * stride], register);
                }
                let mut hidden = base;
                for (sum, slopes) in hidden.iter_mut().zip(&round.other) {
                    for (slope, place) in slopes.iter().zip(&place) {
                        *sum = simd.mul_add_f64s(simd.splat_f64s(*slope), *place, *sum);
                    }
                }
                let hidden = rectified(simd, hidden, slope);
                let hidden = dense::<_, HIDDEN, HIDDEN, 8>(simd, &round.relation[0], &hidden);
                let hidden = rectified(simd, hidden, slope);
                let hidden = dense::<_, HIDDEN, HIDDEN, 8>(simd, &round.relation[1], &hidden);
                let hidden = rectified(simd, hidden, slope);
                let effect = dense::<_, HIDDEN, EFFECTS, EFFECTS>(simd, &round.relation[2], &hidden);
                let effect = rectified(simd, effect, slope);
                for (sum, effect) in effects.iter_mut().zip(effect) {
                    *sum = simd.add_f64s(*sum, effect);
                }
            }
            if options.unit_effects {
                effects = unit(simd, effects);
            }
            let mut hidden = affine(simd, &round.object_base, &round.object_own, &place);
            for (sum, weights) in hidden.iter_mut().zip(&round.object_effect) {
                for (weight, effect) in weights.iter().zip(&effects) {
                    *sum = simd.mul_add_f64s(simd.splat_f64s(*weight), *effect, *sum);
                }
            }
            let hidden = rectified(simd, hidden, slope);
            let hidden = dense::<_, OBJECT, OBJECT, OBJECT>(simd, &round.object[0], &hidden);
            let hidden = rectified(simd, hidden, slope);
            let outputs = dense::<_, OBJECT, OUT, 2>(simd, &round.object[1], &hidden);
            for (column, output) in outputs.into_iter().enumerate() {
                S::as_mut_simd_f64s(&mut out[column * stride..(column + 1) * stride]).0[register] = output;
            }
        }
    }
}

#[inline(always)]
fn load<S: Simd>(column: &[f64], register: usize) -> S::f64s {
    S::as_simd_f64s(column).0[register]
}

/// base + slopes·place of every output.
#[inline(always)]
fn affine<S: Simd, const D: usize, const N: usize>(
    simd: S,
    base: &[f64; N],
    slopes: &[[f64; D]; N],
    place: &[S::f64s; D],
) -> [S::f64s; N] {
    let mut out = [simd.splat_f64s(0.0); N];
    for (out, (base, slopes)) in out.iter_mut().zip(base.iter().zip(slopes)) {
        *out = simd.splat_f64s(*base);
        for (slope, place) in slopes.iter().zip(place) {
            *out = simd.mul_add_f64s(simd.splat_f64s(*slope), *place, *out);
        }
    }
    out
}

/// W x + b, `TOGETHER` outputs at a time: one sum would wait for its own last product.
#[inline(always)]
fn dense<S: Simd, const I: usize, const O: usize, const TOGETHER: usize>(
    simd: S,
    layer: &Dense<'_>,
    input: &[S::f64s; I],
) -> [S::f64s; O] {
    let mut out = [simd.splat_f64s(0.0); O];
    let sums = out.as_chunks_mut::<TOGETHER>().0.iter_mut();
    let rows = layer.weights.chunks_exact(TOGETHER * I).zip(layer.biases.as_chunks::<TOGETHER>().0);
    for (sums, (rows, biases)) in sums.zip(rows) {
        for (sum, bias) in sums.iter_mut().zip(biases) {
            *sum = simd.splat_f64s(*bias);
        }
        for k in 0..I {
            for (row, sum) in sums.iter_mut().enumerate() {
                *sum = simd.mul_add_f64s(simd.splat_f64s(rows[row * I + k]), input[k], *sum);
            }
        }
    }
    out
}

/// Leaky units of a slope, or plain ones.
#[inline(always)]
fn rectified<S: Simd, const N: usize>(simd: S, sums: [S::f64s; N], slope: Option<S::f64s>) -> [S::f64s; N] {
    let mut out = sums;
    let Some(slope) = slope else {
        for value in &mut out {
            *value = simd.max_f64s(*value, simd.splat_f64s(0.0));
        }
        return out;
    };
    for value in &mut out {
        *value = simd.max_f64s(*value, simd.mul_f64s(slope, *value));
    }
    out
}

/// A vector divided by its length; none where it has none.
#[inline(always)]
fn unit<S: Simd>(simd: S, effects: [S::f64s; EFFECTS]) -> [S::f64s; EFFECTS] {
    let mut squared = simd.splat_f64s(f64::MIN_POSITIVE);
    for effect in effects {
        squared = simd.mul_add_f64s(effect, effect, squared);
    }
    let length = simd.sqrt_f64s(squared);
    let mut out = effects;
    for effect in &mut out {
        *effect = simd.div_f64s(*effect, length);
    }
    out
}
