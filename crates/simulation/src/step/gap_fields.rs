//! Adds the correction fields of parts to the gaps that detection found ([`crate::GapField`]).

use tightfit_pipeline::detection::PairBody;
use tightfit_pipeline::records::Contacts;
use tightfit_spatial::Vector3;

use super::context::Context;
use crate::BodyId;

/// How much farther detection must search, so that no corrected contact is missed [m].
pub(super) fn farther(context: &Context) -> f64 {
    let fields = context.parameters.bodies.iter().filter_map(|body| body.gap_field.as_ref());
    fields.map(|field| field.largest()).sum()
}

/// Corrects the gaps of one pair of bodies, which begin at contact `from`.
pub(super) fn correct_gaps(
    context: &Context,
    bodies: [BodyId; 2],
    sides: [&PairBody; 2],
    from: usize,
    contacts: &mut Contacts,
) {
    if sides.iter().all(|side| side.worn == 0.0) {
        return;
    }
    for (body, side) in bodies.into_iter().zip(sides) {
        let Some(field) = &context.parameters.bodies[body].gap_field else { continue };
        let part_from_world = side.world_from_part.inverse();
        // n points into the first body: out of the second, and into the surface of the first
        let value = |point: &Vector3<f64>, normal: Vector3<f64>, is_first: bool| {
            let outward = part_from_world.rotation * if is_first { -normal } else { normal };
            field.value(&part_from_world.transform_point(*point), &outward)
        };
        for index in from..contacts.len() {
            let point = point_of(sides, contacts, index);
            let is_first = side.body == contacts.body_a[index];
            contacts.gap[index] += value(&point, contacts.normal.get(index), is_first);
        }
        let others = contacts.others.partition_point(|other| (other.contact as usize) < from);
        for place in others..contacts.others.len() {
            let (index, normal) = (contacts.others[place].contact as usize, contacts.others[place].normal);
            let point = point_of(sides, contacts, index);
            let is_first = side.body == contacts.body_a[index];
            contacts.others[place].gap += value(&point, normal, is_first);
        }
    }
    choose_again(from, contacts);
}

/// A node is inside an edge by no more than by either of its faces, which only the corrected gaps tell.
fn choose_again(from: usize, contacts: &mut Contacts) {
    let first = contacts.others.partition_point(|other| (other.contact as usize) < from);
    for place in first..contacts.others.len() {
        let other = &mut contacts.others[place];
        let index = other.contact as usize;
        if contacts.gap[index] < 0.0 && other.gap > contacts.gap[index] {
            std::mem::swap(&mut contacts.gap[index], &mut other.gap);
            let normal = std::mem::replace(&mut other.normal, contacts.normal.get(index));
            contacts.normal.set(index, normal);
        }
    }
}

/// World position of a contact.
fn point_of(sides: [&PairBody; 2], contacts: &Contacts, index: usize) -> Vector3<f64> {
    let first = if sides[0].body == contacts.body_a[index] { sides[0] } else { sides[1] };
    first.center + contacts.arm_a.get(index)
}
