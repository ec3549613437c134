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

use super::{Aabb, TriMesh, Triangle, TriangleContact};

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
        let corners = (0..mesh.triangles.len()).map(|index| mesh.corners(index));
        let triangles: Vec<Triangle> = corners.filter_map(Triangle::new).collect();
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
            let carried = Triangle {
                corners: own.corners.map(|corner| turn * corner + other_from_this.translation),
                normal: turn * own.normal,
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
