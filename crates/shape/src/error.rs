//! What can be wrong with the description of a part.

/// A part that cannot be built, with the value, the place and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A dimension outside its range.
    #[error("{field} is {value}; allowed: {allowed}")]
    Dimension {
        /// Name of the dimension, as scene files spell it (`chamfer_mm`).
        field: &'static str,
        /// The offending value with its unit.
        value: String,
        /// What would be accepted.
        allowed: String,
    },
    /// No part of that name is known.
    #[error("no part is called `{name}`; {hint}")]
    UnknownPreset {
        /// The name asked for.
        name: String,
        /// Near misses, or where to find the list.
        hint: String,
    },
    /// The part goes on for ever, or has no material.
    #[error(
        "this part has no {what}: it is unbounded or has no material; give it as `fixed`, or choose a bounded kind"
    )]
    Unbounded {
        /// What was asked for.
        what: &'static str,
    },
    /// A mesh file cannot be used.
    #[error("{0}")]
    Mesh(String),
    /// The inertial numbers belong to no body.
    #[error(transparent)]
    Inertia(#[from] tightfit_spatial::InertiaError),
}

impl ShapeError {
    /// A length given in metres that is outside `allowed`; reported in millimetres like the scene key.
    #[must_use]
    pub fn length(field: &'static str, value_m: f64, allowed: impl Into<String>) -> Self {
        Self::Dimension { field, value: format!("{} mm", value_m * 1e3), allowed: allowed.into() }
    }
}
