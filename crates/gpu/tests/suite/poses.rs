//! Detection at many poses by the kernels finds the contacts of the CPU: the same nodes, and gaps to 1e-12 m.

use nalgebra::{UnitQuaternion, Vector3};
use tightfit_gpu::{GpuError, PoseContact, PoseDetection};
use tightfit_pipeline::detection::{
    Clearances, DetectionOptions, DetectionScratch, NodeBlocks, PairBody, detect_pair,
};
use tightfit_pipeline::records::{Contacts, NOT_FREE};
use tightfit_shape::node::NodeSpacing;
use tightfit_shape::{Part, preset::preset};
use tightfit_spatial::{Columns3, Pose, SplitMix};

use crate::host_library::host_device;

/// Largest difference of gaps, and of places and normals [m, -].
const CLOSE: [f64; 2] = [1e-12, 1e-9];

fn nodes(part: &Part, spacing: f64) -> Columns3 {
    let mut places = Columns3::default();
    part.place(&part.nodes(&NodeSpacing::of_distances([spacing; 5])), &mut places);
    places
}

/// Contacts of the CPU at a pose.
fn on_cpu(parts: [&Part; 2], blocks: &[NodeBlocks; 2], pose: &Pose, margin: f64) -> Contacts {
    let side = |index: usize, world_from_part: Pose| PairBody {
        part: parts[index],
        network: None,
        mesh: None,
        polyhedron: None,
        nodes: &blocks[index],
        world_from_part,
        center: world_from_part.translation,
        body: if index == 0 { 0 } else { NOT_FREE },
        linear: Vector3::zeros(),
        angular: Vector3::zeros(),
        first_id: if index == 0 { 0 } else { blocks[0].len() as u32 },
    };
    let (moving, fixed) = (side(0, *pose), side(1, Pose::identity()));
    let options =
        DetectionOptions { margin, crossings: false, horizon: 0.0, friction: 0.0, restitution: 0.0 };
    let mut clearances = [Clearances::default(), Clearances::default()];
    let mut contacts = Contacts::default();
    detect_pair(
        [&moving, &fixed],
        &options,
        &mut clearances,
        &mut DetectionScratch::default(),
        &mut contacts,
    );
    contacts
}

/// Compares all contacts at all poses; number of contacts.
fn compare(names: [&str; 2], spacing: f64, poses: &[Pose], margin: f64) -> Option<usize> {
    let device = host_device()?;
    let [moving, fixed] = names.map(|name| preset(name).expect("built in"));
    let parts = [&moving, &fixed];
    let places = parts.map(|part| nodes(part, spacing));
    let mut detection = PoseDetection::new(parts, places.each_ref(), &device).expect("host kernels");
    let blocks = places.map(NodeBlocks::new);
    let summaries = detection.detect(poses, margin).expect("room").to_vec();
    let mut total = 0;
    for (index, (pose, summary)) in poses.iter().zip(&summaries).enumerate() {
        let cpu = on_cpu(parts, &blocks, pose, margin);
        let own = detection.contacts(index).expect("it was detected");
        let mut by_id: Vec<usize> = (0..cpu.len()).collect();
        by_id.sort_by_key(|place| cpu.id[*place]);
        let mut sorted: Vec<&PoseContact> = own.iter().collect();
        sorted.sort_by_key(|contact| contact.id);
        let ids: Vec<u32> = sorted.iter().map(|contact| contact.id).collect();
        let expected: Vec<u32> = by_id.iter().map(|place| cpu.id[*place]).collect();
        assert_eq!(ids, expected, "pose {index}");
        assert_eq!(summary.count(), cpu.len());
        let smallest = cpu.gap.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(
            summary.smallest_gap == smallest || (summary.smallest_gap - smallest).abs() <= CLOSE[0],
            "pose {index}: {} m instead of {smallest} m",
            summary.smallest_gap
        );
        for (own, place) in sorted.into_iter().zip(by_id) {
            let gap = (own.gap - cpu.gap[place]).abs();
            let arm = (Vector3::from(own.arm) - cpu.arm_a.get(place)).norm();
            let normal = (Vector3::from(own.normal) - cpu.normal.get(place)).norm();
            assert!(gap <= CLOSE[0] && arm <= CLOSE[0] && normal <= CLOSE[1], "pose {index}: {own:?}");
        }
        total += cpu.len();
    }
    Some(total)
}

/// Poses beside and tilted against the axis, at heights between two.
fn poses(count: usize, heights: [f64; 2], aside: f64, tilt: f64, pitch: f64) -> Vec<Pose> {
    let mut random = SplitMix::stream(29);
    let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
    (0..count)
        .map(|_| {
            let z = between(heights[0], heights[1]);
            let place = Vector3::new(between(-aside, aside), between(-aside, aside), z);
            let lean = Vector3::new(between(-tilt, tilt), between(-tilt, tilt), 0.0);
            let turn = match pitch > 0.0 {
                true => std::f64::consts::TAU * z / pitch + between(-0.01, 0.01),
                false => between(-3.0, 3.0),
            };
            let rotation =
                UnitQuaternion::from_scaled_axis(lean) * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn);
            Pose::new(place, rotation)
        })
        .collect()
}

#[test]
fn pegs_in_holes_have_the_contacts_of_the_cpu() {
    let poses = poses(300, [-40e-3, 2e-3], 60e-6, 1e-3, 0.0);
    for margin in [0.0, 50e-6] {
        let Some(total) = compare(["peg-50", "hole-50"], 2e-3, &poses, margin) else { return };
        assert!(total > 1000, "{total}");
    }
}

#[test]
fn nuts_on_bolts_have_the_contacts_of_the_cpu() {
    let poses = poses(300, [5e-3, 45e-3], 150e-6, 2e-3, 5e-3);
    for margin in [0.0, 50e-6] {
        let Some(total) = compare(["m48x5-nut", "m48x5-bolt"], 2e-3, &poses, margin) else { return };
        assert!(total > 1000, "{total}");
    }
}

#[test]
fn no_pose_and_a_pose_far_away_have_no_contacts() {
    let Some(device) = host_device() else { return };
    let [moving, fixed] = ["peg-50", "hole-50"].map(|name| preset(name).expect("built in"));
    let places = [&moving, &fixed].map(|part| nodes(part, 4e-3));
    let mut detection =
        PoseDetection::new([&moving, &fixed], places.each_ref(), &device).expect("host kernels");
    assert!(detection.detect(&[], 0.0).expect("nothing").is_empty());
    let far = Pose::new(Vector3::new(0.0, 0.0, 1.0), UnitQuaternion::identity());
    let found = detection.detect(&[far], 0.0).expect("room")[0];
    assert!(found.count() == 0 && found.smallest_gap == f64::INFINITY);
    assert!(detection.contacts(0).expect("none").is_empty());
}

#[test]
fn parts_that_the_kernels_do_not_have_are_refused_by_name() {
    let Some(device) = host_device() else { return };
    let peg = preset("peg-50").expect("built in");
    let places = nodes(&peg, 4e-3);
    match PoseDetection::new([&peg, &Part::HalfSpace], [&places, &places], &device) {
        Err(error @ GpuError::Unsupported { .. }) => {
            assert!(error.to_string().contains("a half-space"), "{error}");
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was not refused"),
    }
}
