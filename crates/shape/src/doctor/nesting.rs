//! Nesting of shells. A shell inside an odd number of others bounds a cavity and must face inwards.
//!
//! Shell i lies inside shell j if the bounding box of j contains the box of i, and j has a nonzero winding number
//! around sampled vertices of i. Shells that intersect are not nested.

use rayon::prelude::*;

use super::surface::Surface;
use crate::mesh::{Aabb, winding_number};

/// Number of vertices of a shell that are tested against another shell.
const SAMPLES: usize = 5;

/// Largest number of box comparisons plus solid angles: about ten seconds. Only meshes with tens of thousands of
/// shells reach it; the largest shells are checked first.
const BUDGET: usize = 500_000_000;

/// Nesting depth of each shell, and the number of pairs of shells that were skipped to save time.
pub(super) fn depths(surface: &Surface<'_>) -> (Vec<u32>, usize) {
    let count = surface.shells.len();
    if count < 2 {
        return (vec![0; count], 0);
    }
    let mut budget = BUDGET;
    let mut left_out = 0;
    // only a closed shell can contain others; larger boxes come first
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| surface.shells[b].aabb.diagonal().total_cmp(&surface.shells[a].aabb.diagonal()));
    let mut pairs = Vec::new();
    for (rank, &outer) in order.iter().enumerate() {
        let hull = &surface.shells[outer];
        if hull.boundary_edges > 0 {
            continue;
        }
        let candidates = count - rank - 1;
        if candidates > budget {
            left_out += candidates;
            continue;
        }
        budget -= candidates;
        for &inner in &order[rank + 1..] {
            if !holds(&hull.aabb, &surface.shells[inner].aabb) {
                continue;
            }
            let cost = SAMPLES * hull.triangles;
            if cost > budget {
                left_out += 1;
                continue;
            }
            budget -= cost;
            pairs.push((outer, inner));
        }
    }
    if pairs.is_empty() {
        return (vec![0; count], left_out);
    }
    let members = surface.members();
    let inside: Vec<usize> = pairs
        .into_par_iter()
        .filter(|&(outer, inner)| {
            let step = (members[inner].len() / SAMPLES).max(1);
            members[inner].iter().step_by(step).take(SAMPLES).all(|&triangle| {
                let point = surface.mesh.corners(triangle as usize)[0];
                let hull = members[outer].iter().map(|&triangle| triangle as usize);
                winding_number(surface.mesh, hull, point).abs() > 0.5
            })
        })
        .map(|(_, inner)| inner)
        .collect();
    let mut depths = vec![0; count];
    inside.into_iter().for_each(|inner| depths[inner] += 1);
    (depths, left_out)
}

fn holds(outer: &Aabb, inner: &Aabb) -> bool {
    (0..3).all(|axis| outer.min[axis] <= inner.min[axis] && inner.max[axis] <= outer.max[axis])
}
