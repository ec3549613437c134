//! Facets that lie on one cylinder or cone.
//!
//! A region grows from a patch of facets that meet at small angles: fit a surface to the patch, take in neighbours whose
//! vertices lie on it and whose normals agree, fit again, until nothing is added. Facets that are much wider than the
//! others are flats (a D-shaft), and facets that meet at more than 25° are those of a prism: a mesh needs 15 facets per turn
//! to be taken for round.

use std::collections::BTreeSet;

use nalgebra::Vector3;

use super::facets::Facets;
use super::straight::{Free, Straight};
use crate::TriMesh;

/// Cosine of the largest angle at which facets of a round surface meet.
pub(super) const SMOOTH: f64 = 0.906;
/// Least cosine of a facet's normal with that of its surface: thin triangles of irregular meshes lean by tens of degrees.
const LEANING: f64 = 0.5;
/// Fewest facets of a round surface, by pass.
const FEWEST: [usize; 3] = [24, 8, 3];
/// Seeds of a pass that may lead nowhere: a free-form mesh is given up in a second, not in minutes.
const MOST_FAILURES: usize = 400;
/// Fewest facets of a cone, which has one more parameter to fit them with.
const FEWEST_ON_CONE: usize = 6;
/// How much wider than the next facet a flat is.
const WIDER: f64 = 1.7;
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
    let mut failures = [0; FEWEST.len()];
    for (pass, seed) in (0..FEWEST.len()).flat_map(|pass| order.iter().map(move |&seed| (pass, seed))) {
        if failures[pass] > MOST_FAILURES {
            continue;
        }
        let fewest = FEWEST[pass];
        if taken[seed as usize] || !facets.neighbours[seed as usize].iter().any(|next| next.cosine > SMOOTH) {
            continue;
        }
        if join_known(mesh, facets, &mut taken, seed, &mut found, tolerance) {
            continue;
        }
        let region = from_seed(mesh, facets, &taken, seed, tolerance);
        let is_large = |region: &Region| {
            let needed = if region.surface.taper == 0.0 { fewest } else { fewest.max(FEWEST_ON_CONE) };
            region.facets.len() >= needed
        };
        let Some(region) = region.filter(is_large) else {
            failures[pass] += 1;
            continue;
        };
        let region = snapped(mesh, facets, &taken, region, &found, tolerance);
        region.facets.iter().for_each(|&facet| taken[facet as usize] = true);
        found.push(region);
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

fn from_seed(mesh: &TriMesh, facets: &Facets, taken: &[bool], seed: u32, tolerance: f64) -> Option<Region> {
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
        for free in [Free::CYLINDER, Free::CONE] {
            let guess = Straight::guess(&normals, &vertices, free.taper);
            let Some(start) = guess.and_then(|guess| guess.fitted(&vertices, free)) else { continue };
            let grown = grown(mesh, facets, taken, seed, start, free, tolerance);
            let is_better =
                |grown: &Region| best.as_ref().is_none_or(|b| grown.facets.len() > b.facets.len());
            if let Some(grown) = grown.filter(is_better) {
                best = Some(grown);
            }
        }
    }
    best
}

/// The seed between each two of its neighbours: on a fillet, three facets of one ring lie on a cone.
fn strips(facets: &Facets, taken: &[bool], seed: u32) -> Vec<Vec<u32>> {
    let smooth = |next: &&super::facets::Neighbour| next.cosine > SMOOTH && !taken[next.facet as usize];
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
            if is_new && neighbour.cosine > SMOOTH && patch.len() < size {
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
        let middle = middle(mesh, facets, facet);
        facets.normals[facet as usize].dot(&surface.normal(middle)) * facets.areas[facet as usize]
    });
    let is_convex = outward.sum::<f64>() > 0.0;
    is_curved(mesh, facets, &own, &surface, tolerance).then_some(Region {
        surface,
        facets: own,
        deviation,
        is_convex,
        widest,
    })
}

/// A plane fits worse: the vertices leave the plane of the largest facet by more than the tolerance.
fn is_curved(mesh: &TriMesh, facets: &Facets, own: &[u32], surface: &Straight, tolerance: f64) -> bool {
    let directions: Vec<Vector3<f64>> =
        own.iter().map(|&facet| surface.radial(middle(mesh, facets, facet))).collect();
    let widest = directions.iter().map(|d| d.dot(&directions[0])).fold(1.0, f64::min);
    let points = vertices(mesh, facets, own);
    let normal = facets.normals[own[0] as usize];
    let off = |p: &Vector3<f64>| (p - points[0]).dot(&normal);
    let [low, high] =
        points.iter().map(off).fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)]);
    widest < 0.9986 && high - low > 4.0 * tolerance
}

fn middle(mesh: &TriMesh, facets: &Facets, facet: u32) -> Vector3<f64> {
    let own = &facets.vertices[facet as usize];
    own.iter().map(|&vertex| mesh.vertices[vertex as usize]).sum::<Vector3<f64>>() / own.len() as f64
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
        // many vertices on one facet: an end face, whose normal tells; vertices first would be slow
        let along = facets.normals[facet as usize].dot(&surface.normal(middle(mesh, facets, facet)));
        along.abs() > LEANING && own.iter().all(is_near)
    };
    if !lies_on(seed) {
        return None;
    }
    let side = facets.normals[seed as usize].dot(&surface.normal(middle(mesh, facets, seed))).signum();
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
            let same_side =
                side * facets.normals[facet as usize].dot(&surface.normal(middle(mesh, facets, facet))) > 0.0;
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
