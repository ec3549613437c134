//! SOAP: Adam in the eigenbasis of the gradients' second moments.
//!
//! The weights and biases of a layer are one matrix Θ = [W b] with gradient G:
//!
//! ```text
//! L ← β L + (1 − β) G Gᵀ      R ← β R + (1 − β) Gᵀ G      Q_L, Q_R their eigenvectors, by orthogonal iteration
//! M ← β₁ M + (1 − β₁) G       G' = Q_Lᵀ G Q_R             V ← β₂ V + (1 − β₂) G'∘G'
//! Θ ← Θ − η c Q_L (Q_Lᵀ M Q_R / (√V + ε)) Q_Rᵀ            c = √(1 − β₂ᵗ) / (1 − β₁ᵗ)
//! ```
//! Adam scales every parameter separately and is slow along valleys oblique to the axes; a fit to a micrometre over
//! millimetres is such a valley. N. Vyas et al., "SOAP: improving and stabilizing Shampoo using Adam", ICLR 2025.

use nalgebra::DMatrix;

use crate::network::Layer;

const FIRST_DECAY: f64 = 0.95;
const SECOND_DECAY: f64 = 0.99;
/// ε, far below usual values because the gradients of a fit to nanometres are small.
const FLOOR: f32 = 1e-12;
/// Steps between updates of the bases.
const TURN_EVERY: u64 = 10;

/// State of one layer.
#[derive(Clone, Debug, PartialEq)]
struct Block {
    inputs: usize,
    first: DMatrix<f32>,
    second: DMatrix<f32>,
    left: DMatrix<f32>,
    right: DMatrix<f32>,
    left_basis: DMatrix<f32>,
    right_basis: DMatrix<f32>,
}

/// State of all layers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Soap {
    blocks: Vec<Block>,
}

impl Soap {
    pub(super) fn new(layers: &[Layer]) -> Self {
        let block = |layer: &Layer| {
            let (rows, columns) = (layer.outputs(), layer.inputs() + 1);
            Block {
                inputs: layer.inputs(),
                first: DMatrix::zeros(rows, columns),
                second: DMatrix::zeros(rows, columns),
                left: DMatrix::zeros(rows, rows),
                right: DMatrix::zeros(columns, columns),
                left_basis: DMatrix::identity(rows, rows),
                right_basis: DMatrix::identity(columns, columns),
            }
        };
        Self { blocks: layers.iter().map(block).collect() }
    }

    /// One step; `step` counts from 0. The parameters are in the order of `Network::copy_parameters_to`.
    pub(super) fn advance(&mut self, parameters: &mut [f32], gradient: &[f32], step: u64, rate: f64) {
        let bias = |decay: f64| 1.0 - libm::pow(decay, (step + 1) as f64);
        let rate = (rate * libm::sqrt(bias(SECOND_DECAY)) / bias(FIRST_DECAY)) as f32;
        let (mut parameters, mut gradient) = (parameters, gradient);
        for block in &mut self.blocks {
            let (rows, inputs) = (block.first.nrows(), block.inputs);
            let count = rows * (inputs + 1);
            let (own, rest) = parameters.split_at_mut(count);
            let (slopes, slopes_rest) = gradient.split_at(count);
            (parameters, gradient) = (rest, slopes_rest);
            let at = |row: usize, column: usize| {
                if column < inputs { row * inputs + column } else { rows * inputs + row }
            };
            let slopes = DMatrix::from_fn(rows, inputs + 1, |row, column| slopes[at(row, column)]);
            let change = block.change(&slopes, step);
            for row in 0..rows {
                for column in 0..=inputs {
                    own[at(row, column)] -= rate * change[(row, column)];
                }
            }
        }
    }

    /// All numbers of the state in a fixed order, for the checkpoint.
    pub(super) fn columns(&self) -> Vec<f32> {
        let matrices = self.blocks.iter().flat_map(|block| {
            [&block.first, &block.second, &block.left, &block.right, &block.left_basis, &block.right_basis]
        });
        matrices.flat_map(|matrix| matrix.iter().copied()).collect()
    }

    /// Sets numbers in the order of [`Self::columns`]; false if there are too few or too many.
    pub(super) fn set_columns(&mut self, numbers: &[f32]) -> bool {
        let mut rest = numbers.iter();
        let matrices = self.blocks.iter_mut().flat_map(|block| {
            [
                &mut block.first,
                &mut block.second,
                &mut block.left,
                &mut block.right,
                &mut block.left_basis,
                &mut block.right_basis,
            ]
        });
        let mut is_full = true;
        for slot in matrices.flat_map(|matrix| matrix.iter_mut()) {
            match rest.next() {
                Some(number) => *slot = *number,
                None => is_full = false,
            }
        }
        is_full && rest.next().is_none()
    }
}

impl Block {
    /// The step for this gradient, without the learning rate.
    fn change(&mut self, slopes: &DMatrix<f32>, step: u64) -> DMatrix<f32> {
        let (keep_first, keep_second) = (FIRST_DECAY as f32, SECOND_DECAY as f32);
        self.left = &self.left * keep_second + slopes * slopes.transpose() * (1.0 - keep_second);
        self.right = &self.right * keep_second + slopes.transpose() * slopes * (1.0 - keep_second);
        if step.is_multiple_of(TURN_EVERY) {
            turn(&mut self.left_basis, &self.left);
            turn(&mut self.right_basis, &self.right);
        }
        self.first = &self.first * keep_first + slopes * (1.0 - keep_first);
        let left_inverse = self.left_basis.transpose();
        let turned = &left_inverse * slopes * &self.right_basis;
        self.second.zip_apply(&turned, |second, slope| {
            *second = keep_second * *second + (1.0 - keep_second) * slope * slope;
        });
        let mut change = &left_inverse * &self.first * &self.right_basis;
        change.zip_apply(&self.second, |change, second| *change /= second.sqrt() + FLOOR);
        &self.left_basis * change * self.right_basis.transpose()
    }
}

/// One orthogonal iteration towards the eigenvectors of a matrix; the columns keep their signs.
fn turn(basis: &mut DMatrix<f32>, matrix: &DMatrix<f32>) {
    // Scaled, because the moments of small gradients are too small for a factorisation in f32.
    let scale = matrix.amax();
    if !(scale > 0.0 && scale.is_finite()) {
        return;
    }
    let qr = ((matrix / scale) * &*basis).qr();
    let (mut next, triangle) = (qr.q(), qr.r());
    for column in 0..next.ncols() {
        if triangle[(column, column)] < 0.0 {
            next.column_mut(column).neg_mut();
        }
    }
    if next.iter().all(|number| number.is_finite()) {
        *basis = next;
    }
}
