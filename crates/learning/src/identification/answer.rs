//! What an identification says: a value with its uncertainty, or why there is none.

/// A value that the data determine.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// What it is.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
    /// The value.
    pub value: f64,
    /// One standard deviation.
    pub sigma: f64,
}

/// A value that they do not.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// What was asked for.
    pub name: String,
    /// Why the data cannot say.
    pub reason: String,
}

/// Everything that one identification has to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Values.
    pub estimates: Vec<Estimate>,
    /// What could not be had.
    pub refusals: Vec<Refusal>,
}

impl Answer {
    /// An answer that only refuses.
    #[must_use]
    pub fn refused(name: impl Into<String>, reason: impl Into<String>) -> Self {
        let mut answer = Self::default();
        answer.refuse(name, reason);
        answer
    }

    /// Adds a value.
    pub fn give(&mut self, name: impl Into<String>, unit: &'static str, value: f64, sigma: f64) {
        self.estimates.push(Estimate { name: name.into(), unit, value, sigma });
    }

    /// Adds a refusal.
    pub fn refuse(&mut self, name: impl Into<String>, reason: impl Into<String>) {
        self.refusals.push(Refusal { name: name.into(), reason: reason.into() });
    }

    /// A value by name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Estimate> {
        self.estimates.iter().find(|estimate| estimate.name == name)
    }

    /// Takes over all that another says.
    pub fn extend(&mut self, other: Self) {
        self.estimates.extend(other.estimates);
        self.refusals.extend(other.refusals);
    }
}
