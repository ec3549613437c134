//! Contacts of turned solids with blocks against alternating projections.

use nalgebra::{UnitQuaternion, Vector3};
use tightfit_shape::Part;
use tightfit_shape::primitive::Block;
use tightfit_spatial::{Columns3, Pose, SplitMix};

use super::{Clearances, DetectionOptions, DetectionScratch, NodeBlocks, PairBody, detect_pair};
use crate::records::{Contacts, NOT_FREE};

/// The nearest point of a cone along z, centred halfway up, whose radius grows from `below` to `above` [m].
fn nearest_on_cone([below, above, length]: [f64; 3], point: Vector3<f64>) -> Vector3<f64> {
    let radius = point.xy().norm();
    let out = if radius > 0.0 { point.xy() / radius } else { nalgebra::Vector2::x() };
    let half = length / 2.0;
    let slope = (above - below) / length;
    let wall = |z: f64| below + slope * (z + half);
    let at = if point.z.abs() <= half && radius <= wall(point.z) {
        [radius, point.z]
    } else {
        let segment = |from: [f64; 2], to: [f64; 2]| {
            let (du, dz) = (to[0] - from[0], to[1] - from[1]);
            let share = ((radius - from[0]) * du + (point.z - from[1]) * dz) / (du * du + dz * dz);
            let share = share.clamp(0.0, 1.0);
            [from[0] + share * du, from[1] + share * dz]
        };
        let candidates = [
            segment([0.0, -half], [below, -half]),
            segment([below, -half], [above, half]),
            segment([above, half], [0.0, half]),
        ];
        let distance = |at: &[f64; 2]| (at[0] - radius).hypot(at[1] - point.z);
        candidates
            .into_iter()
            .filter(|at| at.iter().all(|value| value.is_finite()))
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .expect("three segments")
    };
    Vector3::new(out.x * at[0], out.y * at[0], at[1])
}

/// Distance of a cone and a block that are apart [m], by projecting to and fro.
fn distance(cone: [f64; 3], pose: &Pose, half: Vector3<f64>) -> f64 {
    let mut on_block = Vector3::zeros();
    let mut last = f64::INFINITY;
    for _ in 0..20_000 {
        let on_cone = pose.transform_point(nearest_on_cone(cone, pose.inverse().transform_point(on_block)));
        on_block = on_cone.zip_map(&half, |x, half| x.clamp(-half, half));
        let now = (on_cone - on_block).norm();
        if last - now < 1e-15 {
            break;
        }
        last = now;
    }
    last
}

fn smallest_gap(cone: &Part, block: &Part, pose: Pose, margin: f64) -> f64 {
    let nodes = NodeBlocks::new(Columns3::default());
    let polyhedron = block.polyhedron().unwrap();
    let mut sides = [
        PairBody::at_rest(cone, &nodes, pose, 0),
        PairBody::at_rest(block, &nodes, Pose::identity(), NOT_FREE),
    ];
    sides[1].polyhedron = Some(&polyhedron);
    let options =
        DetectionOptions { margin, crossings: true, horizon: 0.01, friction: 0.1, restitution: 0.0 };
    let mut contacts = Contacts::default();
    let (mut clearances, mut scratch) = (<[Clearances; 2]>::default(), DetectionScratch::default());
    detect_pair([&sides[0], &sides[1]], &options, &mut clearances, &mut scratch, &mut contacts);
    contacts.smallest_gap()
}

#[test]
fn the_least_gap_is_the_distance() {
    let mut random = SplitMix::stream(5);
    let half = Vector3::new(20e-3, 15e-3, 5e-3);
    let block = Part::Block(Block::new(half * 2.0).unwrap());
    let mut checked = 0;
    for trial in 0..400 {
        let shape = [[10e-3, 10e-3, 30e-3], [12e-3, 12e-3, 2e-3], [8e-3, 0.0, 25e-3], [6e-3, 9e-3, 20e-3]];
        let cone @ [below, above, length] = shape[trial % 4];
        let part = Part::cone(below, above, length).unwrap();
        // some lie flush, upright or on their side
        let attitude = match trial % 5 {
            0 => UnitQuaternion::from_scaled_axis(random.centered_cube() * 1e-3),
            1 => UnitQuaternion::from_euler_angles(std::f64::consts::FRAC_PI_2, 0.0, random.signed()),
            _ => UnitQuaternion::from_scaled_axis(random.centered_cube() * 3.0),
        };
        let toward = random.centered_cube().component_mul(&(half * 1.5));
        let way = random.centered_cube();
        let Some(way) = way.try_normalize(1e-3) else { continue };
        let place = |far: f64| Pose::new(toward + way * far, attitude);
        let (mut apart, mut inside) = (0.2, -0.2);
        if distance(cone, &place(inside), half) > 1e-6 && distance(cone, &place(0.0), half) < 1e-6 {
            inside = 0.0;
        } else if distance(cone, &place(0.0), half) > 1e-6 {
            continue;
        }
        // from touching to a little apart
        let wanted = 1e-3 * random.signed().abs();
        for _ in 0..50 {
            let middle = f64::midpoint(apart, inside);
            let is_far = distance(cone, &place(middle), half) > wanted;
            (apart, inside) = if is_far { (middle, inside) } else { (apart, middle) };
        }
        let truth = distance(cone, &place(apart), half);
        let found = smallest_gap(&part, &block, place(apart), 2e-3);
        // projections between flush faces creep, and stop above the distance
        assert!(
            found < 0.01e-6 + truth && (trial % 5 == 0 || found > 0.95 * truth - 1e-6),
            "trial {trial}: {:.3} um for {:.3} um, {cone:?} {:?}",
            1e6 * found,
            1e6 * truth,
            place(apart)
        );
        checked += 1;
    }
    assert!(checked > 100, "{checked}");
}
