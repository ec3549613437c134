//! Controllers: from what is measured and wanted to what the drives do in the next step.
//!
//! Each is a function of its arguments alone; what it remembers is a value that goes in and comes out.

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
