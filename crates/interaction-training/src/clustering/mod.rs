/*!
Training of the interaction network from measured wrenches (paper 3.2, 5.2).

```text
Recording ─► LoadModel ─► moments ─► batch of the generation, the same for all candidates
                                       │
Search (CMA-ES) ─► parameters ─► step: detection, interaction clustering, SOR ─► wrench ─► cost ─► Search
```

The paper searches all 3,246 parameters by CMA-ES. [`Subset`] lets a search start with fewer: the last layers, then the object
networks, then all. [`spread_start`] is the start network: clusters at the outermost contacts in twelve directions, normals
unchanged. A random network would put all twelve clusters at the mean of all contacts. [`braced_start`] also turns
normals to the side that carries the load.
*/

mod progress;
mod ranges;
mod recipe;
mod start;
mod subset;
mod surface;
mod train;

pub use progress::ClusteringProgress;
pub use ranges::input_ranges;
pub use recipe::ClusteringRecipe;
pub use start::{braced_start, spread_start};
pub use subset::Subset;
pub use surface::{interaction_pair, plain_surface};
pub use train::{TrainedClustering, train_clustering};
