//! Time that the calling thread has spent on a processor: what others take of a busy machine is not in it.

use std::time::Duration;

/// Processor time of the calling thread; none where the system does not tell.
#[cfg(unix)]
pub(crate) fn thread_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
}

/// Processor time of the calling thread; none where the system does not tell.
#[cfg(not(unix))]
pub(crate) fn thread_time() -> Option<Duration> {
    None
}
