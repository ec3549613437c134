//! Test problems: single contacts, and a peg tilted in its hole.

use nalgebra::{Matrix3, Matrix6, Vector3};

use crate::records::{Contacts, NOT_FREE};
use crate::solving::{SolveReport, SolverOptions, SolverWorkspace, VelocityProblem, WarmStart, solve};

/// Deterministic random numbers (xorshift).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    pub(super) fn vector(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-size, size))
    }

    pub(super) fn below(&mut self, count: usize) -> usize {
        ((self.uniform() * count as f64) as usize).min(count - 1)
    }
}

/// A problem that owns its data.
#[derive(Clone, Debug, Default)]
pub(super) struct Scene {
    pub(super) contacts: Contacts,
    pub(super) approach: Vec<f64>,
    pub(super) free_velocity: Vec<f64>,
    pub(super) response: Vec<Matrix6<f64>>,
}

impl Scene {
    pub(super) fn problem(&self) -> VelocityProblem<'_> {
        VelocityProblem {
            contacts: &self.contacts,
            approach: &self.approach,
            free_velocity: &self.free_velocity,
            response: &self.response,
            rows: &[],
        }
    }

    /// Solves the problem from a cold start with default options.
    pub(super) fn solve_cold(&self, workspace: &mut SolverWorkspace) -> SolveReport {
        solve(&self.problem(), &SolverOptions::default(), &mut WarmStart::default(), workspace)
    }

    /// Sets φ of the last contact [m].
    pub(super) fn set_last_gap(&mut self, gap: f64) {
        if let Some(last) = self.contacts.gap.last_mut() {
            *last = gap;
        }
    }

    /// A contact between body 0 and something fixed.
    pub(super) fn touch(&mut self, arm: Vector3<f64>, normal: Vector3<f64>, friction: f64, approach: f64) {
        self.touch_bodies((0, arm), (NOT_FREE, Vector3::zeros()), normal, friction, approach);
    }

    /// The same, recorded as by detection: without columns for a second side.
    pub(super) fn touch_fixed(
        &mut self,
        arm: Vector3<f64>,
        normal: Vector3<f64>,
        friction: f64,
        approach: f64,
    ) {
        self.touch(arm, normal, friction, approach);
        self.contacts.arm_b.clear();
        self.contacts.surface_velocity.clear();
    }

    pub(super) fn touch_bodies(
        &mut self,
        (body_a, arm_a): (u32, Vector3<f64>),
        (body_b, arm_b): (u32, Vector3<f64>),
        normal: Vector3<f64>,
        friction: f64,
        approach: f64,
    ) {
        let contacts = &mut self.contacts;
        contacts.id.push(contacts.gap.len() as u32);
        contacts.body_a.push(body_a);
        contacts.body_b.push(body_b);
        contacts.arm_a.push(arm_a);
        contacts.arm_b.push(arm_b);
        contacts.normal.push(normal);
        contacts.surface_velocity.push(Vector3::zeros());
        contacts.gap.push(0.0);
        contacts.friction.push(friction);
        contacts.restitution.push(0.0);
        self.approach.push(approach);
    }

    pub(super) fn add_body(&mut self, response: Matrix6<f64>, velocity: Vector3<f64>, spin: Vector3<f64>) {
        self.response.push(response);
        self.free_velocity.extend(velocity.iter().chain(spin.iter()));
    }
}

/// W of a rigid body: diag(1/m, J⁻¹).
pub(super) fn rigid_response(mass: f64, inertia: Vector3<f64>) -> Matrix6<f64> {
    let mut response = Matrix6::zeros();
    for axis in 0..3 {
        response[(axis, axis)] = 1.0 / mass;
        response[(3 + axis, 3 + axis)] = 1.0 / inertia[axis];
    }
    response
}

/// A 49.97 mm peg, 62 mm long, in a 50.035 mm hole: contacts of its lower edge and of the hole's mouth, on
/// opposite sides when it is wedged; up to 150 points on each ring.
pub(super) fn wedged_peg(random: &mut Random, friction: f64) -> Scene {
    let (radius, clearance, period) = (24.985e-3, 32.5e-6, 0.01);
    let depth = random.between(2e-3, 45e-3);
    let centre = random.between(20e-3, 40e-3);
    let mut scene = Scene::default();

    let (mass, stiff) = (random.between(0.3, 3.0), random.uniform() < 0.6);
    let inertia = Vector3::new(5e-4, 6e-4, 3e-4) * mass;
    let mut response = rigid_response(mass, inertia);
    if stiff {
        // W = (M + T B/2 + T² K/4)⁻¹ of a passive midpoint step with a coupling
        let (spring, twist) = (random.between(1e3, 5e4), random.between(30.0, 1500.0));
        for axis in 0..3 {
            response[(axis, axis)] = 1.0 / (mass + period * period * spring / 4.0);
            response[(3 + axis, 3 + axis)] = 1.0 / (inertia[axis] + period * period * twist / 4.0);
        }
    }
    let pushed = random.vector(0.03) - Vector3::z() * random.between(0.0, 0.05);
    let spin = random.vector(1.2);
    scene.add_body(response, pushed, spin);

    // Lateral displacement of the axis at the lower edge and at the mouth: opposite when wedged.
    let direction = random.between(0.0, std::f64::consts::TAU);
    let lean = random.between(0.9, 1.0);
    let turned = direction + std::f64::consts::PI + random.between(-0.3, 0.3);
    let count = 1 + random.below(150);
    let phase = random.between(0.0, 1.0);
    let tilt = Matrix3::identity();
    for point in 0..count {
        let angle = std::f64::consts::TAU * (point as f64 + phase) / count as f64;
        let outward = Vector3::new(angle.cos(), angle.sin(), 0.0);
        for (height, shift) in [(0.0, direction), (depth, turned)] {
            let gap = clearance * (1.0 - lean * (angle - shift).cos());
            // Normals at the mouth tilt with the peg.
            let slope = 2.0 * clearance / depth * (angle - shift).cos();
            let normal = if height > 0.0 { Vector3::new(-outward.x, -outward.y, slope) } else { -outward };
            let arm = tilt * (outward * radius) + Vector3::z() * (height - centre);
            let approach = if random.uniform() < 0.5 { gap / period } else { 2.0 * gap / period };
            scene.touch(arm, normal.normalize(), friction, approach);
            scene.set_last_gap(gap);
        }
    }
    scene
}
