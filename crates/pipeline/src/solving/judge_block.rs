//! The judge's look at eight contacts of one free body at once: the same solution of the single contact as
//! `single_contact.rs` finds, without a branch.
//!
//! A hundred contacts share the load of a thread's flank; one by one their verdict takes longer than their impulses did.

use nalgebra::Matrix6;
use tightfit_spatial::{Mask, Simd, Wide, Wide3, WithSimd};

use super::problem::{ContactImpulse, VelocityProblem};
use super::residual::{Residuals, SMALLEST_IMPULSE};
use super::row_blocks::{LANES, Lanes, Lanes3, set};

/// Secants towards a slip; contacts that need more are judged by themselves.
const SECANTS: u32 = 8;
/// |g| below this share of μpₙ is rounding.
const ROUNDING: f64 = 1e-13;

/// Whether blocks may judge: one free body against what is not free.
pub(super) fn may_judge(problem: &VelocityProblem<'_>) -> bool {
    problem.response.len() == 1 && problem.contacts.arm_b.is_empty()
}

/// What the judge reads of eight contacts, and what it says.
#[derive(Clone, Debug)]
pub(super) struct JudgeBlock {
    arm: Lanes3,
    normal: Lanes3,
    impulse: Lanes3,
    velocity: Lanes3,
    approach: Lanes,
    friction: Lanes,
    /// Distance to a solution of the law [m/s]; not a number where none was found.
    pub(super) distance: Lanes,
    complementarity: Lanes,
    cone: Lanes,
}

impl JudgeBlock {
    /// Up to eight contacts; the first stands in for those that lack.
    #[inline(always)]
    pub(super) fn load(problem: &VelocityProblem<'_>, entries: &[ContactImpulse], velocity: &[f64]) -> Self {
        let (zero, zero3) = ([0.0; LANES], [[0.0; LANES]; 3]);
        let mut block = Self {
            arm: zero3,
            normal: zero3,
            impulse: zero3,
            velocity: zero3,
            approach: zero,
            friction: zero,
            distance: zero,
            complementarity: zero,
            cone: zero,
        };
        let contacts = problem.contacts;
        for lane in 0..LANES {
            let ContactImpulse { contact, impulse } = entries[if lane < entries.len() { lane } else { 0 }];
            set(&mut block.arm, lane, contacts.arm_a.get(contact));
            set(&mut block.normal, lane, contacts.normal.get(contact));
            set(&mut block.impulse, lane, impulse);
            set(&mut block.velocity, lane, contacts.relative_velocity(contact, velocity));
            block.approach[lane] = problem.approach[contact];
            block.friction[lane] = contacts.friction[contact];
        }
        block
    }

    /// Takes complementarity and cone over.
    pub(super) fn add_to(&self, residuals: &mut Residuals) {
        for lane in 0..LANES {
            residuals.complementarity = residuals.complementarity.max(self.complementarity[lane]);
            residuals.cone = residuals.cone.max(self.cone[lane]);
        }
    }
}

/// Judges blocks by the response of their body.
pub(super) struct JudgeBlocks<'a> {
    pub(super) response: &'a Matrix6<f64>,
    pub(super) block: &'a mut JudgeBlock,
}

impl WithSimd for JudgeBlocks<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { response, block } = self;
        for register in 0..LANES / S::F64_LANES {
            judge(simd, response, block, register);
        }
    }
}

#[inline(always)]
fn judge<S: Simd>(simd: S, response: &Matrix6<f64>, block: &mut JudgeBlock, register: usize) {
    let zero = Wide::splat(simd, 0.0);
    let frame = frame(Wide3::load(simd, &block.normal, register));
    let arm = Wide3::load(simd, &block.arm, register);
    let (p, v) = (Wide3::load(simd, &block.impulse, register), Wide3::load(simd, &block.velocity, register));
    let (p, v) = (in_frame(&frame, p), in_frame(&frame, v));
    let approach = Wide::load(simd, &block.approach, register);
    let friction = Wide::load(simd, &block.friction, register);

    let size = norm(p.0[1], p.0[2]);
    let closing = v.0[0] + approach;
    zero.is_below(p.0[0]).keep(absolute(closing)).store(&mut block.complementarity, register);
    let smallest = Wide::splat(simd, SMALLEST_IMPULSE);
    let carried = p.0[0].is_below(smallest).choose(smallest, p.0[0]);
    ((size - friction * p.0[0]) / carried).store(&mut block.cone, register);

    let delassus = delassus(simd, response, &frame, arm);
    let single = Single::new(&delassus, v, p, approach, friction);
    let stick = single.at(Wide::splat(simd, 1.0));
    let is_open = zero.is_at_most(single.gap_rate);
    let sticks = single.excess(&stick).is_at_most(zero);
    // resting parts have no slip to look for
    let slip =
        if (is_open | sticks).is_everywhere() { stick } else { single.slip(size, norm(v.0[1], v.0[2])) };
    let mut squared = zero;
    for (axis, row) in delassus.iter().enumerate() {
        let solution = is_open.drop(sticks.choose(stick.0[axis], slip.0[axis]));
        let miss = row.0[axis] * (solution - p.0[axis]);
        squared = squared + miss * miss;
    }
    squared.sqrt().store(&mut block.distance, register);
}

/// Rows n, t₁, t₂, as `residual::contact_frame` has them.
#[inline(always)]
fn frame<S: Simd>(n: Wide3<S>) -> [Wide3<S>; 3] {
    let [x, y, z] = n.0;
    let (a, b, c) = (absolute(x), absolute(y), absolute(z));
    let zero = Wide::splat(x.simd(), 0.0);
    let least = b.or_less(c);
    let (is_x, is_y) = (a.is_at_most(least), b.is_at_most(c));
    // n × the axis that is least along n
    let first = Wide3([
        is_x.choose(zero, is_y.choose(-z, y)),
        is_x.choose(z, is_y.choose(zero, -x)),
        is_x.choose(-y, is_y.choose(x, zero)),
    ]);
    let first = first * first.norm().recip();
    [n, first, n.cross(first)]
}

#[inline(always)]
fn in_frame<S: Simd>(frame: &[Wide3<S>; 3], x: Wide3<S>) -> Wide3<S> {
    Wide3([frame[0].dot(x), frame[1].dot(x), frame[2].dot(x)])
}

/// D in the frame, row by row.
#[inline(always)]
fn delassus<S: Simd>(
    simd: S,
    response: &Matrix6<f64>,
    frame: &[Wide3<S>; 3],
    arm: Wide3<S>,
) -> [Wide3<S>; 3] {
    let turned = [arm.cross(frame[0]), arm.cross(frame[1]), arm.cross(frame[2])];
    let zero = Wide::splat(simd, 0.0);
    let mut out = [Wide3([zero; 3]); 3];
    for column in 0..3 {
        let ([x, y, z], [a, b, c]) = (frame[column].0, turned[column].0);
        let mut push = [zero; 6];
        for (row, sum) in push.iter_mut().enumerate() {
            for (column, factor) in [x, y, z, a, b, c].into_iter().enumerate() {
                *sum = *sum + Wide::splat(simd, response[(row, column)]) * factor;
            }
        }
        let [x, y, z, a, b, c] = push;
        let (linear, angular) = (Wide3([x, y, z]), Wide3([a, b, c]));
        for row in 0..3 {
            out[row].0[column] = frame[row].dot(linear) + turned[row].dot(angular);
        }
    }
    out
}

/// One contact given the others, in every lane (`single_contact.rs` has the formulas).
struct Single<S: Simd> {
    normal: Wide<S>,
    coupling: [Wide<S>; 2],
    reduced: [[Wide<S>; 2]; 2],
    mean: Wide<S>,
    friction: Wide<S>,
    drive: [Wide<S>; 2],
    gap_rate: Wide<S>,
}

impl<S: Simd> Single<S> {
    #[inline(always)]
    fn new(delassus: &[Wide3<S>; 3], v: Wide3<S>, p: Wide3<S>, approach: Wide<S>, friction: Wide<S>) -> Self {
        let [first, second, third] = [delassus[0].0, delassus[1].0, delassus[2].0];
        let (normal, coupling, back) = (first[0], [first[1], first[2]], [second[0], third[0]]);
        let inverse = normal.recip();
        let share = [coupling[0] * inverse, coupling[1] * inverse];
        let reduced = [
            [second[1] - back[0] * share[0], second[2] - back[0] * share[1]],
            [third[1] - back[1] * share[0], third[2] - back[1] * share[1]],
        ];
        let mean = (reduced[0][0] + reduced[1][1]) * Wide::splat(normal.simd(), 0.5);
        let gap_rate = v.0[0] - delassus[0].dot(p) + approach;
        let stopped = gap_rate * inverse;
        let drive = [
            v.0[1] - delassus[1].dot(p) - back[0] * stopped,
            v.0[2] - delassus[2].dot(p) - back[1] * stopped,
        ];
        Self { normal, coupling, reduced, mean, friction, drive, gap_rate }
    }

    /// p on the slip curve at u; u = 1 sticks.
    #[inline(always)]
    fn at(&self, u: Wide<S>) -> Wide3<S> {
        let rest = (Wide::splat(u.simd(), 1.0) - u) * self.mean;
        let [[a, b], [c, d]] = self.reduced;
        let (a, b, c, d) = (a * u + rest, b * u, c * u, d * u + rest);
        let (x, y) = (-u * self.drive[0], -u * self.drive[1]);
        let inverse = (a * d - b * c).recip();
        let (x, y) = ((d * x - b * y) * inverse, (a * y - c * x) * inverse);
        let normal = -(self.gap_rate + (self.coupling[0] * x + self.coupling[1] * y)) / self.normal;
        Wide3([normal, x, y])
    }

    /// g = |pₜ| − μ pₙ.
    #[inline(always)]
    fn excess(&self, p: &Wide3<S>) -> Wide<S> {
        norm(p.0[1], p.0[2]) - self.friction * p.0[0]
    }

    /// The slip near an impulse of size `push` along the face [N·s] at a speed [m/s]; not a number where it is not found.
    #[inline(always)]
    fn slip(&self, push: Wide<S>, speed: Wide<S>) -> Wide3<S> {
        let simd = push.simd();
        let (zero, half) = (Wide::splat(simd, 0.0), Wide::splat(simd, 0.5));
        let (mut low, mut high) = (zero, Wide::splat(simd, 1.0));
        let mut u = self.mean * push / (self.mean * push + speed);
        let mut before = u * Wide::splat(simd, 0.999);
        let mut excess_before = self.excess(&self.at(before));
        let mut p = self.at(u);
        for _ in 0..SECANTS {
            let excess = self.excess(&p);
            let is_inside = excess.is_at_most(zero);
            low = is_inside.choose(u, low);
            high = is_inside.choose(high, u);
            let next = u - excess * (u - before) / (excess - excess_before);
            let middle = (low + high) * half;
            let next = low.is_below(next).choose(next, middle);
            let next = next.is_below(high).choose(next, middle);
            // a root stays where it is
            let is_root = self.is_root(excess, &p);
            if is_root.is_everywhere() {
                break;
            }
            before = is_root.choose(before, u);
            excess_before = is_root.choose(excess_before, excess);
            u = is_root.choose(u, next);
            p = self.at(u);
        }
        let is_root = self.is_root(self.excess(&p), &p);
        let unknown = Wide::splat(simd, f64::NAN);
        Wide3([is_root.choose(p.0[0], unknown), p.0[1], p.0[2]])
    }

    #[inline(always)]
    fn is_root(&self, excess: Wide<S>, p: &Wide3<S>) -> Mask<S> {
        absolute(excess).is_at_most(Wide::splat(excess.simd(), ROUNDING) * self.friction * p.0[0])
    }
}

#[inline(always)]
fn absolute<S: Simd>(x: Wide<S>) -> Wide<S> {
    x.is_below(Wide::splat(x.simd(), 0.0)).choose(-x, x)
}

#[inline(always)]
fn norm<S: Simd>(x: Wide<S>, y: Wide<S>) -> Wide<S> {
    (x * x + y * y).sqrt()
}
