//! Where convex edges of two parts cross between their nodes: those of an exact solid or of a prism with round corners with any, those
//! of a sharp prism with the rims of a turned part, those of a thread with all but the thread that it engages.
//!
//! The edges of one part are carried into the frame of the other; `crossing_query.rs` tells where two of them cross.

use tightfit_shape::mesh::Aabb;
use tightfit_shape::{Part, SharpEdge};

use super::contact_writer::ContactWriter;
use super::crossing_query::CrossingQuery;
use super::thread_crossings::is_thread_beside;
use super::{DetectionOptions, PairBody};
use crate::records::Contacts;

/// Number of identities that the crossings of a pair take; zero where others find them in every pose.
pub(super) fn exact_crossing_ids(sides: [&PairBody; 2]) -> u32 {
    if !is_exact(sides) && !sides.iter().any(|side| side.part.is_threaded()) {
        return 0;
    }
    let [first, second] = sides.map(edge_count);
    first.wrapping_mul(second)
}

/// Whether one of the parts is an exact solid, has round corners or is a thread that does not engage the other, or one has planes and
/// the other circular edges.
fn is_exact(sides: [&PairBody; 2]) -> bool {
    let is_solid = |side: &&PairBody| matches!(side.part, Part::Cad(_)) || side.part.has_round_corners();
    let is_edged =
        |of: &PairBody, against: &PairBody| of.nodes.edges().len() > 0 && against.polyhedron.is_some();
    let [first, second] = sides;
    sides.iter().all(|side| side.network.is_none())
        && (sides.iter().any(is_solid)
            || is_thread_beside(sides)
            || is_edged(first, second)
            || is_edged(second, first))
}

/// Appends the crossings of the edges of two parts, if they are such parts; tells whether they are.
pub(super) fn detect(sides: [&PairBody; 2], options: &DetectionOptions, contacts: &mut Contacts) -> bool {
    if !is_exact(sides) {
        return false;
    }
    if !(sides[0].is_free() || sides[1].is_free()) {
        return true;
    }
    // identities follow those of the nodes of both bodies
    let first = sides.map(|side| side.first_id + side.nodes.len() as u32).into_iter().fold(0, u32::max);
    // the part whose edges are carried over is an exact solid or turned: a mesh has a tree of its own
    let [of, against] = if sides[0].polyhedron.is_some() { [sides[1], sides[0]] } else { sides };
    let query = CrossingQuery::new(of, against, options);
    let around = against.part.aabb().map(|bounds| bounds.grown(options.margin.max(0.0)));
    let mut writer = ContactWriter::new(of, against, contacts);
    let bounds_of = |edges: &Aabb| query.moved(edges).grown(options.margin.max(0.0));
    let is_around = |edges: &Aabb| around.is_some_and(|around| around.overlaps(&bounds_of(edges)));
    of.nodes.edges().each_where(is_around, |index, edge| {
        let bounds = bounds_of(&edge.bounds);
        let row = first.wrapping_add((index as u32).wrapping_mul(edge_count(against)));
        let mut at_pair = |number: u32, other: &SharpEdge| {
            let id = row.wrapping_add(number).wrapping_mul(Part::MOST_PIECES);
            query.each_contact(edge, other, |place, point, normal, gap| {
                writer.push(point, normal, gap, id.wrapping_add(place));
            });
        };
        match against.polyhedron {
            Some(polyhedron) => polyhedron.each_convex_edge(&bounds, |number, other| {
                at_pair(number, &SharpEdge::straight(other));
            }),
            None => {
                let is_near = |others: &Aabb| others.overlaps(&bounds);
                against.nodes.edges().each_where(is_near, |number, other| at_pair(number as u32, other));
            }
        }
    });
    writer.finish(options);
    true
}

fn edge_count(side: &PairBody) -> u32 {
    side.polyhedron.map_or(side.nodes.edges().len(), |polyhedron| polyhedron.edges.len()) as u32
}
