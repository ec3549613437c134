//! Checks of the surface: faces, edges, orientation, thickness and crossings.

use nalgebra::Vector3;

use super::degenerate::{Degenerate, degenerate};
use super::finding::counted;
use super::surface::{NEEDLE_TOLERANCE, Surface, WELD_TOLERANCE, duplicates, middle};
use super::touching::overlapping_shells;
use super::{Diagnosis, DoctorOptions, Finding, FindingKind, Severity};
use crate::mesh::{Edge, Shell, TriMesh, self_crossings};

/// A shell is debris if its diagonal is below this times the diagonal of the part [-].
const DEBRIS: f64 = 2e-3;

/// An open shell is surely inside out if its signed volume is below minus this times the volume of its box [-].
const OPEN_INWARD: f64 = 0.02;

/// Degenerate and duplicate faces.
pub(super) fn faces(surface: &Surface<'_>, diagonal: f64, diagnosis: &mut Diagnosis) {
    let mesh = surface.mesh;
    let tolerance = NEEDLE_TOLERANCE * diagonal;
    let thin: Vec<(usize, Degenerate)> = (0..mesh.triangles.len())
        .filter_map(|index| degenerate(mesh, index, tolerance).map(|how| (index, how)))
        .collect();
    if !thin.is_empty() {
        let repeated = thin.iter().filter(|(_, how)| *how == Degenerate::Repeated).count();
        let places = thin.iter().map(|&(index, _)| middle(mesh, index));
        let message = format!(
            "{} thinner than {:.2e} um ({repeated} with a repeated vertex)",
            counted(thin.len(), "triangle", "triangles"),
            tolerance * 1e6
        );
        let finding = Finding::at(FindingKind::DegenerateFaces, Severity::Warning, places);
        diagnosis.findings.push(finding.saying(message, "collapse or flip them").repairable());
    }
    let copies = duplicates(mesh, &surface.table);
    if !copies.is_empty() {
        let places = copies.iter().map(|pair| middle(mesh, pair[1] as usize));
        let message = format!("{} of other triangles", counted(copies.len(), "copy", "copies"));
        let finding = Finding::at(FindingKind::DuplicateFaces, Severity::Error, places);
        diagnosis.findings.push(finding.saying(message, "remove the copies").repairable());
    }
}

/// Open and non-manifold edges, pinched vertices.
pub(super) fn edges(surface: &Surface<'_>, diagnosis: &mut Diagnosis) {
    let at = |kind, wanted: fn(usize) -> bool| {
        let edges = surface.table.iter().filter(move |edge| wanted(edge.half_edges.len()));
        Finding::at(kind, Severity::Error, edges.map(|edge| surface.edge_middle(edge.vertices)))
    };
    let open = at(FindingKind::BoundaryEdges, |count| count == 1);
    if open.count > 0 {
        let message =
            format!("{} with only one triangle: the surface has holes", counted(open.count, "edge", "edges"));
        let remedy = "close the holes in CAD; small flat ones can be filled";
        diagnosis.findings.push(open.saying(message, remedy).repairable());
    }
    let non_manifold = at(FindingKind::NonManifoldEdges, |count| count > 2);
    let mut on_non_manifold = Vec::new();
    if non_manifold.count > 0 {
        on_non_manifold = vec![false; surface.mesh.vertices.len()];
        for edge in surface.table.iter().filter(|edge| edge.half_edges.len() > 2) {
            edge.vertices.iter().for_each(|&vertex| on_non_manifold[vertex as usize] = true);
        }
        let message =
            format!("{} with more than two triangles", counted(non_manifold.count, "edge", "edges"));
        diagnosis.findings.push(non_manifold.saying(message, "unite the bodies that touch there in CAD"));
    }
    let alone =
        |vertex: &&u32| !on_non_manifold.get(**vertex as usize).is_some_and(|&non_manifold| non_manifold);
    let places = surface.pinched.iter().filter(alone).map(|&vertex| surface.mesh.vertices[vertex as usize]);
    let pinched = Finding::at(FindingKind::NonManifoldVertices, Severity::Warning, places);
    if pinched.count > 0 {
        let message =
            format!("{} at which the surface touches itself", counted(pinched.count, "vertex", "vertices"));
        diagnosis.findings.push(pinched.saying(message, "separate the bodies or unite them in CAD"));
    }
}

/// Whether a shell faces the wrong way for its nesting depth.
pub(super) fn is_inside_out(shell: &Shell, depth: u32) -> bool {
    let sign = if depth.is_multiple_of(2) { 1.0 } else { -1.0 };
    if shell.is_closed() {
        return sign * shell.volume < 0.0;
    }
    // an open shell has no exact volume: report it only when the sign is certain
    let size = shell.aabb.size();
    let hull = size.x * size.y * size.z;
    shell.inconsistent_edges == 0 && sign * shell.volume < -OPEN_INWARD * hull
}

pub(super) fn orientation(surface: &Surface<'_>, depths: &[u32], diagnosis: &mut Diagnosis) {
    let triangles = &surface.mesh.triangles;
    let odd = |edge: &Edge<'_>| edge.half_edges.len() == 2 && edge.manifold(triangles).is_none();
    let places = surface.table.iter().filter(odd).map(|edge| surface.edge_middle(edge.vertices));
    let finding = Finding::at(FindingKind::InconsistentOrientation, Severity::Error, places);
    if finding.count > 0 {
        let message =
            format!("{} between triangles of opposite orientation", counted(finding.count, "edge", "edges"));
        diagnosis.findings.push(finding.saying(message, "flip these triangles").repairable());
    }
    let wrong = surface.shells.iter().zip(depths).filter(|(shell, depth)| is_inside_out(shell, **depth));
    let (places, inner): (Vec<_>, Vec<_>) =
        wrong.map(|(shell, depth)| (shell.aabb.center(), depth % 2 == 1)).unzip();
    if !places.is_empty() {
        let cavities = inner.iter().filter(|&&cavity| cavity).count();
        let count = counted(places.len(), "shell", "shells");
        let mut message = format!("{count} of {} inside out", surface.shells.len());
        if cavities > 0 {
            message += &format!(" (cavities among them: {cavities}; a cavity must face inwards)");
        }
        let finding = Finding::at(FindingKind::InwardOrientation, Severity::Error, places);
        diagnosis.findings.push(finding.saying(message, "flip these shells").repairable());
    }
}

/// Surfaces that enclose no volume, and debris.
pub(super) fn thickness(surface: &Surface<'_>, diagonal: f64, diagnosis: &mut Diagnosis) {
    let sheet = |shell: &&Shell| {
        if shell.boundary_edges > 0 {
            return shell.area_vector.norm() > 0.999 * shell.area;
        }
        // mean thickness 2 V / A
        2.0 * shell.volume.abs() < WELD_TOLERANCE * diagonal * shell.area && shell.inconsistent_edges == 0
    };
    let places = surface.shells.iter().filter(sheet).map(|shell| shell.aabb.center());
    let finding = Finding::at(FindingKind::ZeroThickness, Severity::Error, places);
    if finding.count > 0 {
        let message = format!("{} without thickness: sheets", counted(finding.count, "shell", "shells"));
        diagnosis.findings.push(finding.saying(message, "give them a thickness in CAD"));
    }
    let places =
        surface.shells.iter().filter(|shell| is_debris(shell, diagonal)).map(|shell| shell.aabb.center());
    let finding = Finding::at(FindingKind::TinyShells, Severity::Warning, places);
    if finding.count > 0 {
        let (count, limit) = (counted(finding.count, "shell", "shells"), DEBRIS * diagonal * 1e3);
        let message = format!("{count} smaller than {limit:.4} mm: debris");
        diagnosis.findings.push(finding.saying(message, "remove them").repairable());
    }
}

/// Whether a shell is debris compared with a part of this diagonal [m].
pub(super) fn is_debris(shell: &Shell, diagonal: f64) -> bool {
    shell.aabb.diagonal() < DEBRIS * diagonal
}

pub(super) fn crossings(
    surface: &Surface<'_>,
    diagonal: f64,
    options: &DoctorOptions,
    diagnosis: &mut Diagnosis,
) {
    let mesh = surface.mesh;
    if mesh.triangles.len() > options.crossing_triangles {
        let (count, limit) = (mesh.triangles.len(), options.crossing_triangles);
        let reason = format!("self-intersections: {count} triangles, the limit is {limit}");
        diagnosis.skipped.push(reason);
        return;
    }
    let mut found = self_crossings(mesh, WELD_TOLERANCE * diagonal, options.crossing_pairs);
    let shells_of = |pair: &[u32; 2]| pair.map(|triangle| surface.of_triangle[triangle as usize]);
    if found.pairs.iter().any(|pair| shells_of(pair)[0] != shells_of(pair)[1])
        && let Some(deep) = overlapping_shells(surface, &found.pairs)
    {
        let touches = |pair: &[u32; 2]| {
            let [one, two] = shells_of(pair);
            one != two && !deep.contains(&[one.min(two), one.max(two)])
        };
        let (touching, crossing): (Vec<_>, Vec<_>) = found.pairs.iter().copied().partition(touches);
        if !touching.is_empty() {
            let places = touching.iter().map(|pair| smaller_middle(mesh, *pair));
            let message = "shells that touch: together they are one solid".to_owned();
            let finding = Finding::at(FindingKind::TouchingShells, Severity::Info, places);
            diagnosis.findings.push(finding.saying(message, "nothing needs to be done"));
        }
        found.pairs = crossing;
        // where only bodies touch, the search need not go on
        found.stopped &= !found.pairs.is_empty() || !deep.is_empty();
    }
    if found.stopped {
        let limit = options.crossing_pairs;
        diagnosis.skipped.push(format!("self-intersections beyond the first {limit} pairs"));
    }
    if found.incomplete {
        diagnosis
            .skipped
            .push("self-intersections of some triangles: too many bounding boxes overlap".into());
    }
    if !found.pairs.is_empty() {
        let count = counted(found.pairs.len(), "pair", "pairs");
        let at_least = if found.stopped { "at least " } else { "" };
        let places = found.pairs.iter().map(|pair| smaller_middle(mesh, *pair));
        let message = format!("{at_least}{count} of intersecting triangles");
        let finding = Finding::at(FindingKind::SelfIntersections, Severity::Error, places);
        diagnosis.findings.push(finding.saying(message, "unite the bodies in CAD"));
    }
}

/// Centroid of the smaller triangle of a pair, which is nearer to the intersection.
fn smaller_middle(mesh: &TriMesh, pair: [u32; 2]) -> Vector3<f64> {
    let [a, b] = pair.map(|index| index as usize);
    let smaller = if mesh.area_vector(b).norm() < mesh.area_vector(a).norm() { b } else { a };
    middle(mesh, smaller)
}
