//! vₙ of many contacts of one body: the only place that writes the formula out.
//!
//! ```text
//! vₙ = n·(v + ω × ρ)        [m/s], positive separates
//! ```

use std::ops::Range;

use nalgebra::Vector3;
use tightfit_spatial::{
    Columns3, Registers, RegistersMut, Scalar, Simd, Wide, Wide3, WithSimd, with_registers,
};

use super::Contacts;

/// Fills `out` with vₙ [m/s] of the contacts in `range` for the stacked body velocities.
pub fn normal_speeds(contacts: &Contacts, range: Range<usize>, velocities: &[f64], out: &mut [f64]) {
    match velocities.as_array().filter(|_| contacts.surface_velocity.is_empty()) {
        Some(velocity) => with_registers(Fill { contacts, first: range.start, velocity, out }),
        None => {
            for (speed, contact) in out.iter_mut().zip(range) {
                *speed = contacts.normal_speed(contact, velocities);
            }
        }
    }
}

struct Fill<'a> {
    contacts: &'a Contacts,
    first: usize,
    velocity: &'a [f64; 6],
    out: &'a mut [f64],
}

impl WithSimd for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { contacts, first, velocity, out } = self;
        let whole = out.len() / S::F64_LANES;
        let speeds = BodySpeeds::new(simd, contacts, first, whole, velocity);
        let (zero, mut registers) = (Wide::splat(simd, 0.0), RegistersMut::of(simd, out, whole));
        for register in 0..whole {
            registers.put(register, speeds.at(register, zero));
        }
        for (row, speed) in out.iter_mut().enumerate().skip(whole * S::F64_LANES) {
            *speed = BodySpeeds::of_one(contacts, first + row, velocity, 0.0);
        }
    }
}

/// vₙ + offset of contacts that all name one free body, register by register.
pub(crate) struct BodySpeeds<'a, S: Simd> {
    normals: [Registers<'a, S>; 3],
    arms: [Registers<'a, S>; 3],
    /// v and ω in every lane.
    velocity: [Wide3<S>; 2],
}

impl<'a, S: Simd> BodySpeeds<'a, S> {
    /// Of `count` whole registers of contacts, from contact `first` on.
    #[inline(always)]
    pub(crate) fn new(
        simd: S,
        contacts: &'a Contacts,
        first: usize,
        count: usize,
        &[vx, vy, vz, wx, wy, wz]: &[f64; 6],
    ) -> Self {
        let registers = |column: &'a [f64]| Registers::of(simd, &column[first..], count);
        let columns = |Columns3 { x, y, z }: &'a Columns3| [registers(x), registers(y), registers(z)];
        Self {
            normals: columns(&contacts.normal),
            arms: columns(&contacts.arm_a),
            velocity: [
                Wide3::splat(simd, &Vector3::new(vx, vy, vz)),
                Wide3::splat(simd, &Vector3::new(wx, wy, wz)),
            ],
        }
    }

    /// n·(v + ω × ρ) + offset: nine instructions.
    #[inline(always)]
    pub(crate) fn at(&self, register: usize, offset: Wide<S>) -> Wide<S> {
        let [Wide3([vx, vy, vz]), Wide3([wx, wy, wz])] = self.velocity;
        let ([nx, ny, nz], [rx, ry, rz]) = (&self.normals, &self.arms);
        let (rx, ry, rz) = (rx.at(register), ry.at(register), rz.at(register));
        let x = vx.plus(wy, rz).less(wz, ry);
        let y = vy.plus(wz, rx).less(wx, rz);
        let z = vz.plus(wx, ry).less(wy, rx);
        offset.plus(nx.at(register), x).plus(ny.at(register), y).plus(nz.at(register), z)
    }
}

impl BodySpeeds<'_, Scalar> {
    /// The same of one contact, to the same bits.
    #[inline(always)]
    pub(crate) fn of_one(contacts: &Contacts, contact: usize, velocity: &[f64; 6], offset: f64) -> f64 {
        BodySpeeds::new(Scalar::new(), contacts, contact, 1, velocity).at(0, Wide::one(offset)).value()
    }
}
