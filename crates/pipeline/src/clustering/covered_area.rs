//! Four contacts that cover the largest area (the aim of the manifold of Bullet, Coumans 2013).
//!
//! ```text
//! contacts come one by one, again and again until none is taken any more; with four at hand, of the five one goes:
//! not the deepest, but the one without which
//! area = max over the three pairings |(ρ_a − ρ_b) × (ρ_c − ρ_d)|²  is largest
//! ```
//!
//! ρ arm of the first body [m]. Bullet always takes the newcomer, since its contacts come over many steps; here they
//! come at once and the newcomer may be the one that goes, so the area never shrinks but for a deeper contact. The four
//! are a local maximum: no single exchange covers more.
//! Normals play no part.

use std::ops::Range;

use nalgebra::Vector3;

use super::ClusteringWorkspace;
use super::method::{CORNERS, deepest};
use crate::records::Contacts;

/// Passes over the contacts; two or three settle it as a rule.
const PASSES: u32 = 8;

/// Adds the four to `chosen`.
pub(super) fn covered_area(contacts: &Contacts, range: Range<usize>, workspace: &mut ClusteringWorkspace) {
    let mut kept: [usize; CORNERS] = std::array::from_fn(|place| range.start + place);
    for _ in 0..PASSES {
        let before = kept;
        for newcomer in range.clone() {
            if !kept.contains(&newcomer) {
                kept = best_four(contacts, kept, newcomer);
            }
        }
        if kept == before {
            break;
        }
    }
    kept.sort_unstable();
    workspace.chosen.extend(kept.map(|index| index as u32));
}

/// Of five contacts those four, the deepest among them, that cover most.
fn best_four(contacts: &Contacts, kept: [usize; CORNERS], newcomer: usize) -> [usize; CORNERS] {
    let deepest = deepest(contacts, kept.into_iter().chain([newcomer]));
    let mut best = (f64::NEG_INFINITY, kept);
    if deepest != Some(newcomer) {
        best = (area(contacts, &kept), kept);
    }
    for place in 0..CORNERS {
        if Some(kept[place]) == deepest {
            continue;
        }
        let mut other = kept;
        other[place] = newcomer;
        let covered = area(contacts, &other);
        if covered > best.0 {
            best = (covered, other);
        }
    }
    best.1
}

/// Square of twice the area, whichever way round the corners are [m⁴].
fn area(contacts: &Contacts, corners: &[usize; CORNERS]) -> f64 {
    let [a, b, c, d] = corners.map(|index| contacts.arm_a.get(index));
    let cross = |p: Vector3<f64>, q: Vector3<f64>| p.cross(&q).norm_squared();
    cross(a - b, c - d).max(cross(a - c, b - d)).max(cross(a - d, b - c))
}
