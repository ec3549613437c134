//! The methods that reduce the contacts of a pair.

use std::ops::Range;

use super::k_means::{KMeansWorkspace, k_means};
use crate::make_room;
use crate::records::Contacts;

/// Clusters that the interaction network makes of a pair's contacts; K-means makes as many where a pair has no network.
pub const INTERACTION_CLUSTERS: usize = 12;

/// How the contacts of a pair of parts are reduced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClusteringMethod {
    /// Not at all.
    #[default]
    None,
    /// The deepest contact of each cluster by position and normal.
    KMeans {
        /// Number of clusters.
        clusters: u32,
    },
    /// The mean place, normal and gap of each of these clusters, as in textbooks: a point that is seldom on the surface.
    KMeansMean {
        /// Number of clusters.
        clusters: u32,
    },
    /// By the scene's interaction network (crate `tightfit-interaction`); pairs without one use [`Self::KMeans`] with 12 clusters.
    Interaction,
}

/// Buffers; a call allocates nothing after `make_room`.
#[derive(Clone, Debug, Default)]
pub struct ClusteringWorkspace {
    /// Contacts that were kept, ascending.
    pub chosen: Vec<u32>,
    /// Cluster of every contact of the last range; empty where none was formed.
    pub owners: Vec<u32>,
    pub(super) k_means: KMeansWorkspace,
}

impl ClusteringWorkspace {
    /// Reserves memory for `contacts` contacts of `pairs` pairs of parts.
    pub fn make_room(&mut self, method: ClusteringMethod, contacts: usize, pairs: usize) {
        let kept = method.most_of_a_pair(contacts);
        make_room(&mut self.chosen, (kept * pairs).min(contacts));
        make_room(&mut self.owners, contacts);
        self.k_means.make_room(contacts, kept);
    }

    /// Number of contacts that fit without an allocation.
    #[must_use]
    pub fn room(&self) -> usize {
        self.k_means.room()
    }
}

impl ClusteringMethod {
    /// Its name in files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::KMeans { .. } => "k-means",
            Self::KMeansMean { .. } => "k-means-mean",
            Self::Interaction => "interaction",
        }
    }

    /// Most contacts that are kept of `contacts` of one pair.
    #[must_use]
    pub fn most_of_a_pair(self, contacts: usize) -> usize {
        match self {
            Self::None => contacts,
            Self::KMeans { clusters } | Self::KMeansMean { clusters } => contacts.min(clusters as usize),
            Self::Interaction => contacts.min(INTERACTION_CLUSTERS),
        }
    }

    /// Adds the representatives of the contacts of one pair, which lie in `range`, to `chosen`.
    pub fn choose(self, contacts: &Contacts, range: Range<usize>, workspace: &mut ClusteringWorkspace) {
        let all = range.start as u32..range.end as u32;
        workspace.owners.clear();
        match self {
            _ if self.most_of_a_pair(range.len()) == range.len() => workspace.chosen.extend(all),
            Self::None => workspace.chosen.extend(all),
            Self::KMeans { clusters } | Self::KMeansMean { clusters } => {
                k_means(contacts, range, clusters as usize, workspace);
            }
            Self::Interaction => k_means(contacts, range, INTERACTION_CLUSTERS, workspace),
        }
    }
}

/// The deepest of some contacts, the first among equals.
pub(super) fn deepest(contacts: &Contacts, among: impl Iterator<Item = usize>) -> Option<usize> {
    let deeper = |best: Option<usize>, index: usize| match best {
        Some(best) if contacts.gap[best] <= contacts.gap[index] => Some(best),
        _ => Some(index),
    };
    among.fold(None, deeper)
}
