//! Features of contacts in blocks of columns, so that loops over them are vectorised.

use std::ops::Range;

use nalgebra::Vector3;

use crate::records::Contacts;

/// Contacts of a block: two AVX-512 registers, so that the six columns and the best candidates stay in registers.
pub(super) const LANES: usize = 16;

/// Numbers of a feature.
pub(super) const WIDTH: usize = 6;

/// Position and normal, scaled.
pub(super) type Feature = [f64; WIDTH];

/// A number for each contact of a block.
pub(super) type PerContact = [f64; LANES];

/// Weight of normals against positions [-].
const NORMALS: f64 = 1.5;

/// Features of up to 16 contacts, column by column; unused lanes repeat the last contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct FeatureBlock(pub(super) [PerContact; WIDTH]);

impl FeatureBlock {
    /// The feature of one contact.
    pub(super) fn get(&self, lane: usize) -> Feature {
        std::array::from_fn(|k| self.0[k][lane])
    }

    /// |x − c|² of every contact.
    #[inline(always)]
    pub(super) fn squared_distances(&self, center: &Feature) -> PerContact {
        let mut out = [0.0; LANES];
        for (column, own) in self.0.iter().zip(center) {
            for lane in 0..LANES {
                let offset = column[lane] - own;
                out[lane] += offset * offset;
            }
        }
        out
    }
}

/// Fills the blocks with [ρ/L, 1.5 n].
#[inline(always)]
pub(super) fn fill(contacts: &Contacts, range: Range<usize>, blocks: &mut Vec<FeatureBlock>) {
    blocks.clear();
    let Some(last) = range.clone().last() else { return };
    let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    for index in range.clone() {
        let arm = contacts.arm_a.get(index);
        (low, high) = (low.inf(&arm), high.sup(&arm));
    }
    let half = (high - low).norm() / 2.0;
    let scale = if half > 0.0 { half } else { 1.0 };
    let (arm, normal) = (&contacts.arm_a, &contacts.normal);
    let columns = [&arm.x, &arm.y, &arm.z, &normal.x, &normal.y, &normal.z];
    for first in range.clone().step_by(LANES) {
        let count = LANES.min(range.end - first);
        let mut block = FeatureBlock([[0.0; LANES]; WIDTH]);
        for (k, (own, column)) in block.0.iter_mut().zip(columns).enumerate() {
            own[..count].copy_from_slice(&column[first..first + count]);
            own[count..].fill(column[last]);
            for value in own {
                *value = if k < 3 { *value / scale } else { *value * NORMALS };
            }
        }
        blocks.push(block);
    }
}
