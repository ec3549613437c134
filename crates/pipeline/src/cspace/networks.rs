//! The C-space networks of a pair of parts, each valid in a box of configurations.

use tightfit_network::{CspaceField, InferenceScratch};
use tightfit_spatial::{Pose, Vector3};

/// Networks from the narrowest box to the widest; the first whose box contains a configuration is used.
#[derive(Debug)]
pub struct CspaceNetworks {
    fields: Vec<CspaceField>,
}

impl CspaceNetworks {
    /// From networks in the order in which they are tried.
    #[must_use]
    pub fn new(fields: Vec<CspaceField>) -> Self {
        Self { fields }
    }

    /// The networks.
    #[must_use]
    pub fn fields(&self) -> &[CspaceField] {
        &self.fields
    }

    /// The network for a pose of the moving part; `None` outside all boxes.
    #[must_use]
    pub fn field_at(&self, fixed_from_part: &Pose, center_in_part: Vector3<f64>) -> Option<&CspaceField> {
        self.fields.iter().find(|field| field.covers(fixed_from_part, center_in_part))
    }

    /// Allocates all memory that the networks need.
    pub fn make_room(&self, scratch: &mut InferenceScratch) {
        self.fields.iter().for_each(|field| field.reserve(scratch));
    }
}
