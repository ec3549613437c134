//! How densely nodes are set.

use crate::ShapeError;

/// Closest and widest spacing [m].
const FINEST: f64 = 1e-6;
const COARSEST: f64 = 1.0;

/// Largest distance between neighbouring nodes [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeSpacing {
    /// On faces.
    pub face: f64,
    /// Along the helix on the flanks, crest and root of a thread. Another thread conforms to them, so that their edges
    /// are where two threads touch first.
    pub helix: f64,
    /// Along the helical edges of a thread. Another thread conforms to them too, but for a tilt: a nut tilted by t dips in by
    /// t s²/8r between two nodes.
    pub helix_edge: f64,
    /// Along convex edges: where a tight fit is decided.
    pub edge: f64,
    /// Along the edges of a thread start, which meet the other part first and at a point.
    pub start: f64,
}

impl Default for NodeSpacing {
    /// 2 mm on faces, 8 mm along threads, 2 mm along their edges, 1 mm along other edges, 0.5 mm at thread starts: audited
    /// penetration 0.2 µm on the peg and the engaged nut, 2 to 4 µm while the nut finds its thread.
    fn default() -> Self {
        Self { face: 2e-3, helix: 8e-3, helix_edge: 2e-3, edge: 1e-3, start: 0.5e-3 }
    }
}

impl NodeSpacing {
    /// Spacing that suits a part of this overall size [m], the defaults being those of a 50 mm part. A part without
    /// size, a single point, gets the finest.
    #[must_use]
    pub fn for_size(size: f64) -> Self {
        let Self { face, helix, helix_edge, edge, start } = Self::default();
        let scale = size / 0.1;
        let scaled = |spacing: f64| (spacing * scale).clamp(FINEST, COARSEST);
        Self {
            face: scaled(face),
            helix: scaled(helix),
            helix_edge: scaled(helix_edge),
            edge: scaled(edge),
            start: scaled(start),
        }
    }

    /// The same, if all of them are possible.
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

    /// Of a row of `last` + 1 nodes `spacing` apart [m]: how far apart those are that count more than node `index` [m]. Every
    /// other one counts least, every other of the rest next, until they are `coarsest` apart [m]; those and the ends of
    /// the row always count, which is infinite.
    pub(crate) fn left_without(index: usize, last: usize, spacing: f64, coarsest: f64) -> f64 {
        let (mut rest, mut left) = (index, 2.0 * spacing);
        // 1e-9: rounding of a spacing that fits a whole number of times
        while index != last && left <= coarsest * (1.0 + 1e-9) {
            if rest % 2 == 1 {
                return left;
            }
            (rest, left) = (rest / 2, 2.0 * left);
        }
        f64::INFINITY
    }

    /// Number of equal intervals, none longer than `spacing`, that divide `length`.
    pub(crate) fn intervals(length: f64, spacing: f64) -> usize {
        // 1e-9: a length of exactly n spacings must not become n + 1 intervals by rounding
        ((length / spacing - 1e-9).ceil() as usize).max(1)
    }
}
