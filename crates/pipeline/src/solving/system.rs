//! Residual of the velocity problem and its Jacobian, over the working set (MATH 3.2).
//!
//! ```text
//! r(V) = A (V − V_f) − F       F = Σ Jᵢᵀ pᵢ(Jᵢ V − uᵢ)       A = sym(W)⁻¹ or W⁻¹ per body
//! H    = A + Σ Jᵢᵀ Kᵢ Jᵢ       Jᵀx = [x; ρ × x] for the first body, its negative for the second
//! K = Σ a bᵀ  ⇒  JᵀKJ = Σ (Jᵀa)(Jᵀb)ᵀ       merit √(rᵀ sym(W) r) [√J]
//! ```
//!
//! Lengths of velocities are measured in sym(W)⁻¹. A contact touches only the blocks of the bodies that it names, and
//! each of its directions adds one product of two lines of six numbers: a vector register each.

use nalgebra::{Matrix6, Vector3};
use tightfit_spatial::{Vectorise, vectorised};

use super::contact_law::{ContactRow, Stiffness};
use super::dense::{DenseLu, invert_definite};
use super::problem::{ResponseModel, SolverOptions, VelocityProblem};
use crate::make_room;
use crate::records::NOT_FREE;

/// A line of six numbers travels as eight, the last two of them zero.
const LINE: usize = 8;
/// What the last line of a row of H needs beyond it.
const PADDING: usize = LINE - 6;

/// The problem without its contacts, and what the last evaluation found.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    /// sym(W) per body.
    pub(super) mobility: Vec<Matrix6<f64>>,
    /// sym(W)⁻¹ per body: the metric.
    metric: Vec<Matrix6<f64>>,
    /// A per body.
    pub(super) inertia: Vec<Matrix6<f64>>,
    /// V_f [m/s, rad/s].
    pub(super) free_velocity: Vec<f64>,
    /// F [N·s, N·m·s].
    pub(super) force: Vec<f64>,
    /// r [N·s, N·m·s].
    pub(super) residual: Vec<f64>,
    /// H, row-major, its rows [`PADDING`] longer than they are.
    jacobian: Vec<f64>,
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
    /// Makes room for so many bodies.
    pub(super) fn make_room(&mut self, bodies: usize) {
        let size = 6 * bodies;
        for blocks in [&mut self.mobility, &mut self.metric, &mut self.inertia] {
            make_room(blocks, bodies);
        }
        for buffer in [&mut self.free_velocity, &mut self.force, &mut self.residual] {
            make_room(buffer, size);
        }
        make_room(&mut self.jacobian, size * (size + PADDING));
        self.lu.make_room(size);
    }

    /// Takes the bodies of a problem over; false when a sym(W) is not positive definite or V_f not finite.
    pub(super) fn load(&mut self, problem: &VelocityProblem<'_>, options: &SolverOptions) -> bool {
        let size = 6 * problem.response.len();
        for blocks in [&mut self.mobility, &mut self.metric, &mut self.inertia] {
            blocks.clear();
        }
        self.free_velocity.clear();
        self.free_velocity.extend_from_slice(problem.free_velocity);
        for buffer in [&mut self.force, &mut self.residual] {
            buffer.clear();
            buffer.resize(size, 0.0);
        }
        self.jacobian.clear();
        self.jacobian.resize(size * (size + PADDING), 0.0);
        self.iterations = 0;
        self.evaluations = 0;
        for response in problem.response {
            let mobility = (response + response.transpose()) * 0.5;
            let Some(metric) = invert_definite(&mobility) else { return false };
            self.mobility.push(mobility);
            self.metric.push(metric);
            let inertia = match options.response {
                ResponseModel::Symmetric => Some(metric),
                ResponseModel::Full => invert_definite(response),
            };
            let Some(inertia) = inertia else { return false };
            self.inertia.push(inertia);
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

    /// dᵢ = tr(Jᵢ sym(W) Jᵢᵀ)/3 [1/kg], summed over the bodies named.
    pub(super) fn compliance(&self, row: &ContactRow) -> f64 {
        let mut trace = trace_at(&self.mobility[row.body_a as usize], &row.arm_a);
        if row.body_b != NOT_FREE {
            trace += trace_at(&self.mobility[row.body_b as usize], &row.arm_b);
        }
        trace / 3.0
    }

    /// aᵀ sym(W)⁻¹ b.
    pub(super) fn dot(&self, a: &[f64], b: &[f64]) -> f64 {
        quadratic(&self.metric, a, b)
    }

    /// F and r at `velocity`; returns the squared merit.
    pub(super) fn evaluate(&mut self, rows: &[ContactRow], velocity: &[f64], softness: f64) -> f64 {
        self.evaluations += 1;
        self.force.fill(0.0);
        for row in rows {
            if let Some(impulse) = row.impulse(&row.velocity(velocity), softness) {
                row.add_impulse(&impulse, &mut self.force);
            }
        }
        self.finish_residual(velocity)
    }

    /// F, r and H at `velocity`; returns the squared merit.
    pub(super) fn evaluate_with_jacobian(
        &mut self,
        rows: &[ContactRow],
        velocity: &[f64],
        softness: f64,
    ) -> f64 {
        self.evaluations += 1;
        self.force.fill(0.0);
        self.start_jacobian();
        vectorised(PrimalPass { system: self, rows, velocity, softness });
        self.finish_residual(velocity)
    }

    /// H ← A.
    pub(super) fn start_jacobian(&mut self) {
        let stride = self.size() + PADDING;
        self.jacobian.fill(0.0);
        for (body, inertia) in self.inertia.iter().enumerate() {
            for row in 0..6 {
                let start = (6 * body + row) * stride + 6 * body;
                for column in 0..6 {
                    self.jacobian[start + column] = inertia[(row, column)];
                }
            }
        }
    }

    /// H += JᵀKJ.
    #[inline(always)]
    pub(super) fn add_stiffness(&mut self, row: &ContactRow, stiffness: &Stiffness) {
        match stiffness {
            Stiffness::Stick(k) => {
                for axis in 0..3 {
                    let unit = Vector3::ith(axis, 1.0);
                    self.add_product(row, &(unit * *k), &unit);
                }
            }
            Stiffness::Slip { ahead, across, resistance } => {
                self.add_product(row, ahead, &row.normal);
                self.add_product(row, &(across * *resistance), across);
            }
        }
    }

    /// H += (Jᵀa)(Jᵀb)ᵀ.
    #[inline(always)]
    fn add_product(&mut self, row: &ContactRow, a: &Vector3<f64>, b: &Vector3<f64>) {
        let stride = self.size() + PADDING;
        let (first, second) = (row.body_a as usize, row.body_b as usize);
        let (left, right) = (line(a, &row.arm_a), line(b, &row.arm_a));
        add_outer(&mut self.jacobian, stride, [first, first], &left, &right);
        if row.body_b != NOT_FREE {
            let (far_left, far_right) = (line(&-a, &row.arm_b), line(&-b, &row.arm_b));
            add_outer(&mut self.jacobian, stride, [first, second], &left, &far_right);
            add_outer(&mut self.jacobian, stride, [second, first], &far_left, &right);
            add_outer(&mut self.jacobian, stride, [second, second], &far_left, &far_right);
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
        let size = self.size();
        self.lu.factor(&self.jacobian, size, size + PADDING)
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

/// tr(J S Jᵀ) of one body: tr S_vv + 2 tr(S_vω S(ρ)) + |ρ|² tr S_ωω − ρᵀ S_ωω ρ.
fn trace_at(mobility: &Matrix6<f64>, arm: &Vector3<f64>) -> f64 {
    let linear = mobility.fixed_view::<3, 3>(0, 0).trace();
    let c = mobility.fixed_view::<3, 3>(0, 3);
    let coupling =
        arm.x * (c[(1, 2)] - c[(2, 1)]) + arm.y * (c[(2, 0)] - c[(0, 2)]) + arm.z * (c[(0, 1)] - c[(1, 0)]);
    let angular = mobility.fixed_view::<3, 3>(3, 3);
    linear + 2.0 * coupling + arm.norm_squared() * angular.trace() - arm.dot(&(angular * arm))
}

/// [x; ρ × x], padded.
#[inline(always)]
fn line(x: &Vector3<f64>, arm: &Vector3<f64>) -> [f64; LINE] {
    let moment = arm.cross(x);
    [x.x, x.y, x.z, moment.x, moment.y, moment.z, 0.0, 0.0]
}

/// Adds a product of two lines to the block of two bodies.
#[inline(always)]
fn add_outer(
    jacobian: &mut [f64],
    stride: usize,
    [row_body, column_body]: [usize; 2],
    left: &[f64; LINE],
    right: &[f64; LINE],
) {
    let start = 6 * row_body * stride + 6 * column_body;
    for (index, own) in left[..6].iter().enumerate() {
        let at = start + index * stride;
        let Some(target) = jacobian[at..].first_chunk_mut::<LINE>() else { return };
        for lane in 0..LINE {
            target[lane] += own * right[lane];
        }
    }
}

/// The loop of [`System::evaluate_with_jacobian`].
struct PrimalPass<'a> {
    system: &'a mut System,
    rows: &'a [ContactRow],
    velocity: &'a [f64],
    softness: f64,
}

impl Vectorise for PrimalPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { system, rows, velocity, softness } = self;
        for row in rows {
            if let Some((impulse, stiffness)) = row.impulse_and_stiffness(&row.velocity(velocity), softness) {
                row.add_impulse(&impulse, &mut system.force);
                system.add_stiffness(row, &stiffness);
            }
        }
    }
}
