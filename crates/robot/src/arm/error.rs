//! Why an arm cannot be advanced.

/// Input that a step cannot use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArmError {
    /// A number that is not finite.
    #[error("{0} of the arm holds a number that is not finite; check where it comes from")]
    NotFinite(&'static str),
    /// The step's length is not positive.
    #[error("the step of the arm must be longer than 0 s")]
    Step,
    /// The equations of the step have no solution.
    #[error("the arm's command makes its step unsolvable; stiffness and damping may not be negative")]
    Unsolvable,
}
