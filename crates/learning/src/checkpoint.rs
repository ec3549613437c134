//! Going on with a run that was stopped.

use std::path::Path;

use tightfit_network::training::Trainer;

use crate::LearningError;

/// The run of a checkpoint, if it was begun for the same purpose: an object whose entries are compared one by one.
pub(crate) fn resume(
    path: &Path,
    purpose: &serde_json::Value,
    threads: usize,
) -> Result<Trainer, LearningError> {
    let (mut trainer, found) = Trainer::resume(path)?;
    if found != *purpose {
        let keys = purpose.as_object().into_iter().flat_map(|entries| entries.keys());
        let differing = keys.filter(|key| found[key.as_str()] != purpose[key.as_str()]);
        let difference: Vec<String> = differing
            .map(|key| {
                format!("its {key} is {}, this one's is {}", found[key.as_str()], purpose[key.as_str()])
            })
            .collect();
        let path = path.display().to_string();
        return Err(LearningError::OtherTask { path, difference: difference.join("; ") });
    }
    trainer.set_threads(threads);
    Ok(trainer)
}
