//! An orthonormal frame: the placement of a curve or surface.

use nalgebra::Vector3;

/// Origin [m] and three orthonormal axes, right-handed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Origin [m].
    pub origin: Vector3<f64>,
    /// First axis.
    pub x: Vector3<f64>,
    /// Second axis.
    pub y: Vector3<f64>,
    /// Third axis: the normal of a plane, the axis of a cylinder.
    pub z: Vector3<f64>,
}

impl Frame {
    /// The frame of the file itself.
    #[must_use]
    pub fn identity() -> Self {
        Self { origin: Vector3::zeros(), x: Vector3::x(), y: Vector3::y(), z: Vector3::z() }
    }

    /// Frame from an axis and a direction for x; `None` when the axis has no length. A direction parallel to the axis
    /// is replaced by any perpendicular one, as ISO 10303-42 `first_proj_axis` does.
    #[must_use]
    pub fn new(origin: Vector3<f64>, axis: Vector3<f64>, towards: Option<Vector3<f64>>) -> Option<Self> {
        let z = axis.try_normalize(1e-12)?;
        let given = towards.and_then(|towards| {
            let towards = towards.try_normalize(1e-12)?;
            (towards - z * z.dot(&towards)).try_normalize(1e-9)
        });
        let x = given.unwrap_or_else(|| perpendicular(z));
        Some(Self { origin, x, y: z.cross(&x), z })
    }

    /// Coordinates in this frame of a point outside it.
    #[must_use]
    pub fn inside(&self, point: Vector3<f64>) -> Vector3<f64> {
        let from = point - self.origin;
        Vector3::new(from.dot(&self.x), from.dot(&self.y), from.dot(&self.z))
    }

    /// Point outside this frame of its coordinates.
    #[must_use]
    pub fn outside(&self, local: Vector3<f64>) -> Vector3<f64> {
        self.origin + self.turn(local)
    }

    /// Vector outside this frame of its components.
    #[must_use]
    pub fn turn(&self, local: Vector3<f64>) -> Vector3<f64> {
        self.x * local.x + self.y * local.y + self.z * local.z
    }

    /// `outer_from_inner` applied to a frame in the inner one.
    #[must_use]
    pub fn place(&self, inner: &Self) -> Self {
        Self {
            origin: self.outside(inner.origin),
            x: self.turn(inner.x),
            y: self.turn(inner.y),
            z: self.turn(inner.z),
        }
    }

    /// `inner_from_outer` of `outer_from_inner`.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let back = |v: Vector3<f64>| Vector3::new(v.dot(&self.x), v.dot(&self.y), v.dot(&self.z));
        Self {
            origin: -back(self.origin),
            x: back(Vector3::x()),
            y: back(Vector3::y()),
            z: back(Vector3::z()),
        }
    }

    /// Whether the frame is that of the file, bit for bit: points then keep their exact coordinates.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        *self == Self::identity()
    }
}

/// A unit vector perpendicular to a unit vector.
pub(crate) fn perpendicular(z: Vector3<f64>) -> Vector3<f64> {
    let other = if z.x.abs() <= z.y.abs() && z.x.abs() <= z.z.abs() {
        Vector3::x()
    } else if z.y.abs() <= z.z.abs() {
        Vector3::y()
    } else {
        Vector3::z()
    };
    (other - z * z.dot(&other)).normalize()
}
