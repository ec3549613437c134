//! Ground truth of C-space networks: the smallest gap of the nodes of both parts.
//!
//! ```text
//! gap(pose) = min( min_i d_fixed(pose xᵢ) − rᵢ,  min_j d_moving(pose⁻¹ yⱼ) − rⱼ )        collides ⇔ gap < 0
//! ```
//!
//! x, y nodes of the moving and of the fixed part, d exact distance from the other part, r depth of a part's nodes
//! below its surface [m].

use tightfit_shape::Part;
use tightfit_simulation::{BodyId, Scene};
use tightfit_spatial::{Columns3, Pose, Vector3};

/// Larger gaps are reported as infinite [m].
const FAR: f64 = 2e-3;
/// Number of remembered colliding nodes.
const REMEMBERED: usize = 24;

/// Two parts and their nodes.
#[derive(Clone, Debug)]
pub struct PairGap {
    /// The moving and the fixed part.
    parts: [Part; 2],
    nodes: [Columns3; 2],
    center_in_part: Vector3<f64>,
}

/// Nodes that collided recently, the latest first: neighbouring configurations often collide at the same nodes.
#[derive(Clone, Debug, Default)]
pub struct Offenders(Vec<(usize, usize)>);

impl PairGap {
    /// The pair of a moving and a fixed body of a scene, with the scene's nodes.
    #[must_use]
    pub fn of(scene: &Scene, moving: BodyId, fixed: BodyId) -> Self {
        let nodes = [moving, fixed].map(|body| {
            let mut positions = Columns3::default();
            scene.bodies[body].part.place(&scene.bodies[body].nodes, &mut positions);
            positions
        });
        Self {
            parts: [moving, fixed].map(|body| scene.bodies[body].part.clone()),
            nodes,
            center_in_part: scene.bodies[moving]
                .inertia
                .map_or_else(Vector3::zeros, |inertia| inertia.center_of_mass),
        }
    }

    /// Centre of mass of the moving part in its frame [m].
    #[must_use]
    pub fn center_in_part(&self) -> Vector3<f64> {
        self.center_in_part
    }

    /// Smallest gap [m]; infinite where every node is far from the other part, by 2 mm or more.
    #[must_use]
    pub fn gap(&self, fixed_from_part: &Pose) -> f64 {
        let poses = [*fixed_from_part, fixed_from_part.inverse()];
        let mut smallest = f64::INFINITY;
        for (side, pose) in poses.iter().enumerate() {
            for node in self.nodes[side].iter() {
                smallest = smallest.min(self.gap_of(side, pose.transform_point(node), FAR));
            }
        }
        smallest
    }

    /// Whether any node is inside the other part: the sign of [`Self::gap`], computed faster.
    #[must_use]
    pub fn collides(&self, fixed_from_part: &Pose, offenders: &mut Offenders) -> bool {
        let poses = [*fixed_from_part, fixed_from_part.inverse()];
        let is_inside = |side: usize, node: usize| {
            self.gap_of(side, poses[side].transform_point(self.nodes[side].get(node)), 0.0) < 0.0
        };
        let Offenders(recent) = offenders;
        if let Some(place) = recent.iter().position(|(side, node)| is_inside(*side, *node)) {
            recent[..=place].rotate_right(1);
            return true;
        }
        for side in 0..2 {
            if let Some(node) = (0..self.nodes[side].len()).find(|node| is_inside(side, *node)) {
                recent.truncate(REMEMBERED - 1);
                recent.insert(0, (side, node));
                return true;
            }
        }
        false
    }

    /// Gap of a node at a point of the other part's frame [m]; infinite beyond `reach`.
    fn gap_of(&self, side: usize, point: Vector3<f64>, reach: f64) -> f64 {
        let (own, other) = (&self.parts[side], &self.parts[1 - side]);
        let (extent, offset) = (other.extent(), own.node_offset());
        let (radius, reach) = (point.x.hypot(point.y), offset.abs() + reach);
        let is_far = point.z < extent.heights[0] - reach
            || point.z > extent.heights[1] + reach
            || radius < extent.radii[0] - reach
            || radius > extent.radii[1] + reach;
        if is_far { f64::INFINITY } else { other.sample(point).distance - offset }
    }
}
