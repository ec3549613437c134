//! K-means over position and normal (docs/design/math.md §3.4; Lloyd's sweeps, farthest-point seeds after Gonzalez
//! 1985).
//!
//! ```text
//! feature   [ρ/L, 1.5 n]            ρ arm of the first body [m], n normal, L half the diagonal of the box of the ρ
//! seeds     the deepest contact, then repeatedly the contact farthest from all seeds
//! sweep     every contact to the nearest centre, every centre to the mean of its contacts; at most 15
//! ```
//!
//! The normals separate opposite walls of a hole however thin the part between them. L makes the result independent of
//! the size of the parts. Nothing is random: among equal distances the lower index wins.
//! Distances are evaluated in blocks of contacts; the sums of the means are updated by the contacts that change
//! cluster. A block is skipped while its contacts are nearer to their centres than to any other by more than twice the
//! longest displacement of a centre since its last evaluation (Hamerly 2010): the clusters are those of plain sweeps.

use std::ops::Range;

use tightfit_spatial::{Vectorise, vectorised};

use super::ClusteringWorkspace;
use super::feature_blocks::{Feature, FeatureBlock, LANES, PerContact, WIDTH, fill};
use super::method::deepest;
use crate::records::Contacts;

/// Largest number of sweeps.
const SWEEPS: u32 = 15;
/// Tolerance of the comparison of leads with displacements [-]; features are of the order of 1.
const ROUNDING: f64 = 1e-12;

/// Memory of the sweeps; a call allocates nothing after `make_room`.
#[derive(Clone, Debug, Default)]
pub(super) struct KMeansWorkspace {
    blocks: Vec<FeatureBlock>,
    /// Cluster of every contact, as a floating-point number for vectorised comparison.
    owners: Vec<PerContact>,
    /// Squared distance to the nearest seed.
    distances: Vec<PerContact>,
    /// Per block the smallest lead, the distance to the second-nearest centre less that to the nearest, and the
    /// displacement of the centres when it was evaluated.
    leads: Vec<[f64; 2]>,
    centers: Vec<Feature>,
    /// Sum and number of the features of every cluster.
    sums: Vec<(Feature, f64)>,
    /// Index and gap of the deepest contact of every cluster.
    deepest: Vec<Option<(u32, f64)>>,
}

impl KMeansWorkspace {
    /// Reserves memory for `contacts` contacts and `clusters` clusters.
    pub(super) fn make_room(&mut self, contacts: usize, clusters: usize) {
        let blocks = contacts.div_ceil(LANES);
        crate::make_room(&mut self.blocks, blocks);
        crate::make_room(&mut self.owners, blocks);
        crate::make_room(&mut self.distances, blocks);
        crate::make_room(&mut self.leads, blocks);
        crate::make_room(&mut self.centers, clusters);
        crate::make_room(&mut self.sums, clusters);
        crate::make_room(&mut self.deepest, clusters);
    }

    /// Number of contacts that fit without an allocation.
    pub(super) fn room(&self) -> usize {
        LANES * self.blocks.capacity()
    }
}

/// Adds the deepest contact of each cluster to `chosen`.
pub(super) fn k_means(
    contacts: &Contacts,
    range: Range<usize>,
    clusters: usize,
    workspace: &mut ClusteringWorkspace,
) {
    let ClusteringWorkspace { chosen, owners, k_means: own } = workspace;
    vectorised(Clusters { contacts, range: range.clone(), clusters, workspace: own });
    own.deepest.clear();
    own.deepest.resize(own.centers.len(), None);
    owners.clear();
    owners.extend((0..range.len()).map(|place| own.owners[place / LANES][place % LANES] as u32));
    for (place, index) in range.enumerate() {
        let best = &mut own.deepest[own.owners[place / LANES][place % LANES] as usize];
        let gap = contacts.gap[index];
        if best.is_none_or(|(_, other)| gap < other) {
            *best = Some((index as u32, gap));
        }
    }
    let first = chosen.len();
    chosen.extend(own.deepest.iter().flatten().map(|(index, _)| *index));
    chosen[first..].sort_unstable();
}

/// Finds the cluster of every contact.
struct Clusters<'a> {
    contacts: &'a Contacts,
    range: Range<usize>,
    clusters: usize,
    workspace: &'a mut KMeansWorkspace,
}

impl Vectorise for Clusters<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { contacts, range, clusters, workspace } = self;
        let KMeansWorkspace { blocks, owners, distances, leads, centers, sums, .. } = workspace;
        let count = range.len();
        fill(contacts, range.clone(), blocks);
        let first = deepest(contacts, range.clone()).map_or(0, |index| index - range.start);
        seed(first, clusters, blocks, distances, centers);
        owners.clear();
        owners.resize(blocks.len(), [-1.0; LANES]);
        sums.clear();
        sums.resize(centers.len(), ([0.0; WIDTH], 0.0));
        leads.clear();
        leads.resize(blocks.len(), [f64::NEG_INFINITY, 0.0]);
        // The longest displacements of the centres, summed over the sweeps.
        let mut moved = 0.0;
        for _ in 0..SWEEPS {
            let mut is_settled = true;
            for place in 0..blocks.len() {
                let [lead, before] = leads[place];
                if lead > 2.0 * (moved - before) + ROUNDING {
                    continue;
                }
                let (block, owners) = (&blocks[place], &mut owners[place]);
                let (nearest, lead) = nearest(block, centers);
                leads[place] = [lead, moved];
                if nearest != *owners {
                    let used = LANES.min(count - place * LANES);
                    move_sums(block, used, owners, &nearest, sums);
                    *owners = nearest;
                    is_settled = false;
                }
            }
            if is_settled {
                break;
            }
            moved += move_centers(centers, sums);
        }
    }
}

/// Moves every centre to the mean of its contacts; returns the longest displacement.
#[inline(always)]
fn move_centers(centers: &mut [Feature], sums: &[(Feature, f64)]) -> f64 {
    let mut longest = 0.0;
    for (center, (sum, count)) in centers.iter_mut().zip(sums) {
        if *count > 0.0 {
            let mut squared = 0.0;
            for (own, sum) in center.iter_mut().zip(sum) {
                let mean = sum / count;
                squared += (mean - *own) * (mean - *own);
                *own = mean;
            }
            longest = f64::max(longest, squared);
        }
    }
    longest.sqrt()
}

/// Seeds: the deepest contact, and those farthest from the earlier seeds.
#[inline(always)]
fn seed(
    first: usize,
    clusters: usize,
    blocks: &[FeatureBlock],
    distances: &mut Vec<PerContact>,
    centers: &mut Vec<Feature>,
) {
    centers.clear();
    distances.clear();
    distances.resize(blocks.len(), [f64::INFINITY; LANES]);
    let mut next = first;
    while centers.len() < clusters {
        let center = blocks[next / LANES].get(next % LANES);
        centers.push(center);
        // The farthest contact of every lane and its block; the first among equals.
        let (mut farthest, mut places) = ([0.0; LANES], [0.0; LANES]);
        for (place, (block, own)) in blocks.iter().zip(distances.iter_mut()).enumerate() {
            let squared = block.squared_distances(&center);
            for lane in 0..LANES {
                own[lane] = if squared[lane] < own[lane] { squared[lane] } else { own[lane] };
                let is_farther = own[lane] > farthest[lane];
                farthest[lane] = if is_farther { own[lane] } else { farthest[lane] };
                places[lane] = if is_farther { place as f64 } else { places[lane] };
            }
        }
        let index = |lane: usize| places[lane] as usize * LANES + lane;
        let best = (1..LANES).fold(0, |best, lane| {
            let is_before = farthest[lane] == farthest[best] && index(lane) < index(best);
            if farthest[lane] > farthest[best] || is_before { lane } else { best }
        });
        if farthest[best] <= 0.0 {
            // All contacts coincide with a seed.
            break;
        }
        next = index(best);
    }
}

/// The nearest centre of every contact of a block, the first among equals, and the smallest lead over the next one.
#[inline(always)]
fn nearest(block: &FeatureBlock, centers: &[Feature]) -> (PerContact, f64) {
    let (mut best, mut next) = ([f64::INFINITY; LANES], [f64::INFINITY; LANES]);
    let mut owners = [0.0; LANES];
    let mut number = 0.0;
    for center in centers {
        let squared = block.squared_distances(center);
        for lane in 0..LANES {
            let is_nearer = squared[lane] < best[lane];
            let beaten = if is_nearer { best[lane] } else { squared[lane] };
            next[lane] = if beaten < next[lane] { beaten } else { next[lane] };
            best[lane] = if is_nearer { squared[lane] } else { best[lane] };
            owners[lane] = if is_nearer { number } else { owners[lane] };
        }
        number += 1.0;
    }
    let mut lead = [0.0; LANES];
    for lane in 0..LANES {
        lead[lane] = next[lane].sqrt() - best[lane].sqrt();
    }
    (owners, lead.into_iter().fold(f64::INFINITY, f64::min))
}

/// Moves contacts that change cluster from one sum to the other.
#[inline(always)]
fn move_sums(
    block: &FeatureBlock,
    used: usize,
    from: &PerContact,
    to: &PerContact,
    sums: &mut [(Feature, f64)],
) {
    for lane in (0..used).filter(|&lane| from[lane] != to[lane]) {
        let feature = block.get(lane);
        if from[lane] >= 0.0 {
            let (sum, count) = &mut sums[from[lane] as usize];
            sum.iter_mut().zip(&feature).for_each(|(sum, own)| *sum -= own);
            *count -= 1.0;
        }
        let (sum, count) = &mut sums[to[lane] as usize];
        sum.iter_mut().zip(&feature).for_each(|(sum, own)| *sum += own);
        *count += 1.0;
    }
}
