//! Joint vectors and matrices of one fixed size for every arm, so that no step allocates.

use nalgebra::{SMatrix, SVector};

/// Largest number of joints of an arm.
pub const MAX_JOINTS: usize = 12;

/// One number per joint; unused entries are zero.
pub type JointVector = SVector<f64, MAX_JOINTS>;

/// A matrix with one row and one column per joint.
pub type JointMatrix = SMatrix<f64, MAX_JOINTS, MAX_JOINTS>;

/// Velocity of a point and its body per joint speed: [v; ω] in world axes.
pub type Jacobian = SMatrix<f64, 6, MAX_JOINTS>;

/// A set of joints of an arm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JointSet(u16);

impl JointSet {
    /// Adds a joint by its index in the chain.
    pub fn insert(&mut self, joint: usize) {
        debug_assert!(joint < MAX_JOINTS);
        self.0 |= 1 << joint;
    }

    /// Whether the set contains a joint.
    #[must_use]
    pub fn contains(self, joint: usize) -> bool {
        joint < MAX_JOINTS && self.0 & (1 << joint) != 0
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The joints of either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Indices of the joints in the chain, ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..MAX_JOINTS).filter(move |&joint| self.contains(joint))
    }
}

impl std::fmt::Display for JointSet {
    /// "no joint", or "joints 2, 7" counted from one.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_empty() {
            return formatter.write_str("no joint");
        }
        for (place, joint) in self.iter().enumerate() {
            write!(formatter, "{}{}", if place == 0 { "joints " } else { ", " }, joint + 1)?;
        }
        Ok(())
    }
}
