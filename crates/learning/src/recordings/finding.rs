//! What an examination says of a trial.

/// How much it matters.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// The rows or channels named should not be trusted.
    Warning,
    /// The trial cannot be used as it is.
    Error,
}

impl Severity {
    /// In a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What was found.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum FindingKind {
    /// A number that is none.
    NotANumber,
    /// Time that does not grow.
    TimeNotAscending,
    /// Rows missing between two.
    Gap,
    /// A row that repeats the one before it.
    RepeatedRow,
    /// Attitudes that are no rotations.
    NotARotation,
    /// A channel that never changes.
    Constant,
    /// A channel that stays at its extreme.
    Saturated,
    /// Magnitudes of another unit.
    Unit,
    /// Poses that jump.
    Jump,
    /// Velocities that are not those of the poses.
    VelocityMismatch,
    /// Rows whose wrench does not count.
    Unzeroed,
}

impl FindingKind {
    /// In words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NotANumber => "not a number",
            Self::TimeNotAscending => "time does not grow",
            Self::Gap => "gap",
            Self::RepeatedRow => "repeated row",
            Self::NotARotation => "not a rotation",
            Self::Constant => "constant channel",
            Self::Saturated => "saturated channel",
            Self::Unit => "unit",
            Self::Jump => "jump",
            Self::VelocityMismatch => "velocity does not follow the poses",
            Self::Unzeroed => "sensor not yet zeroed",
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Name of the trial.
    pub trial: String,
    /// What it is.
    pub kind: FindingKind,
    /// How much it matters.
    pub severity: Severity,
    /// Rows that have it.
    pub rows: usize,
    /// The first of them.
    pub first_row: usize,
    /// The numbers, and what to do.
    pub text: String,
}
