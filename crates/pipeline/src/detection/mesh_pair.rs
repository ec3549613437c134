//! Mesh against mesh: every pair of triangles that cross, or may within the step, is a contact.
//!
//! ```text
//! φ = h − o₁ − o₂      n: normal of the face that h is over, from the second part into the first
//! ```
//!
//! h height of the deepest, or lowest, point of one triangle over the other [m] (`tightfit_shape::mesh::Triangle`), o
//! how far a part's surface lies outside its triangles [m].
//!
//! This is what simulators do that have meshes and no distance. What is different from the exact detection:
//! - A contact is off by as much as the facets are (`mesh_tolerance_mm` of either part), and its normal by half the angle
//!   between two facets. A part that slides over facets is held off by that angle times its way in a step: an M48 nut
//!   at a turn per second rides 33 µm above the exact thread.
//! - Where edges cross, the depth is that along a face or across two edges; on the detection benchmark it is up to
//!   154 µm more than that of the deepest vertex, within 1 nm of it at the median.
//! - A convex edge has no choice of faces.
//! - Every triangle around a vertex answers for it, so contacts come in bunches.
//! - Where walls of two parts are flush, as in a stack of equal blocks, triangles of the one cross edges of the other
//!   sideways, and the stack does not come to rest.
//!
//! Contacts that are apart but within the margin are there too: without them a step, which looks ahead, would come in
//! first and be pushed out again.

use tightfit_shape::Part;
use tightfit_shape::mesh::CollisionMesh;

use super::found::Found;
use super::{DetectionOptions, Side};
use crate::records::Contacts;

/// Appends the contacts of two parts by their meshes.
pub(super) fn detect(
    sides: [&Side; 2],
    [first, second]: [&CollisionMesh; 2],
    options: &DetectionOptions,
    contacts: &mut Contacts,
) {
    let [of, against] = sides;
    let against_from_of = against.world_from_part.inverse() * of.world_from_part;
    let offset: f64 = sides.iter().map(|side| offset(side.part)).sum();
    let reach = (options.margin + offset).max(0.0);
    let mut found = Found::new(of, against, contacts);
    let first_id = of.first_id.wrapping_mul(Part::MOST_PIECES);
    let row = second.len() as u32;
    first.each_contact(second, &against_from_of, reach, |own, other, contact| {
        let gap = contact.gap - offset;
        if gap < options.margin {
            // beyond 2³² pairs two of them share a number, and with it the guess that their impulses start from
            let id = first_id.wrapping_add(own.wrapping_mul(row)).wrapping_add(other);
            found.push(contact.point, contact.normal, gap, id);
        }
    });
    found.finish(options);
}

/// Numbers that the contacts of two meshes take, in units of [`Part::MOST_PIECES`].
#[must_use]
pub fn mesh_ids(first: &CollisionMesh, second: &CollisionMesh) -> u32 {
    (first.len() as u32).wrapping_mul(second.len() as u32).div_ceil(Part::MOST_PIECES)
}

/// How far a part's surface lies outside its triangles [m].
fn offset(part: &Part) -> f64 {
    match part {
        Part::Mesh(mesh) => mesh.offset(),
        _ => 0.0,
    }
}
