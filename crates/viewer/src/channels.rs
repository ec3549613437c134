//! The numbers of a state frame: names, units and order.

use serde::Serialize;

/// A number of every state frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Channel {
    /// Name in the protocol.
    pub name: &'static str,
    /// SI unit; `-` for pure numbers and counts.
    pub unit: &'static str,
}

macro_rules! channels {
    ($($name:ident $unit:literal),* $(,)?) => {
        /// Every channel, in the order of the frame.
        pub const CHANNELS: &[Channel] = &[$(Channel { name: stringify!($name), unit: $unit }),*];

        /// Values of the channels, in the order of the frame.
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct Values { $(pub(crate) $name: f64),* }

        impl Values {
            /// Values in the order of [`CHANNELS`].
            pub(crate) fn in_order(&self) -> [f64; CHANNELS.len()] {
                [$(self.$name),*]
            }
        }
    };
}

channels![
    depth "m", // NaN without a task
    angle "rad",
    force_x "N", force_y "N", force_z "N", // contact force on the driven part, world axes
    torque_x "N·m", torque_y "N·m", torque_z "N·m", // about its centre of mass
    penetration "m", coulomb "m/s", complementarity "m/s", cone "-",
    energy_injected "J", contact_work "J", projection_work "J", // sums since the start
    kinetic_energy "J", tank "J",
    candidates "-", active "-", iterations "-",
    detection_time "s", clustering_time "s", solving_time "s", integration_time "s", // of the last step
    worst_penetration "m", worst_coulomb "m/s", worst_complementarity "m/s", worst_cone "-", // since the start
    unconverged "-", limited "-", // steps since the start
    hand_force_x "N", hand_force_y "N", hand_force_z "N", // spring force of the drive on the part
    hand_torque_x "N·m", hand_torque_y "N·m", hand_torque_z "N·m",
    real_time_factor "-", // simulated time per time spent in steps; zero where no clock is read
];
