//! K-means over place and normal (MATH 3.4; Lloyd's sweeps, farthest-point seeds after Gonzalez 1985).
//!
//! ```text
//! feature   [ρ/L, 1.5 n]            ρ arm of the first body [m], n normal, L half the diagonal of the box of the ρ
//! seeds     the deepest contact, then again and again the contact farthest from all seeds
//! sweep     every contact to the nearest centre, every centre to the mean of its contacts; at most 15
//! ```
//!
//! With the normals in, opposite walls of a hole stay apart however thin the part between them. L makes the result
//! the same for parts of any size. Nothing is random: equal distances go to the lower index.

use std::ops::Range;

use nalgebra::Vector3;

use super::ClusteringWorkspace;
use super::method::deepest;
use crate::records::Contacts;

/// Place and normal, scaled to be compared.
pub(super) type Feature = nalgebra::Vector6<f64>;

/// Weight of normals against places [-].
const NORMALS: f64 = 1.5;
/// Most sweeps.
const SWEEPS: u32 = 15;

/// Adds the deepest contact of each cluster to `chosen`.
pub(super) fn k_means(
    contacts: &Contacts,
    range: Range<usize>,
    clusters: usize,
    workspace: &mut ClusteringWorkspace,
) {
    let ClusteringWorkspace { chosen, features, owners, distances, centers, sums } = workspace;
    fill_features(contacts, range.clone(), features);
    seed(contacts, range.clone(), clusters, features, distances, centers);
    owners.clear();
    owners.resize(features.len(), 0);
    for _ in 0..SWEEPS {
        let mut is_settled = true;
        sums.clear();
        sums.resize(centers.len(), (Feature::zeros(), 0));
        for (feature, owner) in features.iter().zip(owners.iter_mut()) {
            let nearest = nearest(feature, centers);
            is_settled &= *owner == nearest;
            *owner = nearest;
            let (sum, count) = &mut sums[nearest as usize];
            *sum += feature;
            *count += 1;
        }
        for (center, (sum, count)) in centers.iter_mut().zip(sums.iter()) {
            if *count > 0 {
                *center = sum / f64::from(*count);
            }
        }
        if is_settled {
            break;
        }
    }
    let first = chosen.len();
    for cluster in 0..centers.len() as u32 {
        let members = range.clone().zip(owners.iter()).filter(|(_, owner)| **owner == cluster);
        chosen.extend(deepest(contacts, members.map(|(index, _)| index)).map(|index| index as u32));
    }
    chosen[first..].sort_unstable();
}

fn fill_features(contacts: &Contacts, range: Range<usize>, features: &mut Vec<Feature>) {
    let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    for index in range.clone() {
        let arm = contacts.arm_a.get(index);
        (low, high) = (low.inf(&arm), high.sup(&arm));
    }
    let half = (high - low).norm() / 2.0;
    let scale = if half > 0.0 { half } else { 1.0 };
    features.clear();
    features.extend(range.map(|index| {
        let (place, normal) = (contacts.arm_a.get(index) / scale, contacts.normal.get(index) * NORMALS);
        Feature::new(place.x, place.y, place.z, normal.x, normal.y, normal.z)
    }));
}

fn seed(
    contacts: &Contacts,
    range: Range<usize>,
    clusters: usize,
    features: &[Feature],
    distances: &mut Vec<f64>,
    centers: &mut Vec<Feature>,
) {
    centers.clear();
    distances.clear();
    distances.resize(features.len(), f64::INFINITY);
    let mut next = deepest(contacts, range.clone()).map_or(0, |index| index - range.start);
    while centers.len() < clusters {
        let center = features[next];
        centers.push(center);
        for (distance, feature) in distances.iter_mut().zip(features) {
            *distance = distance.min((feature - center).norm_squared());
        }
        let farther = |best: (usize, f64), (index, distance): (usize, &f64)| {
            if *distance > best.1 { (index, *distance) } else { best }
        };
        let (index, distance) = distances.iter().enumerate().fold((0, 0.0), farther);
        if distance <= 0.0 {
            // no more places than these
            break;
        }
        next = index;
    }
}

fn nearest(feature: &Feature, centers: &[Feature]) -> u32 {
    let mut best = (f64::INFINITY, 0);
    for (index, center) in centers.iter().enumerate() {
        let distance = (feature - center).norm_squared();
        if distance < best.0 {
            best = (distance, index as u32);
        }
    }
    best.1
}
