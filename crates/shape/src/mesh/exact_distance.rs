//! Exact signed distance to a closed triangle mesh.
//!
//! ```text
//! d(p) = sign((p − c)·N(c)) ‖p − c‖ − o        ∇d = sign · (p − c)/‖p − c‖
//! ```
//!
//! c nearest point of the mesh to p [m], N(c) pseudo-normal of the feature that contains it (`pseudo_normals`),
//! o offset [m]: a positive offset grows the solid, a negative one leaves a clearance. d is negative inside the solid
//! and ∇d points out of it.
//!
//! Several triangles can contain c (all that share an edge) or points equally near to p (on the medial axis). Among
//! triangles that tie to rounding, the one with the largest |(p − c)·N| decides the sign: it is the least sensitive
//! to rounding, and next to degenerate triangles it is one that has a plane.

use std::sync::Arc;

use nalgebra::Vector3;
use tightfit_spatial::Columns3;

use super::box_tree::BoxTree;
use super::closest_point_triangle::{FACE, Feature, PreparedTriangle};
use super::fingerprint::Fnv;
use super::pseudo_normals::{FeatureNormals, MeshDistanceError, pseudo_normals};
use super::tri_mesh::{Aabb, TriMesh};

/// Largest relative difference of squared distances that counts as a tie [-].
const TIE: f64 = 1e-12;
/// Squared distance [m²] below which two points coincide: the rounding error of coordinates of about a metre.
const COINCIDENT: f64 = 1e-31;
/// Distance [m] to an edge or vertex below which (p − c) has lost its direction to rounding.
const ON_SURFACE: f64 = 1e-11;

/// The field at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshSample {
    /// Distance [m], negative inside the solid.
    pub distance: f64,
    /// Unit gradient of the distance, out of the solid.
    pub normal: Vector3<f64>,
    /// Nearest point of the mesh itself, without the offset [m].
    pub closest: Vector3<f64>,
}

/// Signed distance to a closed triangle mesh, offset by a clearance.
#[derive(Clone, Debug)]
pub struct MeshDistance {
    mesh: Arc<TriMesh>,
    bvh: BoxTree,
    /// In the order of `bvh`.
    pub(super) triangles: Vec<PreparedTriangle>,
    normals: Vec<FeatureNormals>,
    aabb: Aabb,
    /// Grows the solid [m]: subtracted from every distance.
    offset: f64,
}

impl MeshDistance {
    /// Field of `mesh` without offset.
    ///
    /// # Errors
    /// When inside and outside are undefined: no triangles, an open or non-manifold edge, a mesh wound inside out.
    pub fn new(mesh: impl Into<Arc<TriMesh>>) -> Result<Self, MeshDistanceError> {
        let mesh = mesh.into();
        let corners = |t: &[u32; 3]| t.map(|v| mesh.vertices.get(v as usize).copied().unwrap_or_default());
        let triangles: Vec<_> = mesh.triangles.iter().map(|t| PreparedTriangle::new(corners(t))).collect();
        let normals = pseudo_normals(&mesh, &triangles)?;
        let boxes: Vec<_> = mesh.triangles.iter().map(|t| Aabb::of(corners(t))).collect();
        let (bvh, order) = BoxTree::build(&boxes);
        Ok(Self {
            bvh,
            triangles: order.iter().map(|&t| triangles[t as usize].clone()).collect(),
            normals: order.iter().map(|&t| normals[t as usize]).collect(),
            aabb: Aabb::of(boxes.iter().flat_map(|b| [b.min, b.max])),
            offset: 0.0,
            mesh,
        })
    }

    /// The mesh.
    #[must_use]
    pub fn mesh(&self) -> &Arc<TriMesh> {
        &self.mesh
    }

    /// Size in memory [bytes].
    #[must_use]
    pub fn memory(&self) -> u64 {
        let triangles = size_of_val(&*self.triangles) + size_of_val(&*self.normals) + self.bvh.memory();
        let mesh = size_of_val(&*self.mesh.vertices) + size_of_val(&*self.mesh.triangles);
        (triangles + mesh) as u64
    }

    /// The same field with the solid grown by `offset` [m]; a negative offset leaves a clearance.
    #[must_use]
    pub fn with_offset(self, offset: f64) -> Self {
        Self { offset, ..self }
    }

    /// How far the solid is grown [m].
    #[must_use]
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// Bounding box of the mesh itself, without the offset.
    #[must_use]
    pub fn mesh_aabb(&self) -> Aabb {
        self.aabb
    }

    /// 64-bit hash of the mesh and the offset: equal for equal fields. Not cryptographic.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let vertices = self.mesh.vertices.iter();
        let hash = vertices.fold(Fnv::new(), |hash, v| hash.number(v.x).number(v.y).number(v.z));
        let indices = self.mesh.triangles.iter().flatten();
        let hash = indices.fold(hash, |hash, index| hash.bytes(&index.to_le_bytes()));
        hash.number(self.offset).0
    }

    /// Distance, normal and nearest point at `point` [m].
    #[must_use]
    pub fn sample(&self, point: Vector3<f64>) -> MeshSample {
        let mut nearest = Nearest::beyond(f64::INFINITY);
        self.bvh.search(point, f64::INFINITY, |t| {
            self.offer(t, point, &mut nearest);
            nearest.bound()
        });
        self.finish(point, &nearest)
    }

    /// The sample when |distance| ≤ `max_distance` [m], found faster because the search starts with that bound.
    #[must_use]
    pub fn sample_within(&self, point: Vector3<f64>, max_distance: f64) -> Option<MeshSample> {
        // one part in 10¹² more, so that rounding cannot drop a point exactly at the limit
        let reach = (max_distance + self.offset.abs()) * (1.0 + TIE);
        let mut nearest = Nearest::beyond(reach * reach);
        self.bvh.search(point, nearest.bound(), |t| {
            self.offer(t, point, &mut nearest);
            nearest.bound()
        });
        let found = nearest.found.then(|| self.finish(point, &nearest))?;
        (found.distance.abs() <= max_distance).then_some(found)
    }

    /// Distances [m] and normals at a column of points; the outputs are cleared first.
    pub fn sample_columns(&self, points: &Columns3, distances: &mut Vec<f64>, normals: &mut Columns3) {
        distances.clear();
        normals.clear();
        for point in points.iter() {
            let sample = self.sample(point);
            distances.push(sample.distance);
            normals.push(sample.normal);
        }
    }

    /// The sample over some triangles only; `triangles` must not be empty.
    #[inline]
    pub(super) fn sample_among(&self, point: Vector3<f64>, triangles: &[u32]) -> MeshSample {
        let mut nearest = Nearest::beyond(f64::INFINITY);
        for &t in triangles {
            self.offer(t as usize, point, &mut nearest);
        }
        self.finish(point, &nearest)
    }

    /// Triangles whose box is within `radius` [m] of `point`.
    pub(super) fn near(&self, point: Vector3<f64>, radius: f64, mut visit: impl FnMut(usize)) {
        let bound = radius * radius;
        self.bvh.search(point, bound, |t| {
            visit(t);
            bound
        });
    }

    /// Updates `nearest` with triangle `t`; among ties the larger |(p − c)·N| wins.
    #[inline]
    pub(super) fn offer(&self, t: usize, point: Vector3<f64>, nearest: &mut Nearest) {
        let slack = TIE * nearest.squared + COINCIDENT;
        let Some(candidate) = self.triangles[t].closest(point, nearest.squared + slack) else { return };
        if candidate.squared > nearest.squared + slack {
            return;
        }
        let facing = (point - candidate.point).dot(&self.normals[t][candidate.feature]);
        let tie = nearest.found && candidate.squared >= nearest.squared - slack;
        if !tie || facing.abs() > nearest.facing.abs() {
            nearest.triangle = t;
            nearest.feature = candidate.feature;
            nearest.point = candidate.point;
            nearest.facing = facing;
        }
        nearest.squared = nearest.squared.min(candidate.squared);
        nearest.found = true;
    }

    /// Distance, normal and nearest point, after every candidate triangle has been passed to `offer`.
    #[inline]
    pub(super) fn finish(&self, point: Vector3<f64>, nearest: &Nearest) -> MeshSample {
        let sign = if nearest.facing < 0.0 { -1.0 } else { 1.0 };
        let unsigned = nearest.squared.sqrt();
        let pseudo_normal = self.normals[nearest.triangle][nearest.feature];
        // on a face the pseudo-normal is the gradient, without the cancellation in p − c
        let normal = if nearest.feature == FACE || unsigned < ON_SURFACE {
            pseudo_normal
        } else {
            (point - nearest.point) * (sign / unsigned)
        };
        MeshSample { distance: sign * unsigned - self.offset, normal, closest: nearest.point }
    }
}

/// The best triangle so far.
#[derive(Clone, Debug)]
pub(super) struct Nearest {
    found: bool,
    triangle: usize,
    feature: Feature,
    point: Vector3<f64>,
    /// Squared distance [m²].
    pub(super) squared: f64,
    /// (p − c)·N [m].
    facing: f64,
}

impl Nearest {
    /// Nothing found yet; triangles farther away than the square root of `squared` [m²] are ignored.
    pub(super) fn beyond(squared: f64) -> Self {
        Self { found: false, triangle: 0, feature: FACE, point: Vector3::zeros(), squared, facing: 0.0 }
    }

    /// Squared distance [m²] beyond which a triangle cannot even tie.
    #[inline]
    pub(super) fn bound(&self) -> f64 {
        self.squared * (1.0 + TIE) + COINCIDENT
    }
}
