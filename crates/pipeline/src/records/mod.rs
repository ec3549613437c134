//! The records that the stages exchange, in columns.

mod contacts;
mod normal_speeds;
mod wrench_row;

pub use contacts::{Contacts, NOT_FREE, OtherFace};
pub(crate) use normal_speeds::BodySpeeds;
pub use normal_speeds::normal_speeds;
pub use wrench_row::WrenchRow;
