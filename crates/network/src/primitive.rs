//! Primitive shapes with a closed-form distance; a network may learn the residual of the true distance.
//!
//! ```text
//! ring    q_r = max(r₀ − r, r − r₁),  q_z = max(z₀ − z, z − z₁)
//!         p = √(q_r² + q_z²) where both are positive, else max(q_r, q_z)
//! screw   s(φ) = m + a cos φ,  w = (2πa/P) sin φ
//!         p = max((r − s)/√(1 + w²), z₀ − z, z − z₁)
//! ```
//!
//! r distance from the z axis [m], φ = 2πz/P − θ as in the features, P pitch [m], m mean and a half difference of the
//! radii of root and crest [m]. A ring is a tube, or a rod if the inner radius is zero, with square ends; its
//! distance is exact. A screw is a sine wave of the thread's pitch and depth; its distance is accurate to first order
//! in the axial section.

use serde::{Deserialize, Serialize};
use tightfit_spatial::Vector3;

use crate::features::polar;
use crate::{NetworkError, Range};

/// A primitive shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Primitive {
    /// A tube or rod about z.
    Ring {
        /// r₀, r₁ [m]; r₀ = 0 for a rod.
        radii: [f64; 2],
        /// z₀, z₁ [m].
        heights: [f64; 2],
    },
    /// A smooth external thread about z, the middle of a ridge at θ = 0, z = 0.
    Screw {
        /// P [m], negative for a left-hand thread.
        pitch: f64,
        /// Radii of root and crest [m].
        radii: [f64; 2],
        /// z₀, z₁ [m].
        heights: [f64; 2],
    },
}

/// The primitive shape that a network was trained to correct.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Residual {
    /// The shape.
    pub primitive: Primitive,
    /// Range of the sum of shape and network over the samples, in the unit of the field.
    pub values: Range,
}

impl Primitive {
    /// Checks the dimensions.
    ///
    /// # Errors
    /// When a dimension is not finite or a pair is not ascending.
    pub fn check(&self) -> Result<(), NetworkError> {
        let (Self::Ring { radii, heights } | Self::Screw { radii, heights, .. }) = *self;
        for (place, [low, high]) in [("primitive, radii", radii), ("primitive, heights", heights)] {
            Range::new(place, low, high)?;
        }
        let pitch = if let Self::Screw { pitch, .. } = *self { pitch } else { 1.0 };
        for (place, value, allowed, is_good) in [
            ("primitive, inner radius", radii[0], "0 or more", radii[0] >= 0.0),
            ("primitive, pitch", pitch, "at least 1e-6 m, or at most -1e-6 m", pitch.abs() >= 1e-6),
        ] {
            if !is_good {
                return Err(NetworkError::Value { place: place.into(), value, allowed });
            }
        }
        Ok(())
    }

    /// Distance [m], positive outside, and its gradient at a point [m].
    #[must_use]
    pub fn sample(&self, point: Vector3<f64>) -> (f64, Vector3<f64>) {
        let (radius, [cos, sin]) = polar(point);
        let outwards = Vector3::new(cos, sin, 0.0);
        let (Self::Ring { heights, .. } | Self::Screw { heights, .. }) = *self;
        let below = (heights[0] - point.z, -Vector3::z());
        let above = (point.z - heights[1], Vector3::z());
        let end = farther(below, above);
        match *self {
            Self::Ring { radii, .. } => {
                let outer = (radius - radii[1], outwards);
                let wall = match radii[0] > 0.0 {
                    true => farther((radii[0] - radius, -outwards), outer),
                    false => outer,
                };
                if wall.0 > 0.0 && end.0 > 0.0 {
                    let distance = wall.0.hypot(end.0);
                    (distance, (wall.1 * wall.0 + end.1 * end.0) / distance)
                } else {
                    farther(wall, end)
                }
            }
            Self::Screw { pitch, radii: [root, crest], .. } => {
                let wave = std::f64::consts::TAU / pitch;
                let (sin_height, cos_height) = libm::sincos(wave * point.z);
                let cos_phase = cos_height * cos + sin_height * sin;
                let sin_phase = sin_height * cos - cos_height * sin;
                let (middle, amplitude) = (f64::midpoint(root, crest), (crest - root) / 2.0);
                let over = radius - middle - amplitude * cos_phase;
                let slope = wave * amplitude * sin_phase;
                let length = (1.0 + slope * slope).sqrt();
                let by_phase = amplitude * sin_phase / length
                    - over * slope * wave * amplitude * cos_phase / length.powi(3);
                let around = Vector3::new(-sin, cos, 0.0) / radius.max(f64::MIN_POSITIVE);
                let gradient = outwards / length + by_phase * (wave * Vector3::z() - around);
                farther((over / length, gradient), end)
            }
        }
    }
}

/// The face with the larger signed distance.
fn farther(a: (f64, Vector3<f64>), b: (f64, Vector3<f64>)) -> (f64, Vector3<f64>) {
    if a.0 >= b.0 { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_of_a_ring_is_exact_at_faces_and_edges() {
        let ring = Primitive::Ring { radii: [0.02, 0.03], heights: [-0.05, 0.0] };
        for ([x, z], expected) in [
            ([0.019, -0.02], 1e-3),
            ([0.0205, -0.02], -0.5e-3),
            ([0.025, 2e-3], 2e-3),
            ([0.033, 4e-3], 5e-3),
            ([0.017, -0.054], 5e-3),
        ] {
            let (distance, gradient) = ring.sample(Vector3::new(0.6 * x, 0.8 * x, z));
            assert!((distance - expected).abs() < 1e-15, "{x} {z}: {distance}");
            assert!((gradient.norm() - 1.0).abs() < 1e-12);
        }
        let rod = Primitive::Ring { radii: [0.0, 0.03], heights: [-0.05, 0.0] };
        assert!((rod.sample(Vector3::new(1e-3, 0.0, -0.001)).0 + 1e-3).abs() < 1e-15);
    }

    #[test]
    fn gradients_are_the_derivatives_of_distances() {
        let kinds = [
            Primitive::Ring { radii: [0.02, 0.03], heights: [-0.05, 0.0] },
            Primitive::Screw { pitch: 5e-3, radii: [0.021, 0.024], heights: [0.0, 0.04] },
            Primitive::Screw { pitch: -3e-3, radii: [0.021, 0.0235], heights: [0.0, 0.04] },
        ];
        let points =
            [[0.0211, -0.002, 0.013], [0.012, 0.019, 0.0123], [-0.02, 0.012, 0.0431], [0.005, 0.021, 0.0312]];
        for kind in kinds {
            for point in points.map(Vector3::from) {
                let (_, gradient) = kind.sample(point);
                for axis in 0..3 {
                    let mut step = Vector3::zeros();
                    step[axis] = 1e-8;
                    let slope = (kind.sample(point + step).0 - kind.sample(point - step).0) / 2e-8;
                    assert!((slope - gradient[axis]).abs() < 1e-5, "{kind:?} {point:?} {axis}: {slope}");
                }
            }
        }
    }

    #[test]
    fn invalid_dimensions_are_rejected() {
        let ring = |radii, heights| Primitive::Ring { radii, heights }.check();
        assert!(ring([0.0, 0.01], [0.0, 0.1]).is_ok());
        assert!(ring([0.02, 0.01], [0.0, 0.1]).is_err());
        assert!(ring([-0.01, 0.01], [0.0, 0.1]).is_err());
        assert!(ring([0.0, 0.01], [f64::NEG_INFINITY, 0.1]).is_err());
        let screw = Primitive::Screw { pitch: 0.0, radii: [0.01, 0.02], heights: [0.0, 1.0] };
        assert!(screw.check().unwrap_err().to_string().contains("pitch"));
    }
}
