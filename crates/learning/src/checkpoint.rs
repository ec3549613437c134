//! Resumes an interrupted training.

use std::path::Path;

use tightfit_network::training::Trainer;

use crate::LearningError;

/// Resumes a checkpoint of the same task.
pub(crate) fn resume(
    path: &Path,
    purpose: &serde_json::Value,
    threads: usize,
) -> Result<Trainer, LearningError> {
    let (mut trainer, found) = Trainer::resume(path)?;
    check_purpose(path, &found, purpose)?;
    trainer.set_threads(threads);
    Ok(trainer)
}

/// Rejects a checkpoint that was written for another task: two JSON objects, whose entries are compared one by one.
///
/// # Errors
/// When an entry differs; the error names all that do.
pub fn check_purpose(
    path: &Path,
    found: &serde_json::Value,
    purpose: &serde_json::Value,
) -> Result<(), LearningError> {
    if found == purpose {
        return Ok(());
    }
    let keys = purpose.as_object().into_iter().flat_map(|entries| entries.keys());
    let differing = keys.filter(|key| found[key.as_str()] != purpose[key.as_str()]);
    let difference: Vec<String> = differing
        .map(|key| {
            format!("its {key} is {}, that of this task is {}", found[key.as_str()], purpose[key.as_str()])
        })
        .collect();
    Err(LearningError::OtherTask { path: path.display().to_string(), difference: difference.join("; ") })
}
