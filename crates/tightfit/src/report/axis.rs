//! An axis: from values to pixels, with round ticks.

use super::number::{minus, power_of_ten};

/// How values are spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scale {
    /// Evenly.
    Linear,
    /// By powers of ten; smaller values are drawn at this one.
    Log {
        /// The smallest value shown.
        floor: f64,
    },
}

/// Values from `low` to `high` over pixels from `from` to `to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis that shows all values, with a margin on a linear one.
    pub(super) fn over(values: impl Iterator<Item = f64>, scale: Scale, pixels: [f64; 2], air: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite()) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let [from, to] = pixels;
        match scale {
            Scale::Linear => {
                // draw a constant in the middle instead of magnifying its rounding errors
                let least = 1e-9_f64.max(1e-6 * high.abs().max(low.abs()));
                if high - low < least {
                    let middle = f64::midpoint(low, high);
                    let half = if middle == 0.0 { 1.0 } else { 0.5 * middle.abs() };
                    (low, high) = (middle - half, middle + half);
                }
                let air = air * (high - low);
                Self { scale, low: low - air, high: high + air, from, to }
            }
            Scale::Log { floor } => {
                let low = low.max(floor).log10().floor();
                let high = high.max(floor).log10().ceil().max(low + 1.0);
                Self { scale, low, high, from, to }
            }
        }
    }

    /// An axis on other pixels with the same pixels per unit, centred on its values.
    pub(super) fn with_pixels_per_unit(self, pixels_per_unit: f64) -> Self {
        let middle = f64::midpoint(self.low, self.high);
        let half = (self.to - self.from).abs() / pixels_per_unit / 2.0;
        Self { low: middle - half, high: middle + half, ..self }
    }

    /// Pixels per unit of an even axis.
    pub(super) fn pixels_per_unit(self) -> f64 {
        (self.to - self.from).abs() / (self.high - self.low)
    }

    /// Pixels of its two ends.
    pub(super) fn ends(self) -> [f64; 2] {
        [self.from, self.to]
    }

    /// Pixel of a value.
    pub(super) fn pixel(self, value: f64) -> f64 {
        let value = match self.scale {
            Scale::Linear => value,
            Scale::Log { floor } => value.max(floor).log10(),
        };
        self.from + (value - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Pixels and labels of about `count` ticks.
    pub(super) fn ticks(self, count: f64) -> Vec<(f64, String)> {
        match self.scale {
            Scale::Linear => {
                let step = round_step((self.high - self.low) / count);
                let digits = (-step.log10().floor()).max(0.0) as usize;
                let first = (self.low / step - 1e-9).ceil() as i64;
                let last = (self.high / step + 1e-9).floor() as i64;
                let tick = |index: i64| {
                    let value = index as f64 * step;
                    (self.pixel(value), minus(&format!("{value:.digits$}")))
                };
                (first..=last).map(tick).collect()
            }
            Scale::Log { floor } => {
                let every = ((self.high - self.low) / count).ceil().max(1.0) as usize;
                let (low, high) = (self.low as i32, self.high as i32);
                let tick = |power: i32| {
                    let label = power_of_ten(power);
                    let is_floor = f64::from(power) <= floor.log10() + 1e-9;
                    (self.pixel(10_f64.powi(power)), if is_floor { format!("≤ {label}") } else { label })
                };
                (low..=high).step_by(every).map(tick).collect()
            }
        }
    }
}

/// 1, 2 or 5 times a power of ten, at least this large.
fn round_step(rough: f64) -> f64 {
    let power = 10_f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    steps.into_iter().map(|digit| digit * power).find(|step| *step >= rough * 0.999).unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_axis() {
        let axis = Axis::over([0.0, 4.2].into_iter(), Scale::Linear, [0.0, 420.0], 0.0);
        let labels: Vec<_> = axis.ticks(6.0).into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["0", "1", "2", "3", "4"]);
        assert!((axis.pixel(1.0) - 100.0).abs() < 1e-9);
        let log = Axis::over([0.0, 0.3].into_iter(), Scale::Log { floor: 1e-3 }, [100.0, 0.0], 0.0);
        let labels: Vec<_> = log.ticks(5.0).into_iter().map(|(_, label)| label).collect();
        assert_eq!(labels, ["≤ 0.001", "0.01", "0.1", "1"]);
        assert_eq!(log.pixel(0.0), 100.0, "nothing is drawn below the floor");
    }

    #[test]
    fn no_values_and_equal_values_have_an_axis() {
        for values in [vec![], vec![f64::NAN], vec![0.0; 3], vec![7.0; 3], vec![-1e-30, 1e-30]] {
            let axis = Axis::over(values.into_iter(), Scale::Linear, [0.0, 100.0], 0.05);
            let ticks = axis.ticks(5.0);
            assert!((2..12).contains(&ticks.len()), "{ticks:?}");
            assert!(ticks.iter().all(|(pixel, _)| (-1e-6..100.1).contains(pixel)), "{ticks:?}");
        }
    }
}
