//! Triangle meshes.

pub mod baked;
mod closest_point_triangle;
mod exact_distance;
mod fingerprint;
mod pseudo_normals;
mod tri_mesh;
mod triangle_bvh;

pub use exact_distance::{MeshDistance, MeshSample};
pub use pseudo_normals::MeshDistanceError;
pub use tri_mesh::{Aabb, TriMesh};
