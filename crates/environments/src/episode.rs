//! One episode of one environment.

use nalgebra::Vector6;
use tightfit_spatial::SplitMix;

use crate::drawn::Drawn;
use crate::target::Target;
use crate::{ACTIONS, Options, SetPoint};

/// What an environment remembers between policy steps, beside the state of its scene.
#[derive(Clone, Debug)]
pub(crate) struct Episode {
    pub(crate) seed: u64,
    /// Number of the episode since the seed was given.
    pub(crate) number: u64,
    pub(crate) random: SplitMix,
    pub(crate) drawn: Drawn,
    pub(crate) target: Target,
    pub(crate) set_point: SetPoint,
    /// Angle of the part now and at the start, counted over turns [rad].
    pub(crate) angle: f64,
    pub(crate) start_angle: f64,
    pub(crate) last_action: [f32; ACTIONS],
    /// Reading of the wrist sensor at the start [N, N·m].
    pub(crate) tare: Vector6<f64>,
    /// Potential of the shaped reward before the next step [m].
    pub(crate) potential: f64,
    pub(crate) steps: u32,
}

/// The generator of an episode: the number of the episode selects a stream of the seed.
pub(crate) fn generator(seed: u64, number: u64) -> SplitMix {
    let mut of_seed = SplitMix::stream(seed);
    SplitMix::stream(of_seed.bits().wrapping_add(number))
}

impl Episode {
    /// Moves the set-point by an action and keeps it within reach of the part.
    pub(crate) fn act(&mut self, action: [f32; ACTIONS], part: &SetPoint, options: &Options, highest: f64) {
        let tilt = options.action_tilt_deg.to_radians();
        let turn = options.action_turn_deg.to_radians();
        let shift = options.action_mm * 1e-3;
        let scales = [shift, shift, shift, tilt, tilt, turn];
        let [lead, lead_tilt, lead_turn] =
            [options.lead_mm * 1e-3, options.lead_tilt_deg.to_radians(), options.lead_turn_deg.to_radians()];
        let leads = [lead, lead, lead, lead_tilt, lead_tilt, lead_turn];
        let (mut numbers, part) = (self.set_point.numbers(), part.numbers());
        for (index, number) in numbers.iter_mut().enumerate() {
            let action = f64::from(action[index].clamp(-1.0, 1.0));
            let moved = *number + action * scales[index];
            *number = moved.clamp(part[index] - leads[index], part[index] + leads[index]);
        }
        let most = options.workspace_mm * 1e-3;
        let lowest = self.target.lowest() - lead;
        for (number, [low, high]) in numbers.iter_mut().zip([[-most, most], [-most, most], [lowest, highest]])
        {
            *number = number.clamp(low, high.max(low));
        }
        self.set_point = SetPoint::from_numbers(numbers);
        self.last_action = action.map(|value| value.clamp(-1.0, 1.0));
    }
}
