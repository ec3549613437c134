//! Parallel iterators over slices, or sequential ones of the same names without the feature `parallel`.

#[cfg(feature = "parallel")]
pub(super) use rayon::prelude::*;

#[cfg(not(feature = "parallel"))]
pub(super) use sequential::Sequential;

#[cfg(not(feature = "parallel"))]
mod sequential {
    use std::slice::{ChunksMut, IterMut};

    /// Takes the place of rayon's traits for slices.
    pub(in super::super) trait Sequential<T> {
        fn par_iter_mut(&mut self) -> IterMut<'_, T>;
        fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T>;
    }

    impl<T> Sequential<T> for [T] {
        fn par_iter_mut(&mut self) -> IterMut<'_, T> {
            self.iter_mut()
        }

        fn par_chunks_mut(&mut self, size: usize) -> ChunksMut<'_, T> {
            self.chunks_mut(size)
        }
    }
}
