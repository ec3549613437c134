//! What the paper leaves open, and where the published program does otherwise.

use serde::{Deserialize, Serialize};

/// Habits of an interaction network and of the clustering around it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InteractionOptions {
    /// Slope of the rectified units below zero [-]: 0 is the plain unit.
    pub slope: f64,
    /// Whether the sum of effects of a contact is divided by its length.
    pub unit_effects: bool,
    /// How the two angles follow from the outputs of f_O2.
    pub turn: NormalTurn,
    /// What becomes of a weighted average of contacts.
    pub average: SurfaceAverage,
    /// Which normal is turned.
    pub normal: NormalSource,
    /// Whether contacts stay as they are when there are no more of them than clusters.
    pub keeps_few: bool,
    /// Contacts with a wider gap are left out [m]; none where all that are found count.
    pub widest_gap: Option<f64>,
    /// Whether that gap is the one at the end of the step, if the object goes on as it moves, instead of the one at its start.
    #[serde(default)]
    pub looks_ahead: bool,
    /// Whether only contacts at nodes of the object count, not those at nodes of the static part.
    pub own_nodes: bool,
    /// Quaternion [x, y, z, w] that takes the object's axes to those that the inputs are given in.
    pub inputs_from_object: [f64; 4],
    /// Whether the static part's axes are taken to be the world's, however it stands, as published.
    #[serde(default, skip_serializing_if = "is_off")]
    pub world_axes: bool,
    /// Whether the contacts are the vertices of the surface within `widest_gap`, whatever nodes the object has, as published.
    #[serde(default, skip_serializing_if = "is_off")]
    pub at_vertices: bool,
}

/// How the angles of a normal follow from two outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NormalTurn {
    /// θ₁ = 180° tanh(o₁), θ₂ = 30° tanh(o₂): outputs of zero turn nothing.
    Centred,
    /// θ₁ = 180° tanh(o₁/200), θ₂ = 30° / (1 + exp(−o₂/100)), as published.
    Published,
}

/// What becomes of a weighted average in the embedding of the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SurfaceAverage {
    /// The nearest point of the surface.
    Project,
    /// The nearest contact, as published.
    Snap,
}

/// Which normal a cluster has before it is turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NormalSource {
    /// That of the other part's distance at the cluster.
    Field,
    /// Against the normal of the object's own surface there, as published.
    Surface,
}

impl InteractionOptions {
    /// The paper's: plain rectified units, average on the surface, gap and normal of the distance there.
    pub const PAPER: Self = Self {
        slope: 0.0,
        unit_effects: false,
        turn: NormalTurn::Centred,
        average: SurfaceAverage::Project,
        normal: NormalSource::Field,
        keeps_few: true,
        widest_gap: None,
        looks_ahead: false,
        own_nodes: false,
        inputs_from_object: [0.0, 0.0, 0.0, 1.0],
        world_axes: false,
        at_vertices: false,
    };

    /// Clusters are contacts, of those that the object meets within the step to a micrometre. The inputs know neither gaps nor
    /// faces: among all that are near, an average would lie between the two flanks of a thread, where nothing is met.
    pub const TOUCHING: Self =
        Self { average: SurfaceAverage::Snap, widest_gap: Some(1e-6), looks_ahead: true, ..Self::PAPER };

    /// Those of the published program for its peg.
    pub const PUBLISHED: Self = Self {
        slope: 0.01,
        unit_effects: true,
        turn: NormalTurn::Published,
        average: SurfaceAverage::Snap,
        normal: NormalSource::Surface,
        keeps_few: true,
        widest_gap: Some(0.0),
        looks_ahead: false,
        own_nodes: true,
        inputs_from_object: [0.0, 0.0, 0.0, 1.0],
        world_axes: true,
        at_vertices: true,
    };

    /// Those of the published program for its nut, whose inputs are given in axes turned about x by half a turn.
    pub const PUBLISHED_NUT: Self = Self { inputs_from_object: [1.0, 0.0, 0.0, 0.0], ..Self::PUBLISHED };
}

/// Habits that files of before do not name are left out where they are off, so that the seal of those files holds.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_off(habit: &bool) -> bool {
    !habit
}

impl Default for InteractionOptions {
    fn default() -> Self {
        Self::PAPER
    }
}

impl NormalTurn {
    /// θ₁ and θ₂ of two outputs [rad].
    #[must_use]
    pub fn angles(self, outputs: [f64; 2]) -> [f64; 2] {
        const STEEPEST: f64 = std::f64::consts::PI / 6.0;
        let [about, tilt] = outputs;
        match self {
            Self::Centred => [std::f64::consts::PI * libm::tanh(about), STEEPEST * libm::tanh(tilt)],
            Self::Published => [
                std::f64::consts::PI * libm::tanh(about / 200.0),
                STEEPEST / (1.0 + libm::exp(-tilt / 100.0)),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_from_before_habits_looked_ahead_are_read() {
        let mut written = serde_json::to_value(InteractionOptions::PUBLISHED).expect("written");
        written.as_object_mut().expect("an object").remove("looks_ahead");
        let read: InteractionOptions = serde_json::from_value(written).expect("read");
        assert_eq!(read, InteractionOptions::PUBLISHED);
    }

    #[test]
    fn files_from_before_a_habit_are_written_as_they_were() {
        let written = serde_json::to_string(&InteractionOptions::PAPER).expect("written");
        assert!(!written.contains("world_axes") && !written.contains("at_vertices"), "{written}");
        let read: InteractionOptions = serde_json::from_str(&written).expect("read");
        assert_eq!(read, InteractionOptions::PAPER);
    }
}
