/*!
Recordings of real cubes thrown onto a table, held against the step.

A recording has no force in it; what it can judge is where the cube goes. Every toss starts from its first recorded
state and is never corrected afterwards. `npy` reads the array, `load` the folder, `replay` runs the cube through
[`crate::step`] and measures, `spread` sums up over the tosses.
*/

mod error;
mod load;
pub mod npy;
mod replay;
mod spread;

pub use error::RecordingError;
pub use load::{RecordedState, Toss, load_tosses};
pub use replay::{CubeReplay, ReplayOptions, TossErrors};
pub use spread::Spread;
