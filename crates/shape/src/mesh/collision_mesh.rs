//! Mesh against mesh: all pairs of triangles that cross or nearly do.
//!
//! A tree of boxes over the triangles of each mesh, made once. At a pose the first tree is searched for triangles whose
//! boxes come near the other mesh, and each of those, carried into the second frame, is sought in the second tree;
//! pairs whose boxes overlap are measured by [`Triangle::contact`]. A search of one tree by a box needs a stack of its
//! depth only, which parry holds without allocation; its search of both trees at once needs more and allocates.

use nalgebra::Vector3;
use parry3d_f64::bounding_volume::Aabb as ParryBox;
use parry3d_f64::math::Vector as ParryVector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhNode};
use tightfit_spatial::Pose;

use super::topology::{half_edge_end, next_half_edge};
use super::{Aabb, EdgeTable, TriMesh, Triangle, TriangleContact};

/// Triangles of a mesh with a tree over them; constant, shared between threads.
#[derive(Clone, Debug)]
pub struct CollisionMesh {
    triangles: Vec<Triangle>,
    tree: Bvh,
    aabb: Aabb,
}

impl CollisionMesh {
    /// Puts the triangles of a mesh into a tree; those without area are left out.
    #[must_use]
    pub fn new(mesh: &TriMesh) -> Self {
        let mut beyond: Vec<Option<Vector3<f64>>> = vec![None; 3 * mesh.triangles.len()];
        for [one, two] in EdgeTable::new(mesh).iter().filter_map(|edge| edge.manifold(&mesh.triangles)) {
            for (own, other) in [(one, two), (two, one)] {
                let corner = half_edge_end(&mesh.triangles, next_half_edge(other));
                beyond[own as usize] = Some(mesh.vertices[corner as usize]);
            }
        }
        let triangle = |index: usize| {
            let mut triangle = Triangle::new(mesh.corners(index))?;
            for (corner, known) in triangle.beyond.iter_mut().zip(&beyond[3 * index..]) {
                *corner = known.unwrap_or(*corner);
            }
            Some(triangle)
        };
        let triangles: Vec<Triangle> = (0..mesh.triangles.len()).filter_map(triangle).collect();
        let boxes: Vec<ParryBox> = triangles.iter().map(|t| parry_box(&Aabb::of(t.corners))).collect();
        let tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes);
        let aabb = Aabb::of(triangles.iter().flat_map(|triangle| triangle.corners));
        Self { triangles, tree, aabb }
    }

    /// Number of triangles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Visits every pair of triangles of this mesh and another that cross, and those that are apart, turned to each
    /// other and nearer than `reach` [m]: the number of this mesh's triangle, of the other's, and their contact in the
    /// other's frame, its normal from the other into this. Nothing is allocated.
    pub fn each_contact(
        &self,
        other: &Self,
        other_from_this: &Pose,
        reach: f64,
        mut visit: impl FnMut(u32, u32, &TriangleContact),
    ) {
        let turn = other_from_this.rotation.to_rotation_matrix().into_inner();
        let spread = turn.abs();
        let around = other.aabb.grown(reach);
        let is_near = |node: &BvhNode| {
            let (low, high) = (vector(node.mins()), vector(node.maxs()));
            let middle = turn * ((low + high) / 2.0) + other_from_this.translation;
            let half = spread * ((high - low) / 2.0);
            (0..3).all(|k| middle[k] - half[k] <= around.max[k] && middle[k] + half[k] >= around.min[k])
        };
        for index in self.tree.leaves(is_near) {
            let own = &self.triangles[index as usize];
            let carry = |point: Vector3<f64>| turn * point + other_from_this.translation;
            let carried = Triangle {
                corners: own.corners.map(carry),
                normal: turn * own.normal,
                beyond: own.beyond.map(carry),
            };
            let near = parry_box(&Aabb::of(carried.corners).grown(reach));
            for partner in other.tree.intersect_aabb(&near) {
                if let Some(contact) = carried.contact(&other.triangles[partner as usize], reach) {
                    visit(index, partner, &contact);
                }
            }
        }
    }

    /// Visits every pair of triangles that cross: all contacts with penetration of the two meshes, as
    /// [`Self::each_contact`] gives them.
    pub fn each_crossing(
        &self,
        other: &Self,
        other_from_this: &Pose,
        visit: impl FnMut(u32, u32, &TriangleContact),
    ) {
        self.each_contact(other, other_from_this, 0.0, visit);
    }
}

fn vector(vector: ParryVector) -> Vector3<f64> {
    Vector3::new(vector.x, vector.y, vector.z)
}

fn parry_box(aabb: &Aabb) -> ParryBox {
    let vector = |v: Vector3<f64>| ParryVector::new(v.x, v.y, v.z);
    ParryBox::new(vector(aabb.min), vector(aabb.max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::MeshOptions;
    use crate::preset::preset;
    use tightfit_spatial::{SplitMix, UnitQuaternion};

    fn mesh(name: &str) -> CollisionMesh {
        CollisionMesh::new(&preset(name).unwrap().mesh(&MeshOptions::default()).unwrap())
    }

    fn least_gap(first: &CollisionMesh, second: &CollisionMesh, pose: &Pose, reach: f64) -> Option<f64> {
        let mut least: Option<f64> = None;
        first.each_contact(second, pose, reach, |_, _, contact| {
            least = Some(least.map_or(contact.gap, |least| least.min(contact.gap)));
        });
        least
    }

    /// The peg has 32.5 µm of room all around: moved aside by s, the gap left is 32.5 µm − s, less the chords of 2 µm.
    #[test]
    fn the_gap_of_a_peg_moved_aside_is_the_room_that_is_left() {
        let (peg, hole) = (mesh("peg-50"), mesh("hole-50"));
        for (micrometres, direction) in [(0.0, 0.3_f64), (20.0, 0.3), (30.0, 2.0), (40.0, 4.0)] {
            let aside = Vector3::new(direction.cos(), direction.sin(), 0.0) * (micrometres * 1e-6);
            let pose = Pose::new(aside - 20e-3 * Vector3::z(), UnitQuaternion::identity());
            let gap = least_gap(&peg, &hole, &pose, 50e-6).unwrap();
            let room = 32.5e-6 - aside.norm();
            assert!(gap < room + 2.1e-6 && gap > room - 2.1e-6, "{gap} of {room}");
            assert_eq!(least_gap(&peg, &hole, &pose, 0.0).is_some(), room < 0.0);
        }
    }

    #[test]
    fn the_tree_finds_what_all_pairs_hold() {
        let (nut, bolt) = (mesh("m8-nut"), mesh("m8-bolt"));
        let mut random = SplitMix(3);
        for _ in 0..4 {
            let turn = UnitQuaternion::from_scaled_axis(0.05 * random.centered_cube());
            let place = Vector3::new(0.0, 0.0, bolt.aabb.max.z) + 1e-3 * random.centered_cube();
            let pose = Pose::new(place, turn);
            let mut found = Vec::new();
            nut.each_contact(&bolt, &pose, 20e-6, |a, b, contact| found.push((a, b, contact.gap)));
            let mut all = Vec::new();
            for (a, own) in nut.triangles.iter().enumerate() {
                let corners = own.corners.map(|corner| pose.transform_point(corner));
                let beyond = own.beyond.map(|corner| pose.transform_point(corner));
                let carried = Triangle { corners, normal: pose.rotation * own.normal, beyond };
                let low = Aabb::of(corners).grown(20e-6);
                for (b, other) in bolt.triangles.iter().enumerate() {
                    let high = Aabb::of(other.corners);
                    if (0..3).any(|k| low.min[k] > high.max[k] || low.max[k] < high.min[k]) {
                        continue;
                    }
                    if let Some(contact) = carried.contact(other, 20e-6) {
                        all.push((a as u32, b as u32, contact.gap));
                    }
                }
            }
            found.sort_by_key(|pair| (pair.0, pair.1));
            assert!(all.len() > 10, "the parts are apart");
            assert_eq!(found.len(), all.len());
            let differs =
                found.iter().zip(&all).any(|(a, b)| (a.0, a.1) != (b.0, b.1) || (a.2 - b.2).abs() > 1e-12);
            assert!(!differs);
        }
    }
}
