//! Normal speeds of all contacts in one pass: what every search for the worst contact begins with.
//!
//! ```text
//! sᵢ = nᵢ·(v_a + ω_a × ρ_a − v_b − ω_b × ρ_b) + offsetᵢ        [m/s]
//! ```
//!
//! The velocity u of kinematic surfaces does not change during a solve, so it goes into the offset, together
//! with whatever else is constant. An infinite offset takes a contact out of the search.

use nalgebra::Vector3;
use tightfit_spatial::{Columns3, Scalar, Simd, Wide, Wide3, WithSimd, with_registers};

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
        let (normal, arm) = (Columns::of(&contacts.normal), Columns::of(&contacts.arm_a));
        let twist = Twist::splat(simd, &velocity);
        let (bound, one) = (Wide::splat(simd, limit), Wide::splat(simd, 1.0));
        let (count, mut fine) = (out.all.len(), Wide::splat(simd, 0.0));
        let whole = count / S::F64_LANES;
        let registers = STRETCH / S::F64_LANES;
        let mut found = Slowest { speed: f64::INFINITY, violated: 0 };
        for (stretch, smallest) in out.least.iter_mut().enumerate() {
            let mut least = Wide::splat(simd, f64::INFINITY);
            for register in stretch * registers..whole.min((stretch + 1) * registers) {
                let speed = twist.along(normal.wide(simd, register), arm.wide(simd, register))
                    + Wide::load(simd, offset, register);
                speed.store(&mut out.all, register);
                least = speed.or_less(least);
                fine = fine + bound.is_at_most(speed).keep(one);
            }
            *smallest = least.smallest();
            found.speed = found.speed.min(*smallest);
        }
        found.violated = whole * S::F64_LANES - fine.total() as usize;
        let (simd, twist) = (Scalar::new(), Twist::splat(Scalar::new(), &velocity));
        for (row, offset) in offset.iter().enumerate().skip(whole * S::F64_LANES) {
            let speed = twist.along(normal.wide(simd, row), arm.wide(simd, row)).value() + offset;
            out.all[row] = speed;
            let least = &mut out.least[row / STRETCH];
            *least = least.min(speed);
            found.speed = found.speed.min(speed);
            found.violated += usize::from(speed.is_nan() || speed < limit);
        }
        found
    }
}

/// Three columns of contacts.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a>([&'a [f64]; 3]);

impl<'a> Columns<'a> {
    #[inline(always)]
    pub(super) fn of(columns: &'a Columns3) -> Self {
        Self([&columns.x, &columns.y, &columns.z])
    }

    /// The vectors of a register.
    #[inline(always)]
    pub(super) fn wide<S: Simd>(&self, simd: S, register: usize) -> Wide3<S> {
        let [x, y, z] = self.0;
        Wide3([Wide::load(simd, x, register), Wide::load(simd, y, register), Wide::load(simd, z, register)])
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

    /// n·(v + ω × ρ).
    #[inline(always)]
    pub(super) fn along(&self, normal: Wide3<S>, arm: Wide3<S>) -> Wide<S> {
        let [v, w] = self.0;
        normal.dot(v + w.cross(arm))
    }
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
