//! Progress of long work on the error stream; silent where that is not a terminal, so that logs and `--json` stay clean.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Steps of the bar: progress is reported as a fraction.
const STEPS: u64 = 1000;

fn target() -> ProgressDrawTarget {
    match std::io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    }
}

/// A bar with a message, for work that reports a fraction through [`set`].
pub(crate) fn bar(message: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(STEPS), target());
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} % {elapsed}") {
        bar.set_style(style);
    }
    bar.set_message(message.to_string());
    bar
}

/// Moves the bar to a fraction of the work.
pub(crate) fn set(bar: &ProgressBar, fraction: f64) {
    bar.set_position((fraction.clamp(0.0, 1.0) * STEPS as f64) as u64);
}

/// Runs work that reports no fraction beside a spinner with a message and the elapsed time.
pub(crate) fn spin<T>(message: &str, work: impl FnOnce() -> T) -> T {
    let bar = ProgressBar::with_draw_target(None, target());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.set_message(message.to_string());
    bar.enable_steady_tick(Duration::from_millis(200));
    let result = work();
    bar.finish_and_clear();
    result
}
