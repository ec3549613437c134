//! The contacts of the last step, held as planes until the next one.
//!
//! ```text
//! φ_i(c, R) = φ_i⁰ + n_i · (c + R R₀ᵀ ρ_i − c₀ − ρ_i)        gap of node i at a pose (c, R) near (c₀, R₀)
//! w_i       = [n_i;  ρ_i × n_i / L]                          its row, with a length L for the rotations
//! ```
//!
//! c₀, R₀ are centre of mass and attitude of the part at the end of the step, ρ_i the node's arm, n_i the normal out of the
//! obstacle, φ_i⁰ the gap. A thread has hundreds of candidates whose rows differ little. Those kept are chosen one by one:
//! first the one that presses most or is nearest, then the one whose row is farthest from all rows chosen, a near gap
//! counting more. A plane that is held while the part slides by s errs by s²/2r (r: radius of curvature); only the proxy
//! at the hand sees that, never the simulated pose.

use tightfit_simulation::ContactPoint;
use tightfit_spatial::{UnitQuaternion, Vector3};

/// Most planes that are held.
pub const MOST_PLANES: usize = 20;
/// L [m]: a rotation moves a node by about this arm.
const ARM: f64 = 0.02;
/// A gap of this size halves the weight of a plane [m].
const NEAR: f64 = 50e-6;
/// Rows nearer than this add nothing.
const SAME_ROW: f64 = 0.02;

/// One contact as a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPlane {
    /// ρ: node − centre of mass, world axes at the end of the step [m].
    pub arm: Vector3<f64>,
    /// n: unit normal out of the obstacle, world axes.
    pub normal: Vector3<f64>,
    /// φ⁰: gap at the end of the step [m].
    pub gap: f64,
}

/// Planes around a pose of the part.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldPlanes {
    /// c₀: centre of mass [m].
    pub center: Vector3<f64>,
    /// R₀.
    pub rotation: UnitQuaternion<f64>,
    /// The planes.
    pub planes: Vec<ContactPlane>,
}

impl HeldPlanes {
    /// The planes that represent the contacts of a step.
    #[must_use]
    pub fn choose(center: Vector3<f64>, rotation: UnitQuaternion<f64>, contacts: &[ContactPoint]) -> Self {
        let plane = |contact: &ContactPoint| ContactPlane {
            arm: contact.position - center,
            normal: contact.normal,
            gap: contact.gap,
        };
        let candidates: Vec<ContactPlane> = contacts.iter().map(plane).collect();
        let rows: Vec<[Vector3<f64>; 2]> =
            candidates.iter().map(|plane| [plane.normal, plane.arm.cross(&plane.normal) / ARM]).collect();
        let weight = |index: usize| {
            let force = contacts[index].force.norm();
            (1.0 + force.min(10.0)) / (1.0 + candidates[index].gap.max(0.0) / NEAR)
        };
        let mut planes = Vec::new();
        // distance of each row from those chosen
        let mut distance = vec![1.0; rows.len()];
        while planes.len() < MOST_PLANES {
            let score = |index: &usize| distance[*index] * weight(*index);
            let best = (0..rows.len()).max_by(|a, b| score(a).total_cmp(&score(b)));
            let Some(best) = best.filter(|best| distance[*best] > SAME_ROW) else { break };
            planes.push(candidates[best]);
            for (own, row) in distance.iter_mut().zip(&rows) {
                let away = (row[0] - rows[best][0]).norm_squared() + (row[1] - rows[best][1]).norm_squared();
                *own = own.min(libm::sqrt(away));
            }
        }
        Self { center, rotation, planes }
    }

    /// No planes: free space.
    #[must_use]
    pub fn none(center: Vector3<f64>, rotation: UnitQuaternion<f64>) -> Self {
        Self { center, rotation, planes: Vec::new() }
    }

    /// Arm and gap of a plane at another pose: R R₀ᵀ ρ [m] and φ [m].
    #[must_use]
    pub fn at(
        &self,
        plane: &ContactPlane,
        center: Vector3<f64>,
        rotation: &UnitQuaternion<f64>,
    ) -> (Vector3<f64>, f64) {
        let arm = rotation * (self.rotation.inverse() * plane.arm);
        (arm, plane.gap + plane.normal.dot(&(center + arm - self.center - plane.arm)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_planes_represent_many_alike() {
        let contact = |x: f64, y: f64, normal: Vector3<f64>| ContactPoint {
            position: Vector3::new(x, y, 0.0),
            normal,
            gap: 1e-6,
            force: Vector3::zeros(),
        };
        let mut contacts: Vec<ContactPoint> = (0..400)
            .map(|i| contact(1e-3 * f64::from(i % 20), 1e-3 * f64::from(i / 20), Vector3::z()))
            .collect();
        contacts.push(contact(0.0, 0.0, Vector3::x()));
        let held = HeldPlanes::choose(Vector3::zeros(), UnitQuaternion::identity(), &contacts);
        assert!(held.planes.len() <= MOST_PLANES);
        assert!(held.planes.iter().any(|plane| plane.normal == Vector3::x()), "the odd one is kept");
        for corner in [[0.0, 0.0], [0.019, 0.0], [0.0, 0.019], [0.019, 0.019]] {
            let near =
                |plane: &ContactPlane| (plane.arm.xy() - Vector3::new(corner[0], corner[1], 0.0).xy()).norm();
            let nearest = held.planes.iter().map(near).fold(f64::INFINITY, f64::min);
            assert!(nearest < 6e-3, "{corner:?}: {nearest}");
        }
    }
}
