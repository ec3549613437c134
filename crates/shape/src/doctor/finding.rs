//! One defect of a part.

use std::fmt;

use nalgebra::Vector3;
use serde::{Serialize, Serializer};

/// Largest number of places kept per finding: enough to locate it, few enough to print and draw.
const MAX_PLACES: usize = 100;

/// The kind of a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// No triangles, indices out of range, or numbers that are not finite: no other check ran.
    Unusable,
    /// A size that suggests another unit.
    UnitsGuess,
    /// So far from the origin that coordinates lose precision.
    FarFromOrigin,
    /// Vertices that no triangle uses.
    UnreferencedVertices,
    /// Vertices at the same position that are not shared.
    UnweldedVertices,
    /// Triangles without area, or thinner than the tolerance.
    DegenerateFaces,
    /// Several triangles over the same three vertices.
    DuplicateFaces,
    /// Edges with more than two triangles.
    NonManifoldEdges,
    /// Vertices at which the surface touches itself.
    NonManifoldVertices,
    /// Edges with one triangle: the surface has holes.
    BoundaryEdges,
    /// Neighbouring triangles with opposite orientation.
    InconsistentOrientation,
    /// Shells that are inside out.
    InwardOrientation,
    /// Surfaces that enclose no volume.
    ZeroThickness,
    /// Shells far smaller than the part.
    TinyShells,
    /// Triangles that intersect.
    SelfIntersections,
    /// Bodies that touch.
    TouchingShells,
    /// Facets too coarse for the clearance.
    FacetError,
    /// Edges too long for contact nodes only at their ends.
    Sampling,
}

/// How severe a defect is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// The simulation runs, but its result may be less accurate than possible.
    Warning,
    /// Inside and outside, or the mass, are wrong.
    Error,
}

/// A defect of a part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Kind of the defect.
    pub kind: FindingKind,
    /// How severe it is.
    pub severity: Severity,
    /// Number of occurrences.
    pub count: usize,
    /// Positions [m]: all of them, or up to a hundred evenly chosen ones, including the first.
    #[serde(serialize_with = "as_arrays")]
    #[serde(rename = "places_m")]
    pub places: Vec<Vector3<f64>>,
    /// Description of the defect, in one line.
    pub message: String,
    /// How to fix it, in one line.
    pub remedy: String,
    /// Whether [`repair`](super::repair) can fix it.
    pub repairable: bool,
}

impl Finding {
    /// A finding at `places`: counts all and keeps at most a hundred.
    pub(super) fn at(
        kind: FindingKind,
        severity: Severity,
        places: impl IntoIterator<Item = Vector3<f64>>,
    ) -> Self {
        let mut kept = Vec::new();
        let (mut count, mut stride) = (0, 1);
        for place in places {
            if count % stride == 0 {
                if kept.len() == MAX_PLACES {
                    // drop every second place, and double the stride from now on
                    kept = kept.into_iter().step_by(2).collect();
                    stride *= 2;
                }
                if count % stride == 0 {
                    kept.push(place);
                }
            }
            count += 1;
        }
        let (message, remedy) = (String::new(), String::new());
        Self { kind, severity, count, places: kept, message, remedy, repairable: false }
    }

    pub(super) fn saying(mut self, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        self.message = message.into();
        self.remedy = remedy.into();
        self
    }

    pub(super) fn repairable(mut self) -> Self {
        self.repairable = true;
        self
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.message)?;
        if let Some(place) = self.places.first() {
            let [x, y, z] = (place * 1e3).into();
            write!(f, ", first at ({x:.3}, {y:.3}, {z:.3}) mm")?;
        }
        write!(f, "; {}", self.remedy)
    }
}

/// A number with its noun.
pub(super) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn as_arrays<S: Serializer>(places: &[Vector3<f64>], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(places.iter().map(|place| [place.x, place.y, place.z]))
}
