//! The shape of a thread at an end face.

/// The end of a thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ThreadStart {
    /// Cut off by the end plane.
    Blunt,
    /// A 45° cone: a bolt keeps the material inside it, a nut (with a countersink) the material outside it.
    Chamfered {
        /// Radius of the cone in the end plane [m].
        end_radius: f64,
    },
}
