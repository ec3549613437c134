//! The networks of a pair of parts, each for a box of configurations.

use tightfit_network::{ConfigurationField, InferenceScratch};
use tightfit_spatial::{Pose, Vector3};

/// Networks from the narrowest box to the widest: the first that covers a configuration answers for it.
#[derive(Debug)]
pub struct ConfigurationSpace {
    fields: Vec<ConfigurationField>,
}

impl ConfigurationSpace {
    /// Networks in the order in which they are asked.
    #[must_use]
    pub fn new(fields: Vec<ConfigurationField>) -> Self {
        Self { fields }
    }

    /// The networks.
    #[must_use]
    pub fn fields(&self) -> &[ConfigurationField] {
        &self.fields
    }

    /// The network that answers for a pose of the moving part; none outside all boxes.
    #[must_use]
    pub fn field_at(
        &self,
        fixed_from_part: &Pose,
        center_in_part: Vector3<f64>,
    ) -> Option<&ConfigurationField> {
        self.fields.iter().find(|field| field.covers(fixed_from_part, center_in_part))
    }

    /// Takes all memory that any of the networks needs.
    pub fn make_room(&self, scratch: &mut InferenceScratch) {
        self.fields.iter().for_each(|field| field.reserve(scratch));
    }
}
