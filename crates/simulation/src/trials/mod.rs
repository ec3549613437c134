/*!
Trials: one strategy from many start errors, over threads.

Each trial draws a random error between the true and the assumed pose of the part in the hand; parameters are the same for
all trials. The scene's task judges the true poses, whatever the strategy reports.

```no_run
use tightfit_simulation::{Scene, trials::Trials};

let scene = Scene::find("peg-spiral").expect("built in");
let results = Trials { count: 20, ..Trials::default() }.run(&scene, |_| {});
println!("{} of {}", results.iter().filter(|trial| trial.is_success()).count(), results.len());
```
*/

mod start_error;
mod trial;

pub use start_error::StartError;
pub use trial::Trial;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::Scene;

/// Number of trials, and ranges of their start errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trials {
    /// Number of trials.
    pub count: usize,
    /// Seed of the errors.
    pub seed: u64,
    /// Largest shift along each axis [m].
    pub shift: f64,
    /// Largest tilt about x and about y [rad].
    pub tilt: f64,
    /// Number of trials that are audited, from the first on.
    pub audited: usize,
}

impl Default for Trials {
    fn default() -> Self {
        Self { count: 100, seed: 1, shift: 1e-3, tilt: 1_f64.to_radians(), audited: 0 }
    }
}

impl Trials {
    /// Runs all trials on the threads of the current pool; `follow` receives the number of finished trials. Results
    /// are in order and do not depend on the number of threads.
    pub fn run(&self, scene: &Scene, follow: impl Fn(usize) + Sync) -> Vec<Trial> {
        let done = AtomicUsize::new(0);
        let one = |number: usize| {
            let (trial, ..) = Trial::make(scene, self, number as u64, number < self.audited);
            follow(1 + done.fetch_add(1, Ordering::Relaxed));
            trial
        };
        // A trial takes seconds, so they are distributed one by one.
        (0..self.count).into_par_iter().with_max_len(1).map(one).collect()
    }
}
