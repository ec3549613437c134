/*!
ISO metric threads: bolts and nuts with an exact field, thread starts included.

```text
k = ±P/2π       s = wrap(z − z₀ − kθ) ∈ (−P/2, P/2]      w(r) = w₂ + (r₂ − r) tan 30°
ridge = { r < r_crest and |s| < w(r) },   core = { r < r_root }
```

A bolt is ridge ∪ core, cut by its end planes and the cone of its tip. A nut is its hexagon minus ridge ∪ core
(with the internal thread's radii), minus the cones of its countersinks. [`ThreadProfile`] holds the section and
its distance; [`RadialSurface`] holds the radius R(θ, z), which yields mesh, mass and nodes.
*/

mod beside_others;
mod bolt;
mod chord;
#[cfg(test)]
mod distance_tests;
mod iso;
mod nut;
mod profile;
mod radial_mass;
mod radial_mesh;
mod radial_nodes;
mod radial_surface;
mod run_out;
mod start;
mod start_distance;
mod start_edges;
mod thread_block;
mod thread_starts;

pub use bolt::{Bolt, HexHead};
pub use chord::Chord;
pub use iso::{FINE, IsoThread, coarse_pitch, is_standard, standard_threads, width_across_flats};
pub use nut::Nut;
pub(crate) use profile::MeasuredThread;
pub use profile::{Hand, ThreadAllowance, ThreadProfile};
pub(crate) use radial_mesh::Strip;
pub use radial_surface::RadialSurface;
pub(crate) use radial_surface::{RadialFace, Side};
pub(crate) use run_out::RunOut;
pub use start::ThreadStart;
pub use start_edges::StartEdges;
pub(crate) use start_edges::{Spiral, ThreadFace};
pub use thread_starts::ThreadStarts;
