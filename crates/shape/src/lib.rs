/*!
Parts for tight fits: parametric shapes and meshes with signed distance, contact nodes, mass properties and mesh checks.
*/

#![forbid(unsafe_code)]

mod angle;
pub mod block;
pub mod cad;
pub mod doctor;
mod error;
mod field;
pub mod fit;
mod intersection;
pub mod mesh;
pub mod node;
mod parallel;
mod part;
pub mod polyhedron;
pub mod preset;
pub mod primitive;
pub mod profile;
mod quadrature;
pub mod recognition;
mod round_wall;
mod sharp_edge;
mod sliding;
pub mod thread;

pub use error::ShapeError;
pub use field::{Branches, FieldColumns, Sample};
pub use intersection::intersection;
pub use mesh::TriMesh;
pub use part::{Barrel, Extent, Part, Symmetry};
pub use round_wall::RoundWall;
pub use sharp_edge::SharpEdge;
