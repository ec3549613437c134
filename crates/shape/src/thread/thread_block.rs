//! Blocks of points against a thread with its end planes and cones.
//!
//! A point that is clear of the core and of the flank across the groove has one piece within reach: the ridge with the
//! nearer flank, bounded by its tip, the end planes and the cones. `start_distance.rs` defines the pieces and these
//! tests. Flanks cost most, and the nodes of a block lie on one flank: flanks are evaluated only for blocks with a
//! point near a flank, and cuts only for blocks with a point near a cut.

use std::f64::consts::FRAC_1_SQRT_2;

use nalgebra::Vector3;

use super::ThreadProfile;
use super::radial_surface::Side;
use super::start_distance::STEEPEST;
use crate::Sample;
use crate::angle::angle_of;
use crate::block::{
    BLOCK, CORNER, FAR, FaceBlock, Lanes, PAIR, PlaceBlock, PointBlock, SEVERAL, SINGLE, Verdict, smallest,
};

/// The bounds of the thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadWindow {
    /// Heights of the end planes [m].
    pub(super) ends: [f64; 2],
    /// Top of the shank or head, which lie below the thread [m]; −∞ without one.
    pub(super) body_top: f64,
    /// Radius beyond which faces of the body around the thread are relevant [m].
    pub(super) widest: f64,
    /// Radii of the cones at the end planes [m]; a bolt's material is inside its cones, a nut's outside.
    pub(super) cones: [Option<f64>; 2],
}

/// Flag, combined with the class of a point: the point is near the tip, an end plane or a cone.
const CUT: Verdict = 16;

/// Thread coordinates of the points of a block: s above the middle of the nearest ridge, and distance from the axis
/// [m].
struct Places<'a> {
    phase: &'a Lanes,
    radius: &'a Lanes,
}

impl ThreadProfile {
    /// See [`crate::Part::place_block`].
    #[inline(always)]
    pub(crate) fn place_block(
        &self,
        side: Side,
        window: ThreadWindow,
        points: &PointBlock,
        reach: f64,
        behind: f64,
        out: &mut PlaceBlock,
    ) {
        let [x, y, z] = &points.axes;
        // +1 for a bolt, whose ridge is material; −1 for a nut, where the same region is air
        let sign = if side == Side::External { 1.0 } else { -1.0 };
        let (body, tip) = self.body_and_tip(side);
        let [phases, radii] = &mut out.own;
        let mut clear: Lanes = [0.0; BLOCK];
        let mut all = FAR;
        for lane in 0..BLOCK {
            let (px, py, pz) = (x[lane], y[lane], z[lane]);
            let radius = (px * px + py * py).sqrt();
            let (from_body, from_tip) = (sign * (radius - body), sign * (radius - tip));
            let s = self.phase(angle_of(px, py), pz);
            let size = s.abs();
            let width = self.half_width_at(radius);
            let from_near = sign * (size - width);
            let from_across = if side == Side::External { self.pitch() - size - width } else { width + size };
            let (from_low, from_high) = (window.ends[0] - pz, pz - window.ends[1]);
            let (from_cone, from_other_cone) =
                (window.beyond_cone(0, sign, radius, pz), window.beyond_cone(1, sign, radius, pz));
            let from_cone = if from_cone > from_other_cone { from_cone } else { from_other_cone };

            let is_thread = (pz > window.body_top + reach) & (radius < window.widest);
            let is_near = (from_near <= STEEPEST * reach) & (from_tip <= reach);
            let is_across = from_across <= STEEPEST * reach;
            let is_beside = is_across | (from_body <= reach);
            let is_gone = (from_low > reach)
                | (from_high > reach)
                | (is_thread & ((from_tip > reach) | (from_cone > reach) | (!is_near & !is_beside)));
            let is_cut = (from_tip >= -behind)
                | (from_low >= -behind)
                | (from_high >= -behind)
                | (from_cone >= -behind);

            // the ends only remove material: far from the endless thread is far from the cut one
            let from_flank = if from_near < from_across { from_near } else { from_across } * (1.0 / STEEPEST);
            let from_groove = if from_flank < from_body { from_flank } else { from_body };
            let from_thread = if from_groove > from_tip { from_groove } else { from_tip };
            clear[lane] = from_thread;
            // a point that faces only the ridge counts as single until the ridge's other faces have been counted
            let beside = if is_thread & !is_across { CORNER } else { SEVERAL };
            let verdict = if is_thread & !is_beside { SINGLE } else { beside };
            let verdict = if is_cut { verdict | CUT } else { verdict };
            out.verdict[lane] = if is_gone { FAR } else { verdict };
            phases[lane] = s;
            radii[lane] = radius;
            all |= out.verdict[lane];
        }
        out.clear = smallest(&clear);
        // if a point is within reach, the bound is not needed
        out.clear_of_ends = match all == FAR {
            true => window.clear_of_ends(sign, radii, z, clear),
            false => f64::NEG_INFINITY,
        };
    }

    /// See [`crate::Part::placed_faces`].
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "one call, and all of it must be inlined")]
    pub(crate) fn placed_faces(
        &self,
        side: Side,
        window: ThreadWindow,
        points: &PointBlock,
        places: &PlaceBlock,
        reach: f64,
        behind: f64,
        out: &mut FaceBlock,
    ) {
        let sign = if side == Side::External { 1.0 } else { -1.0 };
        let (mut any_ridge, mut any_cut) = (FAR, FAR);
        for (verdict, place) in out.verdict.iter_mut().zip(&places.verdict) {
            *verdict = place & !CUT;
            any_ridge |= *verdict;
            any_cut |= if place & (SINGLE | CORNER) != 0 { place & CUT } else { FAR };
        }
        let [phase, radius] = &places.own;
        let places = Places { phase, radius };
        if any_ridge & (SINGLE | CORNER) != 0 {
            let held_by_flank = self.flank_block(sign, points, &places, reach, behind, out);
            let mut held_by = held_by_flank;
            if any_cut != FAR {
                self.cut_block(side, &window, points, &places, [reach, behind], &mut held_by, out);
            }
            if any_ridge & CORNER != 0 {
                self.corner_block(side, points, &places, behind, [&held_by_flank, &held_by], out);
            }
            for (verdict, faces) in out.verdict.iter_mut().zip(held_by) {
                let pair = if faces == 2 { PAIR } else { SEVERAL };
                let found = if faces == 1 { SINGLE } else { pair };
                *verdict = if *verdict == SINGLE { found } else { *verdict };
            }
        }
    }

    fn body_and_tip(&self, side: Side) -> (f64, f64) {
        match side {
            Side::External => (self.root_radius(), self.crest_radius()),
            Side::Internal => (self.crest_radius(), self.root_radius()),
        }
    }

    /// Evaluates the nearer flank as the first face of every point. Returns the number of relevant faces found so
    /// far, 1 if d ≥ −`behind` and else 0. Single points farther than `reach` become [`FAR`].
    #[inline(always)]
    fn flank_block(
        &self,
        sign: f64,
        points: &PointBlock,
        places: &Places<'_>,
        reach: f64,
        behind: f64,
        out: &mut FaceBlock,
    ) -> [u64; BLOCK] {
        out.number = [1; BLOCK];
        let mut held_by = [0; BLOCK];
        let [x, y, z] = &points.axes;
        for lane in 0..BLOCK {
            let point = Vector3::new(x[lane], y[lane], z[lane]);
            let (s, radius) = (places.phase[lane], places.radius[lane]);
            let toward = if s < 0.0 { -1.0 } else { 1.0 };
            let Sample { distance, normal } = self.flank_at_radius(point, radius, s, toward);
            let distance = sign * distance;
            let verdict = out.verdict[lane];
            out.verdict[lane] = if (verdict == SINGLE) & (distance > reach) { FAR } else { verdict };
            held_by[lane] = u64::from(distance >= -behind);
            out.distance[lane] = distance;
            out.normal[0][lane] = sign * normal.x;
            out.normal[1][lane] = sign * normal.y;
            out.normal[2][lane] = sign * normal.z;
        }
        held_by
    }

    /// Evaluates the core (or sleeve) as the second face of corner points whose only relevant face of the ridge is
    /// the nearer flank. Other corner points become [`SEVERAL`].
    #[inline(always)]
    fn corner_block(
        &self,
        side: Side,
        points: &PointBlock,
        places: &Places<'_>,
        behind: f64,
        [by_flank, by_all]: [&[u64; BLOCK]; 2],
        out: &mut FaceBlock,
    ) {
        let [x, y, _] = &points.axes;
        let sign = if side == Side::External { 1.0 } else { -1.0 };
        let (body, _) = self.body_and_tip(side);
        let [nx, ny, nz] = &mut out.second_normal;
        for lane in 0..BLOCK {
            let radius = places.radius[lane];
            let distance = sign * (radius - body);
            let is_corner = out.verdict[lane] == CORNER;
            let is_held = (by_flank[lane] == 1) & (by_all[lane] == 1);
            let is_plain = is_corner & is_held & (distance >= -behind) & (radius > 0.0);
            out.verdict[lane] = if is_corner & !is_plain { SEVERAL } else { out.verdict[lane] };
            out.second_distance[lane] = if is_plain { distance } else { out.second_distance[lane] };
            nx[lane] = if is_plain { sign * (x[lane] / radius) } else { nx[lane] };
            ny[lane] = if is_plain { sign * (y[lane] / radius) } else { ny[lane] };
            nz[lane] = if is_plain { sign * 0.0 } else { nz[lane] };
        }
    }

    /// Evaluates tip, end planes and cones, in the order of `start_distance::each_cut_piece`.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "one call, and all of it must be inlined")]
    fn cut_block(
        &self,
        side: Side,
        window: &ThreadWindow,
        points: &PointBlock,
        places: &Places<'_>,
        [reach, behind]: [f64; 2],
        held_by: &mut [u64; BLOCK],
        out: &mut FaceBlock,
    ) {
        let [x, y, z] = &points.axes;
        let sign = if side == Side::External { 1.0 } else { -1.0 };
        let (_, tip) = self.body_and_tip(side);
        let (mut outward, mut distance): ([Lanes; 2], Lanes) = ([[0.0; BLOCK]; 2], [0.0; BLOCK]);
        let mut normal: [Lanes; 3] = [[0.0; BLOCK]; 3];
        for lane in 0..BLOCK {
            let radius = places.radius[lane];
            let on_axis = radius <= 0.0;
            outward[0][lane] = if on_axis { 1.0 } else { x[lane] / radius };
            outward[1][lane] = if on_axis { 0.0 } else { y[lane] / radius };
            distance[lane] = sign * (radius - tip);
            normal[0][lane] = sign * outward[0][lane];
            normal[1][lane] = sign * outward[1][lane];
        }
        offer(&distance, &normal, behind, held_by, out);
        normal = [[0.0; BLOCK], [0.0; BLOCK], [1.0; BLOCK]];
        for lane in 0..BLOCK {
            distance[lane] = z[lane] - window.ends[1];
        }
        offer(&distance, &normal, behind, held_by, out);
        normal[2] = [-1.0; BLOCK];
        for lane in 0..BLOCK {
            distance[lane] = window.ends[0] - z[lane];
        }
        offer(&distance, &normal, behind, held_by, out);
        for end in 0..2 {
            let up = if end == 0 { -1.0 } else { 1.0 };
            if window.cones[end].is_none() {
                continue;
            }
            for lane in 0..BLOCK {
                let radius = places.radius[lane];
                let cone = window.cone(end, sign, z[lane]);
                let matters = match side {
                    Side::External => cone < tip + reach,
                    Side::Internal => cone > tip - reach,
                };
                let own = window.beyond_cone(end, sign, radius, z[lane]);
                distance[lane] = if matters { own } else { f64::NEG_INFINITY };
                normal[0][lane] = sign * outward[0][lane] * FRAC_1_SQRT_2;
                normal[1][lane] = sign * outward[1][lane] * FRAC_1_SQRT_2;
            }
            normal[2] = [up * FRAC_1_SQRT_2; BLOCK];
            offer(&distance, &normal, behind, held_by, out);
        }
    }
}

impl ThreadWindow {
    /// Clearance of points at these radii and heights [m] from the thread with its ends, given their clearance from
    /// the endless thread.
    #[inline(always)]
    fn clear_of_ends(&self, sign: f64, radii: &Lanes, heights: &Lanes, mut clear: Lanes) -> f64 {
        for (lane, from_thread) in clear.iter_mut().enumerate() {
            let (radius, z) = (radii[lane], heights[lane]);
            let cones = [0, 1].map(|end| self.beyond_cone(end, sign, radius, z));
            let from_cone = if cones[0] > cones[1] { cones[0] } else { cones[1] };
            // the rest of the part lies below the shank's top or beyond the radius `widest`
            let from_cut = if from_cone > *from_thread { from_cone } else { *from_thread };
            let (from_shank, from_wall) = (z - self.body_top, self.widest - radius);
            let from_rest = if from_shank < from_wall { from_shank } else { from_wall };
            let from_inside = if from_cut < from_rest { from_cut } else { from_rest };
            let (from_low, from_high) = (self.ends[0] - z, z - self.ends[1]);
            let from_ends = if from_low > from_high { from_low } else { from_high };
            *from_thread = if from_ends > from_inside { from_ends } else { from_inside };
        }
        smallest(&clear)
    }

    /// Radius of a cone at a height [m]; ±∞ without a cone, so that it never cuts.
    #[inline(always)]
    fn cone(&self, end: usize, sign: f64, z: f64) -> f64 {
        let depth = if end == 0 { z - self.ends[0] } else { self.ends[1] - z };
        self.cones[end].unwrap_or(sign * f64::INFINITY) + sign * depth
    }

    /// Distance to a cone, positive outside the material [m].
    #[inline(always)]
    fn beyond_cone(&self, end: usize, sign: f64, radius: f64, z: f64) -> f64 {
        sign * (radius - self.cone(end, sign, z)) * FRAC_1_SQRT_2
    }
}

/// Adds a face of the ridge to the points with d ≥ −`behind`; stores the first two faces and counts all.
#[inline(always)]
fn offer(
    distance: &Lanes,
    normal: &[Lanes; 3],
    behind: f64,
    held_by: &mut [u64; BLOCK],
    out: &mut FaceBlock,
) {
    let mut any = false;
    for own in distance {
        any |= *own >= -behind;
    }
    // most faces are relevant to no point of a block
    if !any {
        return;
    }
    let [nx, ny, nz] = normal;
    let ([first_x, first_y, first_z], [second_x, second_y, second_z]) =
        (&mut out.normal, &mut out.second_normal);
    for lane in 0..BLOCK {
        let holds = distance[lane] >= -behind;
        let is_first = holds & (held_by[lane] == 0);
        let is_second = holds & (held_by[lane] == 1);
        out.distance[lane] = if is_first { distance[lane] } else { out.distance[lane] };
        first_x[lane] = if is_first { nx[lane] } else { first_x[lane] };
        first_y[lane] = if is_first { ny[lane] } else { first_y[lane] };
        first_z[lane] = if is_first { nz[lane] } else { first_z[lane] };
        out.second_distance[lane] = if is_second { distance[lane] } else { out.second_distance[lane] };
        second_x[lane] = if is_second { nx[lane] } else { second_x[lane] };
        second_y[lane] = if is_second { ny[lane] } else { second_y[lane] };
        second_z[lane] = if is_second { nz[lane] } else { second_z[lane] };
        held_by[lane] += u64::from(holds);
    }
}
