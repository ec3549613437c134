//! Blocks of points against a thread, away from its ends.
//!
//! Between two heights no end plane or shank competes with the thread. There a point that is well below the crest and
//! inside the cones, clear of the core and of the flank across the groove, faces one flank alone; `start_distance.rs`
//! says what the pieces are and why these tests find them. Flanks cost most, and blocks of nodes lie on one flank:
//! only blocks with a point near theirs are asked for it.

use std::f64::consts::FRAC_1_SQRT_2;

use nalgebra::Vector3;

use super::ThreadProfile;
use super::radial_surface::Side;
use super::start_distance::STEEPEST;
use crate::Sample;
use crate::angle::angle_of;
use crate::block::{BLOCK, FAR, FaceBlock, Lanes, PointBlock, SEVERAL, SINGLE, smallest};

/// Where other faces of the part come near the thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadWindow {
    /// Heights between which only thread and cones count [m].
    pub(super) alone: [f64; 2],
    /// Heights beyond which the part is farther than `reach` [m].
    pub(super) ends: [f64; 2],
    /// Radius from which on other faces count [m].
    pub(super) widest: f64,
    /// Cones at the ends: the radius is base + slope · z [m]; material is inside a bolt's and outside a nut's.
    pub(super) cones: [Option<[f64; 2]>; 2],
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
        // without a cone: infinitely far behind it
        let none = [sign * f64::INFINITY, 0.0];
        let [low_cone, high_cone] = window.cones.map(|cone| cone.unwrap_or(none));
        let (mut phase, mut radii): (Lanes, Lanes) = ([0.0; BLOCK], [0.0; BLOCK]);
        let mut clear: Lanes = [0.0; BLOCK];
        let mut any_near = 0;
        for lane in 0..BLOCK {
            let (px, py, pz) = (x[lane], y[lane], z[lane]);
            let radius = (px * px + py * py).sqrt();
            let (from_body, from_tip) = (sign * (radius - body), sign * (radius - tip));
            let s = self.phase(angle_of(px, py), pz);
            let size = s.abs();
            let width = self.half_width_at(radius);
            let from_near = sign * (size - width);
            let from_across = if side == Side::External { self.pitch() - size - width } else { width + size };
            let from_low = sign * (radius - (low_cone[0] + low_cone[1] * pz)) * FRAC_1_SQRT_2;
            let from_high = sign * (radius - (high_cone[0] + high_cone[1] * pz)) * FRAC_1_SQRT_2;
            let from_cone = if from_low > from_high { from_low } else { from_high };

            let is_alone = (pz > window.alone[0]) & (pz < window.alone[1]) & (radius < window.widest);
            let is_near = (from_near <= STEEPEST * reach) & (from_tip <= reach);
            let is_beside = (from_across <= STEEPEST * reach) | (from_body <= reach);
            let is_clear = !is_beside & (from_tip < -behind) & (from_cone < -behind);
            let is_gone = (pz < window.ends[0])
                | (pz > window.ends[1])
                | (is_alone & ((from_tip > reach) | (from_cone > reach) | (!is_near & !is_beside)));

            let verdict = if is_alone & is_clear { SINGLE } else { SEVERAL };
            out.verdict[lane] = if is_gone { FAR } else { verdict };
            // far from the endless thread is far from what the ends leave of it
            let from_flank = if from_near < from_across { from_near } else { from_across } * (1.0 / STEEPEST);
            let from_groove = if from_flank < from_body { from_flank } else { from_body };
            clear[lane] = if from_groove > from_tip { from_groove } else { from_tip };
            phase[lane] = s;
            radii[lane] = radius;
            any_near |= out.verdict[lane];
        }
        out.clear = smallest(&clear);
        if any_near & SINGLE != 0 {
            self.flank_block(sign, points, [&phase, &radii], reach, behind, out);
        }
    }

    /// Distance and normal of the nearer flank, where a verdict is [`SINGLE`] so far.
    #[inline(always)]
    fn flank_block(
        &self,
        sign: f64,
        points: &PointBlock,
        [phase, radii]: [&Lanes; 2],
        reach: f64,
        behind: f64,
        out: &mut FaceBlock,
    ) {
        out.number = [1; BLOCK];
        let [x, y, z] = &points.axes;
        for lane in 0..BLOCK {
            let point = Vector3::new(x[lane], y[lane], z[lane]);
            let toward = if phase[lane] < 0.0 { -1.0 } else { 1.0 };
            let Sample { distance, normal } = self.flank_at_radius(point, radii[lane], phase[lane], toward);
            let distance = sign * distance;
            let found = if distance >= -behind { SINGLE } else { SEVERAL };
            let found = if distance <= reach { found } else { FAR };
            let verdict = out.verdict[lane];
            out.verdict[lane] = if verdict == SINGLE { found } else { verdict };
            out.distance[lane] = distance;
            out.normal[0][lane] = sign * normal.x;
            out.normal[1][lane] = sign * normal.y;
            out.normal[2][lane] = sign * normal.z;
        }
    }
}
