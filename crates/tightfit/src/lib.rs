/*!
Tightfit simulates contact-intensive, tight-tolerance robotic assembly.

This crate is the door: it gathers what users import. [`shape`] holds parts and the mesh doctor, [`scene`] the
scenes, [`spatial`] poses, twists, wrenches and inertia, [`network`] small networks with
their gradient, [`learning`] their training and recordings, [`interaction`] and [`interaction_training`] the learned contact
clustering, [`robot`] arms, [`report`] the HTML report of runs. The examples
`first_run`, `own_loop`, `branch` and `batch` of this crate show how they are used.

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

pub mod report;

pub use tightfit_interaction as interaction;
pub use tightfit_interaction_training as interaction_training;
pub use tightfit_learning as learning;
pub use tightfit_network as network;
pub use tightfit_robot as robot;
pub use tightfit_shape as shape;
pub use tightfit_simulation as scene;
pub use tightfit_spatial as spatial;
