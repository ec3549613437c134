//! Parallel iterators, or sequential ones of the same names without the feature `parallel`. Results are the same.

#[cfg(feature = "parallel")]
pub(crate) use rayon::prelude::*;

#[cfg(not(feature = "parallel"))]
pub(crate) use sequential::*;

#[cfg(not(feature = "parallel"))]
mod sequential {
    /// Takes the place of `rayon::iter::IntoParallelIterator`.
    pub(crate) trait IntoSequential: IntoIterator + Sized {
        fn into_par_iter(self) -> Self::IntoIter {
            self.into_iter()
        }
    }

    impl<I: IntoIterator> IntoSequential for I {}

    /// Takes the place of `rayon::iter::IndexedParallelIterator`.
    pub(crate) trait Sequential: Iterator + Sized {
        fn with_min_len(self, _: usize) -> Self {
            self
        }
    }

    impl<I: Iterator> Sequential for I {}
}
