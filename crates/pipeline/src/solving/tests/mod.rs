//! Laws of the whole solve.

mod elementary;
mod projection;
mod scenes;
mod single;
mod wedges;
