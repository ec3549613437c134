/*!
Training and evaluation of the interaction network, the paper's learned contact clustering.

[`clustering`] trains the network from measured wrenches by [`cma_es`]; [`embedding`] embeds a part's surface;
[`wrench`] predicts contact wrenches at recorded states and compares them with the measured ones;
[`virtual_experiment`] generates synthetic recordings; [`inrol`] imports the assets that the paper's authors published.
*/

#![forbid(unsafe_code)]

pub mod clustering;
pub mod cma_es;
pub mod embedding;
pub mod inrol;
pub mod virtual_experiment;
pub mod wrench;

pub use tightfit_learning::LearningError;
