//! Errors in the description of a part.

/// Why a part cannot be built; the message names the field, the value and the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A dimension outside its range.
    #[error("{field} is {value}; allowed: {allowed}")]
    Dimension {
        /// Name of the dimension, as scene files spell it (`chamfer_mm`).
        field: &'static str,
        /// The offending value with its unit.
        value: String,
        /// The allowed range.
        allowed: String,
    },
    /// No preset has this name.
    #[error("no part is called `{name}`; {hint}")]
    UnknownPreset {
        /// The requested name.
        name: String,
        /// Similar names, and the command that lists all names.
        hint: String,
    },
    /// The part is unbounded, or has no material.
    #[error(
        "this part has no {what}: it is unbounded or has no material; declare it as `fixed`, or choose a bounded kind"
    )]
    Unbounded {
        /// The property that was requested.
        what: &'static str,
    },
    /// A mesh file cannot be used.
    #[error("{0}")]
    Mesh(String),
    /// The mass properties are not physical.
    #[error(transparent)]
    Inertia(#[from] tightfit_spatial::InertiaError),
}

impl ShapeError {
    /// A length [m] that is outside `allowed`; reported in millimetres like the key in the scene file.
    #[must_use]
    pub fn length(field: &'static str, value_m: f64, allowed: impl Into<String>) -> Self {
        Self::Dimension { field, value: format!("{} mm", value_m * 1e3), allowed: allowed.into() }
    }
}
