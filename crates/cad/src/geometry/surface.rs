//! Surfaces of faces, and the foot point of a point on those that have one foot point.
//!
//! ```text
//! plane     d = (p − o)·z                          cylinder  d = ρ − r
//! cone      d = ρ cos α − s sin α                  sphere    d = |p − o| − r
//! torus     d = √((ρ − R)² + z²) − r
//! ```
//!
//! ρ is the distance from the axis, s the distance from the apex along the axis. The normal points away from the axis,
//! from the centre, or from the middle of the tube; d is positive on that side. On each of these surfaces the foot point
//! is the only local minimum of the distance, so that the nearest point of a trimmed face is the foot point or lies on
//! the boundary of the face.

use std::sync::Arc;

use nalgebra::Vector3;

use super::frame::perpendicular;
use super::{Frame, Parametric};

/// A surface.
#[derive(Clone, Debug, PartialEq)]
pub enum Surface {
    /// The xy plane of a frame.
    Plane(Frame),
    /// A cylinder about z of this radius [m].
    Cylinder(Frame, f64),
    /// One half of a cone about z, from its apex at the origin towards +z.
    Cone {
        /// Frame at the apex.
        frame: Frame,
        /// Sine and cosine of the half angle.
        half_angle: [f64; 2],
    },
    /// A sphere of this radius [m].
    Sphere(Frame, f64),
    /// A torus about z of major and minor radius [m], major > minor.
    Torus(Frame, [f64; 2]),
    /// Any other surface.
    Parametric(Arc<Parametric>),
}

/// Nearest point of an untrimmed surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foot {
    /// The point on the surface [m].
    pub point: Vector3<f64>,
    /// Unit normal of the surface there.
    pub normal: Vector3<f64>,
    /// Signed distance [m], positive on the side of the normal.
    pub distance: f64,
    /// Whether the foot is the apex of a cone, where the direction to the point replaces the normal.
    pub is_apex: bool,
}

impl Surface {
    /// Foot point of a point; `None` for parametric surfaces.
    #[must_use]
    #[inline]
    pub fn foot(&self, p: Vector3<f64>) -> Option<Foot> {
        let at = |point, normal, distance| Foot { point, normal, distance, is_apex: false };
        Some(match self {
            Self::Plane(frame) => {
                let distance = (p - frame.origin).dot(&frame.z);
                at(p - frame.z * distance, frame.z, distance)
            }
            Self::Cylinder(frame, radius) => {
                let (out, rho, _) = around(frame, p);
                at(p - out * (rho - radius), out, rho - radius)
            }
            Self::Cone { frame, half_angle: [sin, cos] } => {
                let (out, rho, s) = around(frame, p);
                let along = s * cos + rho * sin;
                if along <= 0.0 {
                    let away = p - frame.origin;
                    let distance = away.norm();
                    let normal = away.try_normalize(1e-300).unwrap_or(-frame.z);
                    Foot { point: frame.origin, normal, distance, is_apex: true }
                } else {
                    let normal = out * *cos - frame.z * *sin;
                    let distance = rho * cos - s * sin;
                    at(p - normal * distance, normal, distance)
                }
            }
            Self::Sphere(frame, radius) => {
                let from = p - frame.origin;
                let rho = from.norm();
                let out = if rho > 0.0 { from / rho } else { frame.z };
                at(frame.origin + out * *radius, out, rho - radius)
            }
            Self::Torus(frame, [major, minor]) => {
                let (out, rho, z) = around(frame, p);
                let (a, b) = (rho - major, z);
                let length = (a * a + b * b).sqrt();
                let normal = if length > 0.0 { (out * a + frame.z * b) / length } else { out };
                let distance = length - minor;
                at(p - normal * distance, normal, distance)
            }
            Self::Parametric(_) => return None,
        })
    }

    /// Name of the type, for reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Plane(_) => "plane",
            Self::Cylinder(..) => "cylinder",
            Self::Cone { .. } => "cone",
            Self::Sphere(..) => "sphere",
            Self::Torus(..) => "torus",
            Self::Parametric(surface) => match **surface {
                Parametric::Spline(_) => "B-spline",
                Parametric::Extrusion { .. } => "extrusion",
                Parametric::Revolution { .. } => "revolution",
                Parametric::Torus { .. } => "degenerate torus",
            },
        }
    }

    /// The surface seen from outside a frame.
    #[must_use]
    pub fn placed(&self, outer: &Frame) -> Self {
        match self {
            Self::Plane(frame) => Self::Plane(outer.place(frame)),
            Self::Cylinder(frame, radius) => Self::Cylinder(outer.place(frame), *radius),
            Self::Cone { frame, half_angle } => {
                Self::Cone { frame: outer.place(frame), half_angle: *half_angle }
            }
            Self::Sphere(frame, radius) => Self::Sphere(outer.place(frame), *radius),
            Self::Torus(frame, radii) => Self::Torus(outer.place(frame), *radii),
            Self::Parametric(surface) => Self::Parametric(Arc::new(surface.placed(outer))),
        }
    }
}

/// Unit vector away from the axis, distance from it [m], height along it [m].
#[inline]
fn around(frame: &Frame, p: Vector3<f64>) -> (Vector3<f64>, f64, f64) {
    let from = p - frame.origin;
    let z = from.dot(&frame.z);
    let radial = from - frame.z * z;
    let rho = radial.norm();
    let out = if rho > 0.0 { radial / rho } else { perpendicular(frame.z) };
    (out, rho, z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tightfit_spatial::SplitMix;

    /// A foot point lies on the surface, and the point lies on the normal at its foot.
    #[test]
    fn feet_are_on_the_surface_along_the_normal() {
        let frame = Frame::new(Vector3::new(0.1, 0.2, -0.3), Vector3::new(1.0, -2.0, 0.5), None).unwrap();
        let (sin, cos) = libm::sincos(0.4);
        let surfaces = [
            Surface::Plane(frame),
            Surface::Cylinder(frame, 0.3),
            Surface::Cone { frame, half_angle: [sin, cos] },
            Surface::Sphere(frame, 0.4),
            Surface::Torus(frame, [0.5, 0.2]),
        ];
        let mut random = SplitMix(3);
        for surface in &surfaces {
            for _ in 0..200 {
                let p: Vector3<f64> = random.cube();
                let foot = surface.foot(p).unwrap();
                assert!((foot.point + foot.normal * foot.distance - p).norm() < 1e-14);
                assert!(surface.foot(foot.point).unwrap().distance.abs() < 1e-15);
            }
        }
    }
}
