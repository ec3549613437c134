//! What passes between the stages, in columns.

mod contacts;
mod wrench_row;

pub use contacts::{Contacts, NOT_FREE, OtherFace};
pub use wrench_row::WrenchRow;
