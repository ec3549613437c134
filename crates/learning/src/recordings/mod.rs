/*!
Recordings of a part that is moved in contact with another, with the force and torque that a sensor felt.
*/

mod recording;

pub use recording::{Recording, Sample};
