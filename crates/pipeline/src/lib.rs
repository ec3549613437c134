/*!
The stages of a step, in the order of the paper's Fig. 1, and the records that they exchange.

Stages do not import one another: each reads and writes [`records`] only.
*/

#![forbid(unsafe_code)]

pub mod clustering;
pub mod cspace;
pub mod detection;
pub mod integration;
pub mod records;
pub mod solving;

/// Reserves memory for `count` entries in total, whatever the buffer holds now. Buffers get their largest size before
/// the first step, so that no later step allocates.
pub fn make_room<T>(buffer: &mut Vec<T>, count: usize) {
    buffer.reserve_exact(count.saturating_sub(buffer.len()));
}
