//! Residual of the velocity problem and its Jacobian, over the working set (docs/design/math.md §3.2).
//!
//! ```text
//! r(V) = A (V − V_f) − F       F = Σ Jᵢᵀ pᵢ(Jᵢ V − uᵢ)       A = W⁻¹ per body
//! H    = A + Σ Jᵢᵀ Kᵢ Jᵢ       Jᵀx = [x; ρ × x] for the first body, its negative for the second
//! merit √(rᵀ sym(W) r) [√J]
//! ```
//!
//! The metric of velocities is sym(W)⁻¹. A contact adds only to the blocks of its bodies.

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};
use tightfit_spatial::{Simd, Wide, Wide3, with_registers};

use super::contact_law::ContactRow;
use super::dense::{DenseLu, invert_definite};
use super::law_block;
use super::passes::{Pass, RowLaw, RowTerms};
use super::problem::{SolverOptions, VelocityProblem};
use super::row_blocks::{RowBlocks, WideRows};
use crate::make_room;
use crate::records::NOT_FREE;

/// The problem without its contacts, and the results of the last evaluation.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    /// sym(W) per body.
    pub(super) mobility: Vec<Matrix6<f64>>,
    /// Traces of sym(W) at arms, per body.
    traces: Vec<Trace>,
    /// sym(W)⁻¹ per body: the metric.
    metric: Vec<Matrix6<f64>>,
    /// A per body.
    pub(super) inertia: Vec<Matrix6<f64>>,
    /// V_f [m/s, rad/s].
    pub(super) free_velocity: Vec<f64>,
    /// A V_f [N·s, N·m·s].
    pub(super) free_momentum: Vec<f64>,
    /// F [N·s, N·m·s].
    pub(super) force: Vec<f64>,
    /// r [N·s, N·m·s].
    pub(super) residual: Vec<f64>,
    /// H, row-major.
    pub(super) jacobian: Vec<f64>,
    /// Factors of H.
    pub(super) lu: DenseLu,
    /// Speed scale of the problem in the norm of A [√J]: |V_f|_A and the surfaces' drift.
    pub(super) scale: f64,
    /// Merit that counts as solved, per unit of scale [-].
    tolerance: f64,
    /// Linear systems solved since `load`.
    pub(super) iterations: u32,
    /// Passes since `load`.
    pub(super) evaluations: u32,
}

impl System {
    /// Reserves memory for `bodies` bodies.
    pub(super) fn make_room(&mut self, bodies: usize) {
        let size = 6 * bodies;
        for blocks in [&mut self.mobility, &mut self.metric, &mut self.inertia] {
            make_room(blocks, bodies);
        }
        make_room(&mut self.traces, bodies);
        for buffer in [&mut self.free_velocity, &mut self.free_momentum, &mut self.force, &mut self.residual]
        {
            make_room(buffer, size);
        }
        make_room(&mut self.jacobian, size * size);
        self.lu.make_room(size);
    }

    /// Loads the bodies of a problem; false when a sym(W) is not positive definite or V_f is not finite.
    pub(super) fn load(&mut self, problem: &VelocityProblem<'_>, options: &SolverOptions) -> bool {
        let size = 6 * problem.response.len();
        for blocks in [&mut self.mobility, &mut self.metric, &mut self.inertia] {
            blocks.clear();
        }
        self.traces.clear();
        self.free_velocity.clear();
        self.free_velocity.extend_from_slice(problem.free_velocity);
        for buffer in [&mut self.force, &mut self.residual] {
            buffer.clear();
            buffer.resize(size, 0.0);
        }
        self.jacobian.clear();
        self.jacobian.resize(size * size, 0.0);
        self.iterations = 0;
        self.evaluations = 0;
        for response in problem.response {
            let mobility = (response + response.transpose()) * 0.5;
            let Some(metric) = invert_definite(&mobility) else { return false };
            self.traces.push(Trace::of(&mobility));
            self.mobility.push(mobility);
            self.metric.push(metric);
            let Some(inertia) = invert_definite(response) else { return false };
            self.inertia.push(inertia);
        }
        self.free_momentum.clear();
        for (inertia, velocity) in self.inertia.iter().zip(self.free_velocity.chunks_exact(6)) {
            let momentum = inertia * Vector6::from_column_slice(velocity);
            self.free_momentum.extend_from_slice(momentum.as_slice());
        }
        self.scale = self.dot(&self.free_velocity, &self.free_velocity).sqrt();
        self.tolerance = options.tolerance;
        self.scale.is_finite()
    }

    /// Unknowns.
    pub(super) fn size(&self) -> usize {
        self.free_velocity.len()
    }

    /// Squared merit that counts as solved [J].
    pub(super) fn accepted(&self) -> f64 {
        (self.tolerance * self.scale.max(1.0)).powi(2)
    }

    /// dᵢ = tr(Jᵢ sym(W) Jᵢᵀ)/3 [1/kg], summed over the free bodies of the row.
    pub(super) fn compliance(&self, row: &ContactRow) -> f64 {
        let mut trace = self.traces[row.body_a as usize].at(&row.arm_a);
        if row.body_b != NOT_FREE {
            trace += self.traces[row.body_b as usize].at(&row.arm_b);
        }
        trace / 3.0
    }

    /// aᵀ sym(W)⁻¹ b.
    pub(super) fn dot(&self, a: &[f64], b: &[f64]) -> f64 {
        quadratic(&self.metric, a, b)
    }

    /// F, r and H at `velocity`; returns the squared merit.
    pub(super) fn evaluate_with_jacobian(
        &mut self,
        rows: &RowBlocks,
        velocity: &[f64],
        softness: f64,
    ) -> f64 {
        self.evaluations += 1;
        self.force.fill(0.0);
        self.start_jacobian();
        let (force, jacobian) = (&mut self.force[..], &mut self.jacobian[..]);
        let law = PrimalLaw;
        with_registers(Pass { rows, law, velocity, softness, force, jacobian, constants: &mut [] });
        self.finish_residual(velocity)
    }

    /// H ← A.
    pub(super) fn start_jacobian(&mut self) {
        let size = self.size();
        self.jacobian.fill(0.0);
        for (body, inertia) in self.inertia.iter().enumerate() {
            for row in 0..6 {
                let start = (6 * body + row) * size + 6 * body;
                for column in 0..6 {
                    self.jacobian[start + column] = inertia[(row, column)];
                }
            }
        }
    }

    /// r = A (V − V_f) − F from the F at hand; returns rᵀ sym(W) r.
    pub(super) fn finish_residual(&mut self, velocity: &[f64]) -> f64 {
        for (body, inertia) in self.inertia.iter().enumerate() {
            for row in 6 * body..6 * body + 6 {
                let mut sum = -self.force[row];
                for column in 0..6 {
                    let at = 6 * body + column;
                    sum += inertia[(row - 6 * body, column)] * (velocity[at] - self.free_velocity[at]);
                }
                self.residual[row] = sum;
            }
        }
        quadratic(&self.mobility, &self.residual, &self.residual)
    }

    /// Factors H; returns sign(det H), 0 when singular.
    pub(super) fn factor(&mut self) -> f64 {
        self.iterations += 1;
        self.lu.factor(&self.jacobian, self.free_velocity.len())
    }
}

/// Σ over bodies of aᵀ B b.
fn quadratic(blocks: &[Matrix6<f64>], a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (block, (a, b)) in blocks.iter().zip(a.chunks_exact(6).zip(b.chunks_exact(6))) {
        for column in 0..6 {
            let mut product = 0.0;
            for row in 0..6 {
                product += a[row] * block[(row, column)];
            }
            sum += product * b[column];
        }
    }
    sum
}

/// tr(J S Jᵀ) of one body as a function of the arm: tr S_vv + ρ·c + ρᵀ(tr(S_ωω) I − S_ωω)ρ.
#[derive(Clone, Debug)]
struct Trace {
    linear: f64,
    coupling: Vector3<f64>,
    angular: Matrix3<f64>,
}

impl Trace {
    fn of(mobility: &Matrix6<f64>) -> Self {
        let c = mobility.fixed_view::<3, 3>(0, 3);
        let coupling =
            Vector3::new(c[(1, 2)] - c[(2, 1)], c[(2, 0)] - c[(0, 2)], c[(0, 1)] - c[(1, 0)]) * 2.0;
        let angular: Matrix3<f64> = mobility.fixed_view::<3, 3>(3, 3).into();
        Self {
            linear: mobility.fixed_view::<3, 3>(0, 0).trace(),
            coupling,
            angular: Matrix3::identity() * angular.trace() - angular,
        }
    }

    #[inline(always)]
    fn at(&self, arm: &Vector3<f64>) -> f64 {
        // Written out: this runs for every row, and a matrix product would take a tenth of a solve with many contacts.
        let (coupling, angular) = (&self.coupling, &self.angular);
        let along = |axis: usize| {
            coupling[axis]
                + (angular[(axis, 0)] * arm.x + angular[(axis, 1)] * arm.y + angular[(axis, 2)] * arm.z)
        };
        self.linear + (along(0) * arm.x + along(1) * arm.y + along(2) * arm.z)
    }
}

/// The regularised law itself.
struct PrimalLaw;

impl RowLaw for PrimalLaw {
    #[inline(always)]
    fn at<S: Simd>(
        &mut self,
        _: (usize, usize),
        rows: &WideRows<S>,
        v: Wide3<S>,
        softness: Wide<S>,
    ) -> RowTerms<S> {
        let (impulse, stiffness) = law_block::impulses_and_stiffness(rows, v, softness);
        RowTerms { impulse, stiffness, constant: None }
    }
}
