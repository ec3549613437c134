//! Force and torque sensors at the wrist or under the table.

mod filter;
mod force_sensor;

pub use filter::{FilterMemory, SensorFilter};
pub use force_sensor::{ForceSensor, Load, SensorError, SensorMemory};
