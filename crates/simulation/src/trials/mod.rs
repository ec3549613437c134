/*!
Trials: one strategy from many start errors, over threads.

The part lies in the hand otherwise than the arm believes, by an error that is drawn for each trial; parameters are the same
for all. The verdict is that of the scene's task on the true poses, whatever the strategy believes.

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

/// How many trials are made, and how large their errors are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trials {
    /// Number of trials.
    pub count: usize,
    /// What the errors are drawn from.
    pub seed: u64,
    /// Largest shift along each axis [m].
    pub shift: f64,
    /// Largest tilt about x and about y [rad].
    pub tilt: f64,
    /// How many of them, from the first on, are audited.
    pub audited: usize,
}

impl Default for Trials {
    fn default() -> Self {
        Self { count: 100, seed: 1, shift: 1e-3, tilt: 1_f64.to_radians(), audited: 0 }
    }
}

impl Trials {
    /// Makes all trials on the threads of the current pool; `follow` is told how many are done. Results are in order, and do not
    /// depend on the number of threads.
    pub fn run(&self, scene: &Scene, follow: impl Fn(usize) + Sync) -> Vec<Trial> {
        let done = AtomicUsize::new(0);
        let one = |number: usize| {
            let (trial, ..) = Trial::make(scene, self, number as u64, number < self.audited);
            follow(1 + done.fetch_add(1, Ordering::Relaxed));
            trial
        };
        // a trial is seconds of work: hand them out one by one
        (0..self.count).into_par_iter().with_max_len(1).map(one).collect()
    }
}
