//! Laws of the whole solve.

mod elementary;
mod methods;
mod projection;
mod robust;
mod scenes;
mod single;
mod wedges;
