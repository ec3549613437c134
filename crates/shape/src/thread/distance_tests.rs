//! Compares the thread's distance with independent references.
//!
//! Faces: the foot point on the helicoid, iterated to 1e-15 m. Starts: the nearest point of the radial surface and
//! the end face, found by brute-force search and refined to 1 nm.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::*;
use crate::Sample;

fn m48_bolt() -> Bolt {
    let allowance = ThreadAllowance { radial: 0.2e-3, axial: 0.0 };
    Bolt::new(48e-3, 5e-3, 40e-3, allowance, Hand::Right).unwrap()
}

fn m48_nut() -> Nut {
    Nut::new(48e-3, 5e-3, 15e-3, 74e-3, ThreadAllowance::default(), Hand::Right).unwrap()
}

/// A reproducible low-discrepancy sequence in [0, 1): additive recurrence with a generalised golden ratio.
fn sequence(dimension: usize) -> impl Iterator<Item = f64> {
    let steps =
        [0.819_172_513_396_164_4, 0.671_043_606_703_789_2, 0.549_700_477_901_935_6, 0.450_305_486_905_857_7];
    (1..).map(move |index| (0.5 + steps[dimension] * f64::from(index)).fract())
}

/// Distance and normal at the foot point of x on the flank (angle, ridge, side), by iteration: step onto F = 0, then
/// along it.
fn flank_truth(
    profile: &ThreadProfile,
    x: Vector3<f64>,
    start: f64,
    side: f64,
    ridge: f64,
) -> (f64, Vector3<f64>) {
    let implicit = |y: Vector3<f64>| {
        let r = y.x.hypot(y.y);
        // unwrap the angle around the one that the point was constructed from
        let angle =
            start + (y.y * start.cos() - y.x * start.sin()).atan2(y.x * start.cos() + y.y * start.sin());
        let s = y.z - profile.rise() * angle - ridge * profile.pitch();
        let value = (r - profile.flank_radius_at(side * s)) / -profile.flank_slope();
        let tan = -1.0 / profile.flank_slope();
        let (c, e) = (y.x / r, y.y / r);
        let turn = -side * profile.rise() / r;
        (value, Vector3::new(tan * c - turn * e, tan * e + turn * c, side))
    };
    let mut y = x;
    let mut normal = Vector3::zeros();
    for _ in 0..200 {
        for _ in 0..3 {
            let (value, gradient) = implicit(y);
            y -= gradient * (value / gradient.norm_squared());
        }
        normal = implicit(y).1.normalize();
        let along = (x - y) - normal * (x - y).dot(&normal);
        y += along;
        if along.norm() < 1e-16 {
            break;
        }
    }
    ((x - y).dot(&normal), normal)
}

/// A point at `height` [m] above the flank at (angle, radius).
fn above_flank(profile: &ThreadProfile, angle: f64, radius: f64, side: f64, height: f64) -> Vector3<f64> {
    let tan = -1.0 / profile.flank_slope();
    let turn = -side * profile.rise() / radius;
    let (e, c) = angle.sin_cos();
    let normal = Vector3::new(tan * c - turn * e, tan * e + turn * c, side).normalize();
    let z = profile.rise() * angle + 20e-3 + side * profile.half_width_at(radius);
    Vector3::new(radius * c, radius * e, z) + normal * height
}

#[test]
fn flank_distance_is_exact_to_a_nanometre_and_its_gradient_to_a_hundredth_of_a_degree() {
    for profile in [*m48_bolt().thread(), *m48_nut().thread()] {
        for (reach, distance_bar, angle_bar) in [(50e-6, 1e-9, 0.01), (0.3e-3, 10e-9, 0.01)] {
            let (mut worst, mut worst_angle) = (0.0_f64, 0.0_f64);
            for ((a, b), (c, side)) in
                sequence(0).zip(sequence(1)).zip(sequence(2).zip(sequence(3))).take(20_000)
            {
                let side = if side < 0.5 { -1.0 } else { 1.0 };
                let height = (2.0 * c - 1.0) * reach;
                // stay far enough from crest and root for the foot to be on the flank
                let (low, high) = (profile.root_radius() + 0.6e-3, profile.crest_radius() - 0.6e-3);
                let point = above_flank(&profile, a * TAU, low + (high - low) * b, side, height);
                let (truth, normal) =
                    flank_truth(&profile, point, a * TAU, side, (20e-3 / profile.pitch()).round());
                assert!(
                    (truth - height).abs() < 1e-12,
                    "construction and iteration differ: {truth:e}, {height:e}"
                );
                let Sample { distance, normal: ours } = profile.sample(point);
                worst = worst.max((distance - truth).abs());
                worst_angle = worst_angle.max(ours.cross(&normal).norm().asin().to_degrees());
            }
            println!("flank within {reach:.0e} m: {worst:.2e} m, {worst_angle:.2e} deg");
            assert!(worst <= distance_bar && worst_angle <= angle_bar, "{worst:e} m, {worst_angle:e} deg");
        }
    }
}

/// Distance to the nearest point of the part's surface [m], by search over angle and height.
fn brute_force(surface: &RadialSurface, x: Vector3<f64>, outer: Option<f64>) -> f64 {
    let on_side = |angle: f64, z: f64| {
        let radius = surface.radius(angle, z).0;
        Vector3::new(radius * angle.cos(), radius * angle.sin(), z)
    };
    let (angle, radius) = (x.y.atan2(x.x), x.x.hypot(x.y));
    // an end face is flat: either the point is straight above it, or the nearest point is on its rim, which belongs to
    // the radial surface too
    let above_end = |end: usize| {
        let rim = surface.radius(angle, surface.ends[end]).0;
        let is_above = outer.map_or(radius <= rim, |outer| (rim..=outer).contains(&radius));
        if is_above { (x.z - surface.ends[end]).abs() } else { f64::INFINITY }
    };
    let side = zoom(|a, z| (on_side(a, z) - x).norm(), [angle, x.z], [0.08, 2e-3], surface.ends);
    side.min(above_end(0)).min(above_end(1))
}

/// Minimum of a continuous function, by grids that shrink around the best few points.
fn zoom(value: impl Fn(f64, f64) -> f64, center: [f64; 2], reach: [f64; 2], heights: [f64; 2]) -> f64 {
    let mut seeds = vec![(f64::INFINITY, center)];
    let mut reach = reach;
    for round in 0..14 {
        let half = if round == 0 { 40 } else { 4 };
        let mut found = Vec::new();
        for (_, [a, b]) in &seeds {
            for i in -half..=half {
                for j in -half..=half {
                    let at = [
                        a + reach[0] * f64::from(i) / f64::from(half),
                        (b + reach[1] * f64::from(j) / f64::from(half)).clamp(heights[0], heights[1]),
                    ];
                    found.push((value(at[0], at[1]), at));
                }
            }
        }
        found.sort_by(|p, q| p.0.total_cmp(&q.0));
        // keep seeds in different valleys, not several neighbours in one
        let step = reach.map(|r| 1.5 * r / f64::from(half));
        seeds.clear();
        for candidate in found {
            let far = |seed: &(f64, [f64; 2])| (0..2).any(|k| (seed.1[k] - candidate.1[k]).abs() > step[k]);
            if seeds.iter().all(far) {
                seeds.push(candidate);
            }
            if seeds.len() == 6 {
                break;
            }
        }
        reach = reach.map(|r| r * if round == 0 { 1.5 / f64::from(half) } else { 0.4 });
    }
    seeds[0].0
}

/// Largest underestimate and overestimate of the distance [m] at random points within `reach` [m] of the nodes.
fn start_error(
    place: impl Fn(usize) -> Vector3<f64>,
    count: usize,
    sample: impl Fn(Vector3<f64>) -> Sample,
    truth: impl Fn(Vector3<f64>) -> f64,
    reach: f64,
) -> (f64, f64) {
    let (mut short, mut long) = (0.0_f64, 0.0_f64);
    let draws = sequence(0).zip(sequence(1)).zip(sequence(2).zip(sequence(3)));
    for ((a, b), (c, d)) in draws.take(600) {
        let point =
            place((d * count as f64) as usize) + Vector3::new(a - 0.5, b - 0.5, c - 0.5) * (2.0 * reach);
        let distance = sample(point).distance;
        let error = distance.abs() - truth(point);
        short = short.max(-error);
        long = long.max(error);
    }
    (short, long)
}

#[test]
fn distance_error_at_crest_root_and_start_edges_is_bounded() {
    let spacing = crate::node::NodeSpacing::of_distances([5e-3, 5e-3, 2e-3, 2e-3, 0.7e-3]);
    let reach = 100e-6;
    for chamfered in [false, true] {
        let start = |radius| {
            if chamfered { ThreadStart::Chamfered { end_radius: radius } } else { ThreadStart::Blunt }
        };
        let bolt = m48_bolt().with_start(start(21.6e-3)).unwrap();
        let nut = m48_nut().with_start(start(22.5e-3)).unwrap();
        for kind in [crate::node::NodeKind::Edge, crate::node::NodeKind::Corner, crate::node::NodeKind::Face]
        {
            let pick = |nodes: crate::node::NodeSet| -> Vec<crate::node::Chart> {
                let wanted = |index: &usize| {
                    nodes.kind[*index] == kind
                        && nodes.face[*index] < 16
                        && (kind != crate::node::NodeKind::Face || nodes.face[*index] < 4)
                };
                (0..nodes.len()).filter(wanted).map(|index| nodes.chart(index)).collect()
            };
            let charts = pick(bolt.nodes(&spacing));
            let (short, long) = start_error(
                |index| bolt.place(charts[index]),
                charts.len(),
                |x| bolt.sample(x),
                |x| brute_force(&bolt.surface, x, None),
                reach,
            );
            assert!(short < 50e-9 && long < 5e-9, "bolt {chamfered} {kind:?}: {short:e}, {long:e}");
            println!(
                "bolt chamfered {chamfered} {kind:?}: short by {:.3} um, long by {:.3} um",
                short * 1e6,
                long * 1e6
            );
            let charts = pick(nut.nodes(&spacing));
            let (short, long) = start_error(
                |index| nut.place(charts[index]),
                charts.len(),
                |x| nut.sample(x),
                |x| brute_force(&nut.surface, x, Some(36e-3)),
                reach,
            );
            assert!(short < 50e-9 && long < 5e-9, "nut {chamfered} {kind:?}: {short:e}, {long:e}");
            println!(
                "nut  chamfered {chamfered} {kind:?}: short by {:.3} um, long by {:.3} um",
                short * 1e6,
                long * 1e6
            );
        }
    }
}
