//! The result of an examination: facts, findings, and skipped checks.

use std::fmt;

use serde::Serialize;

use super::{Facts, Finding, FindingKind, Severity};

/// Result of an examination.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Diagnosis {
    /// Measurements of the part.
    pub facts: Facts,
    /// Defects, worst first.
    pub findings: Vec<Finding>,
    /// Checks that were skipped or stopped early, with the reason.
    pub skipped: Vec<String>,
}

impl Diagnosis {
    /// Whether nothing was found.
    #[must_use]
    pub fn is_healthy(&self) -> bool {
        self.findings.is_empty()
    }

    /// The finding of this kind.
    #[must_use]
    pub fn finding(&self, kind: FindingKind) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.kind == kind)
    }

    /// The worst severity; `None` when nothing was found.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.facts.fmt(f)?;
        self.skipped.iter().try_for_each(|skipped| writeln!(f, "not checked: {skipped}"))?;
        if self.is_healthy() {
            return writeln!(f, "no findings");
        }
        self.findings.iter().try_for_each(|finding| writeln!(f, "{finding}"))
    }
}
