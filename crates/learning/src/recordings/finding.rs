//! Findings of an inspection.

/// Severity of a finding.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// The named rows or channels should not be trusted.
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

/// Kind of a finding.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum FindingKind {
    /// NaN or infinity.
    NotANumber,
    /// Time that does not increase.
    TimeNotAscending,
    /// Missing rows.
    Gap,
    /// A row that repeats the previous one.
    RepeatedRow,
    /// Attitudes that are not rotations.
    NotARotation,
    /// A channel that never changes.
    Constant,
    /// A channel that stays at its extreme.
    Saturated,
    /// Magnitudes that suggest another unit.
    Unit,
    /// Poses that jump.
    Jump,
    /// Velocities that do not match the poses.
    VelocityMismatch,
    /// Rows before the sensor was zeroed.
    Unzeroed,
}

impl FindingKind {
    /// In words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NotANumber => "not a number",
            Self::TimeNotAscending => "time does not increase",
            Self::Gap => "gap",
            Self::RepeatedRow => "repeated row",
            Self::NotARotation => "not a rotation",
            Self::Constant => "constant channel",
            Self::Saturated => "saturated channel",
            Self::Unit => "unit",
            Self::Jump => "jump",
            Self::VelocityMismatch => "velocity does not match the poses",
            Self::Unzeroed => "sensor not yet zeroed",
        }
    }
}

/// One finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Name of the trial.
    pub trial: String,
    /// Kind.
    pub kind: FindingKind,
    /// Severity.
    pub severity: Severity,
    /// Number of affected rows.
    pub rows: usize,
    /// First affected row.
    pub first_row: usize,
    /// Values and remedy.
    pub text: String,
}
