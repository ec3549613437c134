/*!
Parts for tight fits: what they are made of, where their surface is, and what is wrong with them.
*/

pub mod doctor;
mod error;
pub mod mesh;

pub use error::ShapeError;
pub use mesh::TriMesh;
