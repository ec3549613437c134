/*!
STEP files as exact solids: faces on planes, cylinders, cones, spheres, tori and B-splines, with their edges and corners.

A [`File`] lists the bodies of a STEP file; [`Solid`] is one of them. Its signed distance is exact: the foot point on
the nearest face, edge or corner, without facets.

```no_run
let file = tightfit_cad::File::open("shaft.step".as_ref())?;
let solid = file.solid(None)?;
let sample = solid.sample([0.01, 0.0, 0.0].into());
println!("{} mm", sample.distance * 1e3);
# Ok::<(), tightfit_cad::CadError>(())
```
*/

#![forbid(unsafe_code)]
#![allow(clippy::needless_range_loop, reason = "indices follow the formulas")]

mod aabb;
mod body;
mod distance;
mod error;
mod file;
pub mod geometry;
mod mass;
mod part21;
mod reader;
mod solid;

pub use aabb::Aabb;
pub use body::{Body, BodyEdge, BodyFace};
pub use distance::{Few, FewFaces, MOST_NEAR_FACES, Near, NearCells, Nearby, PieceFaces, Sample, Vicinity};
pub use error::CadError;
pub use file::File;
pub use mass::MassProperties;
pub use solid::{Edge, Face, Solid, Use};
