//! Laws of the whole solve.

mod conforming;
mod elementary;
mod methods;
mod projection;
mod robust;
mod rows;
mod scenes;
mod single;
mod wedges;
