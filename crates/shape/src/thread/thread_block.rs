//! Blocks of points against a thread, away from its ends.
//!
//! Between two heights no cut (end plane, cone, shank) competes with the thread. There a point that is well below the
//! crest, clear of the core and of the flank across the groove faces one flank alone; `start_distance.rs` says what
//! the pieces are and why these tests find them.

use super::ThreadProfile;
use super::radial_surface::Side;
use super::start_distance::STEEPEST;
use crate::Sample;
use crate::block::{BLOCK, FAR, FaceBlock, PointBlock, SEVERAL, SINGLE};

/// Where the thread is alone, and where nothing of the part is.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadWindow {
    /// Heights between which only the thread counts [m].
    pub(super) alone: [f64; 2],
    /// Heights beyond which the part is farther than `reach` [m].
    pub(super) ends: [f64; 2],
    /// Radius from which on other faces count [m].
    pub(super) widest: f64,
}

impl ThreadProfile {
    /// See [`crate::Part::face_block`].
    #[inline(always)]
    pub(super) fn face_block(
        &self,
        side: Side,
        window: ThreadWindow,
        points: &PointBlock,
        reach: f64,
        behind: f64,
        out: &mut FaceBlock,
    ) {
        let [x, y, z] = &points.axes;
        // +1: the ridge is material, −1: the groove is air
        let sign = if side == Side::External { 1.0 } else { -1.0 };
        let (body, tip) = match side {
            Side::External => (self.root_radius(), self.crest_radius()),
            Side::Internal => (self.crest_radius(), self.root_radius()),
        };
        for lane in 0..BLOCK {
            let point = nalgebra::Vector3::new(x[lane], y[lane], z[lane]);
            let radius = (point.x * point.x + point.y * point.y).sqrt();
            let (from_body, from_tip) = (sign * (radius - body), sign * (radius - tip));
            let s = self.phase(crate::angle::angle_of(point.x, point.y), point.z);
            let (toward, size) = if s < 0.0 { (-1.0, -s) } else { (1.0, s) };
            let width = self.half_width_at(radius);
            let from_near = sign * (size - width);
            let from_across = if side == Side::External { self.pitch() - size - width } else { width + size };
            let Sample { distance, normal } = self.flank_at(point, s, toward);
            let distance = sign * distance;

            let is_alone =
                (point.z > window.alone[0]) & (point.z < window.alone[1]) & (radius < window.widest);
            let is_near = (from_near <= STEEPEST * reach) & (distance <= reach) & (from_tip <= reach);
            let is_beside = (from_across <= STEEPEST * reach) | (from_body <= reach);
            let is_clear = !is_beside & (from_tip < -behind) & (distance >= -behind);
            let is_gone = (point.z < window.ends[0])
                | (point.z > window.ends[1])
                | (is_alone & ((from_tip > reach) | (!is_near & !is_beside)));

            let verdict = if is_alone & is_near & is_clear { SINGLE } else { SEVERAL };
            out.verdict[lane] = if is_gone { FAR } else { verdict };
            out.number[lane] = 1;
            out.distance[lane] = distance;
            out.normal[0][lane] = sign * normal.x;
            out.normal[1][lane] = sign * normal.y;
            out.normal[2][lane] = sign * normal.z;
        }
    }
}
