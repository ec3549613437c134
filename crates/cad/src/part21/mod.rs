//! The exchange structure of ISO 10303-21 ("Part 21"): numbered instances with typed fields.

mod parser;
mod table;

pub(crate) use table::{Instance, Record, Table, Value};
