//! Triangle meshes: reading, writing, welding, edges and crossings; exact and baked distance; mesh parts.

pub mod baked;
mod base64;
mod box_tree;
mod builder;
mod closest_point_triangle;
mod collision_mesh;
mod deepest_inside;
mod ear_clipping;
mod exact_distance;
mod fingerprint;
mod gather;
mod load;
mod load_gltf;
mod load_obj;
mod load_ply;
mod load_stl;
mod mesh_error;
mod mesh_part;
mod pseudo_normals;
mod save;
mod sharp_edges;
mod shells;
mod topology;
mod tri_mesh;
mod triangle_contact;
mod triangle_intersection;
mod union_find;
mod unit;
mod weld;
mod winding;

pub(crate) use base64::encode as base64_encode;
pub(crate) use box_tree::BoxTree;
pub(crate) use builder::MeshBuilder;
pub use builder::MeshOptions;
pub use collision_mesh::CollisionMesh;
pub(crate) use ear_clipping::clip_ears;
pub use exact_distance::{MeshDistance, MeshSample};
pub use gather::{MAX_COORDINATE, MAX_TRIANGLES};
pub use load::{LoadedMesh, MeshFormat, load, load_bytes};
pub use mesh_error::MeshError;
pub use mesh_part::{MeshField, MeshPart};
pub use pseudo_normals::MeshDistanceError;
pub use save::save;
pub use sharp_edges::{DEFAULT_SHARP_ANGLE, SharpEdge, dihedral_angle, sharp_edges};
pub use shells::{Shell, Shells, shells};
pub use topology::{Edge, EdgeTable};
pub use tri_mesh::{Aabb, TriMesh};
pub use triangle_contact::{Triangle, TriangleContact};
pub use triangle_intersection::{Crossings, self_crossings, triangles_cross};
pub(crate) use union_find::UnionFind;
pub use unit::{LengthUnit, UnitGuess, UnknownUnit, guess_unit};
pub use weld::{Weld, weld, weld_exact};
pub(crate) use winding::winding_number;

#[cfg(test)]
pub(crate) mod tests;
