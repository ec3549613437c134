//! Rods that a UR5e lowers onto a plate with holes: holes, friction, and the direction of the first contact force.
//!
//! [`data_set`] reads the data set, [`identify_first_contact`] finds the holes (`holes`), measures the first force
//! (`first_touch`) and predicts its direction (`first_contact`), also from the arm's motion (`struck_arm`). [`write_scenes`] writes each hole as a scene with
//! recordings.

pub mod data_set;
mod first_contact;
mod first_touch;
mod holes;
mod scenes;
mod struck_arm;

pub use first_contact::{FirstContact, Rod, identify_first_contact};
pub use first_touch::FirstTouch;
pub use scenes::write_scenes;
pub use struck_arm::Kick;
