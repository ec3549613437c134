//! Many environments of one task, stepped together.

use std::time::{Duration, Instant};

use nalgebra::Vector6;
use tightfit_simulation::batch::{AdvanceSummary, Batch, Setup};
use tightfit_simulation::{BodyId, Drive, Limits, Motion, Scene, Task};
use tightfit_spatial::{Pose, SplitMix, Vector3};

use crate::columns::Columns;
use crate::dimensions::Dimensions;
use crate::drawn::Drawn;
use crate::episode::{Episode, generator};
use crate::observation::{OBSERVATIONS, PRIVILEGED, Seen};
use crate::target::Target;
use crate::{EnvironmentError, Options, Reward, SetPoint};

/// Numbers of an action: displacement along x, y, z, tilt about x and y, turn about z; each from -1 to 1.
pub const ACTIONS: usize = 6;

/// How far above its start the set-point may go [m].
const ABOVE_START: f64 = 5e-3;

/// Environments of one task.
pub struct Environments {
    batch: Batch,
    options: Options,
    episodes: Vec<Option<Episode>>,
    columns: Columns,
    base: Setup,
    drive: Drive,
    task: Task,
    moving: BodyId,
    fixed: BodyId,
    free_index: usize,
    dimensions: Dimensions,
    world_from_fixed: Pose,
    start: SetPoint,
    most_steps: u32,
    batch_time: Duration,
}

impl Environments {
    /// `count` environments of a scene with a task, over `threads` threads; 0 uses one per core. A strategy of the scene's
    /// arm is left out: the policy takes its place.
    ///
    /// # Errors
    /// When the scene has no task or no driven part, an option is wrong, or the threads cannot be started.
    pub fn new(
        mut scene: Scene,
        count: usize,
        threads: usize,
        options: Options,
    ) -> Result<Self, EnvironmentError> {
        options.check()?;
        let name = scene.name.clone();
        let refuse = |problem, remedy| EnvironmentError::Scene { scene: name.clone(), problem, remedy };
        let task = scene.task.ok_or_else(|| refuse("has no task", "add a table [task] to it"))?;
        let (Task::Insert { into: fixed, .. } | Task::Thread { onto: fixed, .. }) = task;
        if matches!(task, Task::Insert { along, from, .. } if along.z > -0.999_999 || from != 0.0) {
            return Err(refuse(
                "has a way in that is not −z from the hole's frame",
                "draw the hole with its frame on the mouth",
            ));
        }
        if scene.bodies[fixed].motion != Motion::Fixed {
            return Err(refuse("has a task at a part that moves", "set its motion to \"fixed\""));
        }
        let moving = scene.led_body();
        let free_index = scene
            .free_index(moving)
            .ok_or_else(|| refuse("drives no free part", "add a [drive] or an [arm]"))?;
        let held = scene.arm.as_ref().is_some_and(|arm| arm.body == moving);
        let drive = match scene.drive_of(moving) {
            Some(drive) => Drive { offset: 0.0, tilt: 0.0, wiggle: None, ..drive.clone() },
            None if held => Drive::still(moving, scene.bodies[moving].world_from_part),
            None => return Err(refuse("drives no free part", "add a [drive] or an [arm]")),
        };
        if let Some(arm) = &mut scene.arm {
            arm.strategy = None;
        }
        let world_from_fixed = scene.bodies[fixed].world_from_part;
        let start = SetPoint::of(&(world_from_fixed.inverse() * drive.target(0.0)), drive.angle(0.0));
        let drive = Drive { stream: None, waypoints: vec![start.waypoint(0.0, &world_from_fixed)], ..drive };
        let dimensions = Dimensions::of(&scene, moving, fixed)?;
        let ranges = &options.randomisation;
        let drawn = (ranges.clearance_mm.is_some(), ranges.pitch_mm.is_some());
        if drawn.0 && dimensions == Dimensions::Constant || drawn.1 && dimensions != Dimensions::Thread {
            return Err(EnvironmentError::Option {
                name: "clearance_mm or pitch_mm",
                value: "given".into(),
                allowed: "clearance_mm with peg-50 in hole-50 or m48x5 parts, pitch_mm with m48x5 parts",
            });
        }
        let policy_step = options.substeps as f64 * scene.dt;
        let most_steps = (options.episode_s / policy_step).ceil().max(1.0) as u32;
        Ok(Self {
            base: Setup::of(&scene),
            batch: Batch::new(scene, count, threads)?,
            episodes: vec![None; count],
            columns: Columns::new(count),
            options,
            drive,
            task,
            moving,
            fixed,
            free_index,
            dimensions,
            world_from_fixed,
            start,
            most_steps,
            batch_time: Duration::ZERO,
        })
    }

    /// Number of environments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.batch.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.batch.is_empty()
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The batch that is stepped.
    #[must_use]
    pub fn batch(&self) -> &Batch {
        &self.batch
    }

    /// Time that all steps spent in the batch: the rest of a step is the environments' own.
    #[must_use]
    pub fn batch_time(&self) -> Duration {
        self.batch_time
    }

    /// Policy steps of the longest episode.
    #[must_use]
    pub fn most_steps(&self) -> u32 {
        self.most_steps
    }

    /// Results of the last step or reset.
    #[must_use]
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Seed and number of the episode that an environment is in.
    #[must_use]
    pub fn episode_of(&self, index: usize) -> Option<(u64, u64)> {
        let episode = self.episodes.get(index)?.as_ref()?;
        Some((episode.seed, episode.number))
    }

    /// Begins an episode: the first one of a seed, or the next one of the seed that the environment has.
    ///
    /// # Errors
    /// When there is no such environment, it never had a seed, or an arm cannot reach the drawn start.
    pub fn reset(&mut self, index: usize, seed: Option<u64>) -> Result<(), EnvironmentError> {
        let previous = self.episodes.get(index).and_then(Option::as_ref);
        let (seed, number) = match (seed, previous) {
            (Some(seed), _) => (seed, 0),
            (None, Some(episode)) => (episode.seed, episode.number + 1),
            (None, None) => return Err(EnvironmentError::NotReset(index)),
        };
        let mut random = generator(seed, number);
        let drawn = Drawn::new(&self.options, &mut random);
        let mut setup = self.base.clone();
        if self.options.randomisation.enabled && !self.batch.scene().uncertainty.is_empty() {
            // a stream apart: the other draws stay those of a scene without uncertainty
            let mut apart = SplitMix::stream(generator(seed, number).bits());
            let drawn = self.batch.scene().drawn(&mut apart);
            setup.parameters = drawn.map_err(|error| EnvironmentError::Uncertainty(error.to_string()))?;
        }
        if let Some(friction) = drawn.friction {
            setup = setup.with_friction(friction);
        }
        self.dimensions.apply(&mut setup, self.moving, self.fixed, &drawn)?;
        let set_point = SetPoint {
            position: self.start.position + drawn.start,
            tilt: [self.start.tilt[0] + drawn.tilt[0], self.start.tilt[1] + drawn.tilt[1]],
            angle: self.start.angle + drawn.turn,
        };
        let mut drive = self.drive.clone();
        drive.waypoints = vec![set_point.waypoint(0.0, &self.world_from_fixed)];
        let setup = setup
            .with_drive(self.batch.scene(), drive)?
            .with_sensor_stream(self.batch.scene(), random.bits());
        let part = |body: BodyId| setup.parameters.bodies[body].part.clone();
        let target = Target::new(self.task, &part(self.moving), &part(self.fixed));
        let tare = setup.state.arm.as_ref().map_or_else(Vector6::zeros, |arm| arm.measured);
        self.batch.reset(index, setup)?;
        if self.options.audit {
            self.batch.audit(index)?;
        }
        let angle = set_point.angle;
        let mut episode = Episode {
            seed,
            number,
            random,
            drawn,
            target,
            set_point,
            angle,
            start_angle: angle,
            last_action: [0.0; ACTIONS],
            tare,
            potential: 0.0,
            steps: 0,
        };
        let point = self.part_point(index, angle)?;
        episode.potential = target.judge(&point, angle).potential;
        self.episodes[index] = Some(episode);
        let at = &mut self.columns;
        (at.reward[index], at.terminated[index], at.truncated[index]) = (0.0, false, false);
        let nothing = vec![0.0; 6 * (self.free_index + 1)];
        self.write(index, &AdvanceSummary { impulse: nothing, ..AdvanceSummary::default() })
    }

    /// One policy step of the environments that `is_chosen` names; the actions of the others are ignored.
    ///
    /// # Errors
    /// When the number of actions is wrong, one of a chosen environment is not finite, or it has not been reset. Nothing is
    /// stepped then.
    pub fn step(
        &mut self,
        actions: &[f32],
        is_chosen: impl Fn(usize) -> bool + Sync + Copy,
    ) -> Result<(), EnvironmentError> {
        let count = self.len();
        if actions.len() != ACTIONS * count {
            return Err(EnvironmentError::ActionCount { found: actions.len(), environments: count });
        }
        let rows = || actions.chunks_exact(ACTIONS).enumerate().filter(|(index, _)| is_chosen(*index));
        for (environment, row) in rows() {
            if let Some((column, value)) = row.iter().enumerate().find(|(_, value)| !value.is_finite()) {
                return Err(EnvironmentError::Action { environment, column, value: *value });
            }
            if self.episodes[environment].is_none() {
                return Err(EnvironmentError::NotReset(environment));
            }
        }
        for (index, row) in rows() {
            self.act(index, std::array::from_fn(|column| row[column]))?;
        }
        let start = Instant::now();
        self.batch.advance_where(self.options.substeps, is_chosen);
        self.batch_time += start.elapsed();
        for index in (0..count).filter(|index| is_chosen(*index)) {
            self.conclude(index)?;
        }
        Ok(())
    }

    /// Gives the drive of an environment its set-points for the next policy step.
    fn act(&mut self, index: usize, action: [f32; ACTIONS]) -> Result<(), EnvironmentError> {
        let near = self.episodes[index].as_ref().map_or(0.0, |episode| episode.angle);
        let part = self.part_point(index, near)?;
        let highest = self.start.position.z + self.options.randomisation.start_mm[2] * 1e-3 + ABOVE_START;
        let setup = self.batch.setup(index)?;
        let dt = setup.parameters.dt;
        let time = setup.state.step_count as f64 * dt;
        let Some(episode) = &mut self.episodes[index] else { return Err(EnvironmentError::NotReset(index)) };
        let from = episode.set_point.waypoint(time, &self.world_from_fixed);
        episode.act(action, &part, &self.options, highest);
        let until = time + self.options.substeps as f64 * dt;
        let to = episode.set_point.waypoint(until, &self.world_from_fixed);
        let moving = self.moving;
        if let Some(drive) = self.batch.drives_mut(index)?.iter_mut().find(|drive| drive.body == moving) {
            drive.waypoints.clear();
            drive.waypoints.extend([from, to]);
        }
        Ok(())
    }

    /// Reward and end of a policy step.
    fn conclude(&mut self, index: usize) -> Result<(), EnvironmentError> {
        let near = self.episodes[index].as_ref().map_or(0.0, |episode| episode.angle);
        let point = self.part_point(index, near)?;
        let summary = self.batch.advance_summary(index)?.clone();
        let is_frozen = self.batch.fault(index)?.is_some();
        let Some(episode) = &mut self.episodes[index] else { return Err(EnvironmentError::NotReset(index)) };
        episode.steps += 1;
        episode.angle = point.angle;
        let progress = episode.target.judge(&point, episode.start_angle);
        let options = &self.options;
        let success = if progress.success { options.reward_success } else { 0.0 };
        let peak = summary.peak_force.get(self.free_index).copied().unwrap_or(0.0);
        let reward = match options.reward {
            Reward::Sparse => success,
            Reward::Shaped => {
                let nearer = (progress.potential - episode.potential) / (options.reward_length_mm * 1e-3);
                let beyond = ((peak - options.reward_force_n) / options.reward_force_n).clamp(0.0, 10.0);
                nearer + success - options.reward_step - options.reward_force * beyond
            }
        };
        episode.potential = progress.potential;
        let at = &mut self.columns;
        at.reward[index] = if is_frozen { 0.0 } else { reward };
        at.terminated[index] = progress.success && options.ends_at_success && !is_frozen;
        at.truncated[index] = is_frozen || (!at.terminated[index] && episode.steps >= self.most_steps);
        self.write(index, &summary)
    }

    /// Writes the row of an environment, rewards and ends aside.
    fn write(&mut self, index: usize, summary: &AdvanceSummary) -> Result<(), EnvironmentError> {
        let near = self.episodes[index].as_ref().map_or(0.0, |episode| episode.angle);
        let point = self.part_point(index, near)?;
        let is_frozen = self.batch.fault(index)?.is_some();
        let setup = self.batch.setup(index)?;
        let Some(episode) = &mut self.episodes[index] else { return Err(EnvironmentError::NotReset(index)) };
        let progress = episode.target.judge(&point, episode.start_angle);
        let mut random: SplitMix = episode.random;
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
        let at = &mut self.columns;
        seen.write_observation(&mut random, row(&mut at.observation, index, OBSERVATIONS.len()));
        seen.write_privileged(row(&mut at.privileged, index, PRIVILEGED.len()));
        episode.random = random;
        at.success[index] = progress.success;
        at.engaged[index] = progress.engaged;
        at.fault[index] = is_frozen;
        at.depth[index] = progress.depth;
        at.turns[index] = progress.turns;
        at.penetration[index] = summary.penetration;
        at.audited[index] = summary.audited.unwrap_or(f64::NAN);
        at.peak_force[index] = summary.peak_force.get(self.free_index).copied().unwrap_or(0.0);
        at.unconverged[index] = summary.unconverged as u32;
        at.limits[index] = bits(summary.limits);
        at.episode_step[index] = episode.steps;
        Ok(())
    }

    /// Pose of the driven part against the fixed one.
    fn part_point(&self, index: usize, near: f64) -> Result<SetPoint, EnvironmentError> {
        let setup = self.batch.setup(index)?;
        let motion = &setup.state.motions[self.free_index];
        let center =
            setup.parameters.bodies[self.moving].inertia.map_or_else(Vector3::zeros, |i| i.center_of_mass);
        let world_from_part = Pose::new(motion.center - motion.rotation * center, motion.rotation);
        Ok(SetPoint::of(&(self.world_from_fixed.inverse() * world_from_part), near))
    }
}

fn row(column: &mut [f32], index: usize, width: usize) -> &mut [f32] {
    &mut column[index * width..(index + 1) * width]
}

fn bits(limits: Limits) -> u32 {
    limits.iter().map(|limit| 1_u32 << limit as u8).sum()
}
