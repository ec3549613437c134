//! One round of the network over many contacts at once, one contact per SIMD lane.
//!
//! ```text
//! h  = max(z, slope z)                                         of every hidden sum z
//! z₁ = base + A own_i + B other_l                              relation, first layer composed with X
//! e_i = Σ_l h₄(h₃(h₂(h₁)))                                     divided by its length with `unit_effects`
//! out_i = linear(h(h(base' + A' own_i + C e_i)))               object
//! ```
//!
//! Every product broadcasts its weight to all lanes. Neighbours are summed one after another, so every register width
//! gives the same bits.

use tightfit_spatial::{Simd, WithSimd, with_registers};

use super::InteractionOptions;
use super::inputs::{AffineInputs, INPUTS};

/// Lanes of the widest register. The length of a column is a multiple of it.
pub const LANES: usize = 8;

const HIDDEN: usize = 16;
const EFFECTS: usize = 4;
const OBJECT: usize = 8;

/// One layer, with a row of weights per output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dense<'a> {
    pub(super) inputs: usize,
    pub(super) weights: &'a [f64],
    pub(super) biases: &'a [f64],
}

/// A relation and an object network whose first layers are composed with X. `D` inputs differ between contacts: the
/// point (and the normal).
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
    // The normal is not scaled.
    slope[3..].copy_from_slice(&row[INPUTS..]);
    (constant, slope)
}

/// A round over columns of `stride` contacts: `D` columns of the contacts, `D` for each neighbour.
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
        let unit =
            if options.slope > 0.0 { Unit::Leaky(simd.splat_f64s(options.slope)) } else { Unit::Rectified };
        let zero = simd.splat_f64s(0.0);
        let Round { relation: [second, third, fourth], object: [object_second, object_third], .. } = round;
        let base = Lines(splat::<_, HIDDEN>(simd, &round.base));
        let biases = Lines([second, third].map(|layer| splat::<_, HIDDEN>(simd, layer.biases)));
        let effect_biases = splat::<_, EFFECTS>(simd, fourth.biases);
        // Layers write into these in turn. Results by value would be copied.
        let mut layers = Lines([[zero; HIDDEN]; 3]);
        let [own_sums, hidden, next] = &mut layers.0;
        let (mut object, mut object_next) = ([zero; OBJECT], [zero; OBJECT]);
        for register in 0..stride / S::F64_LANES {
            let mut place = [zero; D];
            load(simd, own, *stride, register, &mut place);
            layer(simd, &base.0, round.own.as_flattened(), &place, Unit::Linear, own_sums);
            let mut effects = [zero; EFFECTS];
            for other in others.chunks_exact(D * stride) {
                let mut place = [zero; D];
                let mut effect = [zero; EFFECTS];
                load(simd, other, *stride, register, &mut place);
                layer(simd, own_sums, round.other.as_flattened(), &place, unit, hidden);
                layer(simd, &biases.0[0], second.weights, hidden, unit, next);
                layer(simd, &biases.0[1], third.weights, next, unit, hidden);
                layer(simd, &effect_biases, fourth.weights, hidden, unit, &mut effect);
                for (sum, effect) in effects.iter_mut().zip(effect) {
                    *sum = simd.add_f64s(*sum, effect);
                }
            }
            if options.unit_effects {
                effects = of_unit_length(simd, effects);
            }
            let start = splat(simd, &round.object_base);
            layer(simd, &start, round.object_own.as_flattened(), &place, Unit::Linear, &mut object_next);
            layer(simd, &object_next, round.object_effect.as_flattened(), &effects, unit, &mut object);
            let start = splat(simd, object_second.biases);
            layer(simd, &start, object_second.weights, &object, unit, &mut object_next);
            let start = splat(simd, object_third.biases);
            let mut outputs = [zero; OUT];
            layer(simd, &start, object_third.weights, &object_next, Unit::Linear, &mut outputs);
            for (column, output) in out.chunks_exact_mut(*stride).zip(outputs) {
                S::as_mut_simd_f64s(column).0[register] = output;
            }
        }
    }
}

/// Aligned to cache lines: a register across two lines takes two loads.
#[repr(align(64))]
struct Lines<T>(T);

/// Loads one register from each of `D` columns.
#[inline(always)]
fn load<S: Simd, const D: usize>(
    _: S,
    columns: &[f64],
    stride: usize,
    register: usize,
    out: &mut [S::f64s; D],
) {
    for (out, column) in out.iter_mut().zip(columns.chunks_exact(stride)) {
        *out = S::as_simd_f64s(column).0[register];
    }
}

/// Broadcasts numbers to all lanes.
#[inline(always)]
fn splat<S: Simd, const N: usize>(simd: S, numbers: &[f64]) -> [S::f64s; N] {
    let mut out = [simd.splat_f64s(0.0); N];
    for (out, number) in out.iter_mut().zip(numbers) {
        *out = simd.splat_f64s(*number);
    }
    out
}

/// Activation of a sum.
#[derive(Clone, Copy)]
enum Unit<S: Simd> {
    Linear,
    Rectified,
    /// Rectified, with a slope below zero.
    Leaky(S::f64s),
}

/// unit(start + W input), for as many outputs at a time as there are registers. A single sum would stall on its last
/// product.
#[inline(always)]
fn layer<S: Simd, const I: usize, const O: usize>(
    simd: S,
    start: &[S::f64s; O],
    weights: &[f64],
    input: &[S::f64s; I],
    unit: Unit<S>,
    out: &mut [S::f64s; O],
) {
    // AVX-512 has 32 registers, other instruction sets 16.
    if O.is_multiple_of(16) && S::F64_LANES == LANES {
        tiles::<S, I, 16>(simd, start, weights, input, unit, out);
    } else if O.is_multiple_of(8) {
        tiles::<S, I, 8>(simd, start, weights, input, unit, out);
    } else if O.is_multiple_of(4) {
        tiles::<S, I, 4>(simd, start, weights, input, unit, out);
    } else {
        tiles::<S, I, 2>(simd, start, weights, input, unit, out);
    }
}

#[inline(always)]
fn tiles<S: Simd, const I: usize, const TOGETHER: usize>(
    simd: S,
    start: &[S::f64s],
    weights: &[f64],
    input: &[S::f64s; I],
    unit: Unit<S>,
    out: &mut [S::f64s],
) {
    let tiles = out.as_chunks_mut::<TOGETHER>().0.iter_mut().zip(start.as_chunks::<TOGETHER>().0);
    for ((out, start), rows) in tiles.zip(weights.chunks_exact(TOGETHER * I)) {
        let mut sums = *start;
        for (k, input) in input.iter().enumerate() {
            for (row, sum) in sums.iter_mut().enumerate() {
                *sum = simd.mul_add_f64s(simd.splat_f64s(rows[row * I + k]), *input, *sum);
            }
        }
        match unit {
            Unit::Linear => *out = sums,
            Unit::Rectified => {
                for (out, sum) in out.iter_mut().zip(sums) {
                    *out = simd.max_f64s(sum, simd.splat_f64s(0.0));
                }
            }
            Unit::Leaky(slope) => {
                for (out, sum) in out.iter_mut().zip(sums) {
                    *out = simd.max_f64s(sum, simd.mul_f64s(slope, sum));
                }
            }
        }
    }
}

/// A vector divided by its length; the zero vector stays zero.
#[inline(always)]
fn of_unit_length<S: Simd>(simd: S, effects: [S::f64s; EFFECTS]) -> [S::f64s; EFFECTS] {
    let mut squared = simd.splat_f64s(f64::MIN_POSITIVE);
    for effect in effects {
        squared = simd.mul_add_f64s(effect, effect, squared);
    }
    let length = simd.sqrt_f64s(squared);
    effects.map(|effect| simd.div_f64s(effect, length))
}
