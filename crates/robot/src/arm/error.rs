//! Errors of a step of an arm.

/// Invalid input of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArmError {
    /// A number that is not finite.
    #[error("{0} of the arm holds a number that is not finite; check where it comes from")]
    NotFinite(&'static str),
    /// The step's length is not positive.
    #[error("the step length of the arm must be more than 0 s")]
    Step,
    /// The equations of the step have no solution.
    #[error("the arm's command makes its step unsolvable; stiffness and damping must not be negative")]
    Unsolvable,
}
