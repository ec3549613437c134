//! Drawn dimensions of parts: the clearance of a hole, the play and the pitch of a thread.

use tightfit_shape::Part;
use tightfit_shape::preset::{bolt_with_play, hole_50, peg_50, standard_bolt, standard_nut};
use tightfit_simulation::batch::Setup;
use tightfit_simulation::{BodyId, Scene};

use crate::{Drawn, EnvironmentError};

/// Diameter of the thread whose pitch and play can be drawn [m].
const DIAMETER: f64 = 48e-3;
/// Its pitch where none is drawn [m].
const PITCH: f64 = 5e-3;
/// Length of its bolt [m], height and width across flats of its nut [m].
const BODY: [f64; 3] = [40e-3, 15e-3, 74e-3];

/// The parts whose dimensions can be drawn.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Dimensions {
    /// A round `peg-50` in a `hole-50`.
    Fit,
    /// An `m48x5` pair.
    Thread,
    /// Any others: their dimensions stay those of the scene.
    Constant,
}

impl Dimensions {
    /// Recognises the parts of a scene.
    pub(crate) fn of(scene: &Scene, moving: BodyId, fixed: BodyId) -> Result<Self, EnvironmentError> {
        let [moving, fixed] = [moving, fixed].map(|body| &scene.bodies[body].part);
        let is_fit =
            *moving == Part::Sectioned(peg_50().build()?) && *fixed == Part::Sectioned(hole_50().build()?);
        let [length, height, flats] = BODY;
        let is_thread = *moving == Part::Nut(standard_nut(DIAMETER, PITCH, height, flats)?)
            && *fixed == Part::Bolt(standard_bolt(DIAMETER, PITCH, length)?);
        Ok(match (is_fit, is_thread) {
            (true, _) => Self::Fit,
            (_, true) => Self::Thread,
            _ => Self::Constant,
        })
    }

    /// Gives an environment the drawn dimensions.
    pub(crate) fn apply(
        self,
        setup: &mut Setup,
        moving: BodyId,
        fixed: BodyId,
        drawn: &Drawn,
    ) -> Result<(), EnvironmentError> {
        match self {
            Self::Fit => {
                if let Some(clearance) = drawn.clearance {
                    let mut hole = hole_50();
                    hole.diameter = peg_50().diameter + clearance;
                    setup.parameters.bodies[fixed].part = Part::Sectioned(hole.build()?);
                }
            }
            Self::Thread if drawn.clearance.is_some() || drawn.pitch.is_some() => {
                let pitch = drawn.pitch.unwrap_or(PITCH);
                let [length, height, flats] = BODY;
                let bolt = match drawn.clearance {
                    None => standard_bolt(DIAMETER, pitch, length)?,
                    Some(radial) => bolt_with_play(DIAMETER, pitch, length, radial)?,
                };
                setup.parameters.bodies[fixed].part = Part::Bolt(bolt);
                let nut = standard_nut(DIAMETER, pitch, height, flats)?;
                setup.parameters.bodies[moving].part = Part::Nut(nut);
            }
            Self::Thread | Self::Constant => {}
        }
        Ok(())
    }
}
