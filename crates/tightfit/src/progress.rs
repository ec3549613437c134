//! A progress bar on long work; silent where nobody watches.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Steps of the bar: progress is reported as a fraction.
const STEPS: u64 = 1000;

/// A bar with a message; it draws on the error stream, so that `--json` stays clean.
pub(crate) fn bar(message: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} % {elapsed}") {
        bar.set_style(style);
    }
    bar.set_message(message.to_string());
    bar
}

/// Moves the bar to a fraction of its way.
pub(crate) fn set(bar: &ProgressBar, fraction: f64) {
    bar.set_position((fraction.clamp(0.0, 1.0) * STEPS as f64) as u64);
}
