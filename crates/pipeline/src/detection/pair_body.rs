//! One of the two bodies of a pair: what detection reads of it.

use nalgebra::{UnitQuaternion, Vector3};
use tightfit_shape::Part;
use tightfit_shape::mesh::CollisionMesh;
use tightfit_shape::polyhedron::Polyhedron;
use tightfit_spatial::Pose;

use super::{DepthNetwork, NodeBlocks};
use crate::records::NOT_FREE;

/// A body of a pair.
#[derive(Clone, Copy, Debug)]
pub struct PairBody<'a> {
    /// Shape.
    pub part: &'a Part,
    /// Depth network that is queried instead of the shape, if any.
    pub network: Option<&'a DepthNetwork>,
    /// Its triangles; two parts that both have them are detected by them.
    pub mesh: Option<&'a CollisionMesh>,
    /// The part as a polyhedron, if planes bound it; two such parts are detected by corners and edges.
    pub polyhedron: Option<&'a Polyhedron>,
    /// Nodes in the part's frame [m].
    pub nodes: &'a NodeBlocks,
    /// Pose of the part's frame.
    pub world_from_part: Pose,
    /// Centre of mass in world axes [m]; any fixed point of a body that is not free.
    pub center: Vector3<f64>,
    /// Number of the free body, or [`NOT_FREE`].
    pub body: u32,
    /// Velocity of the centre expected at the end of the step [m/s].
    pub linear: Vector3<f64>,
    /// Angular velocity in world axes [rad/s].
    pub angular: Vector3<f64>,
    /// Identity of the first node in this pair; the identities of the others follow it.
    pub first_id: u32,
    /// By how much the surface may lie beside that of the part at most [m]: gaps are corrected by this much after the detection.
    pub worn: f64,
}

#[cfg(test)]
impl<'a> PairBody<'a> {
    /// A body at rest, seen by its shape and nodes alone, with its centre at the part's origin.
    pub(super) fn at_rest(part: &'a Part, nodes: &'a NodeBlocks, world_from_part: Pose, body: u32) -> Self {
        Self {
            part,
            network: None,
            mesh: None,
            polyhedron: None,
            nodes,
            world_from_part,
            center: world_from_part.translation,
            body,
            linear: Vector3::zeros(),
            angular: Vector3::zeros(),
            first_id: 0,
            worn: 0.0,
        }
    }
}

impl PairBody<'_> {
    /// Whether forces move it.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.body != NOT_FREE
    }

    /// Velocity of the body's point at `point`, both in world axes [m/s, m].
    #[must_use]
    pub fn velocity_at(&self, point: Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(&(point - self.center))
    }

    pub(super) fn rotation(&self) -> UnitQuaternion<f64> {
        self.world_from_part.rotation
    }
}
