//! C-space contact: whether a body is about to collide, by its configuration alone (paper section 4, MATH 6).
//!
//! [`ConfigurationSpace`] holds the networks of a pair of parts. [`nearest_contact`] finds the nearest configuration at which
//! the parts touch and the direction that leads away from it, [`coming_contact`] the one that a motion comes to. Each is
//! one frictionless row over the whole body, which joins the (clustered) contacts in the solver.

mod coming_contact;
mod local_field;
mod nearest;
mod space;
#[cfg(test)]
mod tests;

pub use coming_contact::coming_contact;
pub use local_field::{FreeBody, LocalField};
pub use nearest::{ConfigurationContact, colliding_contact, nearest_contact};
pub use space::ConfigurationSpace;
