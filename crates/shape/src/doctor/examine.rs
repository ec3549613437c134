//! The examination: every check once, in the order in which damage hides other damage.

use nalgebra::Vector3;

use super::degenerate::{Degenerate, degenerate};
use super::facet_error::{CLEARANCE_SHARE, facet_error};
use super::nesting::depths;
use super::surface::{NEEDLE_TOLERANCE, Surface, WELD_TOLERANCE, duplicates, middle, weld_open_edges};
use super::{Diagnosis, EdgeFacts, Facts, Finding, FindingKind, MassFacts, Severity, SharpFacts, ShellFacts};
use crate::mesh::{
    Aabb, DEFAULT_SHARP_ANGLE, EdgeTable, Shell, TriMesh, guess_unit, self_crossings, sharp_edges,
};

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DoctorOptions {
    /// Vertices at open edges closer than this times the diagonal are the same [-].
    pub weld_tolerance: f64,
    /// Turn of the normal from which an edge is one of the part, not of a facet [rad].
    pub sharp_angle: f64,
    /// Clearance of the fit that the part belongs to [m]: facets and spacing are judged against it.
    pub clearance: Option<f64>,
    /// Density for the mass properties [kg/m³].
    pub density: Option<f64>,
    /// Meshes with more triangles are not searched for crossings: 2 million take some ten seconds.
    pub crossing_triangles: usize,
    /// Most pairs of crossing triangles that are listed.
    pub crossing_pairs: usize,
}

impl Default for DoctorOptions {
    fn default() -> Self {
        Self {
            weld_tolerance: WELD_TOLERANCE,
            sharp_angle: DEFAULT_SHARP_ANGLE,
            clearance: None,
            density: None,
            crossing_triangles: 2_000_000,
            crossing_pairs: 1000,
        }
    }
}

/// Distance from the origin over the diagonal [-] from which single precision loses more than 6e-6 of the
/// part's size: micrometres on a part of 100 mm.
const FAR: f64 = 100.0;

/// Diagonal over that of the part [-] below which a shell is debris.
const DEBRIS: f64 = 2e-3;

/// Diagonal [m] below which no part is handled by a robot.
const SMALLEST_DIAGONAL: f64 = 2e-4;

/// Volume of an open shell over that of its box [-] that is negative for certain.
const OPEN_INWARD: f64 = 0.02;

/// Most shells listed in the facts.
const LISTED_SHELLS: usize = 100;

/// Examines a mesh in metres.
#[must_use]
pub fn examine(mesh: &TriMesh, options: &DoctorOptions) -> Diagnosis {
    let mut diagnosis = Diagnosis::default();
    diagnosis.facts.triangles = mesh.triangles.len();
    diagnosis.facts.vertices = mesh.vertices.len();
    if let Some(finding) = unusable(mesh) {
        diagnosis.findings.push(finding);
        return diagnosis;
    }
    let used = used_box(mesh, &mut diagnosis);
    place_and_size(&used, &mut diagnosis);
    let diagonal = used.diagonal();

    let table = EdgeTable::new(mesh);
    let welded = weld_open_edges(mesh, &table, options.weld_tolerance * diagonal);
    if let Some(weld) = &welded {
        let places = weld.merged.iter().map(|&vertex| mesh.vertices[vertex as usize]);
        let finding = Finding::at(FindingKind::UnweldedVertices, Severity::Error, places);
        let (count, micrometres) = (finding.count, options.weld_tolerance * diagonal * 1e6);
        let message = format!(
            "{count} vertices at open edges lie within {micrometres:.3} um of another; \
             what follows is about the welded mesh"
        );
        diagnosis.findings.push(finding.saying(message, "weld them").repairable());
    }
    let surface = match &welded {
        Some(weld) => Surface::new(&weld.mesh, EdgeTable::new(&weld.mesh)),
        None => Surface::new(mesh, table),
    };
    let (depths, left_out) = depths(&surface);
    if left_out > 0 {
        diagnosis
            .skipped
            .push(format!("whether {left_out} pairs of shells lie inside one another: too many"));
    }
    faces(&surface, diagonal, &mut diagnosis);
    edges(&surface, &mut diagnosis);
    orientation(&surface, &depths, &mut diagnosis);
    thickness(&surface, diagonal, &mut diagnosis);
    crossings(&surface, diagonal, options, &mut diagnosis);
    measure(&surface, &depths, options, &mut diagnosis);
    sharpness(&surface, options, &mut diagnosis);
    diagnosis.findings.sort_by(|a, b| b.severity.cmp(&a.severity).then(a.kind.cmp(&b.kind)));
    diagnosis
}

fn unusable(mesh: &TriMesh) -> Option<Finding> {
    let count = mesh.vertices.len();
    let lost = mesh.triangles.iter().flatten().filter(|&&vertex| vertex as usize >= count).count();
    let wild = mesh.vertices.iter().filter(|vertex| !vertex.iter().all(|x| x.is_finite())).count();
    let message = match (mesh.triangles.len(), lost, wild) {
        (0, ..) => format!("{count} vertices but no triangle"),
        (_, 1.., _) => format!("{lost} corners refer to vertices beyond the last, {count}"),
        (_, _, 1..) => format!("{wild} vertices are not finite"),
        _ => return None,
    };
    let finding = Finding::at(FindingKind::Unusable, Severity::Error, []);
    let finding = finding.saying(message, "export the part again");
    Some(Finding { count: lost.max(wild).max(1), ..finding })
}

/// The box of the vertices in use; those that are not are reported.
fn used_box(mesh: &TriMesh, diagnosis: &mut Diagnosis) -> Aabb {
    let mut used = vec![false; mesh.vertices.len()];
    mesh.triangles.iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
    let with = |state: bool| {
        let used = &used;
        mesh.vertices.iter().enumerate().filter(move |&(vertex, _)| used[vertex] == state).map(|(_, &p)| p)
    };
    let finding = Finding::at(FindingKind::UnreferencedVertices, Severity::Info, with(false));
    if finding.count > 0 {
        let message = format!("{} vertices belong to no triangle", finding.count);
        diagnosis.findings.push(finding.saying(message, "drop them").repairable());
    }
    Aabb::of(with(true))
}

fn place_and_size(used: &Aabb, diagnosis: &mut Diagnosis) {
    let diagonal = used.diagonal();
    diagnosis.facts.min = used.min.into();
    diagnosis.facts.max = used.max.into();
    diagnosis.facts.diagonal = diagonal;
    let guess = guess_unit(diagonal);
    if guess.unit.factor() != 1.0 || diagonal < SMALLEST_DIAGONAL {
        let finding = Finding::at(FindingKind::UnitsGuess, Severity::Warning, []);
        let message =
            format!("the part is {diagonal:.3e} m across: the unit of the file is probably another");
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
        let message = format!("the part lies {times:.0} times its size from its origin; digits are lost");
        diagnosis.findings.push(finding.saying(message, "export it near its origin"));
    }
}

/// Degenerate and duplicate faces.
fn faces(surface: &Surface<'_>, diagonal: f64, diagnosis: &mut Diagnosis) {
    let mesh = surface.mesh;
    let tolerance = NEEDLE_TOLERANCE * diagonal;
    let thin: Vec<(usize, Degenerate)> = (0..mesh.triangles.len())
        .filter_map(|index| degenerate(mesh, index, tolerance).map(|how| (index, how)))
        .collect();
    if !thin.is_empty() {
        let repeated = thin.iter().filter(|(_, how)| *how == Degenerate::Repeated).count();
        let places = thin.iter().map(|&(index, _)| middle(mesh, index));
        let message = format!(
            "{} triangles are thinner than {:.2e} um, {repeated} of them use a vertex twice",
            thin.len(),
            tolerance * 1e6
        );
        let finding = Finding::at(FindingKind::DegenerateFaces, Severity::Warning, places);
        diagnosis.findings.push(finding.saying(message, "collapse or flip them").repairable());
    }
    let copies = duplicates(mesh, &surface.table);
    if !copies.is_empty() {
        let places = copies.iter().map(|pair| middle(mesh, pair[1] as usize));
        let message = format!("{} triangles repeat another one", copies.len());
        let finding = Finding::at(FindingKind::DuplicateFaces, Severity::Error, places);
        diagnosis.findings.push(finding.saying(message, "drop the copies").repairable());
    }
}

/// Open and non-manifold edges, pinched vertices.
fn edges(surface: &Surface<'_>, diagnosis: &mut Diagnosis) {
    let at = |kind, wanted: fn(usize) -> bool| {
        let edges = surface.table.iter().filter(move |edge| wanted(edge.half_edges.len()));
        Finding::at(kind, Severity::Error, edges.map(|edge| surface.edge_middle(edge.vertices)))
    };
    let open = at(FindingKind::BoundaryEdges, |count| count == 1);
    if open.count > 0 {
        let message = format!("{} edges have only one triangle: the surface has holes", open.count);
        let remedy = "close the holes in CAD; small flat ones can be filled";
        diagnosis.findings.push(open.saying(message, remedy).repairable());
    }
    let crowded = at(FindingKind::NonManifoldEdges, |count| count > 2);
    let mut on_crowded = Vec::new();
    if crowded.count > 0 {
        on_crowded = vec![false; surface.mesh.vertices.len()];
        for edge in surface.table.iter().filter(|edge| edge.half_edges.len() > 2) {
            edge.vertices.iter().for_each(|&vertex| on_crowded[vertex as usize] = true);
        }
        let message = format!("{} edges have more than two triangles", crowded.count);
        diagnosis.findings.push(crowded.saying(message, "unite the bodies that touch there in CAD"));
    }
    let alone = |vertex: &&u32| !on_crowded.get(**vertex as usize).is_some_and(|&crowded| crowded);
    let places = surface.pinched.iter().filter(alone).map(|&vertex| surface.mesh.vertices[vertex as usize]);
    let pinched = Finding::at(FindingKind::NonManifoldVertices, Severity::Warning, places);
    if pinched.count > 0 {
        let message = format!("at {} vertices the surface touches itself in a point", pinched.count);
        diagnosis.findings.push(pinched.saying(message, "separate the bodies or unite them in CAD"));
    }
}

/// Whether a shell looks the wrong way for its depth.
pub(super) fn looks_wrong(shell: &Shell, depth: u32) -> bool {
    let sign = if depth % 2 == 0 { 1.0 } else { -1.0 };
    if shell.is_closed() {
        return sign * shell.volume < 0.0;
    }
    // an open shell only when its volume leaves no doubt
    let size = shell.aabb.size();
    let hull = size.x * size.y * size.z;
    shell.inconsistent_edges == 0 && sign * shell.volume < -OPEN_INWARD * hull
}

fn orientation(surface: &Surface<'_>, depths: &[u32], diagnosis: &mut Diagnosis) {
    let triangles = &surface.mesh.triangles;
    let odd = |edge: &crate::mesh::Edge<'_>| edge.half_edges.len() == 2 && edge.manifold(triangles).is_none();
    let places = surface.table.iter().filter(odd).map(|edge| surface.edge_middle(edge.vertices));
    let finding = Finding::at(FindingKind::InconsistentOrientation, Severity::Error, places);
    if finding.count > 0 {
        let message = format!("across {} edges one of the two triangles is turned over", finding.count);
        diagnosis.findings.push(finding.saying(message, "turn them").repairable());
    }
    let wrong = surface.shells.iter().zip(depths).filter(|(shell, depth)| looks_wrong(shell, **depth));
    let (places, inner): (Vec<_>, Vec<_>) =
        wrong.map(|(shell, depth)| (shell.aabb.center(), depth % 2 == 1)).unzip();
    if !places.is_empty() {
        let cavities = inner.iter().filter(|&&cavity| cavity).count();
        let message = format!(
            "{} of {} shells are inside out ({cavities} of them cavities, which must look inwards)",
            places.len(),
            surface.shells.len()
        );
        let finding = Finding::at(FindingKind::InwardOrientation, Severity::Error, places);
        diagnosis.findings.push(finding.saying(message, "turn these shells").repairable());
    }
}

/// Surfaces that enclose nothing, and debris.
fn thickness(surface: &Surface<'_>, diagonal: f64, diagnosis: &mut Diagnosis) {
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
        let message = format!("{} shells are sheets without thickness", finding.count);
        diagnosis.findings.push(finding.saying(message, "give them a thickness in CAD"));
    }
    let tiny = |shell: &&Shell| shell.aabb.diagonal() < DEBRIS * diagonal;
    let places = surface.shells.iter().filter(tiny).map(|shell| shell.aabb.center());
    let finding = Finding::at(FindingKind::TinyShells, Severity::Warning, places);
    if finding.count > 0 {
        let (count, limit) = (finding.count, DEBRIS * diagonal * 1e3);
        let message = format!("{count} shells are smaller than {limit:.4} mm: debris");
        diagnosis.findings.push(finding.saying(message, "drop them").repairable());
    }
}

/// Whether a shell is debris beside a part of that diagonal [m].
pub(super) fn is_debris(shell: &Shell, diagonal: f64) -> bool {
    shell.aabb.diagonal() < DEBRIS * diagonal
}

fn crossings(surface: &Surface<'_>, diagonal: f64, options: &DoctorOptions, diagnosis: &mut Diagnosis) {
    let mesh = surface.mesh;
    if mesh.triangles.len() > options.crossing_triangles {
        let (count, limit) = (mesh.triangles.len(), options.crossing_triangles);
        let reason = format!("self-intersections: {count} triangles, at most {limit} are searched");
        diagnosis.skipped.push(reason);
        return;
    }
    let found = self_crossings(mesh, NEEDLE_TOLERANCE * diagonal, options.crossing_pairs);
    if found.stopped {
        let limit = options.crossing_pairs;
        diagnosis.skipped.push(format!("self-intersections beyond the first {limit} pairs"));
    }
    if !found.pairs.is_empty() {
        let count = found.pairs.len();
        let at_least = if found.stopped { "at least " } else { "" };
        let places = found.pairs.iter().map(|pair| smaller_middle(mesh, *pair));
        let message = format!("{at_least}{count} pairs of triangles pass through one another");
        let finding = Finding::at(FindingKind::SelfIntersections, Severity::Error, places);
        diagnosis.findings.push(finding.saying(message, "unite the bodies in CAD"));
    }
}

/// Middle of the smaller triangle of a pair, which lies nearer to where they cross.
fn smaller_middle(mesh: &TriMesh, pair: [u32; 2]) -> Vector3<f64> {
    let [a, b] = pair.map(|index| index as usize);
    let smaller = if mesh.area_vector(b).norm() < mesh.area_vector(a).norm() { b } else { a };
    middle(mesh, smaller)
}

/// Areas, volumes, mass and the shells.
fn measure(surface: &Surface<'_>, depths: &[u32], options: &DoctorOptions, diagnosis: &mut Diagnosis) {
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
fn sharpness(surface: &Surface<'_>, options: &DoctorOptions, diagnosis: &mut Diagnosis) {
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
        let (count, longest) = (finding.count, diagnosis.facts.edges.max * 1e3);
        let message = format!(
            "{count} edges (up to {longest:.3} mm) are longer than the {:.3} mm that nodes may be apart",
            spacing * 1e3
        );
        let remedy = format!("place nodes every {:.3} mm, not only at the vertices", spacing * 1e3);
        diagnosis.findings.push(finding.saying(message, remedy));
    }
}
