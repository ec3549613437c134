//! Numbers of a state frame that was written before, for exports.

use crate::frame::HEADER_BYTES;

/// A state frame as bytes.
#[derive(Clone, Copy)]
pub(crate) struct RecordedFrame<'a>(pub(crate) &'a [u8]);

impl RecordedFrame<'_> {
    fn half(&self, at: usize) -> usize {
        usize::from(u16::from_le_bytes([self.0[at], self.0[at + 1]]))
    }

    fn number(&self, index: usize) -> f64 {
        let at = HEADER_BYTES + 4 * index;
        f64::from(f32::from_le_bytes([self.0[at], self.0[at + 1], self.0[at + 2], self.0[at + 3]]))
    }

    fn numbers<const N: usize>(&self, from: usize) -> [f64; N] {
        std::array::from_fn(|index| self.number(from + index))
    }

    /// Time of the state [s].
    pub(crate) fn time(&self) -> f64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.0[8..16]);
        f64::from_le_bytes(bytes)
    }

    /// A channel by its index.
    pub(crate) fn channel(&self, index: usize) -> f64 {
        self.number(index)
    }

    /// Pose of a part: position [m] and quaternion x, y, z, w.
    pub(crate) fn pose(&self, body: usize) -> [f64; 7] {
        self.numbers(self.half(34) + 7 * body)
    }

    /// Position [m], normal and force [N] of every contact.
    pub(crate) fn contacts(&self) -> Vec<[[f64; 3]; 3]> {
        let first = self.half(34) + 7 * (self.half(28) + 1 + self.half(30));
        (0..self.half(32))
            .map(|contact| [0, 3, 6].map(|from| self.numbers(first + 10 * contact + from)))
            .collect()
    }
}
