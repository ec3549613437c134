/*!
Environments for reinforcement learning over a batch of scenes.

A policy moves the set-point of the driven part, once in several simulation steps. The springs of the scene's drive, or the
controller of its arm, pull the part after the set-point, so contact stays compliant.

```text
action ─► SetPoint ─► Batch::advance ─► chart of the part's pose ─► observation, reward, end of the episode
          limited      7 steps of 10 ms    + noise, errors
          lead
```

Every environment has a seed. The episodes of a seed have the same bits alone or in a batch, whatever the number of
threads. [`Environments::on_device`] steps them on a graphics device: the same draws, set-points and rewards, with the states of
its step.

```
use tightfit_environments::{Environments, Kind};

let (scene, options) = Kind::PegInHole.scene_and_options().expect("built in");
let mut environments = Environments::new(scene, 4, 1, options).expect("a scene with a task");
for index in 0..4 {
    environments.reset(index, Some(index as u64)).expect("it exists");
}
let down = [0.0, 0.0, -1.0, 0.0, 0.0, 0.0].repeat(4);
environments.step(&down, |_| true).expect("finite actions");
assert_eq!(environments.columns().reward.len(), 4);
```
*/

#![forbid(unsafe_code)]

mod columns;
mod dimensions;
mod drawn;
mod environments;
mod episode;
mod error;
mod kind;
mod observation;
mod options;
mod rules;
mod set_point;
mod stepper;
mod target;

pub use columns::Columns;
pub use drawn::Drawn;
pub use environments::{ACTIONS, Environments};
pub use error::EnvironmentError;
pub use kind::Kind;
pub use observation::{OBSERVATIONS, PRIVILEGED};
pub use options::{Options, Randomisation, Reward};
pub use set_point::SetPoint;
pub use tightfit_gpu::{Device, DeviceArray};
