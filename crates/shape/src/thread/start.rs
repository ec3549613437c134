//! How a thread begins at an end face.

/// The end of a thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ThreadStart {
    /// Cut off by the end plane.
    Blunt,
    /// A 45° cone: on a bolt it leaves the material inside, on a nut (the countersink) the one outside.
    Chamfered {
        /// Radius of the cone in the end plane [m].
        end_radius: f64,
    },
}
