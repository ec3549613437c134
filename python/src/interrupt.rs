//! Long calls that release the interpreter and stop at Ctrl+C.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How long a call may work before it looks for Ctrl+C.
const PATIENCE: Duration = Duration::from_millis(50);

/// Calls `work` with 0, 1, … `count - 1` until it returns false, without the interpreter's lock.
///
/// # Errors
/// `KeyboardInterrupt` when the user asked to stop; the steps taken by then stay taken.
pub(crate) fn repeat(
    python: Python<'_>,
    count: usize,
    mut work: impl FnMut(usize) -> bool + Send,
) -> PyResult<()> {
    let mut next = 0;
    while next < count {
        let is_over = python.detach(|| {
            let start = Instant::now();
            while next < count {
                let goes_on = work(next);
                next += 1;
                if !goes_on {
                    return true;
                }
                if start.elapsed() > PATIENCE {
                    return false;
                }
            }
            false
        });
        python.check_signals()?;
        if is_over {
            break;
        }
    }
    Ok(())
}
