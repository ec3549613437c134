//! Laws of clustering.

use nalgebra::Vector3;

use super::{ClusteringMethod, ClusteringWorkspace};
use crate::records::{Contacts, NOT_FREE};

const METHODS: [ClusteringMethod; 2] = [ClusteringMethod::None, ClusteringMethod::KMeans { clusters: 12 }];

fn push(contacts: &mut Contacts, arm: Vector3<f64>, normal: Vector3<f64>, gap: f64) {
    contacts.id.push(contacts.gap.len() as u32);
    contacts.body_a.push(0);
    contacts.body_b.push(NOT_FREE);
    contacts.arm_a.push(arm);
    contacts.normal.push(normal);
    contacts.gap.push(gap);
    contacts.friction.push(0.1);
    contacts.restitution.push(0.0);
}

/// Rings of a peg in a hole, nearest on one side below and on the other above; scaled.
fn peg(scale: f64) -> Contacts {
    let mut contacts = Contacts::default();
    for ring in 0..6 {
        for step in 0..48 {
            let angle = std::f64::consts::TAU * f64::from(step) / 48.0;
            let outward = Vector3::new(angle.cos(), angle.sin(), 0.0);
            let height = 5e-3 * f64::from(ring);
            let lean = (2.5 - f64::from(ring)) / 2.5;
            let gap = 32.5e-6 * (1.0 - lean * angle.cos()) + 1e-9 * f64::from(step);
            push(&mut contacts, (outward * 25e-3 + Vector3::z() * height) * scale, -outward, gap);
        }
    }
    contacts
}

fn chosen(method: ClusteringMethod, contacts: &Contacts) -> Vec<u32> {
    let mut workspace = ClusteringWorkspace::default();
    method.choose(contacts, 0..contacts.len(), &mut workspace);
    workspace.chosen
}

#[test]
fn a_choice_is_ascending_within_its_number_and_the_same_again() {
    let contacts = peg(1.0);
    for method in METHODS {
        let found = chosen(method, &contacts);
        assert!(found.windows(2).all(|pair| pair[0] < pair[1]), "{method:?} {found:?}");
        assert_eq!(found.len(), method.most_of_a_pair(contacts.len()), "{method:?}");
        assert_eq!(found, chosen(method, &contacts));
        // what is few already stays as it is
        let few: Vec<u32> = (0..4).collect();
        let mut workspace = ClusteringWorkspace::default();
        method.choose(&contacts, 0..4, &mut workspace);
        assert_eq!(workspace.chosen, few, "{method:?}");
        // and none is none
        method.choose(&contacts, 7..7, &mut workspace);
        assert_eq!(workspace.chosen, few, "{method:?}");
    }
}

#[test]
fn the_deepest_contact_is_always_kept() {
    let contacts = peg(1.0);
    let least = (0..contacts.len()).min_by(|a, b| contacts.gap[*a].total_cmp(&contacts.gap[*b])).unwrap();
    for method in METHODS {
        assert!(chosen(method, &contacts).contains(&(least as u32)), "{method:?}");
    }
}

#[test]
fn means_find_both_walls_of_a_thin_slot() {
    // two walls 20 um apart: places alone would not tell them apart
    let mut contacts = Contacts::default();
    for step in 0..40 {
        let place = Vector3::new(1e-3 * f64::from(step), 0.0, 0.0);
        push(&mut contacts, place, Vector3::y(), 1e-6);
        push(&mut contacts, place + Vector3::y() * 20e-6, -Vector3::y(), 1e-6);
    }
    let found = chosen(ClusteringMethod::KMeans { clusters: 2 }, &contacts);
    let signs: Vec<f64> = found.iter().map(|index| contacts.normal.get(*index as usize).y).collect();
    assert_eq!(signs.len(), 2);
    assert!(signs[0] * signs[1] < 0.0, "{signs:?}");
}

#[test]
fn parts_of_any_size_are_clustered_alike() {
    for method in METHODS {
        assert_eq!(chosen(method, &peg(1.0)), chosen(method, &peg(0.125)), "{method:?}");
    }
}

#[test]
fn contacts_in_one_place_are_one_cluster() {
    let mut contacts = Contacts::default();
    (0..30).for_each(|step| push(&mut contacts, Vector3::x(), Vector3::z(), 1e-6 - 1e-9 * f64::from(step)));
    assert_eq!(chosen(ClusteringMethod::KMeans { clusters: 12 }, &contacts), [29]);
}

/// Seeds and sweeps as they are written down, one contact after another.
fn plain_k_means(contacts: &Contacts, clusters: usize) -> Vec<u32> {
    type Feature = nalgebra::Vector6<f64>;
    let arms: Vec<Vector3<f64>> = contacts.arm_a.iter().collect();
    let low = arms.iter().fold(arms[0], |low, arm| low.inf(arm));
    let high = arms.iter().fold(arms[0], |high, arm| high.sup(arm));
    let scale = (high - low).norm() / 2.0;
    let feature = |(arm, normal): (&Vector3<f64>, Vector3<f64>)| {
        let (place, normal) = (arm / scale, normal * 1.5);
        Feature::new(place.x, place.y, place.z, normal.x, normal.y, normal.z)
    };
    let features: Vec<Feature> = arms.iter().zip(contacts.normal.iter()).map(feature).collect();
    let deepest = |members: &[usize]| {
        members.iter().copied().min_by(|a, b| contacts.gap[*a].total_cmp(&contacts.gap[*b])).unwrap()
    };
    let all: Vec<usize> = (0..features.len()).collect();
    let mut centers = vec![features[deepest(&all)]];
    while centers.len() < clusters {
        let from_seeds = |feature: &Feature| {
            centers.iter().map(|center| (feature - center).norm_squared()).fold(f64::INFINITY, f64::min)
        };
        let distances: Vec<f64> = features.iter().map(from_seeds).collect();
        let farthest = all.iter().copied().rev().max_by(|a, b| distances[*a].total_cmp(&distances[*b]));
        centers.push(features[farthest.unwrap()]);
    }
    let mut owners = Vec::new();
    for _ in 0..15 {
        let nearest = |feature: &Feature| {
            let distance = |center: &Feature| (feature - center).norm_squared();
            let order = |a: &usize, b: &usize| distance(&centers[*a]).total_cmp(&distance(&centers[*b]));
            (0..centers.len()).min_by(order).unwrap()
        };
        owners = features.iter().map(nearest).collect();
        for (cluster, center) in centers.iter_mut().enumerate() {
            let members: Vec<usize> = all.iter().copied().filter(|place| owners[*place] == cluster).collect();
            if !members.is_empty() {
                *center =
                    members.iter().map(|place| features[*place]).sum::<Feature>() / members.len() as f64;
            }
        }
    }
    let of_cluster = |cluster| {
        let members: Vec<usize> = all.iter().copied().filter(|place| owners[*place] == cluster).collect();
        (!members.is_empty()).then(|| deepest(&members) as u32)
    };
    let mut chosen: Vec<u32> = (0..clusters).filter_map(of_cluster).collect();
    chosen.sort_unstable();
    chosen
}

#[test]
fn blocks_and_bounds_leave_the_clusters_of_plain_sweeps() {
    let noise = |seed: u32, k: u32| (f64::from(seed * 31 + k * 7919).sin() * 4e4) % 1.0;
    for seed in 0..40 {
        let mut contacts = Contacts::default();
        for k in 0..(13 + 29 * seed) {
            let at = |axis: u32| noise(seed, 3 * k + axis);
            let arm = Vector3::new(at(0), at(1), at(2)) * 0.03;
            let normal = Vector3::new(at(1), at(2), at(0) + 0.3).normalize();
            push(&mut contacts, arm, normal, noise(seed + 100, k));
        }
        for clusters in [1, 5, 12] {
            let found = chosen(ClusteringMethod::KMeans { clusters }, &contacts);
            assert_eq!(found, plain_k_means(&contacts, clusters as usize), "{seed}, {clusters} clusters");
        }
    }
}
