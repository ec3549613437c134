//! One body of a contact, prepared for many sweeps.
//!
//! ```text
//! v = J V,  Jₖ = [eₖ, ρ × eₖ]        V += G δp,  G = W Jᵀ
//! ```
//!
//! eₖ axes of the contact's frame, ρ arm [m], V velocity of the body [v; ω], δp change of the impulse [N·s]. J is
//! stored by its columns and G by rows of the frame, both padded, so that neither product waits for a sum across a
//! vector.

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

/// J and G of one body.
#[derive(Clone, Debug)]
pub(super) struct SweepBody {
    /// Index of the body's first velocity component.
    first: usize,
    /// Column i: change of the velocity in the contact's frame per velocity i of the body.
    columns: [[f64; 4]; 6],
    /// Row k: change of the body's velocity per impulse along eₖ.
    responses: [[f64; 6]; 3],
}

impl SweepBody {
    /// From the arm [m], the axes of the contact's frame and W of the body.
    pub(super) fn new(body: u32, arm: &Vector3<f64>, frame: &Matrix3<f64>, response: &Matrix6<f64>) -> Self {
        let (mut columns, mut responses) = ([[0.0; 4]; 6], [[0.0; 6]; 3]);
        for k in 0..3 {
            let axis: Vector3<f64> = frame.column(k).into();
            let turn = arm.cross(&axis);
            let row = Vector6::new(axis.x, axis.y, axis.z, turn.x, turn.y, turn.z);
            for (column, value) in columns.iter_mut().zip(&row) {
                column[k] = *value;
            }
            responses[k] = (response * row).into();
        }
        Self { first: 6 * body as usize, columns, responses }
    }

    /// J V [m/s].
    #[inline(always)]
    pub(super) fn velocity(&self, velocities: &[f64]) -> Vector3<f64> {
        let own = &velocities[self.first..self.first + 6];
        // Two independent sums: a single one would be a chain of six dependent additions.
        let (mut even, mut odd) = ([0.0; 4], [0.0; 4]);
        for pair in 0..3 {
            for lane in 0..4 {
                even[lane] += self.columns[2 * pair][lane] * own[2 * pair];
                odd[lane] += self.columns[2 * pair + 1][lane] * own[2 * pair + 1];
            }
        }
        Vector3::new(even[0] + odd[0], even[1] + odd[1], even[2] + odd[2])
    }

    /// V += G δp.
    #[inline(always)]
    pub(super) fn push(&self, change: &Vector3<f64>, velocities: &mut [f64]) {
        let own = &mut velocities[self.first..self.first + 6];
        for (i, own) in own.iter_mut().enumerate() {
            *own += self.responses[0][i] * change.x
                + self.responses[1][i] * change.y
                + self.responses[2][i] * change.z;
        }
    }
}
