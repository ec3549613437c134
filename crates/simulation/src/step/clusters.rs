//! Clustering within the step: representatives are solved, all contacts are projected and certified.

use tightfit_pipeline::clustering::{ClusteringMethod, ClusteringWorkspace};
use tightfit_pipeline::records::Contacts;
use tightfit_spatial::{Vectorise, vectorised};

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
                    for index in &self.chosen.chosen {
                        self.contacts.push_from(&candidates.contacts, *index as usize);
                    }
                }
            }
            self.pair_ends.push(self.contacts.len());
            first = end;
        }
    }
}

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
            vectorised(NormalSpeeds { contacts, first, velocity, out: &mut out[..count] });
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

/// vₙ of the contacts from `first` on [m/s].
struct NormalSpeeds<'a> {
    contacts: &'a Contacts,
    first: usize,
    /// Stacked [v; ω] [m/s, rad/s].
    velocity: &'a [f64],
    out: &'a mut [f64],
}

impl Vectorise for NormalSpeeds<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { contacts, first, velocity, out } = self;
        let one_body = velocity.as_array().filter(|_| contacts.surface_velocity.is_empty());
        let Some(&[vx, vy, vz, wx, wy, wz]) = one_body else {
            for (place, speed) in out.iter_mut().enumerate() {
                let relative = contacts.relative_velocity(first + place, velocity);
                *speed = contacts.normal.get(first + place).dot(&relative);
            }
            return;
        };
        // one free body against parts that stand: every row names it alone, so the columns can be read straight through
        let block = first..first + out.len();
        let (normal, arm) = (&contacts.normal, &contacts.arm_a);
        let (nx, ny, nz) = (&normal.x[block.clone()], &normal.y[block.clone()], &normal.z[block.clone()]);
        let (rx, ry, rz) = (&arm.x[block.clone()], &arm.y[block.clone()], &arm.z[block]);
        for (i, speed) in out.iter_mut().enumerate() {
            *speed = nx[i] * (vx + wy * rz[i] - wz * ry[i])
                + ny[i] * (vy + wz * rx[i] - wx * rz[i])
                + nz[i] * (vz + wx * ry[i] - wy * rx[i]);
        }
    }
}
