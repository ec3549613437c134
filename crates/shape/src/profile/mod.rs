/*!
Bodies made by sweeping one outline around an axis: pegs, holes, cylinders, hexagons.

An [`Outline`] is a closed polygon in the half-plane (a, z). A [`Section`] defines what the coordinate a means
across the axis: the radius of a turned part, or the distance of the flats of a polygon, sharp or rounded.
[`SectionedSolid`] combines the two and computes distance, nodes, mass and mesh. Its distance is exact
everywhere, including edges and corners.
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
mod solid_slides;
mod turned;
mod wall;

pub use outline::{Foot, Outline, OutlineSample};
pub use rim::Rim;
pub use section::Section;
pub use solid::SectionedSolid;
pub use turned::{Circle, Turned};
pub use wall::Wall;
