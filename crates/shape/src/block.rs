//! Many points at once: which are far from a part, which face one smooth face, which need a closer look.
//!
//! Of the nodes near a part most face the middle of one smooth face, where there is no choice of faces, and most others
//! one edge. These are answered here, in loops that run in vectors; the rest goes on to [`Part::each_piece`], one by one.
//!
//! ```text
//! far       no piece within reach
//! single    one piece within reach, and within it one face alone with d ≥ −behind: its distance and normal
//! pair      the same with two faces
//! several   anything else
//! ```
//!
//! Nobody chooses faces that a point is farther behind than `behind`. The numbers are bit for bit those of
//! [`Part::each_piece`].

use nalgebra::Vector3;

use crate::thread::Side;
use crate::{Part, Sample};

/// Points of a block.
pub const BLOCK: usize = 32;

/// A column of a block.
pub type Lanes = [f64; BLOCK];

/// Points in a part's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct PointBlock {
    /// Coordinates x, y, z [m].
    pub axes: [Lanes; 3],
}

impl PointBlock {
    /// One of the points.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, lane: usize) -> Vector3<f64> {
        Vector3::new(self.axes[0][lane], self.axes[1][lane], self.axes[2][lane])
    }
}

/// What is known of a point of a block; a number as wide as a distance, so that both travel in the same vectors.
pub type Verdict = u64;
/// No piece is within reach.
pub const FAR: Verdict = 0;
/// The point faces one face.
pub const SINGLE: Verdict = 1;
/// The point must be asked by itself.
pub const SEVERAL: Verdict = 2;
/// The point is at the edge of two faces.
pub const PAIR: Verdict = 4;

/// The point faces one face each of two pieces, as in a concave corner.
pub const CORNER: Verdict = 8;

/// Answers for the points of a block.
#[derive(Clone, Debug, PartialEq)]
pub struct FaceBlock {
    /// What is known; the other columns hold for [`SINGLE`], [`PAIR`] and [`CORNER`].
    pub verdict: [Verdict; BLOCK],
    /// Number of the piece, as in [`Part::each_piece`]; the second piece of a corner is number 0.
    pub number: [u64; BLOCK],
    /// Distance to the face [m].
    pub distance: Lanes,
    /// Unit normal of the face in the part's frame, x, y, z [-].
    pub normal: [Lanes; 3],
    /// Distance and normal of the second face of a [`PAIR`], in the order of the piece's faces, or of the second piece's
    /// face of a [`CORNER`].
    pub second_distance: Lanes,
    /// [-].
    pub second_normal: [Lanes; 3],
    /// No point has a piece within a reach below this [m]; −∞ where that is not known. It falls by no more than the way
    /// that the points go, and motions of the part's symmetry do not change it above [`Part::symmetric_from`].
    pub clear: f64,
    /// The same for a thread with its ends and cones, which lie within the endless one: more than `clear` where they leave
    /// nothing of it. Turns about the axis do not change it, motions along it do; −∞ where it is not known.
    pub clear_of_ends: f64,
}

/// What the points of a block are near to, before the faces are known: the first half of [`Part::face_block`].
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceBlock {
    /// [`FAR`] or anything else; points may turn out to be far later.
    pub verdict: [Verdict; BLOCK],
    /// What the part wants to know of the points again [m].
    pub own: [Lanes; 2],
    /// As in [`FaceBlock`].
    pub clear: f64,
    /// [m].
    pub clear_of_ends: f64,
}

impl FaceBlock {
    /// Face of a point.
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

/// The smallest of a block.
#[inline(always)]
pub(crate) fn smallest(lanes: &Lanes) -> f64 {
    // eight running minima: a single one would wait for itself
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
    /// Whether [`Self::face_block`] has two halves.
    #[inline(always)]
    #[must_use]
    pub fn has_places(&self) -> bool {
        matches!(self, Self::Bolt(_) | Self::Nut(_))
    }

    /// The first half of [`Self::face_block`]; without one nothing is known, and all points may be near.
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

    /// The second half for points of any blocks; other columns than [`FaceBlock::clear`] and `clear_of_ends` are filled.
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

    /// Looks at the points of a block; `reach` as in [`Part::each_piece`], `behind` [m] not negative.
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
            Self::Block(_) | Self::Capsule(_) => out.verdict = [SEVERAL; BLOCK],
            Self::Nodes(_) => out.verdict = [FAR; BLOCK],
        }
    }
}
