//! Errors of a calibration.

use tightfit_learning::LearningError;
use tightfit_network::NetworkError;
use tightfit_simulation::SceneError;

/// A calibration that cannot be made, with value, place and remedy.
#[derive(Debug, thiserror::Error)]
pub enum CalibrationError {
    /// The scene is wrong with a value that was tried.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Recordings that cannot be used.
    #[error(transparent)]
    Learning(#[from] LearningError),
    /// A file that cannot be read or written.
    #[error(transparent)]
    File(#[from] NetworkError),
    /// A scene that cannot be calibrated.
    #[error("the scene `{scene}` {problem}; {remedy}")]
    Unsuitable {
        /// Name of the scene.
        scene: String,
        /// What is wrong with it.
        problem: String,
        /// What to do.
        remedy: String,
    },
    /// A word that names no quantity.
    #[error("--fit has `{word}`: {problem}; known: {known}")]
    Unknown {
        /// The word.
        word: String,
        /// Why it names nothing.
        problem: String,
        /// Words that are known.
        known: String,
    },
    /// A checkpoint of another fit.
    #[error("{path} belongs to another fit ({difference}); delete it or name another file")]
    OtherFit {
        /// The checkpoint.
        path: String,
        /// What differs.
        difference: String,
    },
    /// Nothing to fit to.
    #[error("{problem}; {remedy}")]
    Data {
        /// What is missing.
        problem: String,
        /// What to do.
        remedy: String,
    },
}
