//! Laws of the whole solve.

mod elementary;
mod projection;
mod robust;
mod scenes;
mod single;
mod wedges;
