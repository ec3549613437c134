//! What actions do, and what a policy step is worth.

use tightfit_simulation::batch::Setup;
use tightfit_simulation::{BodyId, Limits, Waypoint};
use tightfit_spatial::{Pose, Vector3};

use crate::columns::Row;
use crate::episode::Episode;
use crate::observation::Seen;
use crate::stepper::Now;
use crate::target::Progress;
use crate::{ACTIONS, Options, Reward, SetPoint};

/// How far above its start the set-point may go [m].
const ABOVE_START: f64 = 5e-3;

/// What all environments of a task have in common.
pub(crate) struct Rules {
    pub(crate) options: Options,
    pub(crate) moving: BodyId,
    /// The driven body among the free ones.
    pub(crate) free_index: usize,
    pub(crate) world_from_fixed: Pose,
    pub(crate) start: SetPoint,
    /// Policy steps of the longest episode.
    pub(crate) most_steps: u32,
}

impl Rules {
    /// Set-points for the next policy step.
    pub(crate) fn act(&self, setup: &Setup, episode: &mut Episode, action: [f32; ACTIONS]) -> [Waypoint; 2] {
        let part = self.part_point(setup, episode.angle);
        let highest = self.start.position.z + self.options.randomisation.start_mm[2] * 1e-3 + ABOVE_START;
        let dt = setup.parameters.dt;
        let time = setup.state.step_count as f64 * dt;
        let from = episode.set_point.waypoint(time, &self.world_from_fixed);
        episode.act(action, &part, &self.options, highest);
        let until = time + self.options.substeps as f64 * dt;
        [from, episode.set_point.waypoint(until, &self.world_from_fixed)]
    }

    /// The row of an environment at the start of an episode.
    pub(crate) fn first_row(&self, now: &Now, episode: &mut Episode) -> Row {
        let point = self.part_point(now.setup, episode.angle);
        episode.potential = episode.target.judge(&point, episode.angle).potential;
        self.row(now, episode)
    }

    /// The row of an environment after a policy step.
    pub(crate) fn conclude(&self, now: &Now, episode: &mut Episode) -> Row {
        let point = self.part_point(now.setup, episode.angle);
        episode.steps += 1;
        episode.angle = point.angle;
        let Progress { success: is_done, potential, .. } = episode.target.judge(&point, episode.start_angle);
        let options = &self.options;
        let success = if is_done { options.reward_success } else { 0.0 };
        let peak = now.summary.peak_force.get(self.free_index).copied().unwrap_or(0.0);
        let reward = match options.reward {
            Reward::Sparse => success,
            Reward::Shaped => {
                let nearer = (potential - episode.potential) / (options.reward_length_mm * 1e-3);
                let beyond = ((peak - options.reward_force_n) / options.reward_force_n).clamp(0.0, 10.0);
                nearer + success - options.reward_step - options.reward_force * beyond
            }
        };
        episode.potential = potential;
        let terminated = is_done && options.ends_at_success && !now.is_frozen;
        let truncated = now.is_frozen || (!terminated && episode.steps >= self.most_steps);
        let reward = if now.is_frozen { 0.0 } else { reward };
        Row { reward, terminated, truncated, ..self.row(now, episode) }
    }

    /// A row, rewards and ends aside.
    fn row(&self, now: &Now, episode: &mut Episode) -> Row {
        let Now { setup, summary, is_frozen } = *now;
        let point = self.part_point(setup, episode.angle);
        let progress = episode.target.judge(&point, episode.start_angle);
        let mut random = episode.random;
        let seen = Seen {
            options: &self.options,
            episode,
            setup,
            summary,
            fixed_from_world: self.world_from_fixed.rotation.inverse(),
            free_index: self.free_index,
            point,
            depth: progress.depth,
            most_steps: self.most_steps,
        };
        let mut row = Row {
            success: progress.success,
            engaged: progress.engaged,
            fault: is_frozen,
            depth: progress.depth,
            turns: progress.turns,
            penetration: summary.penetration,
            audited: summary.audited.unwrap_or(f64::NAN),
            peak_force: summary.peak_force.get(self.free_index).copied().unwrap_or(0.0),
            unconverged: summary.unconverged as u32,
            limits: bits(summary.limits),
            episode_step: episode.steps,
            ..Row::default()
        };
        seen.write_observation(&mut random, &mut row.observation);
        seen.write_privileged(&mut row.privileged);
        episode.random = random;
        row
    }

    /// Pose of the driven part against the fixed one; its angle is the one nearest to `near` [rad].
    fn part_point(&self, setup: &Setup, near: f64) -> SetPoint {
        let motion = &setup.state.motions[self.free_index];
        let center =
            setup.parameters.bodies[self.moving].inertia.map_or_else(Vector3::zeros, |i| i.center_of_mass);
        let world_from_part = Pose::new(motion.center - motion.rotation * center, motion.rotation);
        SetPoint::of(&(self.world_from_fixed.inverse() * world_from_part), near)
    }
}

fn bits(limits: Limits) -> u32 {
    limits.iter().map(|limit| 1_u32 << limit as u8).sum()
}
