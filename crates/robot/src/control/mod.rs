//! Controllers: from measurements and targets to the drive command of the next step.
//!
//! Each controller is a pure function of its arguments; its memory is an argument and a result.

mod admittance;
mod error;
mod impedance;
mod joint_controller;
mod posture;
mod set_points;

pub use admittance::{Admittance, AdmittanceGains, AdmittanceMemory, AdmittanceOutput};
pub use error::ControlError;
pub use impedance::{CartesianImpedance, ImpedanceGains, Posed};
pub use joint_controller::{JointController, JointTarget};
pub use posture::next_angles;
pub use set_points::{SetPointError, SetPoints};
