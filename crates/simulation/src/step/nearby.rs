//! How far is looked for contacts: as far as the motion may go, or nearby where it is about to be stopped.
//!
//! A nut that lands at 0.1 m/s would go 1 mm in a step, but contacts that touch already hold it after a few hundredths of
//! that. All that is within 1 mm of its thread would be found, and looked through in every round of the solver, for nothing.
//!
//! ```text
//! m > 1.5 mm:  look as far as m/4;   there is a contact with  −(v₀ₙ + φ⁺/T) · 1.5 T > m/4:  that will do
//! ```
//!
//! m margin that the velocities ask for (`margin.rs`) [m], v₀ₙ normal speed [m/s], φ gap [m], T step [s]. A motion that goes
//! farther after all has the step begun again ([`Environment::outran`]). What is found follows from the state alone.

use super::margin::AHEAD;
use super::workspace::Environment;
use crate::{Certificate, State};

/// Motions that ask for more than this are fast [m]: 0.1 m/s at 10 ms. Slower ones are rarely stopped at once, and would
/// be looked around for twice.
const FAST: f64 = 1.5e-3;
/// How far is looked first, and how much of the motion a contact must forbid, as shares of what is asked for [-].
const NEARBY: f64 = 0.25;
const STOPPED: f64 = 0.25;

/// What contacts were found for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detected {
    /// Step at whose start they are, and where the parts are then ([`State::pose_hash`]).
    pub(super) step: u64,
    pub(super) pose: u64,
    /// Margin that the velocities ask for [m].
    pub(super) asked: f64,
    /// How far was looked [m].
    pub(super) looked: f64,
}

impl Environment<'_> {
    /// Finds the contacts at the pose of the state, whose velocities ask for a margin [m].
    pub(super) fn look(&mut self, state: &State, asked: f64, certificate: &mut Certificate) {
        if asked > FAST && !self.scene.bounces() {
            self.detect(state, NEARBY * asked, certificate);
            if AHEAD * self.scene.step * self.forbidden_speed(state) > STOPPED * asked {
                self.scratch.detected = self.scratch.detected.map(|detected| Detected { asked, ..detected });
                return;
            }
        }
        self.detect(state, asked, certificate);
    }

    /// By how much some contact closes faster than its gap allows within a step [m/s].
    fn forbidden_speed(&mut self, state: &State) -> f64 {
        let scratch = &mut *self.scratch;
        scratch.end.clear();
        for motion in &state.motions {
            scratch.end.extend(motion.world_velocity());
        }
        -scratch.approach.fill(&scratch.contacts, self.scene.step, &scratch.end)
    }
}
