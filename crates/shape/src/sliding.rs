//! What detection asks of a part whose nodes slide to where it touches another one: cells, edges that cross, and which nodes others spare.

use nalgebra::Vector3;

use crate::node::{NodeSet, Slides};
use crate::profile::Section;
use crate::{Part, SharpEdge};

/// Shares by which pitch and diameter of a bolt and its nut may differ [-].
const SAME_PITCH: f64 = 0.05;
const SAME_DIAMETER: f64 = 0.1;
/// Cosine of the angle between the axes of a bolt and its nut from which on the nut can be on the bolt [-]: 20 degrees.
const ALIGNED: f64 = 0.94;

impl Part {
    /// How nodes slide along round features, where one of two parts is an exact solid.
    #[must_use]
    pub fn slides(&self, nodes: &NodeSet) -> Slides {
        match self {
            Self::Cad(part) => part.slides(nodes),
            Self::Sectioned(solid) => solid.slides(nodes),
            Self::Capsule(capsule) if capsule.half_length() > 0.0 => {
                Slides::along_axis(nodes.len(), 2.0 * capsule.half_length())
            }
            Self::Block(block) => Slides::along_edges(nodes, |chart| block.edge_of(chart)),
            Self::Mesh(mesh) => Slides::along_edges(nodes, |chart| mesh.edge_of(chart)),
            Self::Bolt(bolt) => bolt.slides(nodes),
            Self::Nut(nut) => nut.slides(nodes),
            _ => Slides::default(),
        }
    }

    /// Whether a face holds the place that a node slid to; parts whose features are not trimmed hold all.
    #[must_use]
    pub fn holds(&self, face: Option<u32>, place: Vector3<f64>) -> bool {
        match (self, face) {
            (Self::Cad(part), Some(face)) => part.holds(face, place),
            _ => true,
        }
    }

    /// Whether idle nodes of another part are needed beside the nodes of this one ([`Slides`]).
    #[must_use]
    pub fn needs_idle_nodes(&self) -> bool {
        match self {
            Self::Cad(part) => part.has_free_form_faces(),
            Self::Sectioned(_) | Self::Block(_) | Self::Mesh(_) | Self::HalfSpace => false,
            Self::Bolt(_) | Self::Nut(_) | Self::Capsule(_) | Self::Nodes(_) => true,
        }
    }

    /// Whether a convex round face can be within a ball [m].
    #[must_use]
    pub fn is_round_near(&self, centre: Vector3<f64>, radius: f64) -> bool {
        match self {
            Self::Cad(part) => part.is_round_near(centre, radius),
            Self::Sectioned(solid) => solid.is_round_near(centre, radius),
            Self::Block(_) | Self::Mesh(_) | Self::HalfSpace => false,
            Self::Bolt(_) | Self::Nut(_) | Self::Capsule(_) | Self::Nodes(_) => true,
        }
    }

    /// Largest curvature of a convex round face [1/m], infinite at the tip of a cone: by how much another part's edge is nearer to it
    /// between nodes.
    #[must_use]
    pub fn most_bent(&self) -> f64 {
        match self {
            Self::Cad(part) => part.most_bent(),
            Self::Sectioned(solid) => solid.most_bent(),
            Self::Bolt(bolt) => bolt.most_bent(),
            _ => 0.0,
        }
    }

    /// Largest curvature of a convex round face that can be within a ball [1/m].
    #[must_use]
    pub fn most_bent_near(&self, centre: Vector3<f64>, radius: f64) -> f64 {
        match self {
            Self::Cad(part) => part.most_bent_near(centre, radius),
            _ => self.most_bent(),
        }
    }

    /// Convex edges of an exact solid, of a thread, or of a turned solid beside one.
    #[must_use]
    pub fn sharp_edges(&self) -> Vec<SharpEdge> {
        match self {
            Self::Cad(part) => SharpEdge::of_solid(part.solid()),
            Self::Sectioned(solid) => SharpEdge::of_sectioned(solid),
            Self::Bolt(bolt) => bolt.sharp_edges(),
            Self::Nut(nut) => nut.sharp_edges(),
            _ => Vec::new(),
        }
    }

    /// Whether this is a bolt or a nut.
    #[must_use]
    pub fn is_threaded(&self) -> bool {
        matches!(self, Self::Bolt(_) | Self::Nut(_))
    }

    /// Whether one of two parts is a thread that does not engage the other at this cosine of the angle between their z axes: its edges cross
    /// those of the other part as those of exact solids do.
    #[must_use]
    pub fn is_thread_beside(&self, other: &Self, cosine: f64) -> bool {
        (self.is_threaded() || other.is_threaded()) && !(self.fits_thread_of(other) && cosine.abs() > ALIGNED)
    }

    /// Whether this is a bolt and the other part a nut that goes on it, or the other way round: pitch, hand and diameter agree.
    fn fits_thread_of(&self, other: &Self) -> bool {
        let [bolt, nut] = match (self, other) {
            (Self::Bolt(bolt), Self::Nut(nut)) | (Self::Nut(nut), Self::Bolt(bolt)) => {
                [bolt.thread(), nut.thread()]
            }
            _ => return false,
        };
        let is_near = |own: f64, other: f64, share: f64| (own - other).abs() <= share * own.abs();
        is_near(bolt.rise(), nut.rise(), SAME_PITCH)
            && is_near(bolt.crest_radius(), nut.crest_radius(), SAME_DIAMETER)
    }

    /// Whether this is a prism with round corners.
    #[must_use]
    pub fn has_round_corners(&self) -> bool {
        matches!(self, Self::Sectioned(solid) if matches!(solid.section, Section::RoundedPolygon { .. }))
    }
}
