//! SplitMix64, a small pseudorandom number generator with the same output on every machine.
//!
//! G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.

use nalgebra::Vector3;

/// The generator. Its whole state is one number, so a snapshot can store it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitMix(pub u64);

impl SplitMix {
    /// The generator of a numbered stream. The number is hashed first: as states, two numbers that differ by a
    /// multiple of the increment would give the same draws, shifted.
    #[must_use]
    pub fn stream(number: u64) -> Self {
        Self(Self(number).bits())
    }

    /// Next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Next number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Next number in [-1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Next uniform point of the unit cube [0, 1)³.
    pub fn cube(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.unit())
    }

    /// Next uniform point of the cube [-1, 1)³.
    pub fn centered_cube(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.signed())
    }

    /// Next point of the unit ball, uniform in volume.
    pub fn ball(&mut self) -> Vector3<f64> {
        loop {
            let point = self.centered_cube();
            if point.norm_squared() <= 1.0 {
                return point;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_numbers_match_the_published_generator() {
        // reference values of the authors' Java and C versions for the seed 1234567
        let mut random = SplitMix(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!(expected, [random.bits(), random.bits(), random.bits()]);
    }

    #[test]
    fn streams_do_not_overlap() {
        let mut all: Vec<u64> = Vec::new();
        for number in 0..50 {
            let mut random = SplitMix::stream(number);
            all.extend((0..1000).map(|_| random.bits()));
        }
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn points_stay_in_range_and_have_zero_mean() {
        let mut random = SplitMix(1);
        let mut sum = Vector3::zeros();
        for _ in 0..10_000 {
            let (unit, signed, ball) = (random.cube(), random.centered_cube(), random.ball());
            assert!(unit.iter().all(|x| (0.0..1.0).contains(x)));
            assert!(signed.iter().all(|x| (-1.0..1.0).contains(x)));
            assert!(ball.norm() <= 1.0);
            sum += ball;
        }
        assert!(sum.norm() / 1e4 < 0.02, "{sum}");
    }
}
