//! How near a face must be to count: nearer than what the bodies may close within the step.
//!
//! ```text
//! limit = m + |n·(s + σ × (x − c))|
//! ```
//!
//! m way of all other motions [m]; s, σ way along and turn about an axis through c that both parts have in common [m, rad];
//! x the node [m], n normal of the face that holds it. A peg that slides along its bore closes no gap to the wall, and a nut
//! that goes with its thread none to the flanks, but both come nearer to what lies below. Faces of turned parts and of
//! threads are straight along such a motion, so n stays what it is.

use nalgebra::Vector3;
use tightfit_shape::block::{BLOCK, FaceBlock, Lanes, PointBlock};

use super::{DetectionOptions, Side};

/// Motion of one body against another along and about a common axis, over the time that detection looks ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slide {
    /// s, in world axes [m].
    pub along: Vector3<f64>,
    /// σ, in world axes [rad].
    pub turn: Vector3<f64>,
    /// c: a point of the axis, in world axes [m].
    pub center: Vector3<f64>,
    /// No face is closed by more [m].
    pub most: f64,
}

impl Slide {
    /// A pair that does not slide, or whose sliding is part of the margin.
    pub const NONE: Self = {
        let zero = Vector3::new(0.0, 0.0, 0.0);
        Self { along: zero, turn: zero, center: zero, most: 0.0 }
    };
}

/// The limit in the frame of the part whose faces are asked.
pub(super) struct Nearness {
    margin: f64,
    /// Whether the pair slides at all.
    slides: bool,
    along: Vector3<f64>,
    turn: Vector3<f64>,
}

impl Nearness {
    pub(super) fn new(against: &Side, options: &DetectionOptions) -> Self {
        let Slide { along, turn, center, .. } = options.slide;
        let into = against.rotation().inverse();
        let at_origin = along + turn.cross(&(against.world_from_part.translation - center));
        let slides = options.slide != Slide::NONE;
        Self { margin: options.margin, slides, along: into * at_origin, turn: into * turn }
    }

    /// Whether a face at this distance [m] from a node counts.
    #[inline(always)]
    pub(super) fn holds(&self, point: Vector3<f64>, normal: Vector3<f64>, distance: f64) -> bool {
        distance < self.margin + normal.dot(&(self.along + self.turn.cross(&point))).abs()
    }

    /// The limits of the first faces of a block [m].
    #[inline(always)]
    pub(super) fn limits(&self, points: &PointBlock, faces: &FaceBlock) -> Lanes {
        let mut limits = [self.margin; BLOCK];
        if !self.slides {
            return limits;
        }
        let ([x, y, z], [nx, ny, nz]) = (&points.axes, &faces.normal);
        let (along, turn) = (&self.along, &self.turn);
        for lane in 0..BLOCK {
            let wx = along.x + (turn.y * z[lane] - turn.z * y[lane]);
            let wy = along.y + (turn.z * x[lane] - turn.x * z[lane]);
            let wz = along.z + (turn.x * y[lane] - turn.y * x[lane]);
            limits[lane] += (nx[lane] * wx + ny[lane] * wy + nz[lane] * wz).abs();
        }
        limits
    }
}
