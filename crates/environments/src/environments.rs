//! Many environments of one task, stepped together.

use std::time::{Duration, Instant};

use nalgebra::Vector6;
use tightfit_gpu::{Device, DeviceArray, GpuBatch};
use tightfit_simulation::batch::{AdvanceSummary, Batch, Fault, Setup};
use tightfit_simulation::{BodyId, Drive, Motion, Scene, State, Task};
use tightfit_spatial::SplitMix;

use crate::columns::Columns;
use crate::dimensions::Dimensions;
use crate::drawn::Drawn;
use crate::episode::{Episode, generator};
use crate::rules::Rules;
use crate::stepper::{Now, Stepper};
use crate::target::Target;
use crate::{EnvironmentError, Options, SetPoint};

/// Numbers of an action: displacement along x, y, z, tilt about x and y, turn about z; each from -1 to 1.
pub const ACTIONS: usize = 6;

/// Environments of one task.
pub struct Environments {
    stepper: Stepper,
    rules: Rules,
    episodes: Vec<Option<Episode>>,
    columns: Columns,
    base: Setup,
    drive: Drive,
    task: Task,
    fixed: BodyId,
    dimensions: Dimensions,
    batch_time: Duration,
}

impl Environments {
    /// `count` environments of a scene with a task, over `threads` threads; 0 uses one per core. A strategy of the scene's
    /// arm is left out: the policy takes its place.
    ///
    /// # Errors
    /// When the scene has no task or no driven part, an option is wrong, or the threads cannot be started.
    pub fn new(
        scene: Scene,
        count: usize,
        threads: usize,
        options: Options,
    ) -> Result<Self, EnvironmentError> {
        Self::stepped_by(scene, options, |scene| Ok(Stepper::Processor(Batch::new(scene, count, threads)?)))
    }

    /// The same on a graphics device: the same episodes, with the states of its step.
    ///
    /// # Errors
    /// As [`Self::new`], and when the device cannot be used or does not have something of the scene.
    pub fn on_device(
        scene: Scene,
        count: usize,
        device: &Device,
        options: Options,
    ) -> Result<Self, EnvironmentError> {
        if options.audit {
            return Err(EnvironmentError::Option {
                name: "audit",
                value: "true".into(),
                allowed: "false on a graphics device; device=\"cpu\" audits",
            });
        }
        Self::stepped_by(scene, options, |scene| {
            Ok(Stepper::Device(Box::new(GpuBatch::new(scene, count, device)?)))
        })
    }

    fn stepped_by(
        mut scene: Scene,
        options: Options,
        make: impl FnOnce(Scene) -> Result<Stepper, EnvironmentError>,
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
        let base = Setup::of(&scene);
        let stepper = make(scene)?;
        let count = stepper.len();
        Ok(Self {
            stepper,
            rules: Rules { options, moving, free_index, world_from_fixed, start, most_steps },
            episodes: vec![None; count],
            columns: Columns::new(count),
            base,
            drive,
            task,
            fixed,
            dimensions,
            batch_time: Duration::ZERO,
        })
    }

    /// Number of environments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stepper.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.rules.options
    }

    /// State of an environment; on a device its motion alone.
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn state(&self, index: usize) -> Result<&State, EnvironmentError> {
        Ok(&self.stepper.setup(index)?.state)
    }

    /// Why an environment is frozen, if it is.
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn fault(&self, index: usize) -> Result<Option<&Fault>, EnvironmentError> {
        self.stepper.fault(index)
    }

    /// Memory of an environment that no other one shares [bytes].
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn environment_bytes(&self, index: usize) -> Result<usize, EnvironmentError> {
        self.stepper.bytes(index)
    }

    /// Time that all steps spent in the batch: the rest of a step is the environments' own.
    #[must_use]
    pub fn batch_time(&self) -> Duration {
        self.batch_time
    }

    /// Policy steps of the longest episode.
    #[must_use]
    pub fn most_steps(&self) -> u32 {
        self.rules.most_steps
    }

    /// Results of the last step or reset.
    #[must_use]
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// The observations of the last step or reset in the memory of the device; `None` on the processor.
    ///
    /// # Errors
    /// When the device fails.
    pub fn device_observations(&self) -> Result<Option<DeviceArray>, EnvironmentError> {
        match &self.stepper {
            Stepper::Processor(_) => Ok(None),
            Stepper::Device(batch) => Ok(batch.upload(&self.columns.observation)?),
        }
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
        self.reset_many(&[(index, seed)])
    }

    /// Begins many episodes at once.
    ///
    /// # Errors
    /// As [`Self::reset`]; then none is begun.
    pub fn reset_many(&mut self, seeds: &[(usize, Option<u64>)]) -> Result<(), EnvironmentError> {
        let begun =
            self.stepper.map(seeds.to_vec(), |(index, seed)| Ok((index, self.episode(index, seed)?)))?;
        let (mut setups, mut episodes) = (Vec::new(), Vec::new());
        for (index, (setup, episode)) in begun {
            setups.push((index, setup));
            episodes.push((index, episode));
        }
        self.stepper.reset_many(setups)?;
        let nothing = vec![0.0; 6 * (self.rules.free_index + 1)];
        let summary = AdvanceSummary { impulse: nothing, ..AdvanceSummary::default() };
        for (index, mut episode) in episodes {
            if self.rules.options.audit {
                self.stepper.audit(index)?;
            }
            let Now { setup, is_frozen, .. } = self.stepper.now(index)?;
            let now = Now { setup, summary: &summary, is_frozen };
            let row = self.rules.first_row(&now, &mut episode);
            self.columns.write(index, &row);
            self.episodes[index] = Some(episode);
        }
        Ok(())
    }

    /// The start of an episode.
    fn episode(&self, index: usize, seed: Option<u64>) -> Result<(Setup, Episode), EnvironmentError> {
        let Rules { options, moving, start, world_from_fixed, .. } = &self.rules;
        let scene = self.stepper.scene();
        let previous = self.episodes.get(index).and_then(Option::as_ref);
        let (seed, number) = match (seed, previous) {
            (Some(seed), _) => (seed, 0),
            (None, Some(episode)) => (episode.seed, episode.number + 1),
            (None, None) => return Err(EnvironmentError::NotReset(index)),
        };
        let mut random = generator(seed, number);
        let drawn = Drawn::new(options, &mut random);
        let mut setup = self.base.clone();
        if options.randomisation.enabled && !scene.uncertainty.is_empty() {
            // a stream apart: the other draws stay those of a scene without uncertainty
            let mut apart = SplitMix::stream(generator(seed, number).bits());
            let drawn = scene.drawn(&mut apart);
            setup.parameters = drawn.map_err(|error| EnvironmentError::Uncertainty(error.to_string()))?;
        }
        if let Some(friction) = drawn.friction {
            setup = setup.with_friction(friction);
        }
        self.dimensions.apply(&mut setup, *moving, self.fixed, &drawn)?;
        let set_point = SetPoint {
            position: start.position + drawn.start,
            tilt: [start.tilt[0] + drawn.tilt[0], start.tilt[1] + drawn.tilt[1]],
            angle: start.angle + drawn.turn,
        };
        let mut drive = self.drive.clone();
        drive.waypoints = vec![set_point.waypoint(0.0, world_from_fixed)];
        let setup = setup.with_drive(scene, drive)?.with_sensor_stream(scene, random.bits());
        let part = |body: BodyId| setup.parameters.bodies[body].part.clone();
        let target = Target::new(self.task, &part(*moving), &part(self.fixed));
        let tare = setup.state.arm.as_ref().map_or_else(Vector6::zeros, |arm| arm.measured);
        let angle = set_point.angle;
        let episode = Episode {
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
        Ok((setup, episode))
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
        let Self { stepper, rules, episodes, columns, .. } = self;
        let points = stepper.map(chosen(episodes, is_chosen), |(index, episode)| {
            let row = &actions[ACTIONS * index..ACTIONS * (index + 1)];
            let action = std::array::from_fn(|column| row[column]);
            Ok((index, rules.act(stepper.setup(index)?, episode, action)))
        })?;
        let start = Instant::now();
        stepper.set_waypoints(rules.moving, points)?;
        stepper.advance_where(rules.options.substeps, is_chosen)?;
        self.batch_time += start.elapsed();
        let found = stepper.map(chosen(episodes, is_chosen), |(index, episode)| {
            Ok((index, rules.conclude(&stepper.now(index)?, episode)))
        })?;
        found.iter().for_each(|(index, row)| columns.write(*index, row));
        Ok(())
    }
}

/// The episodes of the chosen environments.
fn chosen(episodes: &mut [Option<Episode>], is_chosen: impl Fn(usize) -> bool) -> Vec<(usize, &mut Episode)> {
    let all = episodes.iter_mut().enumerate().filter(|(index, _)| is_chosen(*index));
    all.filter_map(|(index, episode)| Some((index, episode.as_mut()?))).collect()
}
