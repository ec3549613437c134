//! Which shells lie inside which: a shell inside an odd number of others bounds a cavity and looks inwards.
//!
//! Shell i lies inside shell j when the box of j holds the box of i and j winds around a sample of the
//! vertices of i. Shells that cross are not nested.

use rayon::prelude::*;

use super::surface::Surface;
use crate::mesh::{Aabb, winding_number};

/// Vertices of a shell that are tried against another.
const SAMPLES: usize = 5;

/// Most boxes that are compared and solid angles that are summed [-]: some ten seconds. Only tens of thousands
/// of shells get there, and the largest come first.
const BUDGET: usize = 500_000_000;

/// How deep each shell lies, and how many pairs of shells were left out to save time.
pub(super) fn depths(surface: &Surface<'_>) -> (Vec<u32>, usize) {
    let count = surface.shells.len();
    if count < 2 {
        return (vec![0; count], 0);
    }
    let mut budget = BUDGET;
    let mut left_out = 0;
    // a shell can only hold others if it is closed, and larger boxes come first
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
