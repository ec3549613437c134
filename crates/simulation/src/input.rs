//! What acts on the bodies during one step.

use tightfit_pipeline::integration::Coupling;
use tightfit_spatial::{Pose, Wrench};

/// Loads and targets of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// Spring and damper of every free body, where it has one.
    pub couplings: Vec<Option<Coupling>>,
    /// External wrench on every free body, gravity aside.
    pub wrenches: Vec<Wrench>,
    /// Pose of every kinematic part at the end of the step.
    pub kinematic: Vec<Pose>,
}
