//! Options that the paper leaves open, and where the published program differs from it.

use serde::{Deserialize, Serialize};

/// Options of an interaction network and of its clustering.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InteractionOptions {
    /// Slope of the rectified activation below zero [-]; 0 is the plain one.
    pub slope: f64,
    /// Whether the sum of effects of a contact is divided by its length.
    pub unit_effects: bool,
    /// How the outputs of f_O2 become two angles.
    pub turn: NormalTurn,
    /// How a weighted average of contacts becomes a cluster.
    pub average: SurfaceAverage,
    /// Which normal is turned.
    pub normal: NormalSource,
    /// Whether contacts are kept unchanged when there are no more of them than clusters.
    pub keeps_few: bool,
    /// Contacts with a wider gap are ignored [m]; `None` uses all detected contacts.
    pub widest_gap: Option<f64>,
    /// Whether that gap is extrapolated to the end of the step at the current velocity, instead of taken at its start.
    #[serde(default)]
    pub looks_ahead: bool,
    /// Whether only contacts at nodes of the object are used, not those at nodes of the static part.
    pub own_nodes: bool,
    /// Quaternion [x, y, z, w] from the object's axes to the axes of the inputs.
    pub inputs_from_object: [f64; 4],
    /// Whether the world's axes replace the static part's axes, as published.
    #[serde(default, skip_serializing_if = "is_off")]
    pub world_axes: bool,
    /// Whether the contacts are the vertices of the surface within `widest_gap` instead of the object's nodes, as
    /// published.
    #[serde(default, skip_serializing_if = "is_off")]
    pub at_vertices: bool,
    /// Whether the attitude is given as a quaternion w, x, y, z, as printed, instead of angle and axis, as published.
    #[serde(default, skip_serializing_if = "is_off")]
    pub quaternion: bool,
}

/// How two outputs become the angles of a normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NormalTurn {
    /// θ₁ = 180° tanh(o₁), θ₂ = 30° tanh(o₂): zero outputs leave the normal unchanged.
    Centred,
    /// θ₁ = 180° tanh(o₁/200), θ₂ = 30° / (1 + exp(−o₂/100)), as published.
    Published,
    /// θ₁ = o₁, θ₂ = o₂ [rad], as printed: a normal may turn to the opposite side.
    Printed,
}

/// How a weighted average in the embedding returns to the surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SurfaceAverage {
    /// To the nearest point of the surface.
    Project,
    /// To the nearest contact, as published.
    Snap,
}

/// Normal of a cluster before it is turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NormalSource {
    /// Gradient of the other part's distance at the cluster.
    Field,
    /// Opposite to the normal of the object's surface, as published.
    Surface,
    /// The contacts' normals, averaged by the weights of the cluster, as printed.
    Average,
}

impl InteractionOptions {
    /// Options of the paper: plain rectified activation, averages on the surface, gap and normal from the distance
    /// there.
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
        quaternion: false,
    };

    /// Options of the paper to the letter: quaternions in, normals averaged by the learnt weights and then turned by the
    /// outputs themselves, however few contacts there are.
    pub const PRINTED: Self = Self {
        normal: NormalSource::Average,
        quaternion: true,
        turn: NormalTurn::Printed,
        keeps_few: false,
        ..Self::PAPER
    };

    /// Clusters are contacts that close to within a micrometre during the step. The inputs hold neither gaps nor faces:
    /// an average over all near contacts would lie between the two flanks of a thread, where there is no contact.
    pub const TOUCHING: Self =
        Self { average: SurfaceAverage::Snap, widest_gap: Some(1e-6), looks_ahead: true, ..Self::PAPER };

    /// Options of the published program for its peg.
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
        quaternion: false,
    };

    /// Options of the published program for its nut. Its inputs are in axes turned by half a turn about x.
    pub const PUBLISHED_NUT: Self = Self { inputs_from_object: [1.0, 0.0, 0.0, 0.0], ..Self::PUBLISHED };
}

/// Options that older files do not name are not written where they are off. The hash of those files stays valid.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_off(option: &bool) -> bool {
    !option
}

impl Default for InteractionOptions {
    fn default() -> Self {
        Self::PAPER
    }
}

impl NormalTurn {
    /// θ₁ and θ₂ from two outputs [rad].
    #[must_use]
    pub fn angles(self, outputs: [f64; 2]) -> [f64; 2] {
        const STEEPEST: f64 = std::f64::consts::PI / 6.0;
        let [about, tilt] = outputs;
        match self {
            Self::Printed => outputs,
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
    fn files_without_looks_ahead_are_read() {
        let mut written = serde_json::to_value(InteractionOptions::PUBLISHED).expect("written");
        written.as_object_mut().expect("an object").remove("looks_ahead");
        let read: InteractionOptions = serde_json::from_value(written).expect("read");
        assert_eq!(read, InteractionOptions::PUBLISHED);
    }

    #[test]
    fn options_of_older_files_are_written_unchanged() {
        let written = serde_json::to_string(&InteractionOptions::PAPER).expect("written");
        assert!(!written.contains("world_axes") && !written.contains("at_vertices"), "{written}");
        let read: InteractionOptions = serde_json::from_str(&written).expect("read");
        assert_eq!(read, InteractionOptions::PAPER);
    }
}
