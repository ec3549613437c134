//! Observations: what a robot could know, and what only the simulation knows.

use tightfit_simulation::batch::{AdvanceSummary, Setup};
use tightfit_spatial::{SplitMix, Vector3};

use crate::episode::Episode;
use crate::{Options, SetPoint};

/// Names and units of an observation. Axes are those of the fixed part; its assumed position and that of the part in the
/// hand have the errors that the episode drew.
pub const OBSERVATIONS: [&str; 30] = [
    "position_x_mm",
    "position_y_mm",
    "position_z_mm",
    "tilt_x_deg",
    "tilt_y_deg",
    "turn_deg",
    "velocity_x_mm_s",
    "velocity_y_mm_s",
    "velocity_z_mm_s",
    "angular_velocity_x_deg_s",
    "angular_velocity_y_deg_s",
    "angular_velocity_z_deg_s",
    "force_x_n",
    "force_y_n",
    "force_z_n",
    "torque_x_nm",
    "torque_y_nm",
    "torque_z_nm",
    "lead_x_mm",
    "lead_y_mm",
    "lead_z_mm",
    "lead_tilt_x_deg",
    "lead_tilt_y_deg",
    "lead_turn_deg",
    "last_action_0",
    "last_action_1",
    "last_action_2",
    "last_action_3",
    "last_action_4",
    "last_action_5",
];

/// Names and units of a privileged observation: the truth, for critics and for analysis.
pub const PRIVILEGED: [&str; 16] = [
    "true_position_x_mm",
    "true_position_y_mm",
    "true_position_z_mm",
    "true_tilt_x_deg",
    "true_tilt_y_deg",
    "true_turn_deg",
    "estimate_error_x_mm",
    "estimate_error_y_mm",
    "estimate_error_z_mm",
    "in_hand_error_x_mm",
    "in_hand_error_y_mm",
    "in_hand_error_z_mm",
    "friction",
    "clearance_mm",
    "depth_mm",
    "remaining_time_share",
];

/// Where the numbers of an observation come from.
pub(crate) struct Seen<'a> {
    pub(crate) options: &'a Options,
    pub(crate) episode: &'a Episode,
    pub(crate) setup: &'a Setup,
    pub(crate) summary: &'a AdvanceSummary,
    /// Rotation of the world's axes into those of the fixed part.
    pub(crate) fixed_from_world: tightfit_spatial::UnitQuaternion<f64>,
    /// The driven body among the free ones.
    pub(crate) free_index: usize,
    /// The part's true pose.
    pub(crate) point: SetPoint,
    /// Depth of the task [m].
    pub(crate) depth: f64,
    /// Policy steps of the longest episode.
    pub(crate) most_steps: u32,
}

impl Seen<'_> {
    /// Writes the observation; its noise comes from `random`.
    pub(crate) fn write_observation(&self, random: &mut SplitMix, into: &mut [f32]) {
        let Self { options, episode, setup, point, .. } = self;
        let noise = if options.randomisation.enabled { 1.0 } else { 0.0 };
        let mut vector = |deviation: f64| {
            let deviation = deviation * noise;
            Vector3::new(gaussian(random), gaussian(random), gaussian(random)) * deviation
        };
        let drawn = &episode.drawn;
        let position = point.position
            + drawn.estimate
            + point.pose().rotation * drawn.in_hand
            + vector(options.randomisation.position_noise_mm * 1e-3);
        let motion = &setup.state.motions[self.free_index];
        let velocity = self.fixed_from_world * motion.twist.linear_in_world;
        let turning = self.fixed_from_world * (motion.rotation * motion.twist.angular_in_body);
        let [mut force, mut torque] = self.wrench();
        force += vector(options.randomisation.force_noise_n);
        torque += vector(options.randomisation.torque_noise_nm);
        let lead = episode.set_point.numbers().into_iter().zip(point.numbers()).map(|(to, at)| to - at);
        let tilt_and_turn = [point.tilt[0], point.tilt[1], point.angle - episode.start_angle];
        let numbers = position
            .iter()
            .map(|value| value * 1e3)
            .chain(tilt_and_turn.map(f64::to_degrees))
            .chain(velocity.iter().map(|value| value * 1e3))
            .chain(turning.iter().map(|value| value.to_degrees()))
            .chain(force.iter().copied())
            .chain(torque.iter().copied())
            .chain(lead.enumerate().map(|(at, value)| if at < 3 { value * 1e3 } else { value.to_degrees() }))
            .chain(episode.last_action.iter().map(|value| f64::from(*value)));
        into.iter_mut().zip(numbers).for_each(|(place, value)| *place = value as f32);
    }

    /// Writes the privileged observation.
    pub(crate) fn write_privileged(&self, into: &mut [f32]) {
        let Self { episode, setup, point, .. } = self;
        let drawn = &episode.drawn;
        let friction = setup.parameters.friction.first().copied().unwrap_or(0.0);
        let remaining = 1.0 - f64::from(episode.steps) / f64::from(self.most_steps);
        let angles = [point.tilt[0], point.tilt[1], point.angle - episode.start_angle];
        let rest = [friction, drawn.clearance.unwrap_or(0.0) * 1e3, self.depth * 1e3, remaining];
        let numbers = (point.position.iter().map(|value| value * 1e3))
            .chain(angles.map(f64::to_degrees))
            .chain(drawn.estimate.iter().chain(drawn.in_hand.iter()).map(|value| value * 1e3))
            .chain(rest);
        into.iter_mut().zip(numbers).for_each(|(place, value)| *place = value as f32);
    }

    /// Force [N] and torque [N·m]: the change of the wrist sensor's reading since the start of the episode, in its axes; without
    /// an arm the mean contact wrench of the policy step about the part's centre of mass.
    fn wrench(&self) -> [Vector3<f64>; 2] {
        if let Some(arm) = &self.setup.state.arm {
            let change = arm.measured - self.episode.tare;
            return [
                Vector3::new(change[0], change[1], change[2]),
                Vector3::new(change[3], change[4], change[5]),
            ];
        }
        let seconds = self.summary.steps.max(1) as f64 * self.setup.parameters.dt;
        let of = |first: usize| {
            let number = |axis: usize| self.summary.impulse[6 * self.free_index + first + axis] / seconds;
            self.fixed_from_world * Vector3::new(number(0), number(1), number(2))
        };
        [of(0), of(3)]
    }
}

/// A number of the standard normal distribution, by Box and Muller.
fn gaussian(random: &mut SplitMix) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - random.unit()));
    radius * libm::cos(std::f64::consts::TAU * random.unit())
}
