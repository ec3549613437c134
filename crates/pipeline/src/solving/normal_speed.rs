//! Normal speeds of all contacts in one pass: the first part of every search for the worst contact.
//!
//! ```text
//! sᵢ = nᵢ·(v_a + ω_a × ρ_a − v_b − ω_b × ρ_b) + offsetᵢ        [m/s]
//! ```
//!
//! The velocity u of kinematic surfaces is constant during a solve, so it is part of the offset, with all other
//! constants. An infinite offset excludes a contact from the search.

use tightfit_spatial::{Registers, RegistersMut, Simd, Wide, WithSimd, with_registers};

use crate::make_room;
use crate::records::{BodySpeeds, Contacts};

/// Result of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slowest {
    /// The smallest sᵢ [m/s], ∞ without contacts; NaN is ignored.
    pub(super) speed: f64,
    /// Number of contacts below the limit, NaN included.
    pub(super) violated: usize,
}

/// Contacts of a stretch; a search skips stretches by their smallest sᵢ.
pub(super) const STRETCH: usize = 64;

/// sᵢ of all contacts, and the smallest of every stretch [m/s].
#[derive(Clone, Debug, Default)]
pub(super) struct Speeds {
    pub(super) all: Vec<f64>,
    pub(super) least: Vec<f64>,
}

impl Speeds {
    /// Reserves memory for `contacts` contacts.
    pub(super) fn make_room(&mut self, contacts: usize) {
        make_room(&mut self.all, contacts);
        make_room(&mut self.least, contacts.div_ceil(STRETCH));
    }

    /// The contacts whose sᵢ is at most `limit`, in order.
    pub(super) fn at_most(&self, limit: f64) -> impl Iterator<Item = usize> {
        let stretches = self.all.chunks(STRETCH).zip(&self.least).enumerate();
        stretches.filter(move |(_, (_, least))| **least <= limit).flat_map(move |(stretch, (speeds, _))| {
            let near = speeds.iter().enumerate().filter(move |(_, speed)| **speed <= limit);
            near.map(move |(row, _)| stretch * STRETCH + row)
        })
    }
}

/// Fills `out` with sᵢ for the stacked velocities and counts those below `limit` [m/s].
pub(super) fn fill(
    contacts: &Contacts,
    offset: &[f64],
    velocity: &[f64],
    limit: f64,
    out: &mut Speeds,
) -> Slowest {
    let count = contacts.len();
    out.all.resize(count, 0.0);
    out.least.resize(count.div_ceil(STRETCH), 0.0);
    let offset = &offset[..count];
    // One free body is the first side of every contact, so the columns are read contiguously.
    if let Some(velocity) = velocity.as_array() {
        return with_registers(OneBody { contacts, offset, velocity, limit, out });
    }
    let mut found = Slowest { speed: f64::INFINITY, violated: 0 };
    for (stretch, (speeds, least)) in out.all.chunks_mut(STRETCH).zip(&mut out.least).enumerate() {
        *least = f64::INFINITY;
        for (i, speed) in (stretch * STRETCH..).zip(speeds) {
            *speed = contacts.normal_speed(i, velocity) + contacts.surface_speed(i) + offset[i];
            *least = least.min(*speed);
            found.violated += usize::from(speed.is_nan() || *speed < limit);
        }
        found.speed = found.speed.min(*least);
    }
    found
}

/// Contacts of one free body.
struct OneBody<'a> {
    contacts: &'a Contacts,
    offset: &'a [f64],
    velocity: &'a [f64; 6],
    limit: f64,
    out: &'a mut Speeds,
}

impl WithSimd for OneBody<'_> {
    type Output = Slowest;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Slowest {
        let Self { contacts, offset, velocity, limit, out } = self;
        let count = out.all.len();
        let (whole, registers) = (count / S::F64_LANES, STRETCH / S::F64_LANES);
        let rows = BodySpeeds::new(simd, contacts, 0, whole, velocity);
        let offsets = Registers::of(simd, offset, whole);
        let mut speeds = RegistersMut::of(simd, &mut out.all, whole);
        let (bound, one) = (Wide::splat(simd, limit), Wide::splat(simd, 1.0));
        let (mut fine, mut found) = (Wide::splat(simd, 0.0), Slowest { speed: f64::INFINITY, violated: 0 });
        for (stretch, smallest) in out.least.iter_mut().enumerate() {
            let mut least = Wide::splat(simd, f64::INFINITY);
            for register in stretch * registers..whole.min((stretch + 1) * registers) {
                let speed = rows.at(register, offsets.at(register));
                speeds.put(register, speed);
                least = speed.or_less(least);
                fine = fine + bound.is_at_most(speed).keep(one);
            }
            *smallest = least.smallest();
            found.speed = found.speed.min(*smallest);
        }
        found.violated = whole * S::F64_LANES - fine.total() as usize;
        for (row, offset) in offset.iter().enumerate().skip(whole * S::F64_LANES) {
            let speed = BodySpeeds::of_one(contacts, row, velocity, *offset);
            out.all[row] = speed;
            let least = &mut out.least[row / STRETCH];
            *least = least.min(speed);
            found.speed = found.speed.min(speed);
            found.violated += usize::from(speed.is_nan() || speed < limit);
        }
        found
    }
}

/// sᵢ of one contact for a constant that does not contain uₙ [m/s], to the bits of [`fill`].
pub(super) fn of(contacts: &Contacts, contact: usize, velocity: &[f64], constant: f64) -> f64 {
    let Some(one_body) = velocity.as_array() else {
        return contacts.normal_speed(contact, velocity) + constant;
    };
    let offset = match contacts.surface_velocity.is_empty() {
        true => constant,
        false => constant - contacts.surface_speed(contact),
    };
    BodySpeeds::of_one(contacts, contact, one_body, offset)
}

/// Fills `out` with scale · constantᵢ − uₙᵢ [m/s]: an offset for [`fill`].
pub(super) fn fill_offset(contacts: &Contacts, constant: &[f64], scale: f64, out: &mut Vec<f64>) {
    out.clear();
    out.extend(constant[..contacts.len()].iter().map(|constant| scale * constant));
    if !contacts.surface_velocity.is_empty() {
        for (i, offset) in out.iter_mut().enumerate() {
            *offset -= contacts.surface_speed(i);
        }
    }
}
