//! Depth of the deepest point inside a solid: an inward offset by that depth leaves nothing of the solid.
//!
//! ```text
//! r = |c − q|²/(2 n·(c − q))      the ball that touches at c and passes through q
//! ```
//!
//! c is a point of the surface, n its outward normal, q the point of the surface nearest to the ball's centre c −
//! r n. Repeating this until q is no nearer than c gives the largest inner ball that touches the surface at c. J. Ma,
//! S. W. Bae, S. Choi, "3D medial axis point approximation using nearest neighbors and the normal field", Visual
//! Computer 28, 2012. A pattern search then moves the centre of the largest ball until no neighbouring point is
//! deeper.

use nalgebra::Vector3;

use super::MeshDistance;

/// Largest number of triangles at which a ball is started.
const MOST_STARTS: usize = 512;
/// Largest number of times a ball is shrunk; ten are typical.
const MOST_SHRINKINGS: usize = 50;
/// The pattern search ends when its step is shorter than this fraction of the depth [-].
const SHORTEST_MOVE: f64 = 1e-7;

impl MeshDistance {
    /// Depth of the deepest point inside the triangles [m], without the offset. Never too large; on typical parts
    /// hardly too small.
    #[must_use]
    pub fn deepest_inside(&self) -> f64 {
        let count = self.mesh().triangles.len();
        let starts = (0..count).step_by(count.div_ceil(MOST_STARTS).max(1));
        let deepest = starts
            .filter_map(|triangle| self.touching_ball(triangle))
            .map(|middle| (self.depth(middle), middle))
            .fold((0.0, Vector3::zeros()), |best, ball| if ball.0 > best.0 { ball } else { best });
        self.moved_deeper(deepest)
    }

    fn depth(&self, point: Vector3<f64>) -> f64 {
        -(self.sample(point).distance + self.offset())
    }

    /// Centre of the largest inner ball that touches the middle of a triangle; `None` for a triangle without area.
    fn touching_ball(&self, triangle: usize) -> Option<Vector3<f64>> {
        let mesh = self.mesh();
        let touching = mesh.corners(triangle).iter().sum::<Vector3<f64>>() / 3.0;
        let outward = mesh.area_vector(triangle).try_normalize(f64::MIN_POSITIVE)?;
        let mut radius = self.mesh_aabb().diagonal();
        for _ in 0..MOST_SHRINKINGS {
            let away = touching - self.sample(touching - outward * radius).closest;
            let along = 2.0 * outward.dot(&away);
            // the nearest point is the touching point itself, or lies beside it on the same facet
            if along <= 1e-12 * radius || away.norm_squared() >= radius * along * (1.0 - 1e-9) {
                break;
            }
            radius = away.norm_squared() / along;
        }
        Some(touching - outward * radius)
    }

    /// Pattern search from a point of known depth [m]: the step is halved when no neighbour is deeper. Returns the
    /// depth [m].
    fn moved_deeper(&self, (mut depth, mut middle): (f64, Vector3<f64>)) -> f64 {
        let mut length = depth;
        while length > SHORTEST_MOVE * depth {
            let moves = (0..27).map(|direction| {
                let [x, y, z] =
                    [direction % 3, direction / 3 % 3, direction / 9].map(|step| f64::from(step) - 1.0);
                middle + Vector3::new(x, y, z) * length
            });
            let best = moves
                .map(|place| (self.depth(place), place))
                .fold((depth, middle), |best, ball| if ball.0 > best.0 { ball } else { best });
            if best.0 > depth {
                (depth, middle) = best;
            } else {
                length /= 2.0;
            }
        }
        depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::MeshOptions;
    use crate::mesh::tests::{bracket, cube, torus};
    use crate::primitive::Block;

    #[test]
    fn the_deepest_point_is_at_half_the_thickness_of_a_cube_a_plate_and_a_torus() {
        let plate = Block::new(Vector3::new(1.0, 0.7, 0.002)).unwrap().mesh(&MeshOptions::default());
        for (mesh, truth, slack) in [(cube(), 0.5, 1e-6), (plate, 0.001, 1e-9), (torus(96, 48), 0.3, 4e-3)] {
            let deepest = MeshDistance::new(mesh).unwrap().deepest_inside();
            assert!(deepest <= truth + 1e-12 && deepest >= truth * (1.0 - slack), "{deepest} of {truth}");
        }
        let offset = MeshDistance::new(bracket()).unwrap().with_offset(-0.1).deepest_inside();
        assert!((offset - 0.5).abs() < 1e-6, "the offset must not change the depth: {offset}");
    }
}
