//! Distance of flat facets from the curved surface that they approximate.
//!
//! ```text
//! w = 2 R sin(α/2)       facet of width w on an arc of radius R; α: angle between the normals of two neighbours
//! s = R (1 − cos(α/2)) = ½ w tan(α/4)                                     height of the arc over the facet
//! d = √(8 R s)           distance of two points on the arc whose chord deviates from it by s ≪ R
//! ```
//!
//! w is the smaller height of the two triangles over their common edge, because a flat face next to a fillet is
//! not one of its facets. Edges above the sharp angle are edges of the part. A real edge below it counts as a
//! bend, so the estimate is an upper bound.

use super::FacetFacts;
use crate::mesh::{EdgeTable, TriMesh, dihedral_angle};

/// Angle between normals below which two triangles are coplanar [rad]; single-precision rounding stays below it.
const FLAT_ANGLE: f64 = 1e-3;

/// Share of the clearance that facets or the spacing of nodes may use up [-].
pub(super) const CLEARANCE_SHARE: f64 = 0.1;

/// A bent edge: a facet boundary inside a curved region.
struct Bend {
    edge: u32,
    sagitta: f64,
    radius: f64,
}

/// Facts about the curved regions, and the edges whose facets deviate by more than [`CLEARANCE_SHARE`] of the
/// clearance [m]. `None` without curved regions.
pub(super) fn facet_error(
    mesh: &TriMesh,
    table: &EdgeTable,
    sharp_angle: f64,
    clearance: Option<f64>,
) -> Option<(FacetFacts, Vec<u32>)> {
    let bend = |index: usize| {
        let edge = table.edge(index);
        let angle = dihedral_angle(mesh, edge)?.abs();
        if !(FLAT_ANGLE..=sharp_angle).contains(&angle) {
            return None;
        }
        let [a, b] = edge.vertices.map(|vertex| mesh.vertices[vertex as usize]);
        let height = |half: u32| 2.0 * mesh.area_vector((half / 3) as usize).norm() / (b - a).norm();
        let width = height(edge.half_edges[0]).min(height(edge.half_edges[1]));
        let (sagitta, radius) = (width * (angle / 4.0).tan() / 2.0, width / (2.0 * (angle / 2.0).sin()));
        Some(Bend { edge: index as u32, sagitta, radius })
    };
    let bends: Vec<Bend> = (0..table.len()).filter_map(bend).collect();
    if bends.is_empty() {
        return None;
    }
    let mut sagittas: Vec<f64> = bends.iter().map(|bend| bend.sagitta).collect();
    let mut radii: Vec<f64> = bends.iter().map(|bend| bend.radius).collect();
    let (sagitta_p99, sagitta_max) = (quantile(&mut sagittas, 0.99), quantile(&mut sagittas, 1.0));
    let radius_p10 = quantile(&mut radii, 0.1);
    let share = clearance.map(|clearance| clearance * CLEARANCE_SHARE);
    let recommended_spacing = share.map(|share| (8.0 * radius_p10 * share).sqrt());
    let coarse = bends.iter().filter(|bend| share.is_some_and(|share| bend.sagitta > share));
    let coarse = coarse.map(|bend| bend.edge).collect();
    Some((FacetFacts { sagitta_p99, sagitta_max, radius_p10, recommended_spacing }, coarse))
}

/// The `q` quantile of the values.
fn quantile(values: &mut [f64], q: f64) -> f64 {
    let rank = ((values.len() - 1) as f64 * q).ceil() as usize;
    *values.select_nth_unstable_by(rank, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::torus;

    #[test]
    fn sagitta_of_a_torus_matches_its_polygons() {
        let mesh = torus(200, 60);
        let table = EdgeTable::new(&mesh);
        let (facts, _) = facet_error(&mesh, &table, 0.26, None).unwrap();
        // candidates for the worst: the outer equator, R = 1.3 in 200 segments, and the tube, R = 0.3 in 60
        let worst = 1.3 * (1.0 - (std::f64::consts::PI / 200.0).cos());
        let tube = 0.3 * (1.0 - (std::f64::consts::PI / 60.0).cos());
        let expected = worst.max(tube);
        assert!((facts.sagitta_max / expected - 1.0).abs() < 0.15, "{facts:?} against {expected}");
    }
}
