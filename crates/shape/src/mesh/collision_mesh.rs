//! Mesh against mesh: all pairs of triangles that cross or nearly touch.
//!
//! Each mesh has a tree of bounding boxes over its triangles, built once. At a pose, the first tree is searched for
//! triangles whose boxes are near the other mesh. Each of them is transformed into the frame of the second mesh, and
//! its box is searched in the second tree. [`Triangle::contact`] measures the pairs whose boxes overlap. Searching
//! one tree with a box needs only a stack of the tree's depth, which parry holds without allocation; parry's search
//! of two trees at once allocates.

use nalgebra::Vector3;
use parry3d_f64::bounding_volume::Aabb as ParryBox;
use parry3d_f64::math::Vector as ParryVector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhNode};
use tightfit_spatial::Pose;

use super::topology::{half_edge_end, next_half_edge};
use super::{Aabb, EdgeTable, TriMesh, Triangle, TriangleContact};

/// The triangles of a mesh and a tree over them; immutable, so threads can share it.
#[derive(Clone, Debug)]
pub struct CollisionMesh {
    triangles: Vec<Triangle>,
    tree: Bvh,
    aabb: Aabb,
}

impl CollisionMesh {
    /// Builds the tree over the triangles of a mesh; triangles without area are dropped.
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

    /// Visits every pair of triangles of this mesh and `other` that cross, and every separated pair that face each
    /// other within `reach` [m]. `visit` gets the index of this mesh's triangle, the index of the other's, and the
    /// contact in the other mesh's frame, with its normal from the other mesh into this one. Nothing is allocated.
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

    /// Visits every pair of triangles that cross: all penetrating contacts of the two meshes, with the arguments of
    /// [`Self::each_contact`].
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

    /// The radial clearance is 32.5 µm: after a lateral shift by s the gap is 32.5 µm − s, within the chord tolerance
    /// of 2 µm.
    #[test]
    fn the_gap_of_a_shifted_peg_is_the_remaining_clearance() {
        let (peg, hole) = (mesh("peg-50"), mesh("hole-50"));
        for (micrometres, direction) in [(0.0, 0.3_f64), (20.0, 0.3), (30.0, 2.0), (40.0, 4.0)] {
            let shift = Vector3::new(direction.cos(), direction.sin(), 0.0) * (micrometres * 1e-6);
            let pose = Pose::new(shift - 20e-3 * Vector3::z(), UnitQuaternion::identity());
            let gap = least_gap(&peg, &hole, &pose, 50e-6).unwrap();
            let clearance = 32.5e-6 - shift.norm();
            assert!(gap < clearance + 2.1e-6 && gap > clearance - 2.1e-6, "{gap} of {clearance}");
            assert_eq!(least_gap(&peg, &hole, &pose, 0.0).is_some(), clearance < 0.0);
        }
    }

    #[test]
    fn the_tree_finds_the_contacts_of_a_search_over_all_pairs() {
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
            assert!(all.len() > 10, "too few contacts to compare");
            assert_eq!(found.len(), all.len());
            let differs =
                found.iter().zip(&all).any(|(a, b)| (a.0, a.1) != (b.0, b.1) || (a.2 - b.2).abs() > 1e-12);
            assert!(!differs);
        }
    }
}
