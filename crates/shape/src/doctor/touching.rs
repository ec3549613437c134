//! Bodies that touch: a post that stands on a plate is a shell of its own, and the faces between them lie in one plane.
//!
//! Such triangles count as crossing, but the solid is sound: it is the union of the shells, and distance and mass are those
//! of the union up to the depth by which the shells overlap.

use nalgebra::Vector3;

use super::surface::Surface;
use crate::mesh::{Aabb, MeshDistance, TriMesh};

/// Depth up to which two shells touch [m].
pub(super) const TOUCHING: f64 = 1e-6;
/// More shells are not compared.
const MOST_SHELLS: usize = 64;
/// Places on each side of a triangle that are tested, beside its corners.
const PLACES: usize = 8;

/// Pairs of shells, the smaller number first, that overlap deeper than they may where they touch; `None` where there are too
/// many shells to tell. Open shells and cavities overlap where triangles of `crossing` say so.
pub(super) fn overlapping_shells(surface: &Surface<'_>, crossing: &[[u32; 2]]) -> Option<Vec<[u32; 2]>> {
    let count = surface.shells.len();
    if count > MOST_SHELLS {
        return None;
    }
    let members = surface.members();
    let solids: Vec<Option<MeshDistance>> = members
        .iter()
        .zip(&surface.shells)
        .map(|(own, shell)| (shell.is_closed() && shell.volume > 0.0).then(|| shell_of(surface.mesh, own))?)
        .collect();
    let mut found = Vec::new();
    for first in 0..count {
        for second in first + 1..count {
            if !surface.shells[first].aabb.overlaps(&surface.shells[second].aabb) {
                continue;
            }
            let pair = [first as u32, second as u32];
            let shells_of = |own: &[u32; 2]| own.map(|triangle| surface.of_triangle[triangle as usize]);
            let is_deep = match [&solids[first], &solids[second]] {
                [Some(one), Some(two)] => {
                    deepest(surface.mesh, &members[first], two) > TOUCHING
                        || deepest(surface.mesh, &members[second], one) > TOUCHING
                }
                _ => crossing.iter().map(shells_of).any(|[a, b]| [a.min(b), a.max(b)] == pair),
            };
            if is_deep {
                found.push(pair);
            }
        }
    }
    Some(found)
}

fn shell_of(mesh: &TriMesh, triangles: &[u32]) -> Option<MeshDistance> {
    let triangles = triangles.iter().map(|&triangle| mesh.triangles[triangle as usize]).collect();
    let mut shell = TriMesh { vertices: mesh.vertices.clone(), triangles };
    shell.drop_unused_vertices();
    MeshDistance::new(shell).ok()
}

/// Deepest place of a shell's triangles inside a solid [m]: corners, places on the sides, centroids.
fn deepest(mesh: &TriMesh, triangles: &[u32], solid: &MeshDistance) -> f64 {
    let bounds = solid.mesh_aabb();
    let mut depth: f64 = 0.0;
    let mut test = |point: Vector3<f64>| {
        if bounds.contains(point) {
            depth = depth.max(-solid.sample(point).distance);
        }
    };
    for &triangle in triangles {
        let corners = mesh.corners(triangle as usize);
        if !Aabb::of(corners).overlaps(&bounds) {
            continue;
        }
        test(corners.iter().sum::<Vector3<f64>>() / 3.0);
        for side in 0..3 {
            let (start, end) = (corners[side], corners[(side + 1) % 3]);
            (0..=PLACES).for_each(|place| test(start + (end - start) * (place as f64 / PLACES as f64)));
            // where it leaves and enters the box of the solid
            for axis in 0..3 {
                for level in [bounds.min[axis], bounds.max[axis], bounds.center()[axis]] {
                    let share = (level - start[axis]) / (end[axis] - start[axis]);
                    if share > 0.0 && share < 1.0 {
                        test(start + (end - start) * share);
                    }
                }
            }
        }
    }
    depth
}
