//! What a haptic run measured.

use std::f64::consts::TAU;

use tightfit_simulation::Record;
use tightfit_spatial::Vector3;

use crate::device::{Device, DeviceWrench};
use crate::haptic_loop::HapticLoop;
use crate::set_position::Stiffness;

/// Moments that are kept for plots, at most; a longer run is thinned.
const MOST_MOMENTS: usize = 60_000;

/// Percentiles of a set of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Percentiles {
    /// Median.
    pub p50: f64,
    /// 99 %.
    pub p99: f64,
    /// 99.9 %.
    pub p999: f64,
    /// Largest.
    pub largest: f64,
}

impl Percentiles {
    /// Of numbers in any order.
    #[must_use]
    pub fn of(numbers: &[f32]) -> Self {
        let mut sorted = numbers.to_vec();
        sorted.sort_unstable_by(f32::total_cmp);
        let at = |share: f64| {
            let index = (share * sorted.len() as f64).ceil() as usize;
            sorted.get(index.saturating_sub(1)).map_or(0.0, |value| f64::from(*value))
        };
        Self { p50: at(0.5), p99: at(0.99), p999: at(0.999), largest: at(1.0) }
    }
}

/// One moment of a run, once per step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Simulated time [s].
    pub time: f64,
    /// Wrench on the device.
    pub felt: DeviceWrench,
    /// Contact force on the part in the step [N].
    pub contact_force: Vector3<f64>,
    /// Angle of the part, counted over turns [rad].
    pub angle: f64,
    /// Height of the part's frame against the fixed part [m].
    pub height: f64,
    /// Whether the task counts as engaged.
    pub engaged: bool,
    /// Net energy at the port [J].
    pub port_energy: f64,
    /// Penetration by the audit, else by the certificate [m].
    pub penetration: f64,
}

/// How a nut moved on its thread.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ThreadMeasures {
    /// Pitch [m].
    pub pitch: f64,
    /// Turns since the thread was found, the last time where it was left by turning; positive on.
    pub turns: f64,
    /// Advance since then [m], positive on.
    pub advance: f64,
    /// Largest |Δz − P Δangle/2π| since then [m]: axial play at most, if the nut stays in the thread.
    pub largest_deviation: f64,
    /// Angle swept since then, all directions added [rad].
    pub swept: f64,
}

impl ThreadMeasures {
    /// Advance per turn [m], where it turned by more than a tenth of a turn.
    #[must_use]
    pub fn lead(&self) -> Option<f64> {
        (self.turns.abs() > 0.1).then(|| self.advance / self.turns)
    }

    /// Whether the nut left the thread otherwise than by turning: a deviation above a quarter of the pitch.
    #[must_use]
    pub fn has_slipped(&self) -> bool {
        self.largest_deviation > self.pitch.abs() / 4.0
    }
}

/// What a run measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measures {
    /// Length of the run [s].
    pub seconds: f64,
    /// Ticks of the loop.
    pub ticks: u64,
    /// |period − tick| [s]; all zero in simulated time.
    pub period_error: Percentiles,
    /// Computing time of a tick [s], where a clock was read.
    pub tick_time: Percentiles,
    /// Computing time of a step [s].
    pub step_time: Percentiles,
    /// Steps of the scene.
    pub steps: u64,
    /// Steps whose result came after its exchange: the planes were held for longer.
    pub late_steps: u64,
    /// How often the device was silent for too long.
    pub watchdog_trips: u32,
    /// Lowest net energy at the loop's port [J].
    pub lowest_port_energy: f64,
    /// Net energy at the end [J].
    pub port_energy: f64,
    /// Lowest net energy at the device [J], where it knows it.
    pub lowest_device_energy: Option<f64>,
    /// Ticks at which the tank reduced the wrench.
    pub limited_ticks: u64,
    /// Stiffness after the clamp.
    pub stiffness: Option<Stiffness>,
    /// Largest wrench on the device [N, N·m].
    pub largest_wrench: [f64; 2],
    /// Deepest penetration by the certificate [m].
    pub penetration: f64,
    /// Deepest penetration by the audit [m], and steps that were audited.
    pub audited: Option<(f64, u64)>,
    /// Steps that did not converge.
    pub unconverged: u64,
    /// The nut on its thread, where there is one.
    pub thread: Option<ThreadMeasures>,
    /// Fingerprint of the last state.
    pub hash: u64,
    /// The run over time.
    pub moments: Vec<Moment>,
}

/// Collects the measures of a run.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    measures: Measures,
    pitch: Option<f64>,
    /// Height and angle when the thread was found, and the last angle.
    found: Option<(f64, f64, f64)>,
    period_errors: Vec<f32>,
    tick_times: Vec<f32>,
    step_times: Vec<f32>,
    /// Every how many steps a moment is kept.
    stride: u64,
}

impl Recorder {
    pub(crate) fn new(pitch: Option<f64>, steps: u64) -> Self {
        let stride = steps.div_ceil(MOST_MOMENTS as u64).max(1);
        Self { pitch, stride, ..Self::default() }
    }

    pub(crate) fn period(&mut self, error: f64) {
        self.period_errors.push(error.abs() as f32);
    }

    pub(crate) fn tick_time(&mut self, seconds: f64) {
        self.tick_times.push(seconds as f32);
    }

    pub(crate) fn late_step(&mut self) {
        self.measures.late_steps += 1;
    }

    pub(crate) fn tick(&mut self, wrench: &DeviceWrench) {
        self.measures.ticks += 1;
        let [force, torque] = &mut self.measures.largest_wrench;
        *force = force.max(wrench.force.norm());
        *torque = torque.max(wrench.torque.norm());
    }

    pub(crate) fn step(&mut self, record: &Record, haptic_loop: &HapticLoop) {
        let measures = &mut self.measures;
        measures.steps += 1;
        measures.penetration = measures.penetration.max(record.certificate.penetration);
        measures.unconverged += u64::from(!record.certificate.converged);
        measures.hash = record.hash;
        self.step_times.push(record.step_seconds as f32);
        if let Some(depth) = record.audited {
            let (deepest, count) = measures.audited.unwrap_or_default();
            measures.audited = Some((deepest.max(depth), count + 1));
        }
        let height = record.pose.translation.z;
        // beside the bolt a nut is not on it, however low
        let is_on = record.engaged && record.pose.translation.xy().norm() < self.pitch.unwrap_or(0.0).abs();
        if !is_on {
            self.found = None;
        }
        if let (Some(pitch), true) = (self.pitch, is_on) {
            let (first_height, first_angle, last_angle) =
                *self.found.get_or_insert((height, record.angle, record.angle));
            let thread = measures.thread.get_or_insert(ThreadMeasures { pitch, ..Default::default() });
            let (advance, turned) = (height - first_height, record.angle - first_angle);
            thread.turns = -turned / TAU * pitch.signum();
            thread.advance = -advance;
            thread.largest_deviation = thread.largest_deviation.max((advance - pitch * turned / TAU).abs());
            thread.swept += (record.angle - last_angle).abs();
            self.found = Some((first_height, first_angle, record.angle));
        }
        if measures.steps.is_multiple_of(self.stride) {
            measures.moments.push(Moment {
                time: record.time,
                felt: haptic_loop.output(),
                contact_force: record.force,
                angle: record.angle,
                height,
                engaged: record.engaged,
                port_energy: haptic_loop.tank().net(),
                penetration: record.audited.unwrap_or(record.certificate.penetration),
            });
        }
    }

    /// Adds an audit that was made elsewhere [m].
    pub(crate) fn audit(&mut self, depth: f64) {
        let (deepest, count) = self.measures.audited.unwrap_or_default();
        self.measures.audited = Some((deepest.max(depth), count + 1));
    }

    pub(crate) fn finish(mut self, seconds: f64, haptic_loop: &HapticLoop, device: &dyn Device) -> Measures {
        self.measures.seconds = seconds;
        self.measures.period_error = Percentiles::of(&self.period_errors);
        self.measures.tick_time = Percentiles::of(&self.tick_times);
        self.measures.step_time = Percentiles::of(&self.step_times);
        self.measures.watchdog_trips = haptic_loop.watchdog().trips();
        self.measures.lowest_port_energy = haptic_loop.tank().lowest();
        self.measures.port_energy = haptic_loop.tank().net();
        self.measures.lowest_device_energy = device.lowest_port_energy();
        self.measures.limited_ticks = haptic_loop.limited_ticks();
        self.measures.stiffness = Some(haptic_loop.coupling().stiffness);
        self.measures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_a_thousand_numbers() {
        let numbers: Vec<f32> = (0..1000).rev().map(|number| number as f32).collect();
        let percentiles = Percentiles::of(&numbers);
        assert_eq!(percentiles, Percentiles { p50: 499.0, p99: 989.0, p999: 998.0, largest: 999.0 });
        assert_eq!(Percentiles::of(&[]), Percentiles::default());
    }
}
