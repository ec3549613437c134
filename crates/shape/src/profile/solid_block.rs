//! Blocks of points against a round body: one outline face after the other, each for all points at once.

use super::outline::{dot, sub};
use super::{Section, SectionedSolid};
use crate::block::{BLOCK, FAR, FaceBlock, Lanes, PointBlock, SEVERAL, SINGLE, smallest};

impl SectionedSolid {
    /// See [`crate::Part::face_block`].
    #[inline(always)]
    pub(crate) fn face_block(&self, points: &PointBlock, reach: f64, behind: f64, out: &mut FaceBlock) {
        if self.section != Section::Round || self.has_chains() {
            out.verdict = [SEVERAL; BLOCK];
            return;
        }
        let [x, y, z] = &points.axes;
        let mut radius: Lanes = [0.0; BLOCK];
        for lane in 0..BLOCK {
            radius[lane] = (x[lane] * x[lane] + y[lane] * y[lane]).sqrt();
        }
        out.verdict = [FAR; BLOCK];
        // (n_a, n_z) of the face
        let mut slopes: [Lanes; 2] = [[0.0; BLOCK]; 2];
        out.clear = f64::INFINITY;
        for (number, omitted) in self.pieces() {
            self.offer_block(number, omitted, [&radius, z], reach, behind, &mut slopes, out);
        }
        for lane in 0..BLOCK {
            // on the axis the direction is arbitrary
            let on_axis = radius[lane] <= 0.0;
            let (cos, sin) = (x[lane] / radius[lane], y[lane] / radius[lane]);
            out.normal[0][lane] = if on_axis { 1.0 } else { cos } * slopes[0][lane];
            out.normal[1][lane] = if on_axis { 0.0 } else { sin } * slopes[0][lane];
            out.normal[2][lane] = slopes[1][lane];
        }
    }

    /// Evaluates the piece that all faces except `omitted` bound.
    #[inline(always)]
    #[allow(clippy::too_many_arguments, reason = "one call, and all of it must be inlined")]
    fn offer_block(
        &self,
        number: u32,
        omitted: Option<usize>,
        [radius, z]: [&Lanes; 2],
        reach: f64,
        behind: f64,
        slopes: &mut [Lanes; 2],
        out: &mut FaceBlock,
    ) {
        let mut largest: Lanes = [f64::NEG_INFINITY; BLOCK];
        let mut second: Lanes = [f64::NEG_INFINITY; BLOCK];
        let mut own: [Lanes; 2] = [[0.0; BLOCK]; 2];
        for edge in 0..self.outline.vertices().len() {
            if Some(edge) == omitted || !self.is_face(edge) {
                continue;
            }
            let (start, normal) = (self.outline.vertices()[edge], self.outline.edge_normal(edge));
            for lane in 0..BLOCK {
                let distance = dot(sub([radius[lane], z[lane]], start), normal);
                let is_larger = distance > largest[lane];
                let beaten = if is_larger { largest[lane] } else { distance };
                second[lane] = if beaten > second[lane] { beaten } else { second[lane] };
                largest[lane] = if is_larger { distance } else { largest[lane] };
                own[0][lane] = if is_larger { normal[0] } else { own[0][lane] };
                own[1][lane] = if is_larger { normal[1] } else { own[1][lane] };
            }
        }
        out.clear = out.clear.min(smallest(&largest));
        for lane in 0..BLOCK {
            let is_near = largest[lane] <= reach;
            let is_single = second[lane] < -behind && largest[lane] >= -behind && out.verdict[lane] == FAR;
            let verdict = if is_single { SINGLE } else { SEVERAL };
            out.verdict[lane] = if is_near { verdict } else { out.verdict[lane] };
            out.number[lane] = if is_near { u64::from(number) } else { out.number[lane] };
            out.distance[lane] = if is_near { largest[lane] } else { out.distance[lane] };
            slopes[0][lane] = if is_near { own[0][lane] } else { slopes[0][lane] };
            slopes[1][lane] = if is_near { own[1][lane] } else { slopes[1][lane] };
        }
    }
}
