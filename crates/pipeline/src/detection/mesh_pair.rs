//! Mesh against mesh: every pair of triangles that cross, or may within the step, is a contact.
//!
//! ```text
//! φ = h − o₁ − o₂      n: normal of the face that h is over, from the second part into the first
//! ```
//!
//! h height of the deepest, or lowest, point of one triangle over the other [m] (`tightfit_shape::mesh::Triangle`), o
//! distance of a part's surface outside its triangles [m].
//!
//! This is the method of simulators that have meshes and no distance. Differences from exact detection:
//! - A contact errs by as much as the facets (`mesh_tolerance_mm` of either part), and its normal by half the angle
//!   between two facets. Facets keep a sliding part away by that angle times its displacement in a step: an M48 nut at
//!   one turn per second rides 33 µm above the exact thread.
//! - Where edges cross, the depth is measured along a face or across two edges; on the detection benchmark it is up to
//!   154 µm more than that of the deepest vertex, within 1 nm of it at the median.
//! - There is no choice of faces at a convex edge.
//! - Every triangle around a vertex yields a contact there, so contacts come in clusters.
//! - Where the walls of two parts are flush, as in a stack of equal blocks, triangles of one part cross edges of the
//!   other sideways, and the stack does not come to rest.
//!
//! Separated contacts within the margin are included: without them a step would first penetrate and then be pushed out.

use tightfit_shape::Part;
use tightfit_shape::mesh::CollisionMesh;

use super::contact_writer::ContactWriter;
use super::{DetectionOptions, PairBody};
use crate::records::Contacts;

/// Appends the contacts of two parts by their meshes.
pub(super) fn detect(
    sides: [&PairBody; 2],
    [first, second]: [&CollisionMesh; 2],
    options: &DetectionOptions,
    contacts: &mut Contacts,
) {
    let [of, against] = sides;
    let against_from_of = against.world_from_part.inverse() * of.world_from_part;
    let offset: f64 = sides.iter().map(|side| offset(side.part)).sum();
    let reach = (options.margin + offset).max(0.0);
    let mut writer = ContactWriter::new(of, against, contacts);
    let first_id = of.first_id.wrapping_mul(Part::MOST_PIECES);
    let row = second.len() as u32;
    first.each_contact(second, &against_from_of, reach, |own, other, contact| {
        let gap = contact.gap - offset;
        if gap < options.margin {
            // Beyond 2³² pairs two contacts share an identity, and with it the initial guess of their impulses.
            let id = first_id.wrapping_add(own.wrapping_mul(row)).wrapping_add(other);
            writer.push(contact.point, contact.normal, gap, id);
        }
    });
    writer.finish(options);
}

/// Number of identities that the contacts of two meshes take, in units of [`Part::MOST_PIECES`].
#[must_use]
pub fn mesh_ids(first: &CollisionMesh, second: &CollisionMesh) -> u32 {
    (first.len() as u32).wrapping_mul(second.len() as u32).div_ceil(Part::MOST_PIECES)
}

/// Distance of a part's surface outside its triangles [m].
fn offset(part: &Part) -> f64 {
    match part {
        Part::Mesh(mesh) => mesh.offset(),
        _ => 0.0,
    }
}
