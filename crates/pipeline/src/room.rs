//! Memory taken once: buffers are given their largest size before the first step, so that no later one allocates.

/// Makes room for `count` entries in all, whatever is in the buffer now.
pub fn make_room<T>(buffer: &mut Vec<T>, count: usize) {
    buffer.reserve_exact(count.saturating_sub(buffer.len()));
}
