//! Filters of a sensor's electronics.
//!
//! ```text
//! mean       y = mean of the last n samples (fewer at the beginning)
//! low pass   y += (1 − e^{−2π f T}) (x − y)
//! ```

use nalgebra::Vector6;

use super::SensorError;

/// Most samples of a mean.
const MOST_SAMPLES: usize = 64;

/// A filter of sensor samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SensorFilter {
    /// No filter.
    #[default]
    None,
    /// Mean of the last samples; ten in the runs published with the paper.
    Mean {
        /// How many, 1 to 64.
        samples: usize,
    },
    /// First-order low pass.
    LowPass {
        /// Cutoff frequency, at half power [Hz].
        cutoff: f64,
    },
}

/// State of a filter between samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilterMemory {
    samples: [Vector6<f64>; MOST_SAMPLES],
    count: usize,
    next: usize,
}

impl Default for FilterMemory {
    fn default() -> Self {
        Self { samples: [Vector6::zeros(); MOST_SAMPLES], count: 0, next: 0 }
    }
}

impl FilterMemory {
    /// The samples and the index of the next, for snapshots.
    #[must_use]
    pub fn parts(&self) -> (&[Vector6<f64>], usize) {
        (&self.samples[..self.count], self.next)
    }

    /// The memory of [`Self::parts`]; `None` if there are too many samples or the index is out of range.
    #[must_use]
    pub fn from_parts(samples: &[Vector6<f64>], next: usize) -> Option<Self> {
        let mut memory = Self { count: samples.len(), next, ..Self::default() };
        memory.samples.get_mut(..samples.len())?.copy_from_slice(samples);
        (next < MOST_SAMPLES).then_some(memory)
    }
}

impl SensorFilter {
    pub(super) fn check(self) -> Result<(), SensorError> {
        match self {
            Self::Mean { samples } if samples == 0 || samples > MOST_SAMPLES => {
                Err(SensorError::Samples { samples, most: MOST_SAMPLES })
            }
            Self::LowPass { cutoff } if !(cutoff > 0.0 && cutoff.is_finite()) => Err(SensorError::Value {
                what: "cutoff frequency [Hz]",
                value: cutoff,
                allowed: "more than 0",
            }),
            _ => Ok(()),
        }
    }

    /// The filtered value after one more sample, taken `step` seconds after the last.
    pub(super) fn smooth(self, memory: &mut FilterMemory, sample: Vector6<f64>, step: f64) -> Vector6<f64> {
        match self {
            Self::None => sample,
            Self::Mean { samples } => {
                memory.samples[memory.next] = sample;
                memory.next = (memory.next + 1) % samples;
                memory.count = (memory.count + 1).min(samples);
                memory.samples[..memory.count].iter().sum::<Vector6<f64>>() / memory.count as f64
            }
            Self::LowPass { cutoff } => {
                let share = match memory.count {
                    0 => 1.0,
                    _ => 1.0 - libm::exp(-std::f64::consts::TAU * cutoff * step),
                };
                memory.count = 1;
                let before = memory.samples[0];
                memory.samples[0] = before + (sample - before) * share;
                memory.samples[0]
            }
        }
    }
}
