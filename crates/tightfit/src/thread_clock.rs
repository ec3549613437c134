//! The clock of this thread: other programs on the machine do not advance it.

/// Time that this thread has had a core [us].
#[cfg(unix)]
pub(crate) fn thread_micros() -> f64 {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 * 1e-3
}

/// Time since the first call [us], where threads have no clock.
#[cfg(not(unix))]
pub(crate) fn thread_micros() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64() * 1e6
}
