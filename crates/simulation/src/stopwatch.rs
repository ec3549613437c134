//! Time per stage.

use std::time::Instant;

/// Measures stages one after another.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    /// Begins the first stage.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Ends a stage and begins the next one; returns how long it took [s].
    pub(crate) fn lap(&mut self) -> f64 {
        let now = Instant::now();
        now.duration_since(std::mem::replace(&mut self.0, now)).as_secs_f64()
    }
}
