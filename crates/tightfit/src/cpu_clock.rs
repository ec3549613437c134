//! Processor time of a thread or of the process, which excludes the time of other programs.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

#[cfg(unix)]
use rustix::time::{ClockId, clock_gettime};

/// Processor time of the calling thread; none where the system does not report it.
#[cfg(unix)]
pub(crate) fn thread_time() -> Option<Duration> {
    of(ClockId::ThreadCPUTime)
}

/// Processor time of all threads together; none where the system does not report it.
#[cfg(unix)]
pub(crate) fn process_time() -> Option<Duration> {
    of(ClockId::ProcessCPUTime)
}

#[cfg(unix)]
fn of(clock: ClockId) -> Option<Duration> {
    let time = clock_gettime(clock);
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
}

/// Processor time of the calling thread; none where the system does not report it.
#[cfg(not(unix))]
pub(crate) fn thread_time() -> Option<Duration> {
    None
}

/// Processor time of all threads together; none where the system does not report it.
#[cfg(not(unix))]
pub(crate) fn process_time() -> Option<Duration> {
    None
}

/// Processor time of the calling thread [us], or the time since the first call where the system does not report it.
pub(crate) fn thread_micros() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    thread_time().unwrap_or_else(|| START.get_or_init(Instant::now).elapsed()).as_secs_f64() * 1e6
}
