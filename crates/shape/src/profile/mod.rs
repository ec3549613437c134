/*!
Bodies that are one outline carried around an axis: pegs, holes, cylinders, hexagons.

An [`Outline`] is a closed polygon in the half-plane (a, z); a [`Section`] says what the coordinate a means
across the axis: the radius of a turned part, or the distance of the flats of a polygon, sharp or rounded.
[`SectionedSolid`] joins the two and answers distance, nodes, mass and mesh. Its distance is the true one
everywhere, edges and corners included.
*/

mod outline;
mod rim;
mod section;
mod solid;
mod solid_block;
mod solid_branches;
mod solid_mass;
mod solid_mesh;
mod solid_nodes;
mod wall;

pub use outline::{Foot, Outline, OutlineSample};
pub use rim::Rim;
pub use section::Section;
pub use solid::SectionedSolid;
pub use wall::Wall;
