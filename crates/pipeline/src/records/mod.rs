//! What passes between the stages, in columns.

mod contacts;

pub use contacts::{Contacts, NOT_FREE, OtherFace};
