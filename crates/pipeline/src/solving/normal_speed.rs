//! Normal speeds of all contacts in one pass: what every search for the worst contact begins with.
//!
//! ```text
//! sᵢ = nᵢ·(v_a + ω_a × ρ_a − v_b − ω_b × ρ_b) + offsetᵢ        [m/s]
//! ```
//!
//! The velocity u of kinematic surfaces does not change during a solve, so it goes into the offset, together
//! with whatever else is constant. An infinite offset takes a contact out of the search.

use nalgebra::Vector3;
use tightfit_spatial::{
    Columns3, Registers, RegistersMut, Scalar, Simd, Wide, Wide3, WithSimd, with_registers,
};

use crate::make_room;
use crate::records::{Contacts, NOT_FREE};

/// What a search found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slowest {
    /// The smallest sᵢ [m/s], ∞ when there is none; what is not a number is passed over.
    pub(super) speed: f64,
    /// How many are not at least the limit; what is not a number is among them.
    pub(super) violated: usize,
}

/// Rows of a stretch: its smallest sᵢ tells whether it is worth a look.
pub(super) const STRETCH: usize = 64;

/// sᵢ of all contacts, and the smallest of every stretch [m/s].
#[derive(Clone, Debug, Default)]
pub(super) struct Speeds {
    pub(super) all: Vec<f64>,
    pub(super) least: Vec<f64>,
}

impl Speeds {
    /// Makes room for so many contacts.
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
    // one free body: every row names it alone, so the columns can be read straight through
    if let Some(&velocity) = velocity.as_array() {
        return with_registers(OneBody { contacts, offset, velocity, limit, out });
    }
    let mut found = Slowest { speed: f64::INFINITY, violated: 0 };
    for (stretch, (speeds, least)) in out.all.chunks_mut(STRETCH).zip(&mut out.least).enumerate() {
        *least = f64::INFINITY;
        for (i, speed) in (stretch * STRETCH..).zip(speeds) {
            let v = contacts.relative_velocity(i, velocity);
            *speed = contacts.normal.get(i).dot(&v) + surface_speed(contacts, i) + offset[i];
            *least = least.min(*speed);
            found.violated += usize::from(speed.is_nan() || *speed < limit);
        }
        found.speed = found.speed.min(*least);
    }
    found
}

/// The rows of one free body.
struct OneBody<'a> {
    contacts: &'a Contacts,
    offset: &'a [f64],
    velocity: [f64; 6],
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
        let (normals, arms) =
            (Columns::of(simd, &contacts.normal, whole), Columns::of(simd, &contacts.arm_a, whole));
        let offsets = Registers::of(simd, offset, whole);
        let mut speeds = RegistersMut::of(simd, &mut out.all, whole);
        let twist = Twist::splat(simd, &velocity);
        let (bound, one) = (Wide::splat(simd, limit), Wide::splat(simd, 1.0));
        let (mut fine, mut found) = (Wide::splat(simd, 0.0), Slowest { speed: f64::INFINITY, violated: 0 });
        for (stretch, smallest) in out.least.iter_mut().enumerate() {
            let mut least = Wide::splat(simd, f64::INFINITY);
            for register in stretch * registers..whole.min((stretch + 1) * registers) {
                let speed = twist.along(normals.at(register), arms.at(register), offsets.at(register));
                speeds.put(register, speed);
                least = speed.or_less(least);
                fine = fine + bound.is_at_most(speed).keep(one);
            }
            *smallest = least.smallest();
            found.speed = found.speed.min(*smallest);
        }
        found.violated = whole * S::F64_LANES - fine.total() as usize;
        let twist = Twist::splat(Scalar::new(), &velocity);
        for (row, offset) in offset.iter().enumerate().skip(whole * S::F64_LANES) {
            let speed = twist.at(contacts, row, *offset).value();
            out.all[row] = speed;
            let least = &mut out.least[row / STRETCH];
            *least = least.min(speed);
            found.speed = found.speed.min(speed);
            found.violated += usize::from(speed.is_nan() || speed < limit);
        }
        found
    }
}

/// Whole registers of three columns of contacts.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a, S: Simd>([Registers<'a, S>; 3]);

impl<'a, S: Simd> Columns<'a, S> {
    /// The first `count` registers.
    #[inline(always)]
    pub(super) fn of(simd: S, columns: &'a Columns3, count: usize) -> Self {
        let Columns3 { x, y, z } = columns;
        Self([Registers::of(simd, x, count), Registers::of(simd, y, count), Registers::of(simd, z, count)])
    }

    /// The vectors of a register.
    #[inline(always)]
    pub(super) fn at(&self, register: usize) -> Wide3<S> {
        let [x, y, z] = &self.0;
        Wide3([x.at(register), y.at(register), z.at(register)])
    }
}

/// [v; ω] of the one body in every lane.
#[derive(Clone, Copy)]
pub(super) struct Twist<S: Simd>([Wide3<S>; 2]);

impl<S: Simd> Twist<S> {
    #[inline(always)]
    pub(super) fn splat(simd: S, &[vx, vy, vz, wx, wy, wz]: &[f64; 6]) -> Self {
        Self([Wide3::splat(simd, &Vector3::new(vx, vy, vz)), Wide3::splat(simd, &Vector3::new(wx, wy, wz))])
    }

    /// n·(v + ω × ρ) + offset: nine instructions.
    #[inline(always)]
    pub(super) fn along(&self, normal: Wide3<S>, arm: Wide3<S>, offset: Wide<S>) -> Wide<S> {
        let [Wide3([vx, vy, vz]), Wide3([wx, wy, wz])] = self.0;
        let (Wide3([nx, ny, nz]), Wide3([rx, ry, rz])) = (normal, arm);
        let x = vx.plus(wy, rz).less(wz, ry);
        let y = vy.plus(wz, rx).less(wx, rz);
        let z = vz.plus(wx, ry).less(wy, rx);
        offset.plus(nx, x).plus(ny, y).plus(nz, z)
    }
}

impl Twist<Scalar> {
    /// The same of one contact.
    #[inline(always)]
    pub(super) fn at(&self, contacts: &Contacts, contact: usize, offset: f64) -> Wide<Scalar> {
        let (normal, arm) = (contacts.normal.get(contact), contacts.arm_a.get(contact));
        self.along(Wide3::one(&normal), Wide3::one(&arm), Wide::one(offset))
    }
}

/// sᵢ of one contact for a constant that knows nothing of surfaces [m/s], to the bits of [`fill`].
pub(super) fn of(contacts: &Contacts, contact: usize, velocity: &[f64], constant: f64) -> f64 {
    let Some(one_body) = velocity.as_array() else {
        return contacts.normal.get(contact).dot(&contacts.relative_velocity(contact, velocity)) + constant;
    };
    let offset = match contacts.surface_velocity.is_empty() {
        true => constant,
        false => constant - surface_speed(contacts, contact),
    };
    Twist::splat(Scalar::new(), one_body).at(contacts, contact, offset).value()
}

/// Fills `out` with scale · constantᵢ − uₙᵢ [m/s]: an offset for [`fill`].
pub(super) fn fill_offset(contacts: &Contacts, constant: &[f64], scale: f64, out: &mut Vec<f64>) {
    let count = contacts.len();
    out.clear();
    out.extend(constant[..count].iter().map(|constant| scale * constant));
    if !contacts.surface_velocity.is_empty() {
        for (i, offset) in out.iter_mut().enumerate() {
            *offset -= surface_speed(contacts, i);
        }
    }
}

/// uₙ = n·u of a contact [m/s]; 0 where the second side is free.
pub(super) fn surface_speed(contacts: &Contacts, contact: usize) -> f64 {
    if contacts.body_b[contact] == NOT_FREE {
        contacts.normal.get(contact).dot(&contacts.surface(contact))
    } else {
        0.0
    }
}
