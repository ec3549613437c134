//! Motion of a person who guides a part: forwards and backwards along the task, with hesitation, offset, tilt and
//! varying push.
//!
//! Every quantity is a sum of five slow sines of random frequency and phase, n(t) = √(2/5) Σ sin(2π fᵢ t + φᵢ), of
//! variance one. The speed along the task is ½ + n(t) times the mean, and zero where that is small.

use std::f64::consts::TAU;

use tightfit_network::Random;

/// A smooth random function of time with variance one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wander {
    /// Frequency [Hz] and phase [rad].
    terms: [[f64; 2]; 5],
}

impl Wander {
    /// Frequencies from `slowest` to `fastest` [Hz].
    pub(super) fn new(random: &mut Random, slowest: f64, fastest: f64) -> Self {
        let mut term = || [random.uniform(slowest, fastest), random.uniform(0.0, TAU)];
        Self { terms: [term(), term(), term(), term(), term()] }
    }

    pub(super) fn at(&self, time: f64) -> f64 {
        let sum: f64 =
            self.terms.iter().map(|[frequency, phase]| libm::sin(TAU * frequency * time + phase)).sum();
        sum * (2.0_f64 / 5.0).sqrt()
    }
}

/// The person of one trial.
#[derive(Clone, Debug)]
pub(super) struct HumanMotion {
    speed: Wander,
    pub(super) sideways: [Wander; 2],
    pub(super) tilt: [Wander; 2],
    pub(super) push: Wander,
    pub(super) friction: Wander,
    /// Speed factor of this person [-].
    pace: f64,
}

/// Below this fraction of the mean speed the person stands still [-].
const HESITATION: f64 = 0.25;

impl HumanMotion {
    pub(super) fn new(random: &mut Random) -> Self {
        let mut slow = || Wander::new(random, 0.08, 0.8);
        let (speed, sideways, tilt) = (slow(), [slow(), slow()], [slow(), slow()]);
        let (push, friction) = (slow(), slow());
        Self { speed, sideways, tilt, push, friction, pace: random.uniform(0.7, 1.3) }
    }

    /// Speed along the task relative to the mean [-]; negative backwards.
    pub(super) fn speed(&self, time: f64) -> f64 {
        let wanted = 0.5 + self.speed.at(time);
        // Continuous where the hesitation ends.
        let moving = wanted.abs() - HESITATION;
        if moving <= 0.0 { 0.0 } else { self.pace * moving.copysign(wanted) }
    }
}
