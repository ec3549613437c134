//! An independent truth for solids bounded by planes: separating axes of convex pieces.

use nalgebra::Vector3;
use tightfit_simulation::Simulation;
use tightfit_spatial::Pose;

/// A convex solid: corners, normals of its faces and directions of its edges.
#[derive(Clone)]
pub(crate) struct Convex {
    corners: Vec<Vector3<f64>>,
    normals: Vec<Vector3<f64>>,
    edges: Vec<Vector3<f64>>,
}

impl Convex {
    /// A block with these edge lengths [m], its middle at `center`.
    pub(crate) fn block(size: [f64; 3], center: [f64; 3]) -> Self {
        let corner = |k: usize| {
            let side = |axis: usize| if k >> axis & 1 == 0 { -0.5 } else { 0.5 };
            Vector3::new(side(0) * size[0], side(1) * size[1], side(2) * size[2]) + Vector3::from(center)
        };
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        Self { corners: (0..8).map(corner).collect(), normals: axes.into(), edges: axes.into() }
    }

    /// A prism along z over a convex polygon, between two heights [m].
    pub(crate) fn prism(polygon: &[[f64; 2]], heights: [f64; 2]) -> Self {
        let at = |[x, y]: [f64; 2], z: f64| Vector3::new(x, y, z);
        let corners = polygon.iter().flat_map(|&p| heights.map(|z| at(p, z))).collect();
        let side = |k: usize| (at(polygon[(k + 1) % polygon.len()], 0.0) - at(polygon[k], 0.0)).normalize();
        let sides: Vec<_> = (0..polygon.len()).map(side).collect();
        let normals = sides.iter().map(|side| side.cross(&Vector3::z())).chain([Vector3::z()]).collect();
        Self { corners, normals, edges: sides.into_iter().chain([Vector3::z()]).collect() }
    }

    fn at(&self, pose: &Pose) -> Self {
        let turned = |all: &[Vector3<f64>]| all.iter().map(|v| pose.rotation * v).collect();
        Self {
            corners: self.corners.iter().map(|c| pose.transform_point(*c)).collect(),
            normals: turned(&self.normals),
            edges: turned(&self.edges),
        }
    }

    fn range(&self, axis: &Vector3<f64>) -> [f64; 2] {
        let along = self.corners.iter().map(|c| c.dot(axis));
        along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
    }
}

/// The shortest way that separates two convex solids [m]; negative or zero where they are apart.
pub(crate) fn overlap(a: (&Convex, &Pose), b: (&Convex, &Pose)) -> f64 {
    let (a, b) = (a.0.at(a.1), b.0.at(b.1));
    let crossed = a.edges.iter().flat_map(|e| b.edges.iter().map(move |f| e.cross(f)));
    let axes = a.normals.iter().chain(&b.normals).copied().chain(crossed);
    let mut least = f64::INFINITY;
    for axis in axes.filter_map(|axis| axis.try_normalize(1e-6)) {
        let ([low_a, high_a], [low_b, high_b]) = (a.range(&axis), b.range(&axis));
        let own = (high_a - low_b).min(high_b - low_a);
        least = least.min(own);
    }
    least
}

/// Bodies as unions of convex solids, in the order of the scene.
pub(crate) struct Truth(pub(crate) Vec<Vec<Convex>>);

impl Truth {
    /// Largest overlap of any two bodies at the pose of a simulation [m].
    pub(crate) fn depth(&self, simulation: &Simulation) -> f64 {
        let poses: Vec<_> =
            simulation.scene.body_ids().map(|body| simulation.world_from_part(body)).collect();
        let mut deepest = 0.0_f64;
        for pair in &simulation.scene.contacts {
            let [a, b] = pair.bodies.map(|body| body.index());
            for own in &self.0[a] {
                for other in &self.0[b] {
                    let depth = overlap((own, &poses[a]), (other, &poses[b]));
                    deepest = deepest.max(depth);
                }
            }
        }
        deepest
    }
}
