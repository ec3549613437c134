//! C-space contact: collision predicted from a body's configuration alone (paper section 4, docs/design/math.md §6).
//!
//! [`CspaceNetworks`] holds the networks of a pair of parts. [`nearest_contact`] finds the nearest configuration at
//! which the parts touch and the direction away from it; [`coming_contact`] finds the contact that a motion reaches.
//! Each is one frictionless row on the velocity of the whole body, which the solver adds to the (clustered) contacts.

mod coming_contact;
mod local_field;
mod nearest;
mod networks;
#[cfg(test)]
mod tests;

pub use coming_contact::coming_contact;
pub use local_field::{FreeBody, LocalField};
pub use nearest::{CspaceContact, colliding_contact, nearest_contact};
pub use networks::CspaceNetworks;
