//! Blocks of points against a part: each point is far, near one face, near an edge, or in need of a full query.
//!
//! Most nodes near a part face one smooth face, where there is no choice of faces, and most others face one edge. The
//! vectorised loops here handle these; the rest go through [`Part::each_piece`], one by one.
//!
//! ```text
//! far       no piece within reach
//! single    one piece within reach, which has exactly one face with d ≥ −behind: its distance and normal
//! pair      the same with two faces
//! corner    two pieces with exactly one such face each
//! several   anything else
//! ```
//!
//! The caller never selects a face that a point is more than `behind` [m] behind. The results equal those of
//! [`Part::each_piece`] bit for bit.

use nalgebra::Vector3;

use crate::thread::Side;
use crate::{Part, Sample};

/// Number of points in a block.
pub const BLOCK: usize = 32;

/// One number per point of a block.
pub type Lanes = [f64; BLOCK];

/// Points in a part's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct PointBlock {
    /// Coordinates x, y, z [m].
    pub axes: [Lanes; 3],
}

impl PointBlock {
    /// Point number `lane`.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, lane: usize) -> Vector3<f64> {
        Vector3::new(self.axes[0][lane], self.axes[1][lane], self.axes[2][lane])
    }
}

/// Class of a point of a block; as wide as a distance, so that both use the same vector registers.
pub type Verdict = u64;
/// No piece is within reach.
pub const FAR: Verdict = 0;
/// One face of one piece is relevant.
pub const SINGLE: Verdict = 1;
/// The point needs its own query with [`Part::each_piece`].
pub const SEVERAL: Verdict = 2;
/// Two faces of one piece are relevant: the point is near a convex edge.
pub const PAIR: Verdict = 4;

/// One face each of two pieces is relevant, as in a concave corner.
pub const CORNER: Verdict = 8;

/// Faces near the points of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct FaceBlock {
    /// Class of each point; the other columns are valid for [`SINGLE`], [`PAIR`] and [`CORNER`].
    pub verdict: [Verdict; BLOCK],
    /// Number of the piece, as in [`Part::each_piece`]; the second piece of a corner is number 0.
    pub number: [u64; BLOCK],
    /// Distance to the face [m].
    pub distance: Lanes,
    /// Unit normal of the face in the part's frame, x, y, z [-].
    pub normal: [Lanes; 3],
    /// Distance to the second face [m]: for a [`PAIR`] the next face in the piece's order, for a [`CORNER`] the face
    /// of the second piece.
    pub second_distance: Lanes,
    /// Unit normal of the second face, x, y, z [-].
    pub second_normal: [Lanes; 3],
    /// Clearance: no piece is nearer to any point than this [m]; −∞ if unknown. It decreases by at most the
    /// displacement of the points. Motions along the part's symmetry do not change it above [`Part::symmetric_from`].
    pub clear: f64,
    /// Clearance from a thread including its ends and cones [m], which remove material of the endless thread: larger
    /// than `clear` where they have cut the thread away. Rotation about the axis does not change it, motion along the
    /// axis does; −∞ if unknown.
    pub clear_of_ends: f64,
}

/// Intermediate result between the two halves of [`Part::face_block`]: which points are near, before faces are
/// evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceBlock {
    /// [`FAR`], or another class; the second half may still find a point to be far.
    pub verdict: [Verdict; BLOCK],
    /// Values that the second half reuses [m]; for threads the phase s and the distance from the axis.
    pub own: [Lanes; 2],
    /// As in [`FaceBlock`] [m].
    pub clear: f64,
    /// As in [`FaceBlock`] [m].
    pub clear_of_ends: f64,
}

impl FaceBlock {
    /// First face of a point.
    #[inline(always)]
    #[must_use]
    pub fn first(&self, lane: usize) -> Sample {
        let [x, y, z] = &self.normal;
        Sample { distance: self.distance[lane], normal: Vector3::new(x[lane], y[lane], z[lane]) }
    }

    /// Second face of a point.
    #[inline(always)]
    #[must_use]
    pub fn second(&self, lane: usize) -> Sample {
        let [x, y, z] = &self.second_normal;
        Sample { distance: self.second_distance[lane], normal: Vector3::new(x[lane], y[lane], z[lane]) }
    }
}

/// Minimum over a block.
#[inline(always)]
pub(crate) fn smallest(lanes: &Lanes) -> f64 {
    // eight independent running minima: a single one would be bound by latency
    let mut smallest = [f64::INFINITY; 8];
    for row in lanes.chunks_exact(8) {
        for (own, &value) in smallest.iter_mut().zip(row) {
            *own = if value < *own { value } else { *own };
        }
    }
    smallest.into_iter().fold(f64::INFINITY, f64::min)
}

impl Default for PointBlock {
    fn default() -> Self {
        Self { axes: [[0.0; BLOCK]; 3] }
    }
}

impl Default for PlaceBlock {
    fn default() -> Self {
        Self {
            verdict: [FAR; BLOCK],
            own: [[0.0; BLOCK]; 2],
            clear: f64::NEG_INFINITY,
            clear_of_ends: f64::NEG_INFINITY,
        }
    }
}

impl Default for FaceBlock {
    fn default() -> Self {
        Self {
            verdict: [FAR; BLOCK],
            number: [0; BLOCK],
            distance: [0.0; BLOCK],
            normal: [[0.0; BLOCK]; 3],
            second_distance: [0.0; BLOCK],
            second_normal: [[0.0; BLOCK]; 3],
            clear: f64::NEG_INFINITY,
            clear_of_ends: f64::NEG_INFINITY,
        }
    }
}

impl Part {
    /// Whether [`Self::face_block`] runs in two halves for this part.
    #[inline(always)]
    #[must_use]
    pub fn has_places(&self) -> bool {
        matches!(self, Self::Bolt(_) | Self::Nut(_))
    }

    /// The first half of [`Self::face_block`]. For a part without one, every point counts as near.
    #[inline(always)]
    pub fn place_block(&self, points: &PointBlock, reach: f64, behind: f64, out: &mut PlaceBlock) {
        match self {
            Self::Bolt(bolt) => {
                let (thread, window) = (bolt.thread(), bolt.window());
                thread.place_block(Side::External, window, points, reach, behind, out);
            }
            Self::Nut(nut) => {
                let (thread, window) = (nut.thread(), nut.window());
                thread.place_block(Side::Internal, window, points, reach, behind, out);
            }
            _ => *out = PlaceBlock { verdict: [SEVERAL; BLOCK], ..PlaceBlock::default() },
        }
    }

    /// The second half of [`Self::face_block`]; the points may come from different blocks. Fills all columns except
    /// [`FaceBlock::clear`] and [`FaceBlock::clear_of_ends`].
    #[inline(always)]
    pub fn placed_faces(
        &self,
        points: &PointBlock,
        places: &PlaceBlock,
        reach: f64,
        behind: f64,
        out: &mut FaceBlock,
    ) {
        match self {
            Self::Bolt(bolt) => {
                let (thread, window) = (bolt.thread(), bolt.window());
                thread.placed_faces(Side::External, window, points, places, reach, behind, out);
            }
            Self::Nut(nut) => {
                let (thread, window) = (nut.thread(), nut.window());
                thread.placed_faces(Side::Internal, window, points, places, reach, behind, out);
            }
            _ => self.face_block(points, reach, behind, out),
        }
    }

    /// Classifies the points of a block and evaluates their faces. `reach` [m] as in [`Part::each_piece`]; `behind`
    /// [m] must not be negative.
    #[inline(always)]
    pub fn face_block(&self, points: &PointBlock, reach: f64, behind: f64, out: &mut FaceBlock) {
        out.clear = f64::NEG_INFINITY;
        out.clear_of_ends = f64::NEG_INFINITY;
        match self {
            Self::Sectioned(solid) => solid.face_block(points, reach, behind, out),
            Self::Bolt(_) | Self::Nut(_) => {
                let mut places = PlaceBlock::default();
                self.place_block(points, reach, behind, &mut places);
                (out.clear, out.clear_of_ends) = (places.clear, places.clear_of_ends);
                self.placed_faces(points, &places, reach, behind, out);
            }
            Self::HalfSpace => {
                for lane in 0..BLOCK {
                    let distance = points.axes[2][lane];
                    out.distance[lane] = distance;
                    out.number[lane] = 0;
                    out.verdict[lane] = if distance <= reach { SINGLE } else { FAR };
                }
                out.normal = [[0.0; BLOCK], [0.0; BLOCK], [1.0; BLOCK]];
                out.clear = smallest(&points.axes[2]);
            }
            Self::Mesh(mesh) => mesh.face_block(points, reach, out),
            Self::Cad(part) => part.face_block(points, reach, behind, out),
            Self::Block(_) | Self::Capsule(_) => out.verdict = [SEVERAL; BLOCK],
            Self::Nodes(_) => out.verdict = [FAR; BLOCK],
        }
    }
}
