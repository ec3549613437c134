/*!
Small networks as scalar fields over space.

[`Network`] is a multilayer perceptron with one output. [`Inference`] evaluates it with its gradient on the fastest
vector instructions of the processor. [`Field`] adds features and scaling, [`FieldFile`] is its file format, and
[`training`] fits it to samples. This crate does not know parts; the `learning` crate samples them.

```
use tightfit_network::{Activation, Inference, InferenceScratch, Network, Random};

let mut random = Random::new(1);
let network = Network::random(&[3, 64, 64, 64, 1], Activation::Relu, Activation::Tanh, &mut random)?;
let inference = Inference::new(&network);
let (x, y, z) = ([0.1, 0.2], [0.3, 0.4], [0.5, 0.6]);
let (mut values, mut gradients) = ([0.0; 2], [0.0; 6]);
let mut scratch = InferenceScratch::default();
inference.values_and_gradients(&[x, y, z].concat(), &mut values, &mut gradients, &mut scratch)?;
# Ok::<(), tightfit_network::NetworkError>(())
```
*/

mod activation;
mod chart;
mod cspace_field;
mod error;
mod features;
mod field;
mod file;
mod inference;
mod kernel;
mod network;
mod peak;
mod primitive;
mod random;
mod scaling;
pub mod training;

pub use activation::Activation;
pub use chart::{COORDINATES, ChartSymmetry, Charted, CspaceChart, LocalChart};
pub use cspace_field::{CspaceField, CspaceFile, MOST_AT_ONCE};
pub use error::NetworkError;
pub use features::{Features, MOST_FEATURES};
pub use field::{Field, FieldScratch};
pub use file::{FieldFile, KEY as METADATA_KEY, hash as content_hash, read_whole, write_whole};
pub use inference::{Inference, InferenceScratch};
pub use network::{Layer, Network};
pub use peak::fused_multiply_add_rate;
pub use primitive::{Primitive, Residual};
pub use random::Random;
pub use scaling::Range;
