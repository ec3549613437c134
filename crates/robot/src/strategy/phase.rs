//! Phases and failures of a strategy.

/// Phase of a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Moves to the start in free air.
    Approach,
    /// Lowers the part until it touches, and lets it settle.
    Touch,
    /// Searches for the hole.
    Search,
    /// Lifts the part to try the next place.
    Lift,
    /// Aligns the part with the hole.
    Align,
    /// Pushes the part in.
    Insert,
    /// Turns the nut backwards.
    BackTurn,
    /// Lets the nut come to rest after the drop.
    Settle,
    /// Turns the nut on.
    Engage,
    /// Turns the nut slowly up to the torque.
    Tighten,
    /// Done, by the strategy's estimate.
    Done,
    /// Ended with a failure.
    Failed(Failure),
}

/// Why a strategy failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// No contact at the expected height.
    NoContact,
    /// The hole or the start of the thread was not found.
    NotFound,
    /// The part got stuck.
    Stalled,
    /// The thread was lost, or the seat was not reached.
    NoSeat,
    /// The measured force was too large.
    ForceLimit,
    /// The measured torque was too large.
    TorqueLimit,
    /// It took too long.
    TimeOut,
}

impl Phase {
    /// Every phase, in the order of the codes.
    pub const ALL: [Self; 18] = [
        Self::Approach,
        Self::Touch,
        Self::Search,
        Self::Lift,
        Self::Align,
        Self::Insert,
        Self::BackTurn,
        Self::Settle,
        Self::Engage,
        Self::Tighten,
        Self::Done,
        Self::Failed(Failure::NoContact),
        Self::Failed(Failure::NotFound),
        Self::Failed(Failure::Stalled),
        Self::Failed(Failure::NoSeat),
        Self::Failed(Failure::ForceLimit),
        Self::Failed(Failure::TorqueLimit),
        Self::Failed(Failure::TimeOut),
    ];

    /// Its code in logs and snapshots.
    #[must_use]
    pub fn code(self) -> u8 {
        Self::ALL.iter().position(|phase| *phase == self).map_or(u8::MAX, |index| index as u8)
    }

    /// The phase of a code.
    #[must_use]
    pub fn of_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// Whether the strategy has ended.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed(_))
    }

    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Approach => "approach",
            Self::Touch => "touch",
            Self::Search => "search",
            Self::Lift => "lift",
            Self::Align => "align",
            Self::Insert => "insert",
            Self::BackTurn => "back-turn",
            Self::Settle => "settle",
            Self::Engage => "engage",
            Self::Tighten => "tighten",
            Self::Done => "done",
            Self::Failed(failure) => failure.name(),
        }
    }
}

impl Failure {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoContact => "no contact",
            Self::NotFound => "not found",
            Self::Stalled => "stalled",
            Self::NoSeat => "no seat",
            Self::ForceLimit => "force limit",
            Self::TorqueLimit => "torque limit",
            Self::TimeOut => "time out",
        }
    }
}
