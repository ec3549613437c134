//! Contacts between two bodies, in columns.
//!
//! ```text
//! v = (v_a + ω_a × ρ_a) − (v_b + ω_b × ρ_b) − u        relative velocity at the contact, world axes
//! ```
//!
//! ρ arm from a body's centre of mass [m], ω in **world** axes here, u velocity of a kinematic surface [m/s]. n points
//! from the second body into the first: vₙ > 0 separates.
//! Velocities of all free bodies are stacked as [v; ω] of six numbers each.

use nalgebra::Vector3;
use tightfit_spatial::{Columns3, Simd, Wide, WithSimd, with_registers};

use crate::make_room;

/// Body index of a side that does not move freely: fixed or kinematic.
pub const NOT_FREE: u32 = u32::MAX;

/// The second face of an edge; a node in front of either face is free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OtherFace {
    /// Index of the contact in the record.
    pub contact: u32,
    /// n of the face, as in the row.
    pub normal: Vector3<f64>,
    /// φ of the face [m].
    pub gap: f64,
    /// Whether nothing takes the place of a contact that passes in front of it: it leads past a corner or beyond the
    /// end of an edge.
    pub opens: bool,
}

/// Gap of a contact that was passed [m].
const OPEN: f64 = 1.0;

/// Candidate contacts of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contacts {
    /// Free body of the first side; never [`NOT_FREE`].
    pub body_a: Vec<u32>,
    /// Free body of the second side, or [`NOT_FREE`].
    pub body_b: Vec<u32>,
    /// ρ_a: point − centre of mass of the first body, world axes [m].
    pub arm_a: Columns3,
    /// ρ_b: point − centre of mass of the second body, world axes [m]; zero where that is not free. Empty when none is.
    pub arm_b: Columns3,
    /// n: unit normal in world axes, from the second body into the first.
    pub normal: Columns3,
    /// u: velocity of a second side that is not free, at the point, world axes [m/s]. Empty when all of them are at
    /// rest.
    pub surface_velocity: Columns3,
    /// φ: gap [m], positive separated.
    pub gap: Vec<f64>,
    /// μ [-].
    pub friction: Vec<f64>,
    /// Coefficient of restitution [-].
    pub restitution: Vec<f64>,
    /// Identity of the node, the same in every step; impulses of the last step are found by it.
    pub id: Vec<u32>,
    /// Other faces of nodes at an edge, which may replace the face in the row.
    pub others: Vec<OtherFace>,
}

impl Contacts {
    /// Number of contacts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.gap.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.gap.is_empty()
    }

    /// Reserves memory for `count` contacts in total; `both_move` when second sides may be free or kinematic.
    pub fn make_room(&mut self, count: usize, both_move: bool) {
        for column in [&mut self.body_a, &mut self.body_b, &mut self.id] {
            make_room(column, count);
        }
        let second = if both_move { count } else { 0 };
        for (columns, count) in [
            (&mut self.arm_a, count),
            (&mut self.normal, count),
            (&mut self.arm_b, second),
            (&mut self.surface_velocity, second),
        ] {
            columns.reserve_total(count);
        }
        for column in [&mut self.gap, &mut self.friction, &mut self.restitution] {
            make_room(column, count);
        }
        make_room(&mut self.others, count);
    }

    /// Removes the contacts and keeps the memory.
    pub fn clear(&mut self) {
        self.body_a.clear();
        self.body_b.clear();
        self.arm_a.clear();
        self.arm_b.clear();
        self.normal.clear();
        self.surface_velocity.clear();
        self.gap.clear();
        self.friction.clear();
        self.restitution.clear();
        self.id.clear();
        self.others.clear();
    }

    /// The smallest φ [m], ∞ without contacts.
    #[must_use]
    pub fn smallest_gap(&self) -> f64 {
        with_registers(Smallest(&self.gap))
    }

    /// ρ_b of a contact [m].
    #[inline]
    #[must_use]
    pub fn second_arm(&self, index: usize) -> Vector3<f64> {
        if self.arm_b.is_empty() { Vector3::zeros() } else { self.arm_b.get(index) }
    }

    /// u of a contact [m/s].
    #[inline]
    #[must_use]
    pub fn surface(&self, index: usize) -> Vector3<f64> {
        if self.surface_velocity.is_empty() { Vector3::zeros() } else { self.surface_velocity.get(index) }
    }

    /// Index of the other face of a contact in [`Self::others`], if it has one.
    #[must_use]
    pub fn other_face(&self, contact: usize) -> Option<usize> {
        self.others.binary_search_by_key(&(contact as u32), |other| other.contact).ok()
    }

    /// Replaces the face in a contact's row by its other face `place`, which is removed from [`Self::others`], or opens the
    /// contact.
    pub fn take_other_face(&mut self, place: usize) {
        let OtherFace { contact, normal, gap, opens } = self.others.remove(place);
        if opens {
            self.gap[contact as usize] = OPEN;
        } else {
            self.normal.set(contact as usize, normal);
            self.gap[contact as usize] = gap;
        }
    }

    /// Adds a copy of a contact of another record, with its other face.
    pub fn push_from(&mut self, other: &Self, index: usize) {
        if let Some(place) = other.other_face(index) {
            let contact = self.len() as u32;
            self.others.push(OtherFace { contact, ..other.others[place] });
        }
        self.body_a.push(other.body_a[index]);
        self.body_b.push(other.body_b[index]);
        self.arm_a.push(other.arm_a.get(index));
        self.normal.push(other.normal.get(index));
        for (own, other) in
            [(&mut self.arm_b, &other.arm_b), (&mut self.surface_velocity, &other.surface_velocity)]
        {
            if !other.is_empty() {
                own.push(other.get(index));
            }
        }
        self.gap.push(other.gap[index]);
        self.friction.push(other.friction[index]);
        self.restitution.push(other.restitution[index]);
        self.id.push(other.id[index]);
    }

    /// Relative velocity at contact `index` for the stacked body velocities [m/s, rad/s], world axes.
    #[must_use]
    pub fn relative_velocity(&self, index: usize, velocities: &[f64]) -> Vector3<f64> {
        let at = |body: u32, arm: Vector3<f64>| {
            let v = &velocities[6 * body as usize..6 * body as usize + 6];
            Vector3::new(v[0], v[1], v[2]) + Vector3::new(v[3], v[4], v[5]).cross(&arm)
        };
        let first = at(self.body_a[index], self.arm_a.get(index));
        let second = match self.body_b[index] {
            NOT_FREE => self.surface(index),
            body => at(body, self.second_arm(index)),
        };
        first - second
    }

    /// vₙ of contact `index` for the stacked body velocities [m/s], positive separates.
    #[must_use]
    pub fn normal_speed(&self, index: usize, velocities: &[f64]) -> f64 {
        self.normal.get(index).dot(&self.relative_velocity(index, velocities))
    }

    /// uₙ = n·u of contact `index` [m/s]; 0 where the second side is free.
    #[must_use]
    pub fn surface_speed(&self, index: usize) -> f64 {
        if self.body_b[index] == NOT_FREE { self.normal.get(index).dot(&self.surface(index)) } else { 0.0 }
    }

    /// Square of the longer arm of contact `index` [m²].
    #[must_use]
    pub fn longest_arm_squared(&self, index: usize) -> f64 {
        let first = self.arm_a.get(index).norm_squared();
        if self.body_b[index] == NOT_FREE { first } else { first.max(self.second_arm(index).norm_squared()) }
    }

    /// Adds the impulse `p` [N·s] of contact `index` to the stacked generalised impulses: F += Jᵀp.
    pub fn add_impulse(&self, index: usize, impulse: Vector3<f64>, generalised: &mut [f64]) {
        let mut add = |body: u32, arm: Vector3<f64>, impulse: Vector3<f64>| {
            let torque = arm.cross(&impulse);
            let out = &mut generalised[6 * body as usize..6 * body as usize + 6];
            for axis in 0..3 {
                out[axis] += impulse[axis];
                out[3 + axis] += torque[axis];
            }
        };
        add(self.body_a[index], self.arm_a.get(index), impulse);
        if self.body_b[index] != NOT_FREE {
            add(self.body_b[index], self.second_arm(index), -impulse);
        }
    }
}

/// The smallest number of a column, ∞ for an empty one; NaN is ignored.
struct Smallest<'a>(&'a [f64]);

impl WithSimd for Smallest<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let whole = self.0.len() / S::F64_LANES;
        let mut smallest = Wide::splat(simd, f64::INFINITY);
        for register in 0..whole {
            smallest = Wide::load(simd, self.0, register).or_less(smallest);
        }
        self.0[whole * S::F64_LANES..]
            .iter()
            .fold(smallest.smallest(), |smallest, &value| smallest.min(value))
    }
}
