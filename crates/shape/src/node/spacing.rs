//! Spacing of nodes.

use crate::ShapeError;

/// Smallest and largest spacing [m].
const FINEST: f64 = 1e-6;
const COARSEST: f64 = 1.0;

/// Minimum number of node intervals on small features. The spacing scales with the size of the whole part, so a short
/// feature of a large part, or a slender part, would get too few nodes. Zero sets no minimum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FewestNodes {
    /// Around a circle.
    pub round: u32,
    /// Along a flat of a polygon.
    pub flat: u32,
    /// Around a rounded corner of a polygon.
    pub corner: u32,
    /// Along the axis, per length equal to the part's local half width.
    pub along: u32,
    /// On each turn of a thread.
    pub turn: u32,
    /// Around the start of a thread.
    pub start: u32,
}

impl FewestNodes {
    /// On faces: between 48 nodes a circle deviates from its chords by 0.2 % of its radius.
    pub const FACES: Self = Self { round: 48, flat: 8, corner: 2, along: 2, turn: 6, start: 36 };
    /// On edges, where parts meet first: 0.1 % of the radius.
    pub const EDGES: Self = Self { round: 72, flat: 12, corner: 4, along: 4, turn: 24, start: 144 };
    /// No minimum: the spacing alone decides.
    pub const NONE: Self = Self { round: 0, flat: 0, corner: 0, along: 0, turn: 0, start: 0 };

    /// Every minimum multiplied by `factor`.
    #[must_use]
    pub const fn times(self, factor: u32) -> Self {
        Self {
            round: factor * self.round,
            flat: factor * self.flat,
            corner: factor * self.corner,
            along: factor * self.along,
            turn: factor * self.turn,
            start: factor * self.start,
        }
    }
}

/// Largest distance between neighbouring nodes [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeSpacing {
    /// On faces.
    pub face: f64,
    /// Along the helix on the flanks, crest and root of a thread. Another thread conforms to these faces, so two
    /// threads touch first at their edges.
    pub helix: f64,
    /// Along the helical edges of a thread. Another thread conforms to them too, except for a tilt: between nodes at
    /// spacing s, a nut tilted by t penetrates by t s²/8r.
    pub helix_edge: f64,
    /// Along other convex edges, which matter most in a tight fit.
    pub edge: f64,
    /// Along the edges of a thread start, which touch the other part first, and at a point.
    pub start: f64,
    /// Minimum number of intervals on faces that are small compared with the part.
    pub fewest_on_faces: FewestNodes,
    /// Minimum number of intervals along edges that are short compared with the part.
    pub fewest_on_edges: FewestNodes,
}

impl Default for NodeSpacing {
    /// 2 mm on faces, 8 mm along threads, 2 mm along thread edges, 1 mm along other edges, 0.5 mm at thread starts.
    /// The audited penetration is then 0.2 µm for the peg and the engaged nut, 2 to 4 µm while the thread starts to
    /// engage.
    fn default() -> Self {
        Self::of_distances([2e-3, 8e-3, 2e-3, 1e-3, 0.5e-3])
    }
}

impl NodeSpacing {
    /// Spacing [m] without minimum counts: on faces, along threads, along thread edges, along other edges, at thread
    /// starts.
    #[must_use]
    pub const fn of_distances([face, helix, helix_edge, edge, start]: [f64; 5]) -> Self {
        let none = FewestNodes::NONE;
        Self { face, helix, helix_edge, edge, start, fewest_on_faces: none, fewest_on_edges: none }
    }

    /// Spacing for a part of this overall size [m]: the default spacing scaled by size/0.1 m, with minimum counts on
    /// small features. A single point has size zero and gets the finest spacing.
    #[must_use]
    pub fn for_size(size: f64) -> Self {
        let Self { face, helix, helix_edge, edge, start, .. } = Self::default();
        let scale = size / 0.1;
        let scaled = |spacing: f64| (spacing * scale).clamp(FINEST, COARSEST);
        Self {
            fewest_on_faces: FewestNodes::FACES,
            fewest_on_edges: FewestNodes::EDGES,
            ..Self::of_distances([face, helix, helix_edge, edge, start].map(scaled))
        }
    }

    /// Returns the spacing if all values are in range.
    ///
    /// # Errors
    /// When one is not between 1 µm and 1 m.
    pub fn checked(self) -> Result<Self, ShapeError> {
        let named = [
            ("face_spacing_mm", self.face),
            ("helix_spacing_mm", self.helix),
            ("helix_edge_spacing_mm", self.helix_edge),
            ("edge_spacing_mm", self.edge),
            ("start_spacing_mm", self.start),
        ];
        for (field, value) in named {
            if !(FINEST..=COARSEST).contains(&value) {
                return Err(ShapeError::length(field, value, "0.001 mm to 1000 mm"));
            }
        }
        Ok(self)
    }

    /// Priority of node `index` in a row of `last` + 1 nodes at `spacing` [m], as the spacing that remains without it
    /// [m]; see [`crate::node::NodeSet::left`]. Every second node has the lowest priority, every second of the rest
    /// the next, until the rest are `coarsest` [m] apart. The rest and the ends of the row are never skipped:
    /// infinity.
    pub(crate) fn left_without(index: usize, last: usize, spacing: f64, coarsest: f64) -> f64 {
        let (mut rest, mut left) = (index, 2.0 * spacing);
        // 1e-9: tolerates rounding where the spacing divides the length exactly
        while index != last && left <= coarsest * (1.0 + 1e-9) {
            if rest % 2 == 1 {
                return left;
            }
            (rest, left) = (rest / 2, 2.0 * left);
        }
        f64::INFINITY
    }

    /// Largest spacing [m], at most `spacing`, that gives at least `fewest` intervals on a feature of this length [m].
    pub(crate) fn on_feature(spacing: f64, length: f64, fewest: u32) -> f64 {
        if length > 0.0 && fewest > 0 { spacing.min(length / f64::from(fewest)) } else { spacing }
    }

    /// Number of equal intervals, none longer than `spacing`, that divide `length`.
    pub(crate) fn intervals(length: f64, spacing: f64) -> usize {
        // 1e-9: a length of exactly n spacings must not become n + 1 intervals by rounding
        ((length / spacing - 1e-9).ceil() as usize).max(1)
    }
}
