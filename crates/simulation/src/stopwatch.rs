//! Time per stage. Without the feature `clock` nothing reads the system's clock and every time is zero.

#[cfg(feature = "clock")]
use std::time::Instant;

/// Measures stages one after another.
pub(crate) struct Stopwatch {
    #[cfg(feature = "clock")]
    started: Instant,
}

#[cfg(feature = "clock")]
impl Stopwatch {
    /// Begins the first stage.
    pub(crate) fn start() -> Self {
        Self { started: Instant::now() }
    }

    /// Ends a stage and begins the next one; returns how long it took [s].
    pub(crate) fn lap(&mut self) -> f64 {
        let now = Instant::now();
        now.duration_since(std::mem::replace(&mut self.started, now)).as_secs_f64()
    }
}

#[cfg(not(feature = "clock"))]
impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self {}
    }

    pub(crate) fn lap(&mut self) -> f64 {
        0.0
    }
}
