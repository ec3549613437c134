/*!
Contact wrenches at recorded states: predictions of a set of methods, and their errors against the measurement.

```text
Recording ─► LoadModel ─► [Moment] ─► predict: detection, clustering, solving of one step ─► force, torque
 poses        state of the part, spring to the next recorded pose                              │
 measured ──────────────────────────────────────────────────────────────────► WrenchErrors ◄──┘
```

A measured contact wrench never enters a prediction: [`Moment`] does not hold it. The load model `measured` uses that of a
second sensor, between hand and part. [`LoadModel`] defines how state and load are derived
from recorded poses. It is the same for every compared set of methods.
*/

mod closed_loop;
mod complete_run;
mod errors;
mod fitted_load;
mod load_model;
mod load_search;
mod moment;
mod predictor;
mod recorded_scene;
mod settled;

pub use closed_loop::closed_loop;
pub use complete_run::{complete_run, measured_run};
pub use errors::WrenchErrors;
pub use fitted_load::FittedLoad;
pub use load_model::LoadModel;
pub use load_search::{LoadSearch, identify_load};
pub use moment::{Moment, Moments};
pub use predictor::WrenchPredictor;
pub use recorded_scene::RecordedScene;
