//! Checks before the surface is analysed: finite numbers, size and position.

use super::finding::counted;
use super::{Diagnosis, Finding, FindingKind, Severity};
use crate::mesh::{Aabb, TriMesh, guess_unit};

/// Distance from the origin divided by the diagonal [-] above which single precision loses more than 6e-6 of the
/// part's size: micrometres on a part of 100 mm.
const FAR: f64 = 100.0;

/// Diagonal [m] below which a part is too small for robotic assembly; its unit is probably wrong.
const SMALLEST_DIAGONAL: f64 = 2e-4;

pub(super) fn unusable(mesh: &TriMesh) -> Option<Finding> {
    let count = mesh.vertices.len();
    let lost = mesh.triangles.iter().flatten().filter(|&&vertex| vertex as usize >= count).count();
    let wild = mesh.vertices.iter().filter(|vertex| !vertex.iter().all(|x| x.is_finite())).count();
    let message = match (mesh.triangles.len(), lost, wild) {
        (0, ..) => format!("{count} vertices but no triangle"),
        (_, 1.., _) => format!("{lost} vertex indices are out of range: the mesh has {count} vertices"),
        (_, _, 1..) => format!("{wild} vertices are not finite"),
        _ => return None,
    };
    let finding = Finding::at(FindingKind::Unusable, Severity::Error, []);
    let finding = finding.saying(message, "export the part again");
    Some(Finding { count: lost.max(wild).max(1), ..finding })
}

/// Bounding box of the vertices in use; reports unused vertices.
pub(super) fn used_box(mesh: &TriMesh, diagnosis: &mut Diagnosis) -> Aabb {
    let mut used = vec![false; mesh.vertices.len()];
    mesh.triangles.iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
    let with = |state: bool| {
        let used = &used;
        mesh.vertices.iter().enumerate().filter(move |&(vertex, _)| used[vertex] == state).map(|(_, &p)| p)
    };
    let finding = Finding::at(FindingKind::UnreferencedVertices, Severity::Info, with(false));
    if finding.count > 0 {
        let message = format!("{} used by no triangle", counted(finding.count, "vertex", "vertices"));
        diagnosis.findings.push(finding.saying(message, "remove them").repairable());
    }
    Aabb::of(with(true))
}

pub(super) fn place_and_size(used: &Aabb, diagnosis: &mut Diagnosis) {
    let diagonal = used.diagonal();
    diagnosis.facts.min = used.min.into();
    diagnosis.facts.max = used.max.into();
    diagnosis.facts.diagonal = diagonal;
    let guess = guess_unit(diagonal);
    if (guess.unit.factor() != 1.0 && guess.confident) || diagonal < SMALLEST_DIAGONAL {
        let finding = Finding::at(FindingKind::UnitsGuess, Severity::Warning, []);
        let message =
            format!("the diagonal of the part is {diagonal:.3e} m: the file probably uses another unit");
        let remedy = if diagonal < SMALLEST_DIAGONAL {
            "read it as metres instead of millimetres".to_owned()
        } else {
            format!("read it as {} instead of metres", guess.unit)
        };
        diagnosis.findings.push(Finding { count: 1, ..finding.saying(message, remedy) });
    }
    let distance = used.center().norm();
    if distance > FAR * diagonal {
        let finding = Finding::at(FindingKind::FarFromOrigin, Severity::Warning, [used.center()]);
        let times = distance / diagonal;
        let message =
            format!("the part is {times:.0} times its size from the origin; coordinates lose precision");
        diagnosis.findings.push(finding.saying(message, "export it near the origin"));
    }
}
