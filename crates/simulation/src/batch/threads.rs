//! The threads of a batch; without the feature `parallel` the caller's alone.

use super::BatchError;

pub(super) struct Threads {
    /// `None` with a single thread: the caller's is used.
    #[cfg(feature = "parallel")]
    pool: Option<rayon::ThreadPool>,
}

#[cfg(feature = "parallel")]
impl Threads {
    pub(super) fn start(count: usize) -> Result<Self, BatchError> {
        let pool = (count > 1).then(|| rayon::ThreadPoolBuilder::new().num_threads(count).build());
        let pool = pool.transpose().map_err(|error| BatchError::Threads(error.to_string()))?;
        Ok(Self { pool })
    }

    pub(super) fn count(&self) -> usize {
        self.pool.as_ref().map_or(1, rayon::ThreadPool::current_num_threads)
    }

    /// Hands every lane to a thread.
    pub(super) fn each<T: Send>(&self, lanes: &mut [T], walk: impl Fn(&mut T) + Sync + Send) {
        use rayon::prelude::*;
        match &self.pool {
            Some(pool) => pool.install(|| lanes.par_iter_mut().with_max_len(1).for_each(walk)),
            None => lanes.iter_mut().for_each(walk),
        }
    }
}

#[cfg(not(feature = "parallel"))]
impl Threads {
    #[allow(clippy::unnecessary_wraps, reason = "threads can fail to start with the feature `parallel`")]
    pub(super) fn start(_: usize) -> Result<Self, BatchError> {
        Ok(Self {})
    }

    pub(super) fn count(&self) -> usize {
        1
    }

    pub(super) fn each<T>(&self, lanes: &mut [T], walk: impl Fn(&mut T)) {
        lanes.iter_mut().for_each(walk);
    }
}
