//! Laws of the whole solve.

mod elementary;
mod scenes;
mod wedges;
