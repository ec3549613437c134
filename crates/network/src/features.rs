//! Input features of a point: its coordinates, reduced by the symmetry of the part.
//!
//! ```text
//! cartesian   (x, y, z)
//! revolved    (r, z)                   r = √(x² + y²)
//! screw       (r, cos φ, sin φ, z)     φ = 2πz/P − θ, θ = atan2(y, x)
//!
//! ∂r/∂(x, y) = (x, y)/r    ∂φ/∂(x, y) = (y, −x)/r²    ∂φ/∂z = 2π/P
//! ```
//! P is the pitch [m], negative for a left-hand thread. φ/2π is the height above the middle of a ridge in pitches, so
//! the features are constant along the helix of a thread, except z, which indicates its ends. On the axis, where r
//! has no gradient, the gradient is taken along x.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// Kind of features.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Features {
    /// x, y, z [m].
    Cartesian,
    /// Radius and height [m], for bodies of revolution.
    Revolved,
    /// Radius, phase and height, for threads.
    Screw {
        /// Advance per turn [m], negative for a left-hand thread.
        pitch: f64,
    },
}

/// Largest number of features of any kind.
pub const MOST_FEATURES: usize = 4;

/// Radius below which a point counts as on the axis [m].
const AXIS: f64 = 1e-12;

impl Features {
    /// Number of features.
    #[must_use]
    pub fn count(self) -> usize {
        match self {
            Self::Cartesian => 3,
            Self::Revolved => 2,
            Self::Screw { .. } => 4,
        }
    }

    /// Features of a point [m]; the entries after [`Self::count`] are 0.
    #[must_use]
    pub fn of(self, point: Vector3<f64>) -> [f64; MOST_FEATURES] {
        let (radius, [cos, sin]) = polar(point);
        match self {
            Self::Cartesian => [point.x, point.y, point.z, 0.0],
            Self::Revolved => [radius, point.z, 0.0, 0.0],
            Self::Screw { pitch } => {
                let (sin_height, cos_height) = libm::sincos(std::f64::consts::TAU * point.z / pitch);
                let cos_phase = cos_height * cos + sin_height * sin;
                let sin_phase = sin_height * cos - cos_height * sin;
                [radius, cos_phase, sin_phase, point.z]
            }
        }
    }

    /// Gradient with respect to the point from the gradient with respect to its features.
    #[must_use]
    pub fn pull_back(
        self,
        point: Vector3<f64>,
        features: [f64; MOST_FEATURES],
        gradient: [f64; MOST_FEATURES],
    ) -> Vector3<f64> {
        let (radius, [cos, sin]) = polar(point);
        match self {
            Self::Cartesian => Vector3::new(gradient[0], gradient[1], gradient[2]),
            Self::Revolved => Vector3::new(gradient[0] * cos, gradient[0] * sin, gradient[1]),
            Self::Screw { pitch } => {
                let [_, cos_phase, sin_phase, _] = features;
                let by_phase = gradient[2] * cos_phase - gradient[1] * sin_phase;
                let around = by_phase / radius.max(AXIS);
                Vector3::new(
                    gradient[0] * cos + around * sin,
                    gradient[0] * sin - around * cos,
                    gradient[3] + by_phase * std::f64::consts::TAU / pitch,
                )
            }
        }
    }
}

/// Radius [m] and the direction (cos θ, sin θ).
pub(crate) fn polar(point: Vector3<f64>) -> (f64, [f64; 2]) {
    let radius = libm::sqrt(point.x * point.x + point.y * point.y);
    if radius < AXIS { (radius, [1.0, 0.0]) } else { (radius, [point.x / radius, point.y / radius]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Features; 4] = [
        Features::Cartesian,
        Features::Revolved,
        Features::Screw { pitch: 5e-3 },
        Features::Screw { pitch: -1.5e-3 },
    ];

    #[test]
    fn the_pulled_back_gradient_is_the_derivative_of_the_features() {
        let point = Vector3::new(0.012, -0.019, 0.0073);
        let weights = [3.0, -0.7, 0.4, 2.0];
        for kind in KINDS {
            let value = |point| kind.of(point).iter().zip(weights).map(|(f, w)| f * w).sum::<f64>();
            let gradient = kind.pull_back(point, kind.of(point), weights);
            for axis in 0..3 {
                let mut step = Vector3::zeros();
                step[axis] = 1e-7;
                let slope = (value(point + step) - value(point - step)) / 2e-7;
                assert!((slope - gradient[axis]).abs() < 1e-5 * (1.0 + slope.abs()), "{kind:?} {axis}");
            }
        }
    }

    #[test]
    fn a_screw_motion_changes_only_the_height() {
        let kind = Features::Screw { pitch: 5e-3 };
        let (radius, angle, z, turn) = (0.02, 0.3, 0.001, 1.234);
        let at = |angle: f64, z: f64| Vector3::new(radius * angle.cos(), radius * angle.sin(), z);
        let before = kind.of(at(angle, z));
        let after = kind.of(at(angle + turn, z + 5e-3 * turn / std::f64::consts::TAU));
        for (a, b) in before.iter().zip(after).take(3) {
            assert!((a - b).abs() < 1e-14);
        }
    }
}
