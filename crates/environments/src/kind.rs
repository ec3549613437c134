//! The environments that come with the package.

use tightfit_simulation::{Scene, SceneError};

use crate::{Options, Randomisation};

/// An environment by name.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// A 49.97 mm peg on springs goes 20 mm into a 50.035 mm hole.
    PegInHole,
    /// An M48x5 nut on springs is turned onto its bolt by a full turn.
    NutThread,
    /// The peg in the hand of a Panda.
    PegInHoleArm,
    /// The nut in the turning gripper of a Panda.
    NutThreadArm,
}

impl Kind {
    /// Every environment.
    pub const ALL: [Self; 4] = [Self::PegInHole, Self::NutThread, Self::PegInHoleArm, Self::NutThreadArm];

    /// Its name without namespace and version.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PegInHole => "PegInHole",
            Self::NutThread => "NutThread",
            Self::PegInHoleArm => "PegInHoleArm",
            Self::NutThreadArm => "NutThreadArm",
        }
    }

    /// Its scene and the options that it has by default.
    ///
    /// # Errors
    /// Never for the scenes that come with the program.
    pub fn scene_and_options(self) -> Result<(Scene, Options), SceneError> {
        let scene = match self {
            Self::PegInHole => Scene::find("peg-in-hole")?,
            // the drive also pushes along the axis, so that the policy decides how hard
            Self::NutThread => Scene::find_with(
                "bolting",
                &["stiffness_n_m=[2000, 2000, 1000]", "force_n=[0, 0, 0]", "task.turns=1"].map(String::from),
            )?,
            Self::PegInHoleArm => Scene::find("peg-in-hole-arm")?,
            Self::NutThreadArm => {
                Scene::find_with("bolting-arm", &["force_n=[0, 0, 0]", "task.turns=1"].map(String::from))?
            }
        };
        let is_nut = matches!(self, Self::NutThread | Self::NutThreadArm);
        Ok((scene, if is_nut { nut() } else { Options::default() }))
    }
}

fn nut() -> Options {
    Options {
        episode_s: 20.0,
        action_mm: 0.5,
        action_turn_deg: 15.0,
        lead_turn_deg: 45.0,
        reward_length_mm: 2.0,
        randomisation: Randomisation {
            start_mm: [0.5, 0.5, 0.25],
            start_tilt_deg: 0.5,
            start_turn_deg: 180.0,
            ..Randomisation::default()
        },
        ..Options::default()
    }
}
