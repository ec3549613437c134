//! Measurements of the surface, and comparison of its facets with the clearance.

use super::facet_error::{CLEARANCE_SHARE, facet_error};
use super::finding::counted;
use super::surface::Surface;
use super::{
    Diagnosis, DoctorOptions, EdgeFacts, Facts, Finding, FindingKind, MassFacts, Severity, SharpFacts,
    ShellFacts,
};
use crate::mesh::{Shell, sharp_edges};

/// Largest number of shells listed in the facts.
const LISTED_SHELLS: usize = 100;

/// Areas, volumes, mass and the shells.
pub(super) fn measure(
    surface: &Surface<'_>,
    depths: &[u32],
    options: &DoctorOptions,
    diagnosis: &mut Diagnosis,
) {
    let facts: &mut Facts = &mut diagnosis.facts;
    let shells = &surface.shells;
    facts.area = shells.iter().map(|shell| shell.area).sum();
    facts.closed = shells.iter().all(Shell::is_closed);
    facts.volume = facts.closed.then(|| shells.iter().map(|shell| shell.volume).sum());
    facts.shell_count = shells.len();
    let mut listed: Vec<_> = shells.iter().zip(depths).collect();
    listed.sort_by(|a, b| b.0.area.total_cmp(&a.0.area));
    let listed = listed.into_iter().take(LISTED_SHELLS).map(|(shell, &depth)| ShellFacts {
        triangles: shell.triangles,
        closed: shell.is_closed(),
        volume: shell.volume,
        area: shell.area,
        euler: shell.euler(),
        genus: shell.genus(),
        depth,
    });
    facts.shells = listed.collect();
    let inertia = options.density.filter(|_| facts.closed).and_then(|density| {
        let inertia = surface.mesh.inertia(density).ok()?;
        Some((density, inertia))
    });
    facts.mass = inertia.map(|(density, inertia)| MassFacts {
        density,
        mass: inertia.mass,
        center_of_mass: inertia.center_of_mass.into(),
        moment: inertia.moment.transpose().into(),
    });
}

/// Edge lengths, sharp edges, facets and spacing.
pub(super) fn sharpness(surface: &Surface<'_>, options: &DoctorOptions, diagnosis: &mut Diagnosis) {
    let (mesh, table) = (surface.mesh, &surface.table);
    let length = |[a, b]: [u32; 2]| (mesh.vertices[b as usize] - mesh.vertices[a as usize]).norm();
    let lengths = || table.iter().map(|edge| length(edge.vertices));
    if !table.is_empty() {
        diagnosis.facts.edges = EdgeFacts {
            count: table.len(),
            min: lengths().fold(f64::INFINITY, f64::min),
            mean: lengths().sum::<f64>() / table.len() as f64,
            max: lengths().fold(0.0, f64::max),
        };
    }
    let (mut convex, mut concave) = (SharpFacts::default(), SharpFacts::default());
    for edge in sharp_edges(mesh, table, options.sharp_angle) {
        let sharp = if edge.is_convex() { &mut convex } else { &mut concave };
        sharp.count += 1;
        sharp.length += length(edge.vertices);
    }
    diagnosis.facts.sharp_convex = convex;
    diagnosis.facts.sharp_concave = concave;
    let Some((facets, coarse)) = facet_error(mesh, table, options.sharp_angle, options.clearance) else {
        return;
    };
    diagnosis.facts.facets = Some(facets);
    let (Some(clearance), Some(spacing)) = (options.clearance, facets.recommended_spacing) else { return };
    if !coarse.is_empty() {
        let places = coarse.iter().map(|&edge| surface.edge_middle(table.edge(edge as usize).vertices));
        let finding = Finding::at(FindingKind::FacetError, Severity::Warning, places);
        let message = format!(
            "facets are up to {:.2} um off the curved surface, more than a tenth of the clearance of {:.2} um",
            facets.sagitta_max * 1e6,
            clearance * 1e6
        );
        let remedy = format!("export with a chord tolerance of {:.2} um", clearance * CLEARANCE_SHARE * 1e6);
        diagnosis.findings.push(finding.saying(message, remedy));
    }
    let long = table.iter().filter(|edge| length(edge.vertices) > spacing);
    let places = long.map(|edge| surface.edge_middle(edge.vertices));
    let finding = Finding::at(FindingKind::Sampling, Severity::Info, places);
    if finding.count > 0 {
        let (count, longest) = (counted(finding.count, "edge", "edges"), diagnosis.facts.edges.max * 1e3);
        let message = format!(
            "{count} (up to {longest:.3} mm) longer than the recommended node spacing of {:.3} mm",
            spacing * 1e3
        );
        let remedy = format!("place nodes every {:.3} mm, not only at the vertices", spacing * 1e3);
        diagnosis.findings.push(finding.saying(message, remedy));
    }
}
