/*!
Calibration of a scene from force recordings: what the parts, their hold and the sensor really are, with uncertainties.

```text
[Recording] ─► Experiment ─► follow: poses ─► contacts, forces     the simulator's step, part by part of the trial
                                │
                                ├─► sensitivity: d(wrench)/d(unknown), analytic from the contacts that carry load
                                ▼
                              Fit: robust Levenberg-Marquardt ─► Solution: values, 95 % ranges, refusals ─► fitted scene
                                                                 touches: poses that tell most
```

[`Quantity`] lists what can be unknown. A measured wrench never enters a prediction.
*/

#![forbid(unsafe_code)]

mod checkpoint;
mod covariance;
mod error;
mod experiment;
mod explicit_shape;
mod fit;
mod fitted_scene;
mod follow;
mod linear;
mod noise;
mod normal;
mod prior;
mod profile;
mod quantity;
mod scan;
mod sensitivity;
mod setup;
mod shifts;
mod solution;
mod touches;

pub use error::CalibrationError;
pub use experiment::{Experiment, WearChart};
pub use explicit_shape::explicit_shapes;
pub use fit::{Fit, FitOptions, FitProgress};
pub use fitted_scene::fitted_scene;
pub use follow::{Carrying, Follower, Prediction};
pub use quantity::{Pose6, Quantity, Unknown};
pub use sensitivity::slopes;
pub use setup::Setup;
pub use solution::{Correlation, Estimated, Solution, Touched};
pub use touches::{Touch, TouchOptions, plan_touches};
