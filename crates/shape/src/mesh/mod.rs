//! Triangle meshes.

mod builder;
mod tri_mesh;

pub(crate) use builder::MeshBuilder;
pub use builder::MeshOptions;
pub use tri_mesh::{Aabb, TriMesh};
