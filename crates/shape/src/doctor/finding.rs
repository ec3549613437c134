//! One thing that is wrong with a part.

use std::fmt;

use nalgebra::Vector3;
use serde::{Serialize, Serializer};

/// Most places kept per finding: enough to see where, few enough to print and to draw.
const MAX_PLACES: usize = 100;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// No triangles, indices without a vertex, or numbers that are not finite: nothing else was looked at.
    Unusable,
    /// A size that suggests another unit.
    UnitsGuess,
    /// So far from the origin that digits are lost.
    FarFromOrigin,
    /// Vertices that no triangle uses.
    UnreferencedVertices,
    /// Vertices at the same place that are not shared.
    UnweldedVertices,
    /// Triangles without area, or thinner than the tolerance.
    DegenerateFaces,
    /// Several triangles over the same three vertices.
    DuplicateFaces,
    /// Edges with more than two triangles.
    NonManifoldEdges,
    /// Points at which the surface touches itself.
    NonManifoldVertices,
    /// Edges with one triangle: the surface has holes.
    BoundaryEdges,
    /// Neighbours of which one is turned over.
    InconsistentOrientation,
    /// Shells with the inside out.
    InwardOrientation,
    /// Surfaces that enclose nothing.
    ZeroThickness,
    /// Shells far smaller than the part.
    TinyShells,
    /// Triangles that pass through one another.
    SelfIntersections,
    /// Facets too coarse for the clearance.
    FacetError,
    /// Edges too long to carry contact nodes only at their ends.
    Sampling,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// The simulation runs, its result may be worse than it needs to be.
    Warning,
    /// Inside and outside, or the mass, are not what they should be.
    Error,
}

/// Something wrong with a part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// How bad it is.
    pub severity: Severity,
    /// How often.
    pub count: usize,
    /// Where [m]: all places, or up to a hundred spread evenly over them, the first one included.
    #[serde(serialize_with = "as_arrays")]
    #[serde(rename = "places_m")]
    pub places: Vec<Vector3<f64>>,
    /// What and how much, in one line.
    pub message: String,
    /// What to do, in one line.
    pub remedy: String,
    /// Whether [`repair`](super::repair) mends it.
    pub repairable: bool,
}

impl Finding {
    /// A finding at `places`, which are all counted and thinned out to a hundred at most.
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
                    // every second one goes, and from now on twice as many are passed over
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
