//! Contacts found, on their way into the record: gathered in the part's frame, turned into the world many at a time.

use arrayvec::ArrayVec;
use nalgebra::{Matrix3, Vector3};
use tightfit_shape::block::BLOCK;
use tightfit_shape::{Part, Sample};
use tightfit_spatial::Columns3;

use super::{DetectionOptions, Side};
use crate::records::{Contacts, NOT_FREE, OtherFace};

/// Room for one block of nodes, each with all its pieces, and as many again.
const ROOM: usize = 2 * BLOCK * Part::MOST_PIECES as usize;

/// Contacts between the nodes of one side and the surface of another, in the frame of the latter's part.
pub(super) struct Found<'a> {
    of: &'a Side<'a>,
    against: &'a Side<'a>,
    count: usize,
    point: [[f64; ROOM]; 3],
    normal: [[f64; ROOM]; 3],
    gap: [f64; ROOM],
    id: [u32; ROOM],
    /// Other faces: place among those found here, distance less the node's offset, normal.
    others: ArrayVec<(usize, Sample), ROOM>,
}

impl<'a> Found<'a> {
    #[inline(always)]
    pub(super) fn new(of: &'a Side<'a>, against: &'a Side<'a>) -> Self {
        let empty = [[0.0; ROOM]; 3];
        Self {
            of,
            against,
            count: 0,
            point: empty,
            normal: empty,
            gap: [0.0; ROOM],
            id: [0; ROOM],
            others: ArrayVec::new(),
        }
    }

    #[inline(always)]
    pub(super) fn push(&mut self, point: Vector3<f64>, normal: Vector3<f64>, gap: f64, id: u32) {
        let at = self.count;
        for axis in 0..3 {
            self.point[axis][at] = point[axis];
            self.normal[axis][at] = normal[axis];
        }
        self.gap[at] = gap;
        self.id[at] = id;
        self.count += 1;
    }

    /// Another face of the contact pushed last.
    pub(super) fn push_other(&mut self, face: Sample) {
        self.others.push((self.count - 1, face));
    }

    /// Makes room for another block.
    #[inline(always)]
    pub(super) fn flush_if_full(&mut self, contacts: &mut Contacts) {
        if self.count > ROOM / 2 {
            self.flush(contacts);
        }
    }

    /// Passes the contacts on. The first side of a row is always free: where the node's owner is not, the row is
    /// turned over.
    #[inline(always)]
    pub(super) fn flush(&mut self, contacts: &mut Contacts) {
        let pose = &self.against.world_from_part;
        let turn: Matrix3<f64> = pose.rotation.to_rotation_matrix().into_inner();
        let (first, second, sign) = self.ordered();
        let count = self.count;
        let carry = |from: &[[f64; ROOM]; 3], scale: f64, shift: Vector3<f64>, out: &mut Columns3| {
            let [x, y, z] = from.each_ref().map(|column| &column[..count]);
            for (axis, column) in [&mut out.x, &mut out.y, &mut out.z].into_iter().enumerate() {
                let (tx, ty, tz) = (turn[(axis, 0)], turn[(axis, 1)], turn[(axis, 2)]);
                let (tx, ty, tz, shift) = (scale * tx, scale * ty, scale * tz, shift[axis]);
                let start = column.len();
                column.resize(start + count, 0.0);
                for (i, value) in column[start..].iter_mut().enumerate() {
                    *value = tx * x[i] + ty * y[i] + tz * z[i] + shift;
                }
            }
        };
        carry(&self.point, 1.0, pose.translation - first.center, &mut contacts.arm_a);
        carry(&self.normal, sign, Vector3::zeros(), &mut contacts.normal);
        contacts.gap.extend_from_slice(&self.gap[..count]);
        contacts.id.extend_from_slice(&self.id[..count]);
        let start = contacts.gap.len() - count;
        if second.body != NOT_FREE {
            carry(&self.point, 1.0, pose.translation - second.center, &mut contacts.arm_b);
        } else if second.linear != Vector3::zeros() || second.angular != Vector3::zeros() {
            for index in start..start + count {
                let at = contacts.arm_a.get(index) + first.center;
                contacts.surface_velocity.push(second.velocity_at(at));
            }
        }
        for (place, face) in self.others.drain(..) {
            let normal = turn * face.normal * sign;
            contacts.others.push(OtherFace { contact: (start + place) as u32, normal, gap: face.distance });
        }
        self.count = 0;
    }

    /// Fills the columns that are the same for all contacts.
    #[inline(always)]
    pub(super) fn finish(&self, options: &DetectionOptions, contacts: &mut Contacts) {
        let count = contacts.gap.len();
        let (first, second, _) = self.ordered();
        contacts.body_a.resize(count, first.body);
        contacts.body_b.resize(count, second.body);
        contacts.friction.resize(count, options.friction);
        contacts.restitution.resize(count, options.restitution);
        for columns in [&mut contacts.arm_b, &mut contacts.surface_velocity] {
            for column in [&mut columns.x, &mut columns.y, &mut columns.z] {
                column.resize(count, 0.0);
            }
        }
    }

    /// The sides with a free one first, and −1 where that turns the normals over.
    fn ordered(&self) -> (&'a Side<'a>, &'a Side<'a>, f64) {
        if self.of.is_free() { (self.of, self.against, 1.0) } else { (self.against, self.of, -1.0) }
    }
}
