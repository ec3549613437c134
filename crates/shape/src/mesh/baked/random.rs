//! SplitMix64: small, seekable by its seed, the same on every machine.
//!
//! G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.

use nalgebra::Vector3;

/// The generator's state.
#[derive(Clone, Debug)]
pub(super) struct SplitMix(pub(super) u64);

impl SplitMix {
    /// Next number in [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Next point of the unit cube [0, 1)³.
    pub(super) fn cube(&mut self) -> Vector3<f64> {
        let (x, y, z) = (self.unit(), self.unit(), self.unit());
        Vector3::new(x, y, z)
    }

    /// Next point of the unit ball, uniform in volume.
    pub(super) fn ball(&mut self) -> Vector3<f64> {
        loop {
            let point = self.cube() * 2.0 - Vector3::from_element(1.0);
            if point.norm_squared() <= 1.0 {
                return point;
            }
        }
    }
}
