//! A force and torque sensor between two bodies.
//!
//! ```text
//! [f; τ] = [Rᵀf_w;  Rᵀ(τ_w + (x − p) × f_w)] + bias + noise        p, R: pose of the sensor; load f_w, τ_w about x
//! ```
//!
//! The load acts on the far side of the sensor: on the hand and the held part for a wrist sensor, on the fixed part
//! for a table sensor. Noise is white and normal, from a seeded generator (Box-Muller transform).

use nalgebra::{Vector3, Vector6};
use tightfit_spatial::{Pose, SplitMix};

use super::{FilterMemory, SensorFilter};
use crate::kinematics::{halves, stacked};

/// Invalid settings of a sensor.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SensorError {
    /// A number that is not allowed.
    #[error("{what} of the force sensor is {value}; allowed: {allowed}")]
    Value {
        /// Name of the setting.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Allowed values.
        allowed: &'static str,
    },
    /// A mean over too few or too many samples.
    #[error("the force sensor's mean is over {samples} samples; allowed: 1 to {most}")]
    Samples {
        /// How many.
        samples: usize,
        /// Largest allowed number.
        most: usize,
    },
}

/// A force and torque about a point, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Force [N].
    pub force: Vector3<f64>,
    /// Torque about `point` [N·m].
    pub torque: Vector3<f64>,
    /// x [m].
    pub point: Vector3<f64>,
}

impl Load {
    /// The same load about another point [m, world], as [f; τ].
    #[must_use]
    pub fn about(&self, point: Vector3<f64>) -> Vector6<f64> {
        stacked(self.force, self.torque + (self.point - point).cross(&self.force))
    }
}

/// A force and torque sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceSensor {
    parent_from_sensor: Pose,
    bias: Vector6<f64>,
    noise: [f64; 2],
    filter: SensorFilter,
}

/// State of a sensor between samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SensorMemory {
    /// Random generator of the noise.
    pub random: SplitMix,
    /// State of the filter.
    pub filter: FilterMemory,
}

impl SensorMemory {
    /// A sensor before its first sample, with noise from the stream `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { random: SplitMix::stream(seed), filter: FilterMemory::default() }
    }
}

impl ForceSensor {
    /// A sensor at `parent_from_sensor` on a link, the tip or a part.
    ///
    /// `bias` is the reading without load [N, N·m], `noise` the standard deviations of force [N] and torque [N·m],
    /// sample by sample.
    ///
    /// # Errors
    /// When a number is not finite, a standard deviation is negative or the filter is invalid.
    pub fn new(
        parent_from_sensor: Pose,
        bias: Vector6<f64>,
        noise: [f64; 2],
        filter: SensorFilter,
    ) -> Result<Self, SensorError> {
        let pose = parent_from_sensor.translation.iter().chain(&parent_from_sensor.rotation.coords);
        if let Some(&value) = pose.chain(&bias).find(|value| !value.is_finite()) {
            return Err(SensorError::Value {
                what: "a number of pose or bias",
                value,
                allowed: "finite numbers",
            });
        }
        if let Some(&value) = noise.iter().find(|value| !(**value >= 0.0 && value.is_finite())) {
            return Err(SensorError::Value { what: "noise", value, allowed: "0 or more" });
        }
        filter.check()?;
        Ok(Self { parent_from_sensor, bias, noise, filter })
    }

    /// Whether repeated readings of one load may differ.
    #[must_use]
    pub fn is_noisy(&self) -> bool {
        self.noise != [0.0; 2]
    }

    /// Noise-free reading of a steady load, [f; τ] in the sensor's axes about its origin [N, N·m].
    #[must_use]
    pub fn without_noise(&self, world_from_parent: &Pose, load: &Load) -> Vector6<f64> {
        let world_from_sensor = *world_from_parent * self.parent_from_sensor;
        let back = world_from_sensor.rotation.inverse();
        let (force, torque) = halves(&load.about(world_from_sensor.translation));
        stacked(back * force, back * torque) + self.bias
    }

    /// One sample, [f; τ] in the sensor's axes about its origin [N, N·m], `step` seconds after the last.
    pub fn measure(
        &self,
        memory: &mut SensorMemory,
        world_from_parent: &Pose,
        load: &Load,
        step: f64,
    ) -> Vector6<f64> {
        let mut sample = self.without_noise(world_from_parent, load);
        for (index, value) in sample.iter_mut().enumerate() {
            *value += self.noise[index / 3] * normal(&mut memory.random);
        }
        self.filter.smooth(&mut memory.filter, sample, step)
    }

    /// A measured [f; τ] as a load in world axes.
    #[must_use]
    pub fn in_world(&self, measured: &Vector6<f64>, world_from_parent: &Pose) -> Load {
        let world_from_sensor = *world_from_parent * self.parent_from_sensor;
        let (force, torque) = halves(measured);
        Load {
            force: world_from_sensor.rotation * force,
            torque: world_from_sensor.rotation * torque,
            point: world_from_sensor.translation,
        }
    }
}

/// A random number of the standard normal distribution.
fn normal(random: &mut SplitMix) -> f64 {
    let radius = (-2.0 * libm::log(1.0 - random.unit())).sqrt();
    radius * libm::cos(std::f64::consts::TAU * random.unit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation_about;

    fn load() -> Load {
        let force = Vector3::new(3.0, -2.0, 30.0);
        Load { force, torque: Vector3::new(0.1, 0.2, -0.3), point: Vector3::new(0.5, 0.1, 0.2) }
    }

    #[test]
    fn a_load_survives_the_round_trip_through_any_sensor_frame() {
        let parent = Pose::new(Vector3::new(0.4, 0.0, 0.3), rotation_about(Vector3::y(), 0.7));
        let mount = Pose::new(Vector3::new(0.0, 0.02, 0.1), rotation_about(Vector3::x(), 3.0));
        let sensor = ForceSensor::new(mount, Vector6::zeros(), [0.0; 2], SensorFilter::None).unwrap();
        let measured = sensor.measure(&mut SensorMemory::new(0), &parent, &load(), 0.01);
        let back = sensor.in_world(&measured, &parent);
        assert!((back.about(Vector3::zeros()) - load().about(Vector3::zeros())).norm() < 1e-14);
        assert!((measured.fixed_rows::<3>(0).norm() - load().force.norm()).abs() < 1e-13);
    }

    #[test]
    fn noise_has_its_standard_deviation_and_bias_and_repeats_by_seed() {
        let bias = Vector6::new(1.0, 2.0, 3.0, 0.1, 0.2, 0.3);
        let sensor = ForceSensor::new(Pose::identity(), bias, [0.5, 0.02], SensorFilter::None).unwrap();
        let none = Load { force: Vector3::zeros(), torque: Vector3::zeros(), point: Vector3::zeros() };
        let samples = |seed| {
            let mut memory = SensorMemory::new(seed);
            (0..20_000)
                .map(|_| sensor.measure(&mut memory, &Pose::identity(), &none, 0.01))
                .collect::<Vec<_>>()
        };
        let (first, again, other) = (samples(1), samples(1), samples(2));
        assert!(first == again && first != other);
        let mean: Vector6<f64> = first.iter().sum::<Vector6<f64>>() / 20_000.0;
        assert!((mean - bias).amax() < 0.02, "{mean}");
        for (axis, expected) in [0.5, 0.5, 0.5, 0.02, 0.02, 0.02].into_iter().enumerate() {
            let variance = first.iter().map(|sample| (sample[axis] - mean[axis]).powi(2)).sum::<f64>() / 2e4;
            assert!((variance.sqrt() / expected - 1.0).abs() < 0.03);
        }
    }

    #[test]
    fn the_mean_filter_averages_the_last_ten_samples() {
        let filter = SensorFilter::Mean { samples: 10 };
        let sensor = ForceSensor::new(Pose::identity(), Vector6::zeros(), [0.0; 2], filter).unwrap();
        let mut memory = SensorMemory::new(0);
        for count in 1..=40_i32 {
            let force = Vector3::new(f64::from(count), 0.0, 0.0);
            let load = Load { force, torque: Vector3::zeros(), point: Vector3::zeros() };
            let shown = sensor.measure(&mut memory, &Pose::identity(), &load, 0.01).x;
            let first = (count - 9).max(1);
            assert!((shown - f64::from(first + count) / 2.0).abs() < 1e-12);
        }
        let wrong = ForceSensor::new(
            Pose::identity(),
            Vector6::zeros(),
            [0.0; 2],
            SensorFilter::Mean { samples: 65 },
        );
        assert!(wrong.unwrap_err().to_string().contains("1 to 64"));
        let wrong = ForceSensor::new(Pose::identity(), Vector6::zeros(), [-1.0, 0.0], SensorFilter::None);
        assert!(wrong.unwrap_err().to_string().contains("-1"));
    }

    #[test]
    fn a_low_pass_reaches_63_percent_in_its_time_constant() {
        let cutoff = 1.0;
        let filter = SensorFilter::LowPass { cutoff };
        let sensor = ForceSensor::new(Pose::identity(), Vector6::zeros(), [0.0; 2], filter).unwrap();
        let mut memory = SensorMemory::new(0);
        let load = |force: f64| Load {
            force: Vector3::new(force, 0.0, 0.0),
            torque: Vector3::zeros(),
            point: Vector3::zeros(),
        };
        sensor.measure(&mut memory, &Pose::identity(), &load(0.0), 1e-3);
        let steps = (1000.0 / (std::f64::consts::TAU * cutoff)).round() as usize;
        let shown =
            (0..steps).map(|_| sensor.measure(&mut memory, &Pose::identity(), &load(1.0), 1e-3).x).last();
        assert!((shown.unwrap() - 0.632).abs() < 1e-3, "{shown:?}");
    }
}
