//! Gap of every vertex of a part to the other parts, for the heat map.

use tightfit_simulation::{BodyId, Simulation};

use crate::VisualMesh;

/// Unit of a gap in a heat message [m].
const UNIT: f64 = 1e-7;
/// Parts farther than this from the box of another are not queried [m].
const REACH: f64 = 3e-3;

/// Signed gaps [0.1 µm], clamped to ±3.2767 mm; negative inside another part.
pub(crate) fn gaps(simulation: &Simulation, body: BodyId, mesh: &VisualMesh) -> Vec<i16> {
    let world_from_part = simulation.world_from_part(body);
    let others: Vec<_> = simulation
        .scene
        .contacts
        .iter()
        .filter_map(|pair| match pair.bodies {
            [first, second] if first == body => Some(second),
            [first, second] if second == body => Some(first),
            _ => None,
        })
        .map(|other| {
            let part = &simulation.parameters.bodies[other].part;
            let other_from_part = simulation.world_from_part(other).inverse() * world_from_part;
            (part, other_from_part, part.aabb().map(|aabb| aabb.grown(REACH)))
        })
        .collect();
    let gap = |position: &tightfit_spatial::Vector3<f64>| {
        let mut least = f64::INFINITY;
        for (part, other_from_part, bounds) in &others {
            let point = other_from_part.transform_point(*position);
            if bounds.is_none_or(|bounds| bounds.contains(point)) {
                least = least.min(part.sample(point).distance);
            }
        }
        (least / UNIT).round().clamp(-32767.0, 32767.0) as i16
    };
    mesh.positions.iter().map(gap).collect()
}
