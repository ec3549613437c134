//! Detection at many poses by the kernels finds the contacts of the CPU: the same nodes, and gaps to 1e-12 m; by depth networks to
//! 50 nm, since their coordinates are in single precision.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use nalgebra::{UnitQuaternion, Vector3};
use tightfit_gpu::{GpuError, PoseContact, PoseDetection};
use tightfit_pipeline::detection::{
    Clearances, DepthNetwork, DetectionOptions, DetectionScratch, NodeBlocks, PairBody, detect_pair,
};
use tightfit_pipeline::records::{Contacts, NOT_FREE};
use tightfit_shape::node::NodeSpacing;
use tightfit_shape::{Part, preset::preset};
use tightfit_simulation::Scene;
use tightfit_spatial::{Columns3, Pose, SplitMix};

use crate::host_library::host_device;

/// Moving and fixed part with their nodes, and networks where these are asked alone.
struct Pair {
    parts: [Part; 2],
    places: [Columns3; 2],
    networks: Option<[Arc<DepthNetwork>; 2]>,
}

impl Pair {
    fn of(names: [&str; 2]) -> Self {
        let parts = names.map(|name| preset(name).expect("built in"));
        let places = parts.each_ref().map(|part| nodes(part, 2e-3));
        Self { parts, places, networks: None }
    }

    /// With the networks that a scene has for the paper's way.
    fn with_networks_of(self, scene: &str) -> Self {
        let scene = Scene::find_with(scene, &["method.detection=neural-paper".into()]).expect("built in");
        let networks = self.parts.each_ref().map(|part| {
            let body = scene.bodies.iter().find(|body| body.part == *part);
            body.and_then(|body| body.network.clone()).expect("it is embedded")
        });
        Self { networks: Some(networks), ..self }
    }

    /// On the host; `None` without g++.
    fn detection(&self) -> Option<PoseDetection> {
        let (device, parts, places) = (host_device()?, self.parts.each_ref(), self.places.each_ref());
        let made = match &self.networks {
            Some(networks) => {
                let fields = networks.each_ref().map(|own| own.field());
                PoseDetection::with_networks(parts, places, fields, &device)
            }
            None => PoseDetection::new(parts, places, &device),
        };
        Some(made.expect("host kernels"))
    }

    /// Contacts of the CPU at a pose.
    fn on_cpu(&self, blocks: &[NodeBlocks; 2], pose: &Pose, margin: f64) -> Contacts {
        let side = |index: usize, world_from_part: Pose| PairBody {
            part: &self.parts[index],
            network: self.networks.as_ref().map(|networks| &*networks[index]),
            mesh: None,
            polyhedron: None,
            nodes: &blocks[index],
            world_from_part,
            center: world_from_part.translation,
            body: if index == 0 { 0 } else { NOT_FREE },
            linear: Vector3::zeros(),
            angular: Vector3::zeros(),
            first_id: if index == 0 { 0 } else { blocks[0].len() as u32 },
            worn: 0.0,
        };
        let (moving, fixed) = (side(0, *pose), side(1, Pose::identity()));
        let options =
            DetectionOptions { margin, crossings: false, horizon: 0.0, friction: 0.0, restitution: 0.0 };
        let (mut clearances, mut scratch) = (<[Clearances; 2]>::default(), DetectionScratch::default());
        let mut contacts = Contacts::default();
        detect_pair([&moving, &fixed], &options, &mut clearances, &mut scratch, &mut contacts);
        contacts
    }
}

fn nodes(part: &Part, spacing: f64) -> Columns3 {
    let mut places = Columns3::default();
    part.place(&part.nodes(&NodeSpacing::of_distances([spacing; 5])), &mut places);
    places
}

/// Compares all contacts at all poses; their number. `close`: largest difference of gaps and places [m], of normals [-]. A contact
/// that only one of them has must be that close to the margin.
fn compare(pair: &Pair, poses: &[Pose], margin: f64, close: [f64; 2]) -> Option<usize> {
    let mut detection = pair.detection()?;
    let blocks = pair.places.clone().map(NodeBlocks::new);
    let summaries = detection.detect(poses, margin).expect("room").to_vec();
    let mut total = 0;
    for (index, (pose, summary)) in poses.iter().zip(&summaries).enumerate() {
        let cpu = pair.on_cpu(&blocks, pose, margin);
        let own: HashMap<u32, PoseContact> = detection
            .contacts(index)
            .expect("it was detected")
            .into_iter()
            .map(|own| (own.id, own))
            .collect();
        assert_eq!(summary.count(), own.len(), "pose {index}: a contact twice");
        let smallest = own.values().map(|own| own.gap).fold(f64::INFINITY, f64::min);
        assert_eq!(summary.smallest_gap, smallest, "pose {index}");
        let known: HashSet<u32> = cpu.id.iter().copied().collect();
        let lacking = own.values().filter(|own| !known.contains(&own.id));
        lacking.for_each(|own| assert!(margin - own.gap <= close[0], "pose {index}: only {own:?}"));
        for (place, id) in cpu.id.iter().enumerate() {
            let Some(own) = own.get(id) else {
                assert!(margin - cpu.gap[place] <= close[0], "pose {index}: {id} at {} m", cpu.gap[place]);
                continue;
            };
            let gap = (own.gap - cpu.gap[place]).abs();
            let arm = (Vector3::from(own.arm) - cpu.arm_a.get(place)).norm();
            let normal = (Vector3::from(own.normal) - cpu.normal.get(place)).norm();
            assert!(gap <= close[0] && arm <= close[0] && normal <= close[1], "pose {index}: {own:?}");
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
            let rotation = UnitQuaternion::from_scaled_axis(lean)
                * UnitQuaternion::from_axis_angle(&Vector3::z_axis(), turn);
            Pose::new(place, rotation)
        })
        .collect()
}

fn pegs() -> Vec<Pose> {
    poses(300, [-40e-3, 2e-3], 60e-6, 1e-3, 0.0)
}

fn nuts() -> Vec<Pose> {
    poses(300, [5e-3, 45e-3], 150e-6, 2e-3, 5e-3)
}

#[test]
fn pegs_in_holes_have_the_contacts_of_the_cpu() {
    let pair = Pair::of(["peg-50", "hole-50"]);
    for margin in [0.0, 50e-6] {
        let Some(total) = compare(&pair, &pegs(), margin, [1e-12, 1e-9]) else { return };
        assert!(total > 1000, "{total}");
    }
}

#[test]
fn nuts_on_bolts_have_the_contacts_of_the_cpu() {
    let pair = Pair::of(["m48x5-nut", "m48x5-bolt"]);
    for margin in [0.0, 50e-6] {
        let Some(total) = compare(&pair, &nuts(), margin, [1e-12, 1e-9]) else { return };
        assert!(total > 1000, "{total}");
    }
}

/// Normals are those of one linear piece of the network: a rounded coordinate may lie in the next.
#[test]
fn networks_alone_give_the_contacts_of_the_cpu() {
    for (names, scene, poses) in
        [(["peg-50", "hole-50"], "peg-in-hole", pegs()), (["m48x5-nut", "m48x5-bolt"], "bolting", nuts())]
    {
        let pair = Pair::of(names).with_networks_of(scene);
        let Some(total) = compare(&pair, &poses[..100], 0.0, [50e-9, 0.5]) else { return };
        assert!(total > 1000, "{total}");
    }
}

#[test]
fn no_pose_and_a_pose_far_away_have_no_contacts() {
    let Some(mut detection) = Pair::of(["peg-50", "hole-50"]).detection() else { return };
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
