/*!
Tightfit simulates contact-intensive, tight-tolerance robotic assembly.

This crate gathers what users import:
- [`scene`]: scenes, runs, certificates and their assessment, logs, batches, trials
- [`shape`]: parts by dimensions and meshes, the mesh doctor
- [`robot`]: arms, controllers, force sensors, grasps, strategies
- [`spatial`]: poses, twists, wrenches, inertia
- [`network`]: small networks with their gradient; `learning` (feature `learning`): how they are trained,
  `interaction` and `interaction_training`: learned contact clustering
- [`pipeline`]: the stages of a step, and the types of contacts, states and methods that they pass on
- [`report`]: HTML reports
- `haptics` (feature `haptics`): a hand that holds and feels a part
- [`viewer`]: the page that shows a run, its protocol and its server

The examples `controller`, `own_parts`, `first_run`, `own_loop`, `branch` and `batch` show how they are used. Features: `cli` (default) is the program;
`clock`, `haptics`, `learning`, `parallel` and `parquet` can be chosen one by one with `default-features = false`.

```
use tightfit::shape::preset::preset;
use tightfit::spatial::Vector3;

let hole = preset("hole-50").expect("a built-in part");
// 10 um inside the wall, 20 mm below the mouth
let sample = hole.sample(Vector3::new(0.025_0175 + 10e-6, 0.0, -0.02));
assert!((sample.distance + 10e-6).abs() < 1e-15);
assert!((sample.normal.x + 1.0).abs() < 1e-15);
```
*/

#![forbid(unsafe_code)]

// the program's modules import this library by the name that users write
#[cfg(feature = "cli")]
extern crate self as tightfit;

#[cfg(feature = "cli")]
mod commands;
#[cfg(feature = "cli")]
mod cpu_clock;
#[cfg(feature = "cli")]
mod output;
#[cfg(feature = "cli")]
pub mod program;
#[cfg(feature = "cli")]
mod progress;
pub mod report;
#[cfg(feature = "cli")]
mod table;

#[cfg(feature = "learning")]
pub use tightfit_calibration as calibration;
#[cfg(feature = "gpu")]
pub use tightfit_gpu as gpu;
#[cfg(feature = "haptics")]
pub use tightfit_haptics as haptics;
pub use tightfit_interaction as interaction;
#[cfg(feature = "learning")]
pub use tightfit_interaction_training as interaction_training;
#[cfg(feature = "learning")]
pub use tightfit_learning as learning;
pub use tightfit_network as network;
pub use tightfit_pipeline as pipeline;
pub use tightfit_robot as robot;
pub use tightfit_shape as shape;
pub use tightfit_simulation as scene;
pub use tightfit_spatial as spatial;
pub use tightfit_viewer as viewer;

/// The README's Rust snippets are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
