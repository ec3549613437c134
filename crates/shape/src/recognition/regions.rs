//! Facets that lie on one cylinder or cone.
//!
//! A region grows from a patch of facets that meet at small angles: fit a surface to the patch, take in neighbours whose
//! vertices lie on it and whose normals agree, fit again, until nothing is added. Facets that are much wider than the
//! others are flats (a D-shaft), and facets that meet at more than 25° are those of a prism: a mesh needs 15 facets per turn
//! to be taken for round.

use std::collections::BTreeSet;

use arrayvec::ArrayVec;
use nalgebra::{Matrix3, SymmetricEigen, Vector3};

use super::TOLERANCE;
use super::facets::Facets;
use super::straight::{Free, Straight};
use crate::TriMesh;

/// Cosine of the largest angle at which facets of a round surface meet.
pub(super) const SMOOTH: f64 = 0.906;
/// Least cosine of a facet's normal with that of its surface: thin triangles of irregular meshes lean by tens of degrees.
const LEANING: f64 = 0.5;
/// Fewest facets of a round surface, by pass.
const FEWEST: [usize; 3] = [24, 8, 3];
/// Seeds of a pass that may lead nowhere, and most of them in a large mesh, one of eight facets: a free-form mesh is given up
/// in seconds, not in minutes.
const MOST_FAILURES: [usize; 2] = [400, 4000];
/// Fewest facets of a cone, which has one more parameter to fit them with.
const FEWEST_ON_CONE: usize = 6;
/// Most axes of a part that further surfaces are looked for about.
const MOST_LINES: usize = 4;
/// Largest width of a facet of a round surface, see [`width`]: 30°.
const WIDEST: f64 = 0.518;
/// How many times as many facets a surface about an axis of its own must take in as one about an axis of the part.
const PREFERENCE: f64 = 1.5;
/// How much wider than the next facet a flat is.
const WIDER: f64 = 1.7;
/// Fewest corners of an end face, and how many times as large as a facet beside it it is at least: it has the corners of all of
/// them.
const END_CORNERS: usize = 17;
const END_AREA: f64 = 50.0;
/// How far a region may lie off another one, in tolerances, that it continues but for the noise of a file.
const NOISE: f64 = 2.0;
/// Facets in the patches that a fit starts from.
const PATCHES: [usize; 3] = [4, 12, 64];

/// A region of facets on one surface.
pub(super) struct Region {
    pub surface: Straight,
    pub facets: Vec<u32>,
    /// Largest distance of its vertices from the surface [m].
    pub deviation: f64,
    /// Whether the material is on the side of the axis.
    pub is_convex: bool,
    /// Width of its widest facet, see [`width`].
    widest: f64,
}

/// Regions of a mesh, the largest first found; vertices lie within `tolerance` [m].
pub(super) fn regions(mesh: &TriMesh, facets: &Facets, tolerance: f64) -> Vec<Region> {
    let mut order: Vec<u32> = (0..facets.len() as u32).collect();
    order.sort_by(|&a, &b| facets.areas[b as usize].total_cmp(&facets.areas[a as usize]).then(a.cmp(&b)));
    let mut taken = vec![false; facets.len()];
    let mut found: Vec<Region> = Vec::new();
    // large regions first: a few facets of a fillet fit many small cylinders
    let mut axes = ArrayVec::new();
    let mut failures = [0; FEWEST.len()];
    let most_failures = (facets.len() / 8).clamp(MOST_FAILURES[0], MOST_FAILURES[1]);
    for (pass, seed) in (0..FEWEST.len()).flat_map(|pass| order.iter().map(move |&seed| (pass, seed))) {
        if failures[pass] > most_failures {
            continue;
        }
        let fewest = FEWEST[pass];
        if taken[seed as usize] || !facets.neighbours[seed as usize].iter().any(|next| next.cosine > SMOOTH) {
            continue;
        }
        if join_known(mesh, facets, &mut taken, seed, &mut found, tolerance) {
            continue;
        }
        let region = from_seed(mesh, facets, &taken, seed, &axes, tolerance);
        let is_large = |region: &Region| {
            let needed = if region.surface.taper == 0.0 { fewest } else { fewest.max(FEWEST_ON_CONE) };
            region.facets.len() >= needed
        };
        let Some(region) = region.filter(is_large) else {
            failures[pass] += 1;
            continue;
        };
        if continues_known(mesh, facets, &region, &mut found, tolerance) {
            region.facets.iter().for_each(|&facet| taken[facet as usize] = true);
            continue;
        }
        let region = snapped(mesh, facets, &taken, region, &found, tolerance);
        region.facets.iter().for_each(|&facet| taken[facet as usize] = true);
        found.push(region);
        if !axes.is_full() {
            axes = lines(facets, &found);
        }
    }
    found
}

/// Adds what is connected with a seed to a known region on whose surface it lies and which it touches. Irregular meshes
/// have facets that a region does not take in while its surface is still rough.
fn join_known(
    mesh: &TriMesh,
    facets: &Facets,
    taken: &mut [bool],
    seed: u32,
    found: &mut [Region],
    tolerance: f64,
) -> bool {
    for region in found {
        let Some(own) = connected(mesh, facets, taken, seed, &region.surface, tolerance) else { continue };
        let limit = WIDER * region.widest;
        let is_flat = own.iter().any(|&facet| width(mesh, facets, facet, &region.surface) > limit);
        let members: BTreeSet<u32> = region.facets.iter().copied().collect();
        let touches = own
            .iter()
            .any(|&facet| facets.neighbours[facet as usize].iter().any(|next| members.contains(&next.facet)));
        if !is_flat && touches {
            own.iter().for_each(|&facet| taken[facet as usize] = true);
            region.facets.extend(own);
            region.deviation = region.surface.worst(&vertices(mesh, facets, &region.facets));
            return true;
        }
    }
    false
}

/// Lines that regions go round: the part's own axes.
fn lines(facets: &Facets, found: &[Region]) -> ArrayVec<Straight, MOST_LINES> {
    let mut lines = ArrayVec::<Straight, MOST_LINES>::new();
    for region in found.iter().filter(|region| region.facets.len() >= FEWEST[0]) {
        let own = region.surface;
        let directions = region.facets.iter().map(|&facet| own.radial(facets.middles[facet as usize]));
        // those of an arc point to one side
        if directions.sum::<Vector3<f64>>().norm() > 0.5 * region.facets.len() as f64 {
            continue;
        }
        let is_known = |line: &Straight| {
            line.axis.cross(&own.axis).norm() < 1e-6 && line.about(own.origin)[0] < TOLERANCE
        };
        if !lines.is_full() && !lines.iter().any(is_known) {
            lines.push(own);
        }
    }
    lines
}

/// Adds a region to a known larger one that it touches and continues but for noise.
fn continues_known(
    mesh: &TriMesh,
    facets: &Facets,
    region: &Region,
    found: &mut [Region],
    tolerance: f64,
) -> bool {
    let points = vertices(mesh, facets, &region.facets);
    for known in found.iter_mut().filter(|known| known.facets.len() > region.facets.len()) {
        if known.is_convex != region.is_convex || known.surface.worst(&points) > NOISE * tolerance {
            continue;
        }
        let members: BTreeSet<u32> = known.facets.iter().copied().collect();
        let touches =
            |facet: &u32| facets.neighbours[*facet as usize].iter().any(|next| members.contains(&next.facet));
        if region.facets.iter().any(touches) && region.widest <= WIDER * known.widest {
            known.facets.extend(&region.facets);
            known.deviation = known.deviation.max(known.surface.worst(&points));
            return true;
        }
    }
    false
}

fn from_seed(
    mesh: &TriMesh,
    facets: &Facets,
    taken: &[bool],
    seed: u32,
    lines: &[Straight],
    tolerance: f64,
) -> Option<Region> {
    let mut best: Option<Region> = None;
    let mut tried: Vec<Vec<u32>> = Vec::new();
    let patches = PATCHES.iter().map(|&size| patch(facets, taken, seed, size));
    for patch in strips(facets, taken, seed).into_iter().chain(patches) {
        if patch.len() < 3 || tried.contains(&patch) {
            continue;
        }
        tried.push(patch.clone());
        let normals: Vec<_> =
            patch.iter().map(|&f| (facets.normals[f as usize], facets.areas[f as usize])).collect();
        let vertices = vertices(mesh, facets, &patch);
        // narrow walls and chamfers tell little of their axis, which the part has told before
        let along = lines.iter().map(|line| (Straight::circle(line.axis, 0.0, &vertices), Free::PLACE));
        let about = lines.iter().map(|line| (line.about_same_line(&vertices), Free::TAPER));
        let free = [Free::CYLINDER, Free::CONE];
        let free = free.into_iter().map(|free| (Straight::guess(&normals, &vertices, free.taper), free));
        for (guess, free) in about.chain(along).chain(free) {
            let Some(start) = guess.and_then(|guess| guess.fitted(&vertices, free)) else { continue };
            let grown = grown(mesh, facets, taken, seed, start, free, tolerance);
            let needed = if free.axis { PREFERENCE } else { 1.0 };
            let is_better = |grown: &Region| {
                let known = best.as_ref().map_or(0, |best| best.facets.len());
                grown.facets.len() as f64 > needed * known as f64
            };
            if let Some(grown) = grown.filter(is_better) {
                best = Some(grown);
            }
        }
    }
    best
}

/// Whether a facet beside a seed is an end face, no part of a round surface.
fn is_end_face(facets: &Facets, seed: u32, other: u32) -> bool {
    facets.vertices[other as usize].len() >= END_CORNERS
        && facets.areas[other as usize] > END_AREA * facets.areas[seed as usize]
}

/// The seed between each two of its neighbours: on a fillet, three facets of one ring lie on a cone.
fn strips(facets: &Facets, taken: &[bool], seed: u32) -> Vec<Vec<u32>> {
    let smooth = |next: &&super::facets::Neighbour| {
        next.cosine > SMOOTH && !is_end_face(facets, seed, next.facet) && !taken[next.facet as usize]
    };
    let next: Vec<u32> =
        facets.neighbours[seed as usize].iter().filter(smooth).take(5).map(|n| n.facet).collect();
    (0..next.len())
        .flat_map(|a| (0..a).map(move |b| (a, b)))
        .map(|(a, b)| vec![next[a], seed, next[b]])
        .collect()
}

/// Facets around a seed that meet at small angles.
fn patch(facets: &Facets, taken: &[bool], seed: u32, size: usize) -> Vec<u32> {
    let mut patch = vec![seed];
    let mut next = 0;
    while next < patch.len() && patch.len() < size {
        for neighbour in &facets.neighbours[patch[next] as usize] {
            let is_new = !taken[neighbour.facet as usize] && !patch.contains(&neighbour.facet);
            let is_plane = is_end_face(facets, seed, neighbour.facet);
            if is_new && !is_plane && neighbour.cosine > SMOOTH && patch.len() < size {
                patch.push(neighbour.facet);
            }
        }
        next += 1;
    }
    patch
}

/// Positions of the vertices of facets.
fn vertices(mesh: &TriMesh, facets: &Facets, own: &[u32]) -> Vec<Vector3<f64>> {
    let all: BTreeSet<u32> = own.iter().flat_map(|&f| facets.vertices[f as usize].iter().copied()).collect();
    all.into_iter().map(|vertex| mesh.vertices[vertex as usize]).collect()
}

/// Grows a region and fits its surface until nothing is added.
fn grown(
    mesh: &TriMesh,
    facets: &Facets,
    taken: &[bool],
    seed: u32,
    start: Straight,
    free: Free,
    tolerance: f64,
) -> Option<Region> {
    let mut surface = start;
    let mut own: Vec<u32> = Vec::new();
    for _ in 0..16 {
        let next = connected(mesh, facets, taken, seed, &surface, tolerance)?;
        if next.len() <= own.len() {
            break;
        }
        let points = vertices(mesh, facets, &next);
        own = next;
        match surface.fitted(&points, free).filter(|fit| fit.worst(&points) <= tolerance) {
            Some(fit) => surface = fit,
            None => break,
        }
    }
    let points = vertices(mesh, facets, &own);
    let deviation = surface.worst(&points);
    if own.len() < 3 || deviation > tolerance {
        return None;
    }
    let widest = own.iter().map(|&facet| width(mesh, facets, facet, &surface)).fold(0.0, f64::max);
    let outward = own.iter().map(|&facet| {
        let middle = facets.middles[facet as usize];
        facets.normals[facet as usize].dot(&surface.normal(middle)) * facets.areas[facet as usize]
    });
    let is_convex = outward.sum::<f64>() > 0.0;
    let is_round = match free {
        Free::TAPER => true,
        Free::PLACE => is_curved(mesh, facets, &own, &surface, 2.0 * tolerance),
        _ => is_curved(mesh, facets, &own, &surface, 4.0 * tolerance),
    };
    is_round.then_some(Region { surface, facets: own, deviation, is_convex, widest })
}

/// A plane fits worse: the vertices leave the plane that fits them best, by more than `least` [m] from side to side.
fn is_curved(mesh: &TriMesh, facets: &Facets, own: &[u32], surface: &Straight, least: f64) -> bool {
    let directions: Vec<Vector3<f64>> =
        own.iter().map(|&facet| surface.radial(facets.middles[facet as usize])).collect();
    let widest = directions.iter().map(|d| d.dot(&directions[0])).fold(1.0, f64::min);
    let points = vertices(mesh, facets, own);
    let mean = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    let scatter: Matrix3<f64> = points.iter().map(|p| (p - mean) * (p - mean).transpose()).sum();
    let eigen = SymmetricEigen::new(scatter);
    let normal = eigen.eigenvectors.column(eigen.eigenvalues.imin());
    let off = |p: &Vector3<f64>| (p - mean).dot(&normal);
    let [low, high] =
        points.iter().map(off).fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)]);
    widest < 0.9986 && high - low > least
}

/// Angle about the axis that a facet spans, as the distance of its vertices' directions.
fn width(mesh: &TriMesh, facets: &Facets, facet: u32, surface: &Straight) -> f64 {
    let own = &facets.vertices[facet as usize];
    let out: Vec<_> = own.iter().map(|&vertex| surface.radial(mesh.vertices[vertex as usize])).collect();
    let mut widest: f64 = 0.0;
    for a in 0..out.len() {
        for b in 0..a {
            // the apex of a cone has no direction
            if out[a] != Vector3::zeros() && out[b] != Vector3::zeros() {
                widest = widest.max((out[a] - out[b]).norm());
            }
        }
    }
    widest
}

/// Largest width of a facet that is no flat: the first jump in the upper half of the sorted widths. Irregular meshes
/// have facets of all widths, without a jump.
fn widest(widths: &[f64]) -> f64 {
    let mut sorted = widths.to_vec();
    sorted.sort_by(f64::total_cmp);
    let half = sorted.len() / 2;
    let jump = sorted.windows(2).skip(half.saturating_sub(1)).find(|pair| pair[1] > WIDER * pair[0]);
    jump.map_or(f64::INFINITY, |pair| pair[0])
}

/// Facets on a surface that are connected with the seed.
fn connected(
    mesh: &TriMesh,
    facets: &Facets,
    taken: &[bool],
    seed: u32,
    surface: &Straight,
    tolerance: f64,
) -> Option<Vec<u32>> {
    let lies_on = |facet: u32| {
        let own = &facets.vertices[facet as usize];
        let is_near = |&vertex: &u32| surface.error(mesh.vertices[vertex as usize]).abs() <= tolerance;
        if !is_near(&own[0]) {
            return false;
        }
        // many vertices on one facet: an end face, whose normal tells; vertices first would be slow
        let along = facets.normals[facet as usize].dot(&surface.normal(facets.middles[facet as usize]));
        along.abs() > LEANING && own.iter().all(is_near) && width(mesh, facets, facet, surface) <= WIDEST
    };
    if !lies_on(seed) {
        return None;
    }
    let side = facets.normals[seed as usize].dot(&surface.normal(facets.middles[seed as usize])).signum();
    let mut own = vec![seed];
    let mut is_own = BTreeSet::from([seed]);
    let mut widths = vec![width(mesh, facets, seed, surface)];
    let mut next = 0;
    while next < own.len() {
        for neighbour in &facets.neighbours[own[next] as usize] {
            let facet = neighbour.facet;
            if taken[facet as usize] || is_own.contains(&facet) || !lies_on(facet) {
                continue;
            }
            let same_side = side
                * facets.normals[facet as usize].dot(&surface.normal(facets.middles[facet as usize]))
                > 0.0;
            if same_side {
                is_own.insert(facet);
                own.push(facet);
                widths.push(width(mesh, facets, facet, surface));
            }
        }
        next += 1;
    }
    // flats are left out, and what is connected through them alone
    let limit = widest(&widths);
    let narrow: BTreeSet<u32> =
        own.iter().zip(&widths).filter(|(_, width)| **width <= limit).map(|(facet, _)| *facet).collect();
    if !narrow.contains(&seed) {
        return None;
    }
    let mut kept = vec![seed];
    let mut is_kept = BTreeSet::from([seed]);
    let mut next = 0;
    while next < kept.len() {
        for neighbour in &facets.neighbours[kept[next] as usize] {
            if narrow.contains(&neighbour.facet) && is_kept.insert(neighbour.facet) {
                kept.push(neighbour.facet);
            }
        }
        next += 1;
    }
    Some(kept)
}

/// The region with the axis of a coordinate or of another region, through the origin or along that region's axis, where
/// its vertices allow it.
fn snapped(
    mesh: &TriMesh,
    facets: &Facets,
    taken: &[bool],
    region: Region,
    known: &[Region],
    tolerance: f64,
) -> Region {
    let points = vertices(mesh, facets, &region.facets);
    // noise of the file counts once more, no more than the tolerance in all
    let allowed = (2.0 * region.deviation + 1e-8).min(tolerance);
    let mut surface = region.surface;
    let lines = known.iter().map(|other| (other.surface.axis, Some(other.surface.origin)));
    let coordinates = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| (axis, None));
    let try_fit =
        |start: Straight, free: Free| start.fitted(&points, free).filter(|fit| fit.worst(&points) <= allowed);
    if surface.taper != 0.0
        && let Some(cylinder) = try_fit(Straight { taper: 0.0, ..surface }, Free::CYLINDER)
    {
        surface = cylinder;
    }
    let tapers = surface.taper != 0.0;
    for (axis, line) in coordinates.into_iter().chain(lines) {
        let along = axis.dot(&surface.axis);
        if along.abs() < 0.999 {
            continue;
        }
        let turned = Straight { axis, taper: surface.taper * along.signum(), ..surface };
        let Some(fit) = try_fit(turned, Free { axis: false, origin: true, taper: tapers }) else { continue };
        surface = fit;
        // the line of the other axis, or that through the origin
        let point = line.unwrap_or_else(Vector3::zeros);
        let away = point - surface.origin;
        let across = away - axis * away.dot(&axis);
        let moved = Straight { origin: surface.origin + across, ..surface };
        if across.norm() <= 4.0 * tolerance
            && let Some(fit) = try_fit(moved, Free { axis: false, origin: false, taper: tapers })
        {
            surface = fit;
            // the point of the axis on the line: exact zeros stay exact
            let shift = surface.axis * (point - surface.origin).dot(&surface.axis);
            let height = shift.dot(&surface.axis);
            surface = Straight { origin: point, radius: surface.radius + surface.taper * height, ..surface };
            break;
        }
    }
    let deviation = surface.worst(&points);
    let free = Free { axis: false, origin: false, taper: false };
    // a better axis may take in more facets
    let again = connected(mesh, facets, taken, region.facets[0], &surface, tolerance);
    match again.filter(|more| more.len() > region.facets.len()) {
        Some(more) => {
            let points = vertices(mesh, facets, &more);
            let refit = surface.fitted(&points, free).unwrap_or(surface);
            Region { surface: refit, facets: more, deviation: refit.worst(&points), ..region }
        }
        None => Region { surface, deviation, ..region },
    }
}
