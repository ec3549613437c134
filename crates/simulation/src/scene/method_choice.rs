//! The methods of a scene under construction.

use crate::{ClusteringMethod, Methods, Preset};

/// Methods, and which of them may be replaced by what the scene has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MethodChoice {
    pub(super) methods: Methods,
    /// Whether C-space rows were chosen by name; those of a preset are left out where there is no network.
    pub(super) needs_cspace: bool,
    /// Whether an interaction network replaces the clustering where there is one.
    pub(super) takes_interaction: bool,
    /// Whether an arm replaces the integration by the one that it needs.
    pub(super) yields_to_arm: bool,
}

impl MethodChoice {
    /// Whether an interaction network would be used.
    pub(super) fn wants_interaction(&self) -> bool {
        self.takes_interaction || self.methods.clustering == ClusteringMethod::Interaction
    }
}

impl From<Preset> for MethodChoice {
    fn from(preset: Preset) -> Self {
        let is_refined = preset == Preset::Refined;
        Self {
            methods: preset.into(),
            needs_cspace: preset == Preset::Paper,
            takes_interaction: is_refined,
            yields_to_arm: is_refined,
        }
    }
}
