//! Clustering within the step: representatives are solved, all contacts are projected and certified.

use nalgebra::Vector3;
use tightfit_pipeline::clustering::{ClusteringMethod, ClusteringWorkspace};
use tightfit_pipeline::records::{Contacts, normal_speeds};

use super::contact_problem::ContactProblem;
use super::context::Piece;
use super::detection::Candidates;
use super::interaction::{InteractionScratch, interact};
use crate::Certificate;

/// Representatives of the candidates, and the buffers that choose them.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    pub(super) contacts: Contacts,
    /// Where the representatives of each pair end.
    pub(super) pair_ends: Vec<usize>,
    pub(super) chosen: ClusteringWorkspace,
    pub(super) interaction: InteractionScratch,
}

impl Clusters {
    /// Chooses the representatives of every pair; `start` are the velocities at the start of the piece.
    pub(super) fn choose(&mut self, piece: &Piece, start: &[f64], candidates: &Candidates) {
        let (scene, method) = (piece.context.scene, piece.context.methods().clustering);
        self.contacts.clear();
        self.pair_ends.clear();
        let mut first = 0;
        for (pair, &end) in candidates.pair_ends.iter().enumerate() {
            let network = scene.interaction.as_ref().filter(|own| own.is_of(&scene.contacts[pair]));
            match network.filter(|_| method == ClusteringMethod::Interaction) {
                Some(own) => {
                    let (all, scratch) = (&candidates.contacts, &mut self.interaction);
                    interact(piece, own, pair, first..end, start, all, scratch, &mut self.contacts);
                }
                None => {
                    self.chosen.chosen.clear();
                    method.choose(&candidates.contacts, first..end, &mut self.chosen);
                    let begin = self.contacts.len();
                    for index in &self.chosen.chosen {
                        self.contacts.push_from(&candidates.contacts, *index as usize);
                    }
                    if matches!(method, ClusteringMethod::KMeansMean { .. }) {
                        take_means(&candidates.contacts, first, &self.chosen, begin, &mut self.contacts);
                    }
                }
            }
            self.pair_ends.push(self.contacts.len());
            first = end;
        }
    }
}

/// Replaces the deepest contact of each cluster, from `begin` on, by the mean of its contacts, which lie from `first` on.
fn take_means(
    all: &Contacts,
    first: usize,
    clusters: &ClusteringWorkspace,
    begin: usize,
    contacts: &mut Contacts,
) {
    if clusters.owners.is_empty() {
        return;
    }
    for (place, deepest) in (begin..).zip(&clusters.chosen) {
        let own = clusters.owners[*deepest as usize - first];
        let members = (first..).zip(&clusters.owners).filter(|(_, owner)| **owner == own);
        let (mut count, mut gap) = (0.0, 0.0);
        let [mut arm, mut normal] = [Vector3::zeros(); 2];
        for (index, _) in members {
            count += 1.0;
            gap += all.gap[index];
            arm += all.arm_a.get(index);
            normal += all.normal.get(index);
        }
        contacts.gap[place] = gap / count;
        contacts.arm_a.set(place, arm / count);
        // opposite normals may cancel: the deepest contact's stays
        if let Some(normal) = normal.try_normalize(CANCELLED * count) {
            contacts.normal.set(place, normal);
        }
    }
}

/// Mean of unit normals that is shorter has no direction [-].
const CANCELLED: f64 = 1e-6;

/// Books the largest −(vₙ + b) over all contacts that representatives were solved for, b from φ⁺/T and v₀ₙ by `allowed` [m/s].
pub(super) fn judge_left_out(
    piece: &Piece,
    problem: &ContactProblem,
    start: &[f64],
    end: &[f64],
    certificate: &mut Certificate,
    allowed: impl Fn(f64, f64) -> f64,
) {
    let Some(contacts) = problem.represented.as_deref() else { return };
    let (mut at_start, mut at_end) = ([0.0; TOGETHER], [0.0; TOGETHER]);
    for first in (0..contacts.len()).step_by(TOGETHER) {
        let count = TOGETHER.min(contacts.len() - first);
        for (velocity, out) in [(start, &mut at_start), (end, &mut at_end)] {
            normal_speeds(contacts, first..first + count, velocity, &mut out[..count]);
        }
        for place in (0..count).filter(|place| !piece.waits(contacts, first + place)) {
            let closing = contacts.gap[first + place].max(0.0) / piece.span.duration;
            let beyond = -(at_end[place] + allowed(closing, at_start[place]));
            certificate.left_out = certificate.left_out.max(beyond);
        }
    }
}

/// Contacts whose speeds are taken together: they stay in the nearest cache.
const TOGETHER: usize = 256;
