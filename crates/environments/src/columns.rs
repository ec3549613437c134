//! What the last step or reset of all environments came to, in columns.

use crate::observation::{OBSERVATIONS, PRIVILEGED};

/// One row per environment. Rows of environments that were not chosen keep their last values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Columns {
    /// Observations, [`OBSERVATIONS`] per environment.
    pub observation: Vec<f32>,
    /// Privileged observations, [`PRIVILEGED`] per environment.
    pub privileged: Vec<f32>,
    /// Reward of the policy step.
    pub reward: Vec<f64>,
    /// Whether the task ended the episode.
    pub terminated: Vec<bool>,
    /// Whether time or a fault ended the episode.
    pub truncated: Vec<bool>,
    /// Whether the task is done.
    pub success: Vec<bool>,
    /// Whether the parts are engaged.
    pub engaged: Vec<bool>,
    /// Whether the environment is frozen by a fault.
    pub fault: Vec<bool>,
    /// Depth of a peg, or overlap of nut and bolt [m].
    pub depth: Vec<f64>,
    /// Turns since the start of the episode, positive when a nut goes on.
    pub turns: Vec<f64>,
    /// Deepest penetration by the certificates of the policy step [m].
    pub penetration: Vec<f64>,
    /// Deepest penetration by the audit over the policy step [m]; NaN without audit.
    pub audited: Vec<f64>,
    /// Largest contact force of a simulation step [N].
    pub peak_force: Vec<f64>,
    /// Simulation steps that did not converge.
    pub unconverged: Vec<u32>,
    /// Limits that were hit: bit i is entry i of `Limit::ALL`.
    pub limits: Vec<u32>,
    /// Policy steps of the episode.
    pub episode_step: Vec<u32>,
}

impl Columns {
    pub(crate) fn new(count: usize) -> Self {
        Self {
            observation: vec![0.0; count * OBSERVATIONS.len()],
            privileged: vec![0.0; count * PRIVILEGED.len()],
            reward: vec![0.0; count],
            terminated: vec![false; count],
            truncated: vec![false; count],
            success: vec![false; count],
            engaged: vec![false; count],
            fault: vec![false; count],
            depth: vec![0.0; count],
            turns: vec![0.0; count],
            penetration: vec![0.0; count],
            audited: vec![f64::NAN; count],
            peak_force: vec![0.0; count],
            unconverged: vec![0; count],
            limits: vec![0; count],
            episode_step: vec![0; count],
        }
    }
}
