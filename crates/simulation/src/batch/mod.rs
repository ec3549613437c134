/*!
Many environments of one scene, stepped over threads.

```text
Scene, nodes (one, shared) ─┬─ lane 0: Workspace ─┬─ the next of n environments: Parameters, State, drive or input,
                            └─ lane 1: Workspace ─┘  nodes of parts of its own, contacts found
```

Every environment is what [`crate::Run`] would make of it alone, to the last bit, whatever the number of threads and
whoever its neighbours are: lanes share nothing but the scene and the queue, and a workspace carries nothing from one environment to
the next. One that cannot go on (a number that is not finite, parameters of another scene) is frozen where it stood
and says why; the others do not notice.

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

mod check;
mod environment;
mod fault;
mod lane;
mod observations;
mod setup;

pub use environment::Control;
pub use fault::{BatchError, Fault};
pub use observations::Observations;
pub use setup::Setup;

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tightfit_pipeline::detection::NodeBlocks;

use crate::step::placed;
use crate::{Certificate, Input, Scene, State};
use environment::Environment;
use lane::Lane;

/// Environments of one scene.
pub struct Batch {
    scene: Scene,
    environments: Vec<Environment>,
    /// Nodes of the scene's own parts, for all environments that have these.
    shared_nodes: Vec<Arc<NodeBlocks>>,
    /// One per thread, lent to one environment after another.
    lanes: Vec<Lane>,
    /// None with a single thread: the caller's serves.
    pool: Option<ThreadPool>,
}

impl Batch {
    /// `count` environments that start as the scene says, over `threads` threads; 0 takes one per core. Noise of the force
    /// sensor is another one in each ([`Setup::with_sensor_stream`]), and that of a run alone in the first.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub fn new(scene: Scene, count: usize, threads: usize) -> Result<Self, BatchError> {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            given => given,
        };
        let pool = (threads > 1).then(|| ThreadPoolBuilder::new().num_threads(threads).build());
        let pool = pool.transpose().map_err(|error| BatchError::Threads(error.to_string()))?;
        let usual = Setup::of(&scene);
        let environment =
            |number| Environment::new(&scene, usual.clone().with_sensor_stream(&scene, number as u64));
        let environments = (0..count).map(environment).collect();
        let shared_nodes: Vec<_> =
            scene.bodies.iter().map(|body| Arc::new(placed(body, &body.part))).collect();
        Ok(Self {
            environments,
            lanes: std::iter::repeat_with(|| Lane::sharing(&shared_nodes)).take(threads).collect(),
            shared_nodes,
            pool,
            scene,
        })
    }

    /// What all of them simulate.
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

    /// Starts one environment anew; a frozen one thaws. What is wrong with the setup freezes it at once and is
    /// among the [`Self::faults`].
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn reset(&mut self, index: usize, setup: Setup) -> Result<(), BatchError> {
        let environment = Environment::new(&self.scene, setup);
        *self.get_mut(index)? = environment;
        Ok(())
    }

    /// Says what leads an environment from now on: its drive, or loads that are given.
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn control(&mut self, index: usize, control: Control) -> Result<(), BatchError> {
        self.get_mut(index)?.control = control;
        Ok(())
    }

    /// What the drive of an environment would do in the next step: a policy may add to it.
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

    /// Several steps of every environment: each takes all of them before the next one's turn, which spares the
    /// threads a meeting after every step.
    pub fn advance(&mut self, steps: usize) {
        let Self { scene, environments, lanes, pool, .. } = self;
        let scene = &*scene;
        // whichever lane is free takes the next one: some have more contacts than others
        let waiting = Mutex::new(environments.iter_mut());
        let walk = |lane: &mut Lane| {
            loop {
                let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(environment) = next else { break };
                environment.advance(scene, lane, steps);
            }
        };
        match pool {
            Some(pool) => pool.install(|| lanes.par_iter_mut().with_max_len(1).for_each(walk)),
            None => lanes.iter_mut().for_each(walk),
        }
    }

    /// Memory of an environment that no other shares, as far as it has taken any [bytes]: state, parameters, drive, nodes
    /// of parts with dimensions of its own, contacts kept for the next step.
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

    /// What was measured of an environment's last step.
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

    /// Reads a free body out of every environment, in columns; frozen ones show where they stopped.
    ///
    /// # Errors
    /// When no free body has this name.
    pub fn observe(&self, body: &str, into: &mut Observations) -> Result<(), BatchError> {
        let unknown = || BatchError::unknown_body(body, &self.scene);
        let place = self.scene.bodies.iter().position(|known| known.name == body).ok_or_else(unknown)?;
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
