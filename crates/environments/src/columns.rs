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

    /// Writes the row of an environment.
    pub(crate) fn write(&mut self, index: usize, row: &Row) {
        let (wide, narrow) = (OBSERVATIONS.len(), PRIVILEGED.len());
        self.observation[wide * index..wide * (index + 1)].copy_from_slice(&row.observation);
        self.privileged[narrow * index..narrow * (index + 1)].copy_from_slice(&row.privileged);
        self.reward[index] = row.reward;
        self.terminated[index] = row.terminated;
        self.truncated[index] = row.truncated;
        self.success[index] = row.success;
        self.engaged[index] = row.engaged;
        self.fault[index] = row.fault;
        self.depth[index] = row.depth;
        self.turns[index] = row.turns;
        self.penetration[index] = row.penetration;
        self.audited[index] = row.audited;
        self.peak_force[index] = row.peak_force;
        self.unconverged[index] = row.unconverged;
        self.limits[index] = row.limits;
        self.episode_step[index] = row.episode_step;
    }
}

/// One row of the columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) observation: [f32; OBSERVATIONS.len()],
    pub(crate) privileged: [f32; PRIVILEGED.len()],
    pub(crate) reward: f64,
    pub(crate) terminated: bool,
    pub(crate) truncated: bool,
    pub(crate) success: bool,
    pub(crate) engaged: bool,
    pub(crate) fault: bool,
    pub(crate) depth: f64,
    pub(crate) turns: f64,
    pub(crate) penetration: f64,
    pub(crate) audited: f64,
    pub(crate) peak_force: f64,
    pub(crate) unconverged: u32,
    pub(crate) limits: u32,
    pub(crate) episode_step: u32,
}
