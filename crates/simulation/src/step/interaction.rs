//! Clusters of an interaction network within the step: new points with turned normals in the place of a pair's contacts.
//!
//! External force and torque, which the network asks for, are those of everything but contact: weight, what the input says,
//! spring and damper of a drive at the start of the step, or the load of the arm over the last one.

use std::ops::Range;

use nalgebra::{UnitQuaternion, Vector3};
use tightfit_network::interaction::ObjectState;
use tightfit_pipeline::clustering::interaction::{ContactSet, InteractionWorkspace, SurfaceContact};
use tightfit_pipeline::records::Contacts;
use tightfit_shape::Part;
use tightfit_spatial::{Pose, Wrench, vectorised};

use super::body_views::BodyViews;
use super::context::Piece;
use super::vertex_contacts::VertexContacts;
use crate::InteractionPair;
use crate::audit::pose;

/// Names of contacts at vertices, which are no nodes, go down from here; above are those of second clusters by the same contact.
const OF_VERTICES: u32 = u32::MAX - 1024;

/// A cluster this near to a contact [m], with this cosine between their normals [-], is that contact: what lies in front of its other
/// face is free.
const SAME_POINT: f64 = 1e-9;
const SAME_NORMAL: f64 = 1.0 - 1e-12;

/// Contacts of a pair as its interaction network takes them, and what it makes of them.
#[derive(Debug, Default)]
pub(super) struct InteractionScratch {
    pub(super) contacts: ContactSet,
    /// Places in the record of those that are not left out.
    pub(super) chosen: Vec<u32>,
    pub(super) workspace: InteractionWorkspace,
}

/// Adds the clusters of a pair to `contacts`; its own are in `all`, in `range`.
pub(super) fn interact(
    piece: &Piece,
    own: &InteractionPair,
    pair: usize,
    range: Range<usize>,
    start: &[f64],
    all: &Contacts,
    scratch: &mut InteractionScratch,
    contacts: &mut Contacts,
) {
    let Piece { context, state, span, .. } = *piece;
    let Some((world_from_object, object)) = object_state(piece, own) else { return };
    let object_from_world = world_from_object.inverse();
    let network = &own.clustering.network;
    let nodes = own_nodes(piece, own, pair);
    let set = &mut scratch.contacts;
    set.clear();
    scratch.chosen.clear();
    let widest = network.options().widest_gap.unwrap_or(f64::INFINITY);
    let ahead = if network.options().looks_ahead { span.duration } else { 0.0 };
    let is_near = |index: &usize| {
        let approach = match ahead > 0.0 {
            true => all.normal.get(*index).dot(&all.relative_velocity(*index, start)),
            false => 0.0,
        };
        all.gap[*index] + ahead * approach <= widest
    };
    let [fixed, moving] = [own.fixed, own.moving].map(|body| &context.parameters.bodies[body].part);
    let world_from_fixed = pose(context.scene, context.parameters, state, own.fixed);
    let fixed_from_object = world_from_fixed.inverse() * world_from_object;
    // parts that are not near one another have no contacts at all
    let is_at_vertices = network.options().at_vertices && !range.is_empty();
    if is_at_vertices {
        let object_from_static = object.static_from_object.rotation.inverse();
        vectorised(VertexContacts {
            surface: &own.clustering.surface,
            fixed,
            fixed_from_object,
            widest: widest.max(0.0),
            ahead,
            velocity: [object_from_static * object.linear_in_static, object.angular_in_object],
            contacts: set,
            chosen: &mut scratch.chosen,
        });
    }
    let found = if is_at_vertices { 0..0 } else { range.clone() };
    for index in found.filter(is_near) {
        let point = object_from_world.transform_vector(all.arm_a.get(index));
        let normal = object_from_world.transform_vector(all.normal.get(index));
        let node = (all.id[index] / Part::MOST_PIECES).checked_sub(nodes.start);
        let node = node.filter(|_| nodes.contains(&(all.id[index] / Part::MOST_PIECES)));
        // contacts of triangles have no nodes
        if node.is_none() && network.options().own_nodes && !nodes.is_empty() {
            continue;
        }
        let located = match node.and_then(|node| own.located.get(node as usize)) {
            Some(known) => *known,
            None => own.clustering.surface.locate(point),
        };
        set.push(point, normal, all.gap[index], located);
        scratch.chosen.push(index as u32);
    }
    set.finish(network.inputs_from_object());
    let field = |point: Vector3<f64>| {
        let on_part = moving.sample(own.part_from_object.transform_point(point));
        let outwards = own.part_from_object.rotation.inverse() * on_part.normal;
        let point = point - outwards * on_part.distance;
        let sample = fixed.sample(fixed_from_object.transform_point(point));
        let normal = fixed_from_object.rotation.inverse() * sample.normal;
        SurfaceContact { point, gap: sample.distance, normal }
    };
    own.clustering.choose(set, &object, field, &mut scratch.workspace);
    let first = contacts.len();
    for cluster in &scratch.workspace.clusters {
        let source = scratch.chosen[cluster.contact as usize];
        let place = contacts.len();
        if is_at_vertices {
            // bodies and friction are those of any contact of the pair
            contacts.push_from(all, range.start);
            contacts.id[place] = OF_VERTICES - source;
        } else {
            contacts.push_from(all, source as usize);
        }
        let arm = world_from_object.transform_vector(cluster.point);
        let normal = world_from_object.transform_vector(cluster.normal);
        let is_the_contact = !is_at_vertices
            && (arm - contacts.arm_a.get(place)).norm() < SAME_POINT
            && normal.dot(&contacts.normal.get(place)) > SAME_NORMAL;
        if !is_the_contact {
            contacts.others.retain(|other| other.contact != place as u32);
        }
        contacts.arm_a.set(place, arm);
        contacts.normal.set(place, normal);
        contacts.gap[place] = cluster.gap;
        // two clusters may lie by the same contact: what is carried over to the next step needs two names
        if contacts.id[first..place].contains(&contacts.id[place]) {
            contacts.id[place] = u32::MAX - (place - first) as u32;
        }
    }
}

/// Numbers of the free body's nodes among those of a pair; none where contacts are of triangles.
fn own_nodes(piece: &Piece, own: &InteractionPair, pair: usize) -> Range<u32> {
    let Piece { context, state, span, .. } = piece;
    let place = usize::from(context.scene.contacts[pair].bodies[0] != own.moving);
    match BodyViews::during(context, state, *span).pairs(0.0).nth(pair) {
        Some((sides, _)) if sides.iter().any(|side| side.mesh.is_none()) => {
            let side = &sides[place];
            side.first_id..side.first_id + side.nodes.len() as u32
        }
        _ => 0..0,
    }
}

/// The free body as the network sees it, and where it is.
fn object_state(piece: &Piece, own: &InteractionPair) -> Option<(Pose, ObjectState)> {
    let Piece { context, state, span, .. } = *piece;
    let index = context.scene.free_index(own.moving)?;
    let inertia = context.parameters.bodies[own.moving].inertia?;
    let motion = &state.motions[index];
    let world_from_fixed = pose(context.scene, context.parameters, state, own.fixed);
    let object_from_part = own.part_from_object.rotation.inverse();
    // at this environment's centre of mass
    let world_from_object = Pose::new(motion.center, motion.rotation * own.part_from_object.rotation);
    let mut external = Wrench::new(context.scene.gravity * inertia.mass, Vector3::zeros());
    external = external + context.input.wrenches.get(index).copied().unwrap_or_else(Wrench::zero);
    if let Some(coupling) = context.coupling(index, span) {
        let [shift, turn] = coupling.error(motion.center, &motion.rotation, &coupling.target);
        let [linear, angular] = coupling.target_velocity(span.duration);
        let [faster, turning] =
            [motion.twist.linear_in_world - linear, motion.twist.angular_in_body - angular];
        external = external
            + Wrench::new(
                -coupling.stiffness.component_mul(&shift) - coupling.damping.component_mul(&faster),
                -coupling.turning_stiffness.component_mul(&turn)
                    - coupling.turning_damping.component_mul(&turning),
            );
    }
    let is_held = context.scene.arm.as_ref().is_some_and(|arm| arm.body == own.moving);
    if let Some(arm) = state.arm.as_ref().filter(|_| is_held) {
        let load = arm.held.load;
        let torque = motion.rotation.inverse() * Vector3::new(load[3], load[4], load[5]);
        external = external + Wrench::new(Vector3::new(load[0], load[1], load[2]), torque);
    }
    let world_from_static = match own.clustering.network.options().world_axes {
        true => Pose::new(world_from_fixed.translation, UnitQuaternion::identity()),
        false => world_from_fixed,
    };
    let static_from_world = world_from_static.rotation.inverse();
    let object = ObjectState {
        static_from_object: world_from_static.inverse() * world_from_object,
        linear_in_static: static_from_world * motion.twist.linear_in_world,
        angular_in_object: object_from_part * motion.twist.angular_in_body,
        force_in_static: static_from_world * external.force_in_world,
        torque_in_object: object_from_part * external.torque_in_body,
    };
    Some((world_from_object, object))
}
