/*!
The contact wrench at recorded states: what a set of methods says of it, and how far that is from what was measured.

```text
Recording ─► LoadModel ─► [Moment] ─► predict: detection, clustering, solving of one step ─► force, torque
 poses        state of the part, spring to the next recorded pose                              │
 measured ──────────────────────────────────────────────────────────────────► WrenchErrors ◄──┘
```

A measured wrench never enters a prediction: [`Moment`] does not hold it. [`LoadModel`] says what the state is taken to be
and where the load comes from; it is the same for every set of methods that are compared.
*/

mod closed_loop;
mod errors;
mod load_model;
mod load_search;
mod moment;
mod predictor;
mod recorded_scene;
mod settled;
mod spring;

pub use closed_loop::closed_loop;
pub use errors::WrenchErrors;
pub use load_model::LoadModel;
pub use load_search::{FittedLoad, LoadSearch, identify_load};
pub use moment::{Moment, Moments};
pub use predictor::WrenchPredictor;
pub use recorded_scene::RecordedScene;
pub use spring::HoldingSpring;
