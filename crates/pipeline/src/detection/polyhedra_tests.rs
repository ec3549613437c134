//! Contacts of polyhedra against separating axes.

use nalgebra::{UnitQuaternion, Vector3};
use tightfit_shape::Part;
use tightfit_shape::polyhedron::Polyhedron;
use tightfit_shape::primitive::Block;
use tightfit_spatial::{Pose, SplitMix};

use super::{Clearances, DetectionOptions, DetectionScratch, NodeBlocks, PairBody, detect_pair};
use crate::records::{Contacts, NOT_FREE};

/// The shortest way that separates two blocks [m], by separating axes; negative where they are apart.
fn overlap(halves: [Vector3<f64>; 2], pose: &Pose) -> f64 {
    let turn = pose.rotation.to_rotation_matrix();
    let axes = [0, 1, 2].map(|k| turn.matrix().column(k).into_owned());
    let units = [Vector3::x(), Vector3::y(), Vector3::z()];
    let crossed = units.iter().flat_map(|u| axes.map(|axis| u.cross(&axis)));
    let mut least = f64::INFINITY;
    for n in units.into_iter().chain(axes).chain(crossed).filter_map(|n| n.try_normalize(1e-9)) {
        let reach = |half: &Vector3<f64>, axes: &[Vector3<f64>; 3]| {
            (0..3).map(|k| half[k] * axes[k].dot(&n).abs()).sum::<f64>()
        };
        least =
            least.min(reach(&halves[1], &units) + reach(&halves[0], &axes) - pose.translation.dot(&n).abs());
    }
    least
}

/// With the least margin that a step searches, and with that of a fast one.
fn smallest_gap(parts: [&Part; 2], solids: [&Polyhedron; 2], pose: Pose) -> f64 {
    let [near, far] = [1e-5, 2e-3].map(|margin| smallest_gap_within(margin, parts, solids, pose));
    if far < 0.0 { far.max(near) } else { far }
}

fn smallest_gap_within(margin: f64, parts: [&Part; 2], solids: [&Polyhedron; 2], pose: Pose) -> f64 {
    let nodes = NodeBlocks::new(tightfit_spatial::Columns3::default());
    let side = |place: usize, pose: Pose, body: u32| PairBody {
        polyhedron: Some(solids[place]),
        ..PairBody::at_rest(parts[place], &nodes, pose, body)
    };
    let sides = [side(0, pose, 0), side(1, Pose::identity(), NOT_FREE)];
    let options =
        DetectionOptions { margin, crossings: true, horizon: 0.01, friction: 0.1, restitution: 0.0 };
    let (mut contacts, mut scratch) = (Contacts::default(), DetectionScratch::default());
    detect_pair(
        [&sides[0], &sides[1]],
        &options,
        &mut <[Clearances; 2]>::default(),
        &mut scratch,
        &mut contacts,
    );
    contacts.smallest_gap()
}

#[test]
fn the_deepest_contact_is_as_deep_as_separating_axes_say() {
    let mut random = SplitMix::stream(7);
    let (mut exact, trials) = (0, 10_000);
    for trial in 0..trials {
        let mut halves = [0; 2].map(|_| random.centered_cube().map(|x| 0.012 + 0.008 * x));
        let parts = halves.map(|half| Part::Block(Block::new(half * 2.0).unwrap()));
        let solids = [0, 1].map(|k| parts[k].polyhedron().unwrap());
        // some attitudes are flush, or nearly so
        let mut turn = random.centered_cube() * [3.0, 1e-2, 1e-4, 1e-6, 0.0][trial % 5];
        let mut direction = random.centered_cube();
        // and some are dominoes: sides in one plane
        if trial % 3 == 0 {
            (turn.x, turn.z, direction.y, halves[0].y) = (0.0, 0.0, 0.0, halves[1].y);
        }
        let (attitude, direction) = (UnitQuaternion::from_scaled_axis(turn), direction.normalize());
        let depth = 30e-6 * (random.signed().abs() * -6.0).exp();
        // from far away to where they overlap by this depth
        let (mut far, mut near) = (0.06, 0.0);
        for _ in 0..60 {
            let middle = f64::midpoint(far, near);
            let is_deep = overlap(halves, &Pose::new(direction * middle, attitude)) > depth;
            (far, near) = if is_deep { (far, middle) } else { (middle, near) };
        }
        let pose = Pose::new(direction * far, attitude);
        let found = -smallest_gap([&parts[0], &parts[1]], [&solids[0], &solids[1]], pose);
        let (found, depth) = (1e6 * found, 1e6 * depth);
        assert!(found >= 0.9 * depth, "trial {trial}: {found} um for {depth} um, {pose:?} {halves:?}");
        exact += usize::from(found <= 1.1 * depth + 1e-3);
    }
    // near edges a deep place may be reported deeper than the shortest way out
    assert!(exact > trials * 98 / 100, "{exact} of {trials} exact");
}

/// A square peg over a square hole; the hole is four walls for the separating axes.
#[test]
fn a_peg_at_the_mouth_of_a_square_hole_is_as_deep_as_separating_axes_say() {
    use tightfit_shape::fit::{FitSection, HoleDimensions};
    let section = FitSection::Polygon { sides: 4, corner_radius: 0.0 };
    let [bore, outer, depth] = [40.05e-3, 70e-3, 40e-3];
    let hole =
        HoleDimensions { section, diameter: bore, depth, floor: None, chamfer: 0.0, outer_diameter: outer };
    let hole = Part::Sectioned(hole.build().unwrap());
    let half = Vector3::new(20e-3, 20e-3, 30e-3);
    let peg = Part::Block(Block::new(half * 2.0).unwrap());
    let solids = [peg.polyhedron().unwrap(), hole.polyhedron().unwrap()];
    let (thick, beside) = ((outer - bore) / 4.0, (outer + bore) / 4.0);
    let walls = [0, 1, 2, 3].map(|k| {
        let side = if k % 2 == 0 { beside } else { -beside };
        let low = -depth / 2.0;
        match k < 2 {
            true => (Vector3::new(thick, outer / 2.0, depth / 2.0), Vector3::new(side, 0.0, low)),
            false => (Vector3::new(outer / 2.0, thick, depth / 2.0), Vector3::new(0.0, side, low)),
        }
    });
    let truth = |pose: &Pose| {
        let of = |(wall, at): &(Vector3<f64>, Vector3<f64>)| {
            overlap([half, *wall], &Pose::new(pose.translation - at, pose.rotation))
        };
        walls.iter().map(of).fold(f64::NEG_INFINITY, f64::max)
    };
    let mut random = SplitMix::stream(11);
    let (mut exact, trials) = (0, 5000);
    for trial in 0..trials {
        let turn = random.centered_cube() * [0.1, 1e-2, 1e-3, 1e-5][trial % 4];
        let attitude = UnitQuaternion::from_scaled_axis(turn);
        let beside = random.centered_cube() * [2e-3, 1e-4, 2e-5][trial % 3];
        let depth = 30e-6 * (random.signed().abs() * -6.0).exp();
        let pose = |z: f64| Pose::new(Vector3::new(beside.x, beside.y, z), attitude);
        let (mut far, mut near) = (0.04, 0.0);
        for _ in 0..60 {
            let middle = f64::midpoint(far, near);
            let is_deep = truth(&pose(middle)) > depth;
            (far, near) = if is_deep { (far, middle) } else { (middle, near) };
        }
        let depth = truth(&pose(far));
        let found = -smallest_gap([&peg, &hole], [&solids[0], &solids[1]], pose(far));
        let (found, depth) = (1e6 * found, 1e6 * depth);
        let least = if depth > 0.0 { 0.9 * depth } else { depth - 1e-3 };
        assert!(found >= least, "trial {trial}: {found} um for {depth} um, {:?}", pose(far));
        exact += usize::from(found <= depth + 0.1 * depth.abs() + 1e-3);
    }
    assert!(exact > trials * 85 / 100, "{exact} of {trials} exact");
}
