//! What is allowed in a scene but probably not meant.

use std::fmt;

use tightfit_shape::Part;
use tightfit_spatial::Columns3;

use super::{Motion, Scene};

/// Distance from the origin beyond which a position is probably in the wrong unit [m].
const FAR: f64 = 100.0;
/// Diagonal of a mesh in its right unit [m].
const MESH_SIZE: [f64; 2] = [1e-4, 10.0];
/// Overlap at the start that no tolerance explains [m].
const OVERLAP: f64 = 10e-6;

/// Something in a scene that is allowed but probably not meant.
#[derive(Clone, Debug, PartialEq)]
pub enum SceneWarning {
    /// Gravity is not given, so it is zero.
    NoGravity {
        /// Whether the scene was read from a file.
        is_from_file: bool,
    },
    /// A part starts far from the origin.
    FarAway {
        /// Name of the part.
        part: String,
        /// Distance of its frame from the origin [m].
        distance: f64,
    },
    /// A mesh has a size that contradicts its unit.
    MeshSize {
        /// Name of the part.
        part: String,
        /// Diagonal of its bounding box [m].
        size: f64,
    },
    /// Two parts overlap at the start. The first step moves them apart.
    Overlap {
        /// Names of the parts.
        parts: [String; 2],
        /// Deepest penetration of a node [m].
        depth: f64,
    },
}

impl fmt::Display for SceneWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoGravity { is_from_file: true } => write!(
                f,
                "gravity_m_s2 is not given: parts have no weight; write gravity_m_s2 = [0, 0, -9.81], or [0, 0, 0] to confirm"
            ),
            Self::NoGravity { is_from_file: false } => write!(
                f,
                "gravity is not given: parts have no weight; call `gravity` with (0, 0, -9.81), or with zero to confirm"
            ),
            Self::FarAway { part, distance } => {
                write!(f, "`{part}` starts {distance:.0} m from the origin; check the unit of its position")
            }
            Self::MeshSize { part, size } => {
                write!(f, "the mesh of `{part}` measures {:.4} mm across; check its unit", size * 1e3)
            }
            Self::Overlap { parts: [first, second], depth } => write!(
                f,
                "`{first}` and `{second}` overlap by {:.1} um at the start; the first step moves them apart",
                depth * 1e6
            ),
        }
    }
}

/// The warnings that the bodies of a scene give rise to.
pub(super) fn of_bodies(scene: &Scene) -> Vec<SceneWarning> {
    let mut warnings = Vec::new();
    for body in &scene.bodies {
        let distance = body.world_from_part.translation.norm();
        if distance > FAR {
            warnings.push(SceneWarning::FarAway { part: body.name.clone(), distance });
        }
        if let (Part::Mesh(_), Some(bounds)) = (&body.part, body.part.aabb()) {
            let size = bounds.diagonal();
            if !(MESH_SIZE[0]..=MESH_SIZE[1]).contains(&size) {
                warnings.push(SceneWarning::MeshSize { part: body.name.clone(), size });
            }
        }
    }
    for pair in &scene.contacts {
        let [first, second] = pair.bodies.map(|body| &scene.bodies[body]);
        if first.motion != Motion::Free && second.motion != Motion::Free {
            continue;
        }
        let depth = overlap(first, second).max(overlap(second, first));
        if depth > OVERLAP {
            let parts = [first.name.clone(), second.name.clone()];
            warnings.push(SceneWarning::Overlap { parts, depth });
        }
    }
    warnings
}

/// How deep the nodes of one body are in the other [m]; negative or zero when none is.
fn overlap(own: &super::Body, other: &super::Body) -> f64 {
    let offset = own.part.node_offset();
    let other_from_own = other.world_from_part.inverse() * own.world_from_part;
    let bounds = other.part.aabb().map(|bounds| bounds.grown(offset.max(0.0)));
    let mut nodes = Columns3::default();
    own.part.place(&own.nodes, &mut nodes);
    let points = nodes.iter().map(|node| other_from_own.transform_point(node));
    let near = points.filter(|point| bounds.is_none_or(|bounds| bounds.contains(*point)));
    near.map(|point| offset - other.part.sample(point).distance).fold(0.0, f64::max)
}
