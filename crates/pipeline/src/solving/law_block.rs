//! The contact law of eight rows at once (`contact_law.rs` has the formulas), without a branch.

use nalgebra::Vector3;

use super::contact_law::Touch;
use super::row_blocks::{LANES, Lanes, Lanes3, RowBlock, at, body_velocity, set};

/// α stays below one: at one the slip law loses its root.
const LARGEST_RATIO: f64 = 0.999_999_9;

/// Impulses of a block, and their stiffness K = a nᵀ + c h hᵀ + k I [kg].
#[derive(Clone, Debug, Default)]
pub(super) struct LawBlock {
    /// p [N·s].
    pub(super) impulse: Lanes3,
    /// a [kg]; zero unless slipping.
    pub(super) ahead: Lanes3,
    /// h, a unit vector across normal and sliding.
    pub(super) across: Lanes3,
    /// c [kg]; zero unless slipping.
    pub(super) resistance: Lanes,
    /// k [kg]; zero unless sticking.
    pub(super) isotropic: Lanes,
}

/// Velocities of a block relative to what it touches [m/s].
#[inline(always)]
pub(super) fn relative(block: &RowBlock, velocities: &[f64]) -> Lanes3 {
    let [a, b] = [block.body_a, block.body_b].map(|body| body_velocity(velocities, body));
    let mut v = Lanes3::default();
    for lane in 0..LANES {
        let point = |[vx, vy, vz, wx, wy, wz]: [f64; 6], arm: Vector3<f64>| {
            Vector3::new(
                vx + wy * arm.z - wz * arm.y,
                vy + wz * arm.x - wx * arm.z,
                vz + wx * arm.y - wy * arm.x,
            )
        };
        let own = point(a, at(&block.arm_a, lane)) - at(&block.drift, lane);
        set(&mut v, lane, own - point(b, at(&block.arm_b, lane)));
    }
    v
}

/// p at the relative velocities `v`.
#[inline(always)]
pub(super) fn impulses(block: &RowBlock, v: &Lanes3, softness: f64, impulse: &mut Lanes3) {
    for lane in 0..LANES {
        let (n, v) = (at(&block.normal, lane), at(v, lane));
        let touch = Touch::of(&n, &v, block.approach[lane], block.friction[lane]);
        let stiffness = if touch.depth > 0.0 { block.rate[lane] / softness } else { 0.0 };
        set(impulse, lane, touch.direction(&n) * stiffness);
    }
}

/// p and K at the relative velocities `v`.
#[inline(always)]
pub(super) fn impulses_and_stiffness(block: &RowBlock, v: &Lanes3, softness: f64, law: &mut LawBlock) {
    for lane in 0..LANES {
        let (n, v) = (at(&block.normal, lane), at(v, lane));
        let touch = Touch::of(&n, &v, block.approach[lane], block.friction[lane]);
        let Touch { depth, tangential, speed, limit } = touch;
        let stiffness = if depth > 0.0 { block.rate[lane] / softness } else { 0.0 };
        let sticks = speed <= limit;
        let inverse = if sticks { 0.0 } else { 1.0 / speed };
        let e = tangential * inverse;
        let held = if sticks { tangential } else { e * limit };
        set(&mut law.impulse, lane, (n * depth - held) * stiffness);
        let slipping = if sticks { 0.0 } else { stiffness };
        set(&mut law.ahead, lane, (n - e * block.friction[lane]) * slipping);
        set(&mut law.across, lane, n.cross(&e));
        law.resistance[lane] = slipping * limit * inverse;
        law.isotropic[lane] = stiffness - slipping;
    }
}

/// The affine law p = q − K v of the state that the trial impulse of each row is in (`mixed_newton.rs`), from the
/// impulses `law.impulse`; q goes to `offset`.
#[inline(always)]
pub(super) fn mixed_laws(
    block: &RowBlock,
    v: &Lanes3,
    softness: f64,
    law: &mut LawBlock,
    offset: &mut Lanes3,
) {
    let kept = 1.0 - softness;
    for lane in 0..LANES {
        let (n, v, p) = (at(&block.normal, lane), at(v, lane), at(&law.impulse, lane));
        let (rate, friction) = (block.rate[lane], block.friction[lane]);
        let (normal_impulse, normal_speed) = (n.dot(&p), n.dot(&v));
        let trial_normal = kept * normal_impulse - rate * (normal_speed + block.approach[lane]);
        let stiff = if trial_normal <= 0.0 { 0.0 } else { rate / softness };
        let trial = (p - n * normal_impulse) * kept - (v - n * normal_speed) * rate;
        let length = trial.norm();
        let sticks = length <= friction * trial_normal;
        let inverse = if length > 0.0 { 1.0 / length } else { 0.0 };
        let along = trial * inverse;
        let across = n.cross(&along);
        let ratio = friction * trial_normal * inverse;
        let ratio = if ratio < LARGEST_RATIO { ratio } else { LARGEST_RATIO };
        let gain = 1.0 / (1.0 - ratio * kept);
        let resistance = ratio * rate * gain;
        let resistance = if resistance < stiff { resistance } else { stiff };
        let w = resistance * across.dot(&v) - ratio * kept * gain * across.dot(&p);

        // 1 where slipping; open rows neither slip nor stick
        let slips = if sticks | (trial_normal <= 0.0) { 0.0 } else { 1.0 };
        let slipping = stiff * slips;
        let ray = n + along * (friction * slips);
        set(offset, lane, ray * (-stiff * block.approach[lane]) + across * (w * slips));
        set(&mut law.ahead, lane, ray * slipping);
        set(&mut law.across, lane, across);
        law.resistance[lane] = resistance * slips;
        law.isotropic[lane] = stiff - slipping;
    }
}

impl LawBlock {
    /// K x.
    #[inline(always)]
    pub(super) fn times(&self, block: &RowBlock, x: &Lanes3) -> Lanes3 {
        let mut product = Lanes3::default();
        for lane in 0..LANES {
            let (x, h) = (at(x, lane), at(&self.across, lane));
            let ahead = at(&self.ahead, lane) * at(&block.normal, lane).dot(&x);
            let aside = h * (self.resistance[lane] * h.dot(&x));
            set(&mut product, lane, ahead + aside + x * self.isotropic[lane]);
        }
        product
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::NOT_FREE;
    use crate::solving::contact_law::ContactRow;
    use crate::solving::row_blocks::RowBlocks;

    fn rows() -> Vec<ContactRow> {
        (0..5_u32)
            .map(|k| ContactRow {
                arm_a: Vector3::new(0.1, -0.2, 0.3) * f64::from(k),
                arm_b: Vector3::zeros(),
                normal: Vector3::new(1.0, 2.0, -2.0) / 3.0,
                drift: Vector3::new(0.01, 0.0, -0.02),
                approach: 0.1,
                inverse_compliance: 2.0,
                friction: 0.4,
                body_a: 0,
                body_b: NOT_FREE,
                contact: k,
            })
            .collect()
    }

    /// Velocities that stick, slip, slip at little depth, and leave.
    const CASES: [(f64, f64); 4] = [(-0.5, 0.05), (-0.5, 0.9), (-0.11, 3.0), (0.2, 0.3)];

    fn velocity(row: &ContactRow, (normal, along): (f64, f64)) -> Lanes3 {
        let mut v = Lanes3::default();
        let one = row.normal * normal + Vector3::new(2.0, -1.0, 0.0) / 5_f64.sqrt() * along;
        (0..LANES).for_each(|lane| set(&mut v, lane, one));
        v
    }

    #[test]
    fn eight_rows_have_the_impulses_of_single_ones_and_empty_lanes_none() {
        let rows = rows();
        let mut blocks = RowBlocks::default();
        blocks.load(&rows);
        for case in CASES {
            let v = velocity(&rows[0], case);
            let (mut impulse, mut law) = (Lanes3::default(), LawBlock::default());
            impulses(&blocks.blocks[0], &v, 0.1, &mut impulse);
            impulses_and_stiffness(&blocks.blocks[0], &v, 0.1, &mut law);
            for lane in 0..LANES {
                let expected = rows.get(lane).and_then(|row| row.impulse(&at(&v, lane), 0.1));
                let expected = expected.unwrap_or_default();
                assert!((at(&impulse, lane) - expected).norm() < 1e-14, "{case:?} {lane}");
                assert!((at(&law.impulse, lane) - expected).norm() < 1e-14, "{case:?} {lane}");
            }
        }
    }

    #[test]
    fn the_stiffness_is_minus_the_slope_of_the_impulse() {
        let rows = rows();
        let mut blocks = RowBlocks::default();
        blocks.load(&rows);
        let block = &blocks.blocks[0];
        for case in CASES {
            let v = velocity(&rows[0], case);
            let mut law = LawBlock::default();
            impulses_and_stiffness(block, &v, 0.1, &mut law);
            for axis in 0..3 {
                let (mut unit, mut ahead, mut behind) = (Lanes3::default(), v, v);
                for lane in 0..LANES {
                    unit[axis][lane] = 1.0;
                    ahead[axis][lane] += 1e-6;
                    behind[axis][lane] -= 1e-6;
                }
                let [mut forward, mut backward] = [Lanes3::default(); 2];
                impulses(block, &ahead, 0.1, &mut forward);
                impulses(block, &behind, 0.1, &mut backward);
                let slope = (at(&forward, 1) - at(&backward, 1)) / 2e-6;
                assert!((slope + at(&law.times(block, &unit), 1)).norm() < 1e-6, "{case:?} {axis}");
            }
        }
    }
}
