//! The helix of a thread, from the triangles of its flanks.
//!
//! A flank of a thread about z with 30° flanks and rise k per radian has the normal and the equation
//!
//! ```text
//! n ∝ (tan α, ∓k/r, ±1) in (r̂, θ̂, ẑ)     ⇒  k = −r n_θ / n_z of every flank's triangle
//! z ± r tan α = k t + c±,   t = θ + 2π j  ⇒  k, c₊, c₋ by least squares, over ever more turns j
//! z₀ = (c₊ + c₋)/2,   w(r) = (c₊ − c₋)/2 − r tan α
//! ```
//!
//! Crest and root are the largest and smallest radius of the flanks.
//!
//! Legend: z₀ height of a ridge's middle at θ = 0, w(r) half width of the ridge, α = 30°.
//!
//! Fits of screw motions to surfaces: H. Pottmann, T. Randrup, "Rotational and helical surface approximation for reverse
//! engineering", Computing 60, 1998.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use crate::TriMesh;
use crate::thread::{MeasuredThread, Side, ThreadProfile};

/// tan α: half angle of every ISO metric thread.
const TAN_HALF_ANGLE: f64 = 0.577_350_269_189_625_8;
/// Fewest triangles of a thread's flanks: less than a turn of a coarse mesh.
const FEWEST: usize = 24;
/// Share of the area with a flank's steepness that must have one rise.
const MOST_AGREE: f64 = 0.7;
/// Least rise per radian, in largest radii: the triangles of a cone have none.
const LEAST_LEAD: f64 = 0.002;
/// Half width that is left where crest or root is sharp [m]: the exact parts have flats.
const SHARPEST: f64 = 0.5e-6;

/// A triangle of a flank.
pub(super) struct Flank {
    pub(super) triangle: usize,
    /// +1 on the side of larger z of the region around the axis (material of a bolt, air of a nut), else −1.
    side: f64,
}

/// A triangle as steep as a flank.
struct Candidate {
    /// The rise that its normal tells [m/rad], and how far it may be off.
    rise: f64,
    slack: f64,
    area: f64,
    /// Signs of the normal's components away from the axis and along it.
    outward: f64,
    upward: f64,
    triangle: usize,
}

/// Rise [m/rad], side and triangles of the flanks.
pub(super) fn flanks(mesh: &TriMesh) -> Option<(f64, Side, Vec<Flank>)> {
    let mut found: Vec<Candidate> =
        (0..mesh.triangles.len()).filter_map(|triangle| candidate(mesh, triangle)).collect();
    found.sort_by(|a, b| a.rise.total_cmp(&b.rise));
    let whole: f64 = found.iter().map(|own| own.area).sum();
    let mut sum = 0.0;
    let mut rise = found.iter().find_map(|own| {
        sum += own.area;
        (sum >= whole / 2.0).then_some(own.rise)
    })?;
    // the two triangles of a facet lean to either side of it: their mean counts
    for slack in [2.0, 1.0] {
        let agrees = |own: &&Candidate| (own.rise - rise).abs() < 0.15 * rise.abs() + slack * own.slack;
        let near = found.iter().filter(agrees);
        let (sum, area) =
            near.fold((0.0, 0.0), |(sum, area), own| (sum + own.area * own.rise, area + own.area));
        rise = sum / area;
    }
    found.retain(|own| (own.rise - rise).abs() < 0.15 * rise.abs() + own.slack);
    let agreeing: f64 = found.iter().map(|own| own.area).sum();
    let outwards: f64 = found.iter().map(|own| own.area * own.outward).sum();
    let (side, sign) = if outwards > 0.0 { (Side::External, 1.0) } else { (Side::Internal, -1.0) };
    let flanks: Vec<Flank> = found
        .iter()
        .filter(|own| own.outward == sign)
        .map(|own| Flank { triangle: own.triangle, side: sign * own.upward })
        .collect();
    let size = mesh.vertices.iter().map(|vertex| vertex.xy().norm()).fold(0.0, f64::max);
    let is_helix = rise.abs() > LEAST_LEAD * size && agreeing > MOST_AGREE * whole;
    (is_helix && flanks.len() >= FEWEST).then_some((rise, side, flanks))
}

fn candidate(mesh: &TriMesh, triangle: usize) -> Option<Candidate> {
    let (area, corners) = (mesh.area_vector(triangle), mesh.corners(triangle));
    let (size, middle) = (area.norm(), corners.iter().sum::<Vector3<f64>>() / 3.0);
    let radius = middle.xy().norm();
    if size <= 0.0 || radius <= 0.0 {
        return None;
    }
    let normal = area / size;
    let across = (normal.x * middle.x + normal.y * middle.y) / radius;
    let around = (normal.y * middle.x - normal.x * middle.y) / radius;
    let (steepness, lead) = (across / normal.z, around / normal.z);
    let is_flank = (steepness.abs() - TAN_HALF_ANGLE).abs() < 0.08 && lead.abs() < 0.4;
    let widest = (0..3).map(|k| (corners[k] - corners[(k + 1) % 3]).xy().norm()).fold(0.0, f64::max);
    is_flank.then(|| Candidate {
        rise: -lead * radius,
        // the normal is that of the facet's middle, a sixth to a third of its width away
        slack: TAN_HALF_ANGLE * widest / 2.0,
        area: size,
        outward: across.signum(),
        upward: normal.z.signum(),
        triangle,
    })
}

/// The profile through the vertices of the flanks.
pub(super) fn measured(mesh: &TriMesh, rise: f64, flanks: &[Flank]) -> Option<ThreadProfile> {
    let vertices_of = |side: f64| {
        let own = flanks.iter().filter(|flank| flank.side == side);
        let mut vertices: Vec<u32> = own.flat_map(|flank| mesh.triangles[flank.triangle]).collect();
        vertices.sort_unstable();
        vertices.dedup();
        vertices.into_iter().map(|vertex| mesh.vertices[vertex as usize]).collect::<Vec<_>>()
    };
    let [upper, lower] = [1.0, -1.0].map(vertices_of);
    if upper.is_empty() || lower.is_empty() {
        return None;
    }
    let rises = [(&upper, 1.0), (&lower, -1.0)].map(|(points, side)| rise_of(points, side, rise));
    let rise = f64::midpoint(rises[0], rises[1]);
    let pitch = TAU * rise.abs();
    let [mut above, below] =
        [(&upper, 1.0), (&lower, -1.0)].map(|(points, side)| offset_of(points, side, rise));
    let radii: Vec<f64> = upper.iter().chain(&lower).map(|point| point.xy().norm()).collect();
    let [root, crest] = [-1.0, 1.0].map(|sign| extreme(&radii, sign));
    let middle = f64::midpoint(root, crest);
    let half_width = |above: f64| f64::midpoint(above, -below) - middle * TAN_HALF_ANGLE;
    above -= pitch * (half_width(above) / (pitch / 2.0)).floor();
    let (lift, half_width) = (f64::midpoint(above, below), half_width(above));
    // a sharp crest or root gets a flat narrower than the tolerance
    let depth = (crest - root) / 2.0;
    let thin = SHARPEST - (half_width - depth * TAN_HALF_ANGLE);
    let crest = crest - thin.max(0.0) / TAN_HALF_ANGLE;
    let thick = half_width + depth * TAN_HALF_ANGLE - (pitch / 2.0 - SHARPEST);
    let root = root + thick.max(0.0) / TAN_HALF_ANGLE;
    let half_width = half_width + (middle - f64::midpoint(root, crest)) * TAN_HALF_ANGLE;
    ThreadProfile::measured(MeasuredThread { rise, lift, radii: [root, crest], half_width })
}

/// θ of a point and z ± r tan α.
fn unrolled(point: &Vector3<f64>, side: f64) -> [f64; 2] {
    [libm::atan2(point.y, point.x), point.z + side * point.xy().norm() * TAN_HALF_ANGLE]
}

/// The rise of one flank by least squares over windows that grow, so that turns are counted right.
fn rise_of(points: &[Vector3<f64>], side: f64, first: f64) -> f64 {
    let mut heights: Vec<f64> = points.iter().map(|point| point.z).collect();
    heights.sort_by(f64::total_cmp);
    let (low, middle, high) = (heights[0], heights[heights.len() / 2], heights[heights.len() - 1]);
    let nearest =
        |a: &&Vector3<f64>, b: &&Vector3<f64>| (a.z - middle).abs().total_cmp(&(b.z - middle).abs());
    let Some(start) = points.iter().min_by(nearest) else { return first };
    let [start_angle, start_height] = unrolled(start, side);
    let mut rise = first;
    let mut window = TAU * first.abs();
    loop {
        let pitch = TAU * rise.abs();
        let (mut count, mut t1, mut h1, mut tt, mut th) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for point in points.iter().filter(|point| (point.z - start.z).abs() <= window) {
            let [angle, height] = unrolled(point, side);
            let (turn, height) = (angle - start_angle, height - start_height);
            let turn = turn + TAU * rise.signum() * ((height - rise * turn) / pitch).round();
            (count, t1, h1, tt, th) =
                (count + 1.0, t1 + turn, h1 + height, tt + turn * turn, th + turn * height);
        }
        let spread = tt - t1 * t1 / count;
        if spread > 0.1 * count {
            rise = (th - t1 * h1 / count) / spread;
        }
        if window > high - low {
            return rise;
        }
        window *= 2.0;
    }
}

/// c of one flank [m], between its extremes: files round.
fn offset_of(points: &[Vector3<f64>], side: f64, rise: f64) -> f64 {
    let pitch = TAU * rise.abs();
    let of = |point: &Vector3<f64>| {
        let [angle, height] = unrolled(point, side);
        height - rise * angle
    };
    let first = of(&points[0]);
    let offsets = points.iter().map(|point| {
        let from = of(point) - first;
        from - pitch * (from / pitch).round()
    });
    let mut offsets: Vec<f64> = offsets.collect();
    offsets.sort_by(f64::total_cmp);
    first + offsets[offsets.len() / 2]
}

/// Mean of the values within 3 µm of the largest (`sign` +1) or smallest.
fn extreme(values: &[f64], sign: f64) -> f64 {
    let most = values.iter().map(|value| sign * value).fold(f64::NEG_INFINITY, f64::max);
    let (sum, count) = values
        .iter()
        .filter(|value| sign * **value > most - 3e-6)
        .fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}
