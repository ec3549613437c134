//! Random numbers for training: the generator of `spatial`, in streams.

use tightfit_spatial::SplitMix;

/// The generator; equal states give equal sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random(SplitMix);

impl Random {
    /// The sequence of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(SplitMix(seed))
    }

    /// The sequence of `stream` of this seed; streams are independent.
    #[must_use]
    pub fn stream(seed: u64, stream: u64) -> Self {
        let offset = SplitMix(seed ^ 0x5851_F42D_4C95_7F2D).bits();
        Self::new(SplitMix(stream.wrapping_add(offset)).bits())
    }

    /// Next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// Next number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// Next number in [low, high).
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Next standard normal number (Box-Muller, one of the pair).
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.unit()));
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }

    /// Next index below `count`; 0 if `count` is 0.
    pub fn index(&mut self, count: usize) -> usize {
        ((self.unit() * count as f64) as usize).min(count.saturating_sub(1))
    }
}
