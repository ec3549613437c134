//! Triangle meshes.

mod tri_mesh;

pub use tri_mesh::{Aabb, TriMesh};
