//! Normal speeds of all contacts in one pass: what every search for the worst contact begins with.
//!
//! ```text
//! sᵢ = nᵢ·(v_a + ω_a × ρ_a − v_b − ω_b × ρ_b) + offsetᵢ        [m/s]
//! ```
//!
//! The velocity u of kinematic surfaces does not change during a solve, so it goes into the offset, together
//! with whatever else is constant. An infinite offset takes a contact out of the search.

use tightfit_spatial::{Vectorise, vectorised};

use crate::records::{Contacts, NOT_FREE};

/// Contacts looked at together: they stay in the nearest cache.
const BLOCK: usize = 256;

/// Fills `out` with sᵢ for the stacked velocities; returns the smallest, ∞ when there is none. What is not a number is
/// passed over.
pub(super) fn fill(contacts: &Contacts, offset: &[f64], velocity: &[f64], out: &mut Vec<f64>) -> f64 {
    let count = contacts.len();
    // one free body: every row names it alone, so the columns can be read straight through
    if let Some(velocity) = velocity.as_array() {
        out.resize(count, 0.0);
        return vectorised(OneBody { contacts, offset, velocity, out: &mut out[..count] });
    }
    out.clear();
    out.extend((0..count).map(|i| {
        let v = contacts.relative_velocity(i, velocity);
        contacts.normal.get(i).dot(&v) + surface_speed(contacts, i) + offset[i]
    }));
    minimum(out)
}

/// sᵢ of all contacts of one free body, and the smallest.
struct OneBody<'a> {
    contacts: &'a Contacts,
    offset: &'a [f64],
    velocity: &'a [f64; 6],
    out: &'a mut [f64],
}

impl Vectorise for OneBody<'_> {
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let mut smallest = f64::INFINITY;
        for (block, out) in self.out.chunks_mut(BLOCK).enumerate() {
            fill_block(self.contacts, block * BLOCK, self.offset, self.velocity, out);
            let own = minimum(out);
            smallest = if own < smallest { own } else { smallest };
        }
        smallest
    }
}

/// Fills `out` with sᵢ of the contacts from `start` on, for one free body.
#[inline(always)]
fn fill_block(contacts: &Contacts, start: usize, offset: &[f64], velocity: &[f64; 6], out: &mut [f64]) {
    let block = start..start + out.len();
    let [vx, vy, vz, wx, wy, wz] = *velocity;
    let (normal, arm) = (&contacts.normal, &contacts.arm_a);
    // equal lengths, said once: the loop below is then free of checks and runs in vectors
    let (nx, ny, nz) = (&normal.x[block.clone()], &normal.y[block.clone()], &normal.z[block.clone()]);
    let (rx, ry, rz) = (&arm.x[block.clone()], &arm.y[block.clone()], &arm.z[block.clone()]);
    let offset = &offset[block];
    for (i, speed) in out.iter_mut().enumerate() {
        *speed = nx[i] * (vx + wy * rz[i] - wz * ry[i])
            + ny[i] * (vy + wz * rx[i] - wx * rz[i])
            + nz[i] * (vz + wx * ry[i] - wy * rx[i])
            + offset[i];
    }
}

/// Fills `out` with nᵢ·vᵢ [m/s] of the contacts from `start` on, v relative to moving surfaces too.
#[inline(always)]
pub(super) fn fill_relative(contacts: &Contacts, start: usize, velocity: &[f64], out: &mut [f64]) {
    let Some(&[vx, vy, vz, wx, wy, wz]) = velocity.as_array() else {
        for (i, speed) in out.iter_mut().enumerate() {
            let v = contacts.relative_velocity(start + i, velocity);
            *speed = contacts.normal.get(start + i).dot(&v);
        }
        return;
    };
    let block = start..start + out.len();
    let (normal, arm, surface) = (&contacts.normal, &contacts.arm_a, &contacts.surface_velocity);
    let (nx, ny, nz) = (&normal.x[block.clone()], &normal.y[block.clone()], &normal.z[block.clone()]);
    let (rx, ry, rz) = (&arm.x[block.clone()], &arm.y[block.clone()], &arm.z[block.clone()]);
    let (ux, uy, uz) = (&surface.x[block.clone()], &surface.y[block.clone()], &surface.z[block]);
    for (i, speed) in out.iter_mut().enumerate() {
        *speed = nx[i] * (vx + wy * rz[i] - wz * ry[i] - ux[i])
            + ny[i] * (vy + wz * rx[i] - wx * rz[i] - uy[i])
            + nz[i] * (vz + wx * ry[i] - wy * rx[i] - uz[i]);
    }
}

/// Fills `out` with scale · constantᵢ − uₙᵢ [m/s]: an offset for [`fill`].
pub(super) fn fill_offset(contacts: &Contacts, constant: &[f64], scale: f64, out: &mut Vec<f64>) {
    let count = contacts.len();
    let (normal, surface) = (&contacts.normal, &contacts.surface_velocity);
    let (nx, ny, nz) = (&normal.x[..count], &normal.y[..count], &normal.z[..count]);
    let (ux, uy, uz) = (&surface.x[..count], &surface.y[..count], &surface.z[..count]);
    let (constant, body_b) = (&constant[..count], &contacts.body_b[..count]);
    out.resize(count, 0.0);
    for (i, offset) in out[..count].iter_mut().enumerate() {
        let speed = nx[i] * ux[i] + ny[i] * uy[i] + nz[i] * uz[i];
        *offset = scale * constant[i] - if body_b[i] == NOT_FREE { speed } else { 0.0 };
    }
}

/// uₙ = n·u of a contact [m/s]; 0 where the second side is free.
fn surface_speed(contacts: &Contacts, contact: usize) -> f64 {
    if contacts.body_b[contact] == NOT_FREE {
        contacts.normal.get(contact).dot(&contacts.surface_velocity.get(contact))
    } else {
        0.0
    }
}

/// Place of a value that is there; `usize::MAX` when it is not.
pub(super) fn place_of(value: f64, values: &[f64]) -> usize {
    values.iter().position(|&other| other == value).unwrap_or(usize::MAX)
}

/// The smallest value, ∞ when there is none; what is not a number is passed over.
#[inline(always)]
pub(super) fn minimum(values: &[f64]) -> f64 {
    // eight running minima: a single one would wait for itself
    let mut lanes = [f64::INFINITY; 8];
    let blocks = values.chunks_exact(8);
    let rest = blocks.remainder();
    for block in blocks {
        for (lane, &value) in lanes.iter_mut().zip(block) {
            *lane = if value < *lane { value } else { *lane };
        }
    }
    for (lane, &value) in lanes.iter_mut().zip(rest) {
        *lane = if value < *lane { value } else { *lane };
    }
    lanes.into_iter().fold(f64::INFINITY, f64::min)
}

/// How many values are not at least `limit`; what is not a number is among them.
pub(super) fn count_below(values: &[f64], limit: f64) -> usize {
    vectorised(CountBelow { values, limit })
}

struct CountBelow<'a> {
    values: &'a [f64],
    limit: f64,
}

impl Vectorise for CountBelow<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let fine: usize = self.values.iter().map(|&value| usize::from(value >= self.limit)).sum();
        self.values.len() - fine
    }
}
