//! Triangle meshes: reading, writing, welding, edges and crossings.

mod builder;
mod base64;
mod ear_clipping;
mod gather;
mod load;
mod load_gltf;
mod load_obj;
mod load_ply;
mod load_stl;
mod mesh_error;
mod save;
mod sharp_edges;
mod shells;
mod topology;
mod tri_mesh;
mod triangle_intersection;
mod union_find;
mod unit;
mod weld;
mod winding;

pub(crate) use builder::MeshBuilder;
pub use builder::MeshOptions;
pub(crate) use base64::encode as base64_encode;
pub(crate) use ear_clipping::clip_ears;
pub use gather::{MAX_COORDINATE, MAX_TRIANGLES};
pub use load::{LoadedMesh, MeshFormat, load, load_bytes};
pub use mesh_error::MeshError;
pub use save::save;
pub use sharp_edges::{DEFAULT_SHARP_ANGLE, SharpEdge, dihedral_angle, sharp_edges};
pub use shells::{Shell, Shells, shells};
pub use topology::{Edge, EdgeTable};
pub use tri_mesh::{Aabb, TriMesh};
pub use triangle_intersection::{Crossings, self_crossings, triangles_cross};
pub(crate) use union_find::UnionFind;
pub use unit::{LengthUnit, UnitGuess, UnknownUnit, guess_unit};
pub use weld::{Weld, weld, weld_exact};
pub(crate) use winding::winding_number;

#[cfg(test)]
pub(crate) mod tests;
