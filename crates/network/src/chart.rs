//! Coordinates of a configuration: the pose of a moving part relative to a fixed one as six numbers, and their
//! Jacobian.
//!
//! ```text
//! euler     q = (x, y, z, α, β, γ)          c = (x, y, z),  R = Rx(α) Ry(β) Rz(γ)
//! local     q = R₀ᵀ(p − p₀),  φ = log(R₀ᵀR)
//! revolved  as local, without the part's rotation about its z axis:    R → R Rz(−θ),  φ_z = 0
//! screw     as revolved, with φ_z replaced by   s = wrap(z − Pθ/2π, P)
//!
//! q̇ = J [v; ω]       ṗ = v + ω × R(p_part − c_part)       φ̇ = L⁻¹(φ) R₀ᵀ(ω − R e_z θ̇)      ṡ = ż − Pθ̇/2π
//! L⁻¹(φ) = I − ½S(φ) + (1/|φ|² − (1 + cos|φ|)/(2|φ| sin|φ|)) S(φ)²
//! ```
//!
//! c centre of mass and p a point of the moving part, in the fixed part's frame [m]; R its attitude there; p₀, R₀ the
//! nominal ones; θ rotation about the part's z axis from the nominal attitude [rad], such that φ_z = 0; P pitch [m],
//! negative for a left-hand thread; s phase error along the axis [m]. A rotation with the advance of the thread
//! changes z alone, and z alone indicates the ends of the thread. [v; ω] velocity of the centre of mass and angular
//! velocity, fixed part's axes. The rotation vector is regular up to half a turn from the nominal attitude, Euler
//! angles up to β = ±90°.
//!
//! J. Yoon, M. Lee, D. Son, D. J. Lee 2022, section 4 (Euler); T. D. Barfoot, "State Estimation for Robotics", 2017,
//! section 7.1 (L⁻¹).

use std::array::from_fn;
use std::f64::consts::TAU;

use nalgebra::{Matrix3, Matrix6, Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};
use tightfit_spatial::Pose;

/// Number of coordinates of a configuration.
pub const COORDINATES: usize = 6;

/// Rotations below this use their series [rad].
const SMALL: f64 = 1e-4;

/// Map from a pose to six coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CspaceChart {
    /// Centre of mass and intrinsic x-y-z angles, as in the paper.
    #[default]
    Euler,
    /// Displacement from a nominal pose.
    Local(LocalChart),
}

/// Coordinates around a nominal pose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LocalChart {
    /// Point of the moving part whose position gives the first three coordinates, in that part's frame [m].
    pub point_in_part: [f64; 3],
    /// Nominal position of that point in the fixed part's frame [m].
    pub nominal_point: [f64; 3],
    /// Nominal attitude, unit quaternion x, y, z, w.
    pub nominal_rotation: [f64; 4],
    /// Symmetry of the pair of parts.
    pub symmetry: ChartSymmetry,
}

/// Symmetry of a pair of parts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChartSymmetry {
    /// None: six coordinates.
    None,
    /// Rotation of the moving part about its z axis: the last coordinate is 0.
    Revolved,
    /// Rotation with the advance of the thread, except at the thread's ends: the last coordinate is s.
    Screw {
        /// Advance per turn [m], negative for a left-hand thread.
        pitch: f64,
    },
}

/// Coordinates q [m, rad] and their Jacobian J per [v; ω].
pub type Charted = ([f64; COORDINATES], Matrix6<f64>);

impl CspaceChart {
    /// Whether this is the paper's chart.
    #[must_use]
    pub fn is_euler(&self) -> bool {
        *self == Self::Euler
    }

    /// Coordinates of a pose, and their Jacobian with respect to the velocity of the centre of mass and the angular
    /// velocity, in the fixed part's axes.
    #[must_use]
    pub fn coordinates(&self, fixed_from_part: &Pose, center_in_part: Vector3<f64>) -> Charted {
        match self {
            Self::Euler => euler(fixed_from_part, center_in_part),
            Self::Local(chart) => chart.coordinates(fixed_from_part, center_in_part),
        }
    }

    /// The pose of given coordinates; under a symmetry, one of the equivalent poses.
    #[must_use]
    pub fn fixed_from_part(&self, q: [f64; COORDINATES], center_in_part: Vector3<f64>) -> Pose {
        match self {
            Self::Euler => {
                let turn = |axis, angle| about(Vector3::ith(axis, 1.0), angle);
                let rotation = turn(0, q[3]) * turn(1, q[4]) * turn(2, q[5]);
                Pose::new(Vector3::new(q[0], q[1], q[2]) - rotation * center_in_part, rotation)
            }
            Self::Local(chart) => chart.fixed_from_part(q),
        }
    }
}

impl LocalChart {
    fn rotation(&self) -> UnitQuaternion<f64> {
        let [x, y, z, w] = self.nominal_rotation;
        UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z))
    }

    fn coordinates(&self, fixed_from_part: &Pose, center_in_part: Vector3<f64>) -> Charted {
        let nominal = self.rotation().to_rotation_matrix().into_inner();
        let point = Vector3::from(self.point_in_part);
        let shift = nominal.transpose()
            * (fixed_from_part.transform_point(point) - Vector3::from(self.nominal_point));
        let arm = fixed_from_part.transform_vector(point - center_in_part);
        let turn = self.rotation().inverse() * fixed_from_part.rotation;
        // Velocity of the point, in nominal axes, per [v; ω].
        let (along, about_arm) = (nominal.transpose(), -(nominal.transpose() * arm.cross_matrix()));
        let twist = match self.symmetry {
            ChartSymmetry::None => 0.0,
            ChartSymmetry::Revolved | ChartSymmetry::Screw { .. } => 2.0 * libm::atan2(turn.k, turn.w),
        };
        let vector = rotation_vector(&(turn * about(Vector3::z(), -twist)));
        let mut turning = inverse_left(vector) * nominal.transpose();
        let mut q = [shift.x, shift.y, shift.z, vector.x, vector.y, vector.z];
        let mut jacobian = Matrix6::zeros();
        if self.symmetry != ChartSymmetry::None {
            // θ̇ per ω that keeps φ_z at zero.
            let axis = fixed_from_part.transform_vector(Vector3::z());
            let row = turning.row(2).into_owned();
            let twisting = row / row.transpose().dot(&axis);
            turning -= turning * axis * twisting;
            turning.fill_row(2, 0.0);
            q[5] = 0.0;
            if let ChartSymmetry::Screw { pitch } = self.symmetry {
                let rise = pitch / TAU;
                let out_of_phase = shift.z - rise * twist;
                q[5] = out_of_phase - pitch * (out_of_phase / pitch).round();
                for column in 0..3 {
                    jacobian[(5, column)] = along[(2, column)];
                    turning[(2, column)] = about_arm[(2, column)] - rise * twisting[column];
                }
            }
        }
        jacobian.fixed_view_mut::<3, 3>(0, 0).copy_from(&along);
        jacobian.fixed_view_mut::<3, 3>(0, 3).copy_from(&about_arm);
        jacobian.fixed_view_mut::<3, 3>(3, 3).copy_from(&turning);
        (q, jacobian)
    }

    fn fixed_from_part(&self, q: [f64; COORDINATES]) -> Pose {
        let (vector, twist) = match self.symmetry {
            ChartSymmetry::None => (Vector3::new(q[3], q[4], q[5]), 0.0),
            ChartSymmetry::Revolved => (Vector3::new(q[3], q[4], 0.0), 0.0),
            ChartSymmetry::Screw { pitch } => (Vector3::new(q[3], q[4], 0.0), (q[2] - q[5]) * TAU / pitch),
        };
        let size = vector.norm();
        let axis = if size > 0.0 { vector / size } else { Vector3::x() };
        let rotation = self.rotation() * about(axis, size) * about(Vector3::z(), twist);
        let point = Vector3::from(self.nominal_point) + self.rotation() * Vector3::new(q[0], q[1], q[2]);
        Pose::new(point - rotation * Vector3::from(self.point_in_part), rotation)
    }
}

fn euler(fixed_from_part: &Pose, center_in_part: Vector3<f64>) -> Charted {
    let center = fixed_from_part.transform_point(center_in_part);
    let r = fixed_from_part.rotation.to_rotation_matrix().into_inner();
    let (alpha, gamma) = (libm::atan2(-r[(1, 2)], r[(2, 2)]), libm::atan2(-r[(0, 1)], r[(0, 0)]));
    let beta = libm::asin(r[(0, 2)].clamp(-1.0, 1.0));
    // ω = α̇ e_x + β̇ Rx e_y + γ̇ Rx Ry e_z, and Rx Ry e_z = R e_z
    let (sin, cos) = libm::sincos(alpha);
    let axes = Matrix3::from_columns(&[Vector3::x(), Vector3::new(0.0, cos, sin), r.column(2).into_owned()]);
    let mut jacobian = Matrix6::zeros();
    jacobian.fixed_view_mut::<3, 3>(0, 0).copy_from(&Matrix3::identity());
    // At β = ±90° the angle rates are undefined; zero is the least wrong value.
    jacobian.fixed_view_mut::<3, 3>(3, 3).copy_from(&axes.try_inverse().unwrap_or_else(Matrix3::zeros));
    ([center.x, center.y, center.z, alpha, beta, gamma], jacobian)
}

/// Axis times angle, of at most half a turn [rad].
fn rotation_vector(rotation: &UnitQuaternion<f64>) -> Vector3<f64> {
    let (w, v) =
        if rotation.w < 0.0 { (-rotation.w, -rotation.imag()) } else { (rotation.w, rotation.imag()) };
    let sin = v.norm();
    if sin < SMALL { v * (2.0 / w) } else { v * (2.0 * libm::atan2(sin, w) / sin) }
}

/// L⁻¹(φ): rate of the rotation vector per angular velocity.
fn inverse_left(vector: Vector3<f64>) -> Matrix3<f64> {
    let angle = vector.norm();
    let square = match angle < SMALL {
        true => 1.0 / 12.0,
        false => {
            let (sin, cos) = libm::sincos(angle);
            1.0 / (angle * angle) - (1.0 + cos) / (2.0 * angle * sin)
        }
    };
    let s = vector.cross_matrix();
    Matrix3::identity() - s * 0.5 + s * s * square
}

/// Rotation about a unit axis by an angle [rad].
fn about(axis: Vector3<f64>, angle: f64) -> UnitQuaternion<f64> {
    let (sin, cos) = libm::sincos(angle / 2.0);
    UnitQuaternion::new_normalize(Quaternion::from_parts(cos, axis * sin))
}

/// Jᵀg: converts a gradient per coordinate to one per [v; ω].
pub(crate) fn per_velocity(slopes: [f64; COORDINATES], jacobian: &Matrix6<f64>) -> [f64; COORDINATES] {
    from_fn(|column| (0..COORDINATES).map(|row| slopes[row] * jacobian[(row, column)]).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charts() -> Vec<CspaceChart> {
        let local = |symmetry| {
            let rotation = about(Vector3::z(), 0.7) * about(Vector3::x(), 0.2);
            let [i, j, k, w] = rotation.coords.into();
            CspaceChart::Local(LocalChart {
                point_in_part: [0.001, -0.002, 0.03],
                nominal_point: [0.01, 0.02, 0.03],
                nominal_rotation: [i, j, k, w],
                symmetry,
            })
        };
        let screw = ChartSymmetry::Screw { pitch: -5e-3 };
        vec![CspaceChart::Euler, local(ChartSymmetry::None), local(ChartSymmetry::Revolved), local(screw)]
    }

    /// The pose after a time under a constant velocity of the centre of mass and a constant angular velocity.
    fn moved(pose: &Pose, center: Vector3<f64>, v: Vector3<f64>, w: Vector3<f64>, time: f64) -> Pose {
        let angle = w.norm() * time;
        let rotation = about(w.normalize(), angle) * pose.rotation;
        Pose::new(pose.transform_point(center) + v * time - rotation * center, rotation)
    }

    #[test]
    fn coordinates_survive_the_round_trip_and_the_jacobian_is_their_derivative() {
        let center = Vector3::new(0.002, 0.003, 0.05);
        let (v, w) = (Vector3::new(0.1, -0.2, 0.15), Vector3::new(0.7, 0.4, -1.1));
        for chart in charts() {
            let last = if matches!(
                chart,
                CspaceChart::Local(LocalChart { symmetry: ChartSymmetry::Revolved, .. })
            ) {
                0.0
            } else {
                1.1e-3
            };
            let q = [1e-3, -2e-3, 3e-3, 0.15, -0.2, last];
            let pose = chart.fixed_from_part(q, center);
            let (found, jacobian) = chart.coordinates(&pose, center);
            for (found, wanted) in found.iter().zip(q) {
                assert!((found - wanted).abs() < 1e-14, "{chart:?}: {found:e} {wanted:e}");
            }
            let time = 1e-6;
            let at = |time: f64| chart.coordinates(&moved(&pose, center, v, w, time), center).0;
            let (after, before) = (at(time), at(-time));
            for row in 0..COORDINATES {
                let rate = (after[row] - before[row]) / (2.0 * time);
                let said: f64 =
                    (0..6).map(|k| jacobian[(row, k)] * if k < 3 { v[k] } else { w[k - 3] }).sum();
                assert!((rate - said).abs() < 1e-8, "{chart:?}: coordinate {row}: {rate} {said}");
            }
        }
    }

    #[test]
    fn a_symmetry_motion_changes_only_the_height() {
        let center = Vector3::zeros();
        for chart in charts() {
            let CspaceChart::Local(LocalChart { symmetry, .. }) = chart else { continue };
            let pose = chart.fixed_from_part([1e-3, -2e-3, 3e-3, 2e-3, -1e-3, 0.0], center);
            let angle = 2.3;
            let rise = match symmetry {
                ChartSymmetry::None => continue,
                ChartSymmetry::Revolved => 0.0,
                ChartSymmetry::Screw { pitch } => pitch * angle / TAU,
            };
            // Along the axis of the nominal attitude; the part is tilted from it by 2 mrad.
            let CspaceChart::Local(local) = chart else { continue };
            let shift = local.rotation() * Vector3::z() * rise;
            let turn = about(Vector3::z(), angle);
            let point = Vector3::from(local.point_in_part);
            let place = pose.transform_point(point) + shift;
            let rotation = pose.rotation * turn;
            let screwed = Pose::new(place - rotation * point, rotation);
            let (q, [before, after]) = (
                chart.coordinates(&pose, center).0,
                [pose, screwed].map(|pose| chart.coordinates(&pose, center).0),
            );
            for k in [0, 1, 3, 4, 5] {
                assert!((before[k] - after[k]).abs() < 1e-14, "{chart:?}: coordinate {k}");
            }
            assert!((after[2] - q[2] - rise).abs() < 1e-14);
        }
    }
}
