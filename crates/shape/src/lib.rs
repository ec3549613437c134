/*!
Parts for tight fits: what they are made of, where their surface is, and what is wrong with them.
*/

#![forbid(unsafe_code)]

mod angle;
pub mod block;
pub mod doctor;
mod error;
mod field;
pub mod fit;
mod intersection;
pub mod mesh;
pub mod node;
mod part;
pub mod preset;
pub mod primitive;
pub mod profile;
mod quadrature;
pub mod thread;

pub use error::ShapeError;
pub use field::{Branches, FieldColumns, Sample};
pub use intersection::intersection;
pub use mesh::TriMesh;
pub use part::{Extent, Part, Symmetry};
