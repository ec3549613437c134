//! The audit: another, denser set of nodes, another formula, the same question.
//!
//! The certificate is cheap and grades the solver on the solver's own nodes. The audit grades it independently:
//! edges at most 0.05 mm apart, faces at most 0.5 mm, not the solver's places, both directions, and the true
//! distance instead of the branches that the step linearised. A distance changes by no more than the way between two
//! points, so nodes that are nearer to a node than that is to the other part need no look. Distances at the start of a
//! thread err to second order, d²/2r: only a part of a short distance is relied on.

use tightfit_shape::node::NodeSpacing;
use tightfit_spatial::{Columns3, Pose, Vector3};

use crate::{Motion, Parameters, Scene, State};

/// Largest distances between audit nodes [m].
const SPACING: NodeSpacing =
    NodeSpacing::of_distances([0.49e-3, 0.49e-3, 0.049e-3, 0.049e-3, 0.047e-3]);

/// Distances up to this [m] are taken at their word...
const FARTHEST: f64 = 0.5e-3;
/// ...less a fifth, which is d²/2r for the thinnest thread, r = 1.2 mm.
const SURE: f64 = 0.8;

/// Audit nodes of every body.
#[derive(Clone, Debug)]
pub struct Audit {
    nodes: Vec<Columns3>,
}

impl Audit {
    /// Sets the nodes of a scene.
    #[must_use]
    pub fn new(scene: &Scene, parameters: &Parameters) -> Self {
        let place = |index: usize| {
            let part = &parameters.bodies[index].part;
            let mut positions = Columns3::default();
            part.place(&part.nodes(&SPACING), &mut positions);
            positions
        };
        Self { nodes: (0..scene.bodies.len()).map(place).collect() }
    }

    /// Deepest penetration of any pair [m], zero when all are apart.
    #[must_use]
    pub fn penetration(&self, scene: &Scene, parameters: &Parameters, state: &State) -> f64 {
        let mut deepest = 0.0_f64;
        for pair in &scene.contacts {
            let poses = pair.bodies.map(|body| pose(scene, parameters, state, body));
            for (of, against) in [(0, 1), (1, 0)] {
                let against_from_of = poses[against].inverse() * poses[of];
                let other = &parameters.bodies[pair.bodies[against]].part;
                let own = &parameters.bodies[pair.bodies[of]].part;
                let (bounds, reach) = (other.aabb(), own.node_offset().max(0.0));
                // a node looked at, and how far it is from touching [m]
                let mut clear = (Vector3::zeros(), 0.0);
                for node in self.nodes[pair.bodies[of]].iter() {
                    if (node - clear.0).norm_squared() < clear.1 * clear.1 {
                        continue;
                    }
                    let point = against_from_of.transform_point(node);
                    let is_far = bounds.is_some_and(|b| {
                        point.z < b.min.z - reach
                            || point.z > b.max.z + reach
                            || point.x.abs() > b.max.x + reach
                            || point.y.abs() > b.max.y + reach
                    });
                    if !is_far {
                        let depth = own.node_offset() - other.sample(point).distance;
                        deepest = deepest.max(depth);
                        clear = (node, SURE * (-depth).clamp(0.0, FARTHEST));
                    }
                }
            }
        }
        deepest
    }
}

/// Pose of a body's part in a state.
pub(crate) fn pose(scene: &Scene, parameters: &Parameters, state: &State, body: usize) -> Pose {
    match (scene.bodies[body].motion, scene.free_index(body), parameters.bodies[body].inertia) {
        (Motion::Free, Some(index), Some(inertia)) => {
            state.motions[index].world_from_part(inertia.center_of_mass)
        }
        _ => match scene.kinematic_index(body) {
            Some(index) => state.kinematic[index],
            None => scene.bodies[body].world_from_part,
        },
    }
}
