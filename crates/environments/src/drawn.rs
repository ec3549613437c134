//! What an episode has drawn.

use tightfit_spatial::{SplitMix, Vector3};

use crate::Options;

/// The draws of an episode. The same random numbers are drawn whatever the options are, so that switching one draw off leaves
/// the others as they were.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// Offset of the start position, axes of the fixed part [m].
    pub start: Vector3<f64>,
    /// Start tilt about x and y [rad].
    pub tilt: [f64; 2],
    /// Start angle about z [rad].
    pub turn: f64,
    /// Friction coefficient [-], if it is drawn.
    pub friction: Option<f64>,
    /// Clearance or play [m], if it is drawn.
    pub clearance: Option<f64>,
    /// Pitch [m], if it is drawn.
    pub pitch: Option<f64>,
    /// Error of the assumed position of the fixed part [m].
    pub estimate: Vector3<f64>,
    /// Error of the assumed position of the part in the hand, axes of the part [m].
    pub in_hand: Vector3<f64>,
}

impl Drawn {
    pub(crate) fn new(options: &Options, random: &mut SplitMix) -> Self {
        let ranges = &options.randomisation;
        let on = if ranges.enabled { 1.0 } else { 0.0 };
        let mut signed = || on * random.signed();
        let mut millimetres = |amplitude: [f64; 3]| {
            let mut axis = |amplitude: f64| amplitude * 1e-3 * signed();
            Vector3::new(axis(amplitude[0]), axis(amplitude[1]), axis(amplitude[2]))
        };
        let (start, estimate, in_hand) =
            (millimetres(ranges.start_mm), millimetres(ranges.estimate_mm), millimetres(ranges.in_hand_mm));
        let tilt = [(); 2].map(|()| ranges.start_tilt_deg.to_radians() * signed());
        let turn = ranges.start_turn_deg.to_radians() * signed();
        let mut within = |range: Option<[f64; 2]>| {
            let share = 0.5 + 0.5 * signed();
            range.map(|[low, high]| low + share * (high - low))
        };
        let friction = within(ranges.friction);
        let clearance = within(ranges.clearance_mm).map(|value| value * 1e-3);
        let pitch = within(ranges.pitch_mm).map(|value| value * 1e-3);
        Self { start, tilt, turn, friction, clearance, pitch, estimate, in_hand }
    }
}
