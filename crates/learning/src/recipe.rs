//! Checks that all recipes share.

use crate::LearningError;

/// Checks the hidden layers and the number of samples of a recipe.
pub(crate) fn check_size(hidden: &[usize], samples: usize) -> Result<(), LearningError> {
    let wrong = |option, value: String, allowed| Err(LearningError::Option { option, value, allowed });
    if hidden.is_empty() || hidden.iter().any(|width| !(1..=1024).contains(width)) {
        return wrong("hidden", format!("{hidden:?}"), "one or more widths from 1 to 1024");
    }
    if !(1000..=100_000_000).contains(&samples) {
        return wrong("samples", samples.to_string(), "1000 to 100000000");
    }
    Ok(())
}
