//! Contact loads within friction cones that explain a wrench.
//!
//! ```text
//! min ½ |w − Σ λ_k g_k|² + ½ ε |λ|² + Σ c_k λ_k,   λ ≥ 0        coordinate descent; convex, so the minimum is unique
//!
//! g_k   wrench of a unit normal force along one of four edges n ± μ t of a contact's cone (torque per `ARM`)
//! c_k   grows with the contact's gap: the nearest of several possible contacts carries the load
//! ```

use nalgebra::{SVector, Vector3, Vector6};

/// Lever that converts torques to forces [m].
pub(super) const ARM: f64 = 0.02;
/// ε [-]: distributes a load among equivalent contacts.
const SHARE: f64 = 0.02;
/// Gap at which the cost per load is 1 N [m].
const GAP: f64 = 0.3e-3;
/// Sweeps over the edges.
const SWEEPS: usize = 120;

/// A possible contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// Position relative to the reference point of torques [m].
    pub(super) arm: Vector3<f64>,
    /// Unit normal of the force on the part.
    pub(super) normal: Vector3<f64>,
    /// Distance to the wall [m]; negative inside it.
    pub(super) gap: f64,
}

/// Normal load of each candidate [N], and the residual force and torque.
pub(super) fn cone_loads(
    candidates: &[Candidate],
    friction: f64,
    force: Vector3<f64>,
    torque: Vector3<f64>,
) -> (Vec<f64>, [Vector3<f64>; 2]) {
    let mut edges: Vec<(Vector6<f64>, f64)> = Vec::with_capacity(4 * candidates.len());
    for candidate in candidates {
        let along = candidate.normal.cross(&Vector3::z());
        let across = candidate.normal.cross(&along);
        for tangent in [along, -along, across, -across] {
            let direction = candidate.normal + tangent * friction;
            let turning = candidate.arm.cross(&direction) / ARM;
            edges.push((stack(direction, turning), candidate.gap.max(0.0) / GAP));
        }
    }
    let squares: Vec<f64> = edges.iter().map(|(edge, _)| edge.norm_squared() + SHARE).collect();
    let mut loads = vec![0.0; edges.len()];
    let mut left = stack(force, torque / ARM);
    for _ in 0..SWEEPS {
        let mut moved: f64 = 0.0;
        for (((edge, cost), square), load) in edges.iter().zip(&squares).zip(&mut loads) {
            let slope = edge.dot(&left) - SHARE * *load - cost;
            let new = (*load + slope / square).max(0.0);
            if new != *load {
                left -= edge * (new - *load);
                moved = moved.max((new - *load).abs());
                *load = new;
            }
        }
        if moved < 1e-3 {
            break;
        }
    }
    let sums = loads.as_chunks::<4>().0.iter().map(|edges| edges.iter().sum()).collect();
    (sums, [left.fixed_rows::<3>(0).into(), left.fixed_rows::<3>(3) * ARM])
}

fn stack(first: Vector3<f64>, second: Vector3<f64>) -> SVector<f64, 6> {
    Vector6::new(first.x, first.y, first.z, second.x, second.y, second.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_couple_is_carried_by_the_two_opposite_walls() {
        // A peg 20 mm deep, pressed against the mouth on one side and at the tip on the other.
        let at = |z: f64, x: f64| Candidate {
            arm: Vector3::new(x * 4e-3, 0.0, z),
            normal: Vector3::new(-x, 0.0, 0.0),
            gap: 0.0,
        };
        let candidates = [at(0.0, 1.0), at(0.0, -1.0), at(0.02, 1.0), at(0.02, -1.0)];
        let torque = Vector3::new(0.02, 0.0, 0.0).cross(&Vector3::zeros()) + Vector3::new(0.0, 0.2, 0.0);
        let (loads, left) = cone_loads(&candidates, 0.0, Vector3::zeros(), torque);
        assert!((loads[0] - 10.0).abs() < 0.5 && (loads[3] - 10.0).abs() < 0.5, "{loads:?}");
        assert!(loads[1] < 0.3 && loads[2] < 0.3, "{loads:?}");
        assert!(left[0].norm() < 0.5 && left[1].norm() < 0.01, "{left:?}");
    }
}
