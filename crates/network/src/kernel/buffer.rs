//! Memory aligned to cache lines, so that no vector crosses a line boundary.

/// Bytes of a cache line, and of the widest vector.
const LINE: usize = 64;

/// Numbers that start at a cache line; reused between calls, grown when needed.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    memory: Vec<f32>,
}

impl Buffer {
    /// Room for `count` numbers.
    pub(crate) fn reserve(&mut self, count: usize) {
        let needed = count + LINE / size_of::<f32>();
        if self.memory.len() < needed {
            self.memory.resize(needed, 0.0);
        }
    }

    pub(crate) fn slice(&self, count: usize) -> &[f32] {
        let start = self.start();
        &self.memory[start..start + count]
    }

    pub(crate) fn slice_mut(&mut self, count: usize) -> &mut [f32] {
        let start = self.start();
        &mut self.memory[start..start + count]
    }

    fn start(&self) -> usize {
        // `align_offset` may return `usize::MAX`; then alignment is lost, not correctness.
        let offset = self.memory.as_ptr().align_offset(LINE);
        if offset < LINE / size_of::<f32>() { offset } else { 0 }
    }
}
