/*!
Many environments of one scene, stepped over threads.

```text
Scene, nodes (one, shared) ─┬─ lane 0: Workspace ─┬─ the next of n environments: Parameters, State, drive or input,
                            └─ lane 1: Workspace ─┘  nodes of its modified parts, contacts found
```

Every environment gives the same result as a [`crate::Simulation`] alone, to the last bit, whatever the number of threads and the
other environments. Lanes share only the scene and the queue, and a workspace carries nothing from one environment to the
next. An environment with a fault (a number that is not finite, parameters of another scene) is frozen in its last state
and reports the reason; the others are not affected.

```
use tightfit_simulation::batch::{Batch, Observations, Setup};
use tightfit_simulation::Scene;

let scene = Scene::find("peg-in-hole").expect("built in");
let mut batch = Batch::new(scene, 4, 2).expect("threads can be started");
let slippery = Setup::of(batch.scene()).with_friction(0.05);
batch.reset(2, slippery).expect("environment 2 exists");
for _ in 0..10 {
    batch.step();
}
let mut seen = Observations::default();
batch.observe("peg", &mut seen).expect("the peg is free");
assert_eq!(seen.position.len(), 4);
assert_eq!(batch.faults().count(), 0);
```
*/

mod advance_summary;
mod check;
mod environment;
mod fault;
mod lane;
mod observations;
mod setup;
mod threads;

pub use advance_summary::AdvanceSummary;
pub use environment::Control;
pub use fault::{BatchError, Fault};
pub use observations::Observations;
pub use setup::Setup;

use std::sync::{Arc, Mutex, PoisonError};

use tightfit_pipeline::detection::NodeBlocks;

use crate::step::placed;
use crate::{Audit, Certificate, Drive, Input, Scene, State};
use environment::Environment;
use lane::Lane;
use threads::Threads;

/// Environments of one scene.
pub struct Batch {
    scene: Scene,
    environments: Vec<Environment>,
    /// Nodes of the scene's parts, for all environments that do not modify them.
    shared_nodes: Vec<Arc<NodeBlocks>>,
    /// One workspace per thread, used by one environment after another.
    lanes: Vec<Lane>,
    threads: Threads,
}

impl Batch {
    /// `count` environments with the start of the scene, over `threads` threads; 0 uses one per core. Each
    /// environment has its own noise of the force sensor ([`Setup::with_sensor_stream`]); the first has that of a
    /// single run.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub fn new(scene: Scene, count: usize, threads: usize) -> Result<Self, BatchError> {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            given => given,
        };
        let threads = Threads::start(threads)?;
        let usual = Setup::of(&scene);
        let environment =
            |number| Environment::new(&scene, usual.clone().with_sensor_stream(&scene, number as u64));
        let environments = (0..count).map(environment).collect();
        let shared_nodes: Vec<_> =
            scene.bodies.iter().map(|body| Arc::new(placed(&scene, body, &body.part))).collect();
        Ok(Self {
            environments,
            lanes: std::iter::repeat_with(|| Lane::sharing(&shared_nodes)).take(threads.count()).collect(),
            shared_nodes,
            threads,
            scene,
        })
    }

    /// The scene of all environments.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Number of environments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.environments.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.environments.is_empty()
    }

    /// Restarts one environment, frozen or not. An invalid setup freezes it at once and appears in [`Self::faults`].
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn reset(&mut self, index: usize, setup: Setup) -> Result<(), BatchError> {
        let environment = Environment::new(&self.scene, setup);
        *self.get_mut(index)? = environment;
        Ok(())
    }

    /// Audits every step of an environment until its next reset; [`Self::advance_summary`] has the result.
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn audit(&mut self, index: usize) -> Result<(), BatchError> {
        let audit = Audit::new(&self.scene, &self.get(index)?.setup.parameters);
        self.get_mut(index)?.audit = Some(audit);
        Ok(())
    }

    /// Sets the source of an environment's inputs: its drive, or a given input.
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn control(&mut self, index: usize, control: Control) -> Result<(), BatchError> {
        self.get_mut(index)?.control = control;
        Ok(())
    }

    /// Input of an environment's drive for the next step, which a policy may modify.
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn drive_input(&self, index: usize) -> Result<Input, BatchError> {
        Ok(self.get(index)?.drive_input(&self.scene))
    }

    /// One step of every environment that is not frozen.
    pub fn step(&mut self) {
        self.advance(1);
    }

    /// Several steps of every environment. Each environment takes all its steps at once, which saves a
    /// synchronisation after every step.
    pub fn advance(&mut self, steps: usize) {
        self.advance_where(steps, |_| true);
    }

    /// Several steps of the environments that `is_chosen` names by their index.
    pub fn advance_where(&mut self, steps: usize, is_chosen: impl Fn(usize) -> bool + Sync) {
        let Self { scene, environments, lanes, threads, .. } = self;
        let scene = &*scene;
        // A free lane takes the next environment, since some have more contacts than others.
        let chosen = environments.iter_mut().enumerate().filter(|(index, _)| is_chosen(*index));
        let waiting = Mutex::new(chosen);
        let walk = |lane: &mut Lane| {
            loop {
                let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((_, environment)) = next else { break };
                environment.advance(scene, lane, steps);
            }
        };
        threads.each(lanes, walk);
    }

    /// Unshared memory of an environment [bytes]: state, parameters, drive, nodes of modified parts, contacts kept
    /// for the next step.
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn environment_bytes(&self, index: usize) -> Result<usize, BatchError> {
        Ok(self.get(index)?.bytes(&self.shared_nodes))
    }

    /// State of an environment.
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn state(&self, index: usize) -> Result<&State, BatchError> {
        Ok(&self.get(index)?.setup.state)
    }

    /// Parameters, state and drives of an environment.
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn setup(&self, index: usize) -> Result<&Setup, BatchError> {
        Ok(&self.get(index)?.setup)
    }

    /// The drives of an environment, whose set-points may be changed between steps.
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn drives_mut(&mut self, index: usize) -> Result<&mut [Drive], BatchError> {
        Ok(&mut self.get_mut(index)?.setup.drives)
    }

    /// What the steps of an environment's last [`Self::advance`] came to together.
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn advance_summary(&self, index: usize) -> Result<&AdvanceSummary, BatchError> {
        Ok(&self.get(index)?.summary)
    }

    /// Why an environment is frozen, if it is.
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn fault(&self, index: usize) -> Result<Option<&Fault>, BatchError> {
        Ok(self.get(index)?.fault.as_ref())
    }

    /// Certificate of an environment's last step.
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn certificate(&self, index: usize) -> Result<&Certificate, BatchError> {
        Ok(&self.get(index)?.certificate)
    }

    /// The frozen environments, each with its index and the reason.
    pub fn faults(&self) -> impl Iterator<Item = (usize, &Fault)> {
        let environments = self.environments.iter().enumerate();
        environments.filter_map(|(index, environment)| Some((index, environment.fault.as_ref()?)))
    }

    /// Reads a free body of every environment, in columns; frozen environments give their last state.
    ///
    /// # Errors
    /// When no free body has this name.
    pub fn observe(&self, body: &str, into: &mut Observations) -> Result<(), BatchError> {
        let unknown = || BatchError::unknown_body(body, &self.scene);
        let place = self.scene.body(body).ok_or_else(unknown)?;
        let index = self.scene.free_index(place).ok_or_else(unknown)?;
        into.clear();
        self.environments.iter().for_each(|environment| into.push(environment, &self.scene, place, index));
        Ok(())
    }

    fn get(&self, index: usize) -> Result<&Environment, BatchError> {
        let count = self.len();
        self.environments.get(index).ok_or(BatchError::NoEnvironment { index, count })
    }

    fn get_mut(&mut self, index: usize) -> Result<&mut Environment, BatchError> {
        let count = self.len();
        self.environments.get_mut(index).ok_or(BatchError::NoEnvironment { index, count })
    }
}
