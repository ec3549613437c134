/*!
The stages of a step, in the order of the paper's Fig. 1, and the records that pass between them.

Stages do not import one another: each reads and writes [`records`] only.
*/

#![forbid(unsafe_code)]

pub mod clustering;
pub mod configuration;
pub mod detection;
pub mod integration;
pub mod records;
mod room;
pub mod solving;

pub use room::make_room;
