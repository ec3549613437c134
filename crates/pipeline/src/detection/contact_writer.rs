//! Writes the contacts of one query into the record: first in the part's frame, then all are transformed to world axes.

use nalgebra::{Matrix3, Vector3};
use tightfit_shape::Sample;
use tightfit_shape::block::{BLOCK, FaceBlock, PointBlock};
use tightfit_spatial::Columns3;

use super::moved_surface::MovedSurface;
use super::{DetectionOptions, PairBody};
use crate::records::{Contacts, NOT_FREE, OtherFace};

/// What may take the place of a contact.
#[derive(Clone, Copy, Debug)]
pub(super) enum Other {
    /// Another face.
    Face(Sample),
    /// Nothing: beyond this plane the contact is passed.
    Open(Sample),
}

/// Contacts between the nodes of one body and the surface of another. Until [`Self::finish`] their arms are points;
/// points and normals are then in the frame of the part that has the surface.
pub(super) struct ContactWriter<'a> {
    of: &'a PairBody<'a>,
    against: &'a PairBody<'a>,
    contacts: &'a mut Contacts,
    /// Index of the first of them in the record, and of the first of their other faces.
    start: usize,
    first_other: usize,
}

impl<'a> ContactWriter<'a> {
    #[inline(always)]
    pub(super) fn new(of: &'a PairBody<'a>, against: &'a PairBody<'a>, contacts: &'a mut Contacts) -> Self {
        let (start, first_other) = (contacts.len(), contacts.others.len());
        Self { of, against, contacts, start, first_other }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, point: Vector3<f64>, normal: Vector3<f64>, gap: f64, id: u32) {
        self.contacts.arm_a.push(point);
        self.contacts.normal.push(normal);
        self.contacts.gap.push(gap);
        self.contacts.id.push(id);
    }

    /// Writes all points of a block with their first faces, the usual case on conforming faces; `id` of a lane's node.
    #[inline(always)]
    pub(super) fn push_whole(&mut self, points: &PointBlock, faces: &FaceBlock, id: impl Fn(usize) -> u32) {
        let Contacts { arm_a, normal, gap, .. } = &mut *self.contacts;
        let ([x, y, z], [nx, ny, nz]) = (&points.axes, &faces.normal);
        arm_a.x.extend_from_slice(x);
        arm_a.y.extend_from_slice(y);
        arm_a.z.extend_from_slice(z);
        normal.x.extend_from_slice(nx);
        normal.y.extend_from_slice(ny);
        normal.z.extend_from_slice(nz);
        gap.extend_from_slice(&faces.distance);
        self.contacts.id.extend((0..BLOCK).map(|lane| id(lane) + faces.number[lane] as u32));
    }

    /// Writes some points of a block with their first faces; `id` of a lane's node.
    #[inline(always)]
    pub(super) fn push_lanes(
        &mut self,
        lanes: &[usize],
        points: &PointBlock,
        faces: &FaceBlock,
        id: impl Fn(usize) -> u32,
    ) {
        let Contacts { arm_a, normal, gap, .. } = &mut *self.contacts;
        let [x, y, z] = &points.axes;
        let [nx, ny, nz] = &faces.normal;
        let columns = [
            (&mut arm_a.x, x),
            (&mut arm_a.y, y),
            (&mut arm_a.z, z),
            (&mut normal.x, nx),
            (&mut normal.y, ny),
            (&mut normal.z, nz),
            (gap, &faces.distance),
        ];
        for (column, own) in columns {
            column.extend(lanes.iter().map(|&lane| own[lane]));
        }
        self.contacts.id.extend(lanes.iter().map(|&lane| id(lane) + faces.number[lane] as u32));
    }

    /// Adds the other face of a contact; `back` counts from the last contact.
    pub(super) fn push_other(&mut self, back: usize, face: Sample) {
        let contact = (self.contacts.len() - 1 - back) as u32;
        self.contacts.others.push(OtherFace {
            contact,
            normal: face.normal,
            gap: face.distance,
            opens: false,
        });
    }

    /// Adds what may take the place of the last contact.
    pub(super) fn push_branch(&mut self, other: Option<Other>) {
        let (face, opens) = match other {
            Some(Other::Face(face)) => (face, false),
            Some(Other::Open(face)) => (face, true),
            None => return,
        };
        let contact = (self.contacts.len() - 1) as u32;
        self.contacts.others.push(OtherFace { contact, normal: face.normal, gap: face.distance, opens });
    }

    /// Transforms the contacts to world axes and fills the other columns. The first body of a row is always free: where
    /// the body that owns the node is not, the row is reversed.
    #[inline(always)]
    pub(super) fn finish(self, options: &DetectionOptions) {
        let Self { of, against, contacts, start, first_other } = self;
        let (first, second, sign) = if of.is_free() { (of, against, 1.0) } else { (against, of, -1.0) };
        let pose = &against.world_from_part;
        let turn: Matrix3<f64> = pose.rotation.to_rotation_matrix().into_inner();
        let count = contacts.gap.len();

        // Columns that would hold only zeros stay empty.
        let is_moved = second.linear != Vector3::zeros() || second.angular != Vector3::zeros();
        let (is_free, is_moved) = (second.body != NOT_FREE, second.body == NOT_FREE && is_moved);
        for (columns, is_used) in [(&mut contacts.arm_b, is_free), (&mut contacts.surface_velocity, is_moved)]
        {
            if is_used || !columns.is_empty() {
                for column in [&mut columns.x, &mut columns.y, &mut columns.z] {
                    column.resize(count, 0.0);
                }
            }
        }
        let Contacts { arm_a, arm_b, .. } = contacts;
        if is_free {
            for (own, other) in [(&arm_a.x, &mut arm_b.x), (&arm_a.y, &mut arm_b.y), (&arm_a.z, &mut arm_b.z)]
            {
                other[start..].copy_from_slice(&own[start..]);
            }
            carry(arm_b, start, &turn, pose.translation - second.center);
        }
        carry(arm_a, start, &turn, pose.translation - first.center);
        carry(&mut contacts.normal, start, &(turn * sign), Vector3::zeros());
        for face in &mut contacts.others[first_other..] {
            face.normal = turn * face.normal * sign;
        }
        if is_moved {
            let surface = MovedSurface::new(second, first.center, options.horizon);
            for index in start..count {
                let (arm, normal) = (contacts.arm_a.get(index), contacts.normal.get(index));
                contacts.surface_velocity.set(index, surface.velocity_at(arm, &normal));
            }
        }
        contacts.body_a.resize(count, first.body);
        contacts.body_b.resize(count, second.body);
        contacts.friction.resize(count, options.friction);
        contacts.restitution.resize(count, options.restitution);
    }
}

/// x ← R x + t, from index `from` on.
#[inline(always)]
fn carry(columns: &mut Columns3, from: usize, turn: &Matrix3<f64>, shift: Vector3<f64>) {
    let Columns3 { x, y, z } = columns;
    let points = x[from..].iter_mut().zip(&mut y[from..]).zip(&mut z[from..]);
    for ((x, y), z) in points {
        let (a, b, c) = (*x, *y, *z);
        *x = turn[(0, 0)] * a + turn[(0, 1)] * b + turn[(0, 2)] * c + shift.x;
        *y = turn[(1, 0)] * a + turn[(1, 1)] * b + turn[(1, 2)] * c + shift.y;
        *z = turn[(2, 0)] * a + turn[(2, 1)] * b + turn[(2, 2)] * c + shift.z;
    }
}
