//! A bolt whose diameter varies along the thread.
//!
//! The nut covers several turns, so the waviness acts as one radius, r(θ) = r₀ + Σ aᵢ sin(kᵢθ + φᵢ), θ the angle of the
//! nut. The bolt gets new dimensions every ten milliseconds.

use tightfit_network::Random;
use tightfit_shape::Part;
use tightfit_shape::preset::standard_bolt;

use super::human_motion::Wander;
use crate::LearningError;

/// The bolt of one trial.
#[derive(Clone, Debug)]
pub(super) struct WavyBolt {
    /// Diameter, pitch and length [m].
    size: [f64; 3],
    /// Deviation of this trial's bolt radius from the nominal one [m].
    mean: f64,
    /// Standard deviation along the thread [m].
    along: f64,
    wave: Wander,
}

impl WavyBolt {
    /// For a bolt with the proportions of the presets; `None` for other parts, which stay unchanged.
    pub(super) fn new(part: &Part, [along, between]: [f64; 2], random: &mut Random) -> Option<Self> {
        let Part::Bolt(bolt) = part else { return None };
        let (pitch, length) = (bolt.thread().pitch(), bolt.length());
        // The pitch radius is half the diameter minus a constant.
        let guess = 2.0 * bolt.thread().pitch_radius() + pitch;
        let of_guess = standard_bolt(guess, pitch, length).ok()?;
        let diameter = guess + 2.0 * (bolt.thread().pitch_radius() - of_guess.thread().pitch_radius());
        let same = standard_bolt(diameter, pitch, length).ok()?;
        let is_plain = (same.thread().crest_radius() - bolt.thread().crest_radius()).abs() < 1e-9;
        is_plain.then(|| Self {
            size: [diameter, pitch, length],
            mean: between * random.normal(),
            along,
            // Periods from a third of a turn to four turns.
            wave: Wander::new(random, 0.25, 3.0),
        })
    }

    /// The bolt under a nut at this angle [rad].
    pub(super) fn under(&self, angle: f64) -> Result<Part, LearningError> {
        let [diameter, pitch, length] = self.size;
        let radius = self.mean + self.along * self.wave.at(angle / std::f64::consts::TAU);
        Ok(Part::Bolt(standard_bolt(diameter + 2.0 * radius, pitch, length)?))
    }
}
