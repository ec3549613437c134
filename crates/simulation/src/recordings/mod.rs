/*!
Compares the step with recordings of real cubes thrown onto a table.

A recording contains no forces; only the motion of the cube is compared. Every toss starts from its first recorded
state and is never corrected afterwards. `npy` reads the array, `load` the folder, `replay` simulates the cube with
[`crate::step`] and measures its error, `spread` summarises the tosses.
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
