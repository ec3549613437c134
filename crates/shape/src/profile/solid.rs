//! An outline swept around a section, and its exact signed distance.
//!
//! Round and rounded sections reduce to the plane: d(x, y, z) = d_outline(a(x, y), z). A sharp polygon is
//! folded by its mirror symmetry in every plane through a corner or the middle of a flat: the nearest point lies
//! in the same sector as the query. There each edge of the outline is one trapezoid
//! {(a, c, z): |c| ≤ a tan(π/N)}. A projection that leaves the trapezoid sideways is replaced by the nearest point
//! on the slanted side, which is correct because the trapezoid is convex.

use nalgebra::{Vector2, Vector3};

use super::{Outline, Section};
use crate::Sample;

/// A body with an axis: every peg, hole, cylinder and hexagon.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionedSolid {
    /// What the outline's first coordinate means.
    pub section: Section,
    /// Boundary of the material in (a, z) [m].
    pub outline: Outline,
}

impl SectionedSolid {
    /// Body with this section and outline.
    #[must_use]
    pub fn new(section: Section, outline: Outline) -> Self {
        Self { section, outline }
    }

    /// Exact signed distance and unit gradient.
    #[must_use]
    pub fn sample(&self, point: Vector3<f64>) -> Sample {
        if let Section::Polygon { .. } = self.section {
            return self.sample_mitred(point);
        }
        let located = self.section.locate(point.xy());
        let flat = self.outline.sample([located.level, point.z]);
        let across = located.direction * flat.normal[0];
        Sample { distance: flat.distance, normal: Vector3::new(across.x, across.y, flat.normal[1]) }
    }

    fn sample_mitred(&self, point: Vector3<f64>) -> Sample {
        let tan = libm::tan(self.section.half_angle());
        let normal = self.section.facing(point.xy());
        let mut tangent = Vector2::new(-normal.y, normal.x);
        if point.xy().dot(&tangent) < 0.0 {
            tangent = -tangent;
        }
        // coordinates in the folded sector: across the flat, along it, height
        let query = Vector3::new(point.xy().dot(&normal), point.xy().dot(&tangent), point.z);
        let mut nearest = (f64::INFINITY, Vector3::zeros(), None);
        for (index, [start, end]) in self.outline.edges() {
            let (foot, on_face) = nearest_on_trapezoid(query, start, end, tan);
            let distance = (query - foot).norm();
            if distance < nearest.0 {
                nearest = (distance, foot, on_face.then_some(index));
            }
        }
        let (distance, foot, face) = nearest;
        let sign = if self.outline.contains([query.x, query.z]) { -1.0 } else { 1.0 };
        let (distance, folded) = match face {
            Some(index) => {
                let [na, nz] = self.outline.edge_normal(index);
                let normal = Vector3::new(na, 0.0, nz);
                ((query - foot).dot(&normal), normal)
            }
            None if distance > 0.0 => (sign * distance, (query - foot) * (sign / distance)),
            None => (0.0, Vector3::x()),
        };
        let across = normal * folded.x + tangent * folded.y;
        Sample { distance, normal: Vector3::new(across.x, across.y, folded.z) }
    }

    /// Point of the wall at level `level` [m] in the direction θ [rad], at height z [m].
    #[must_use]
    pub(crate) fn at_angle(&self, level: f64, angle: f64, z: f64) -> Vector3<f64> {
        let (sin, cos) = libm::sincos(angle);
        let ray = Vector2::new(cos, sin);
        let radius = match self.section {
            Section::Round => level,
            // only bodies of bolts and nuts come here, and none is a rounded polygon
            _ => level / ray.dot(&self.section.facing(ray)),
        };
        Vector3::new(radius * cos, radius * sin, z)
    }

    /// Largest distance of the material from the axis, corners included [m].
    #[must_use]
    pub fn outer_radius(&self) -> f64 {
        let level = self.outline.bounds()[1][0].max(0.0);
        let core = self.section.core();
        match self.section {
            Section::Round => level,
            Section::Polygon { .. } => level / libm::cos(self.section.half_angle()),
            Section::RoundedPolygon { .. } => core / libm::cos(self.section.half_angle()) + level - core,
        }
    }

    /// Smallest distance of the material from the axis [m].
    #[must_use]
    pub fn inner_radius(&self) -> f64 {
        self.outline.bounds()[0][0]
    }

    /// Lowest and highest z of the material [m].
    #[must_use]
    pub fn height_range(&self) -> (f64, f64) {
        let [low, high] = self.outline.bounds().map(|corner| corner[1]);
        (low, high)
    }
}

/// Nearest point of {(a, c, z) between start and end, 0 ≤ c ≤ a tan}, and whether it is in the interior of the face.
fn nearest_on_trapezoid(
    query: Vector3<f64>,
    start: [f64; 2],
    end: [f64; 2],
    tan: f64,
) -> (Vector3<f64>, bool) {
    let corner = |vertex: [f64; 2]| Vector3::new(vertex[0], vertex[0] * tan, vertex[1]);
    let middle = |vertex: [f64; 2]| Vector3::new(vertex[0], 0.0, vertex[1]);
    let project = |from: Vector3<f64>, to: Vector3<f64>| {
        let along = to - from;
        let t = ((query - from).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        (from + along * t, t)
    };
    let (mut foot, t) = project(middle(start), middle(end));
    // the projection onto the middle line fixes a and z; the face extends along c, so c stays if it is within the face
    if query.y <= foot.x * tan {
        foot.y = query.y;
        return (foot, t > 0.0 && t < 1.0);
    }
    (project(corner(start), corner(end)).0, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bored(section: Section) -> SectionedSolid {
        // a blind bore with a chamfered mouth in a block of the same section
        let outline = Outline::new(&[
            [0.0, -0.06],
            [0.038, -0.06],
            [0.038, 0.0],
            [0.026, 0.0],
            [0.025, -0.001],
            [0.025, -0.05],
            [0.0, -0.05],
        ]);
        SectionedSolid::new(section, outline)
    }

    fn sections() -> [Section; 3] {
        [Section::Round, Section::Polygon { sides: 6 }, Section::RoundedPolygon { sides: 4, core: 0.02 }]
    }

    proptest! {
        /// The distance is at most the distance to any point of the surface, and a step of that length against the
        /// normal ends on the surface. Together these make it the exact distance.
        #[test]
        fn distance_is_exact_everywhere(x in -0.06..0.06, y in -0.06..0.06, z in -0.09..0.03, lap in 0.0..1.0, t in 0.0..1.0) {
            let point = Vector3::new(x, y, z);
            for solid in sections().map(bored) {
                let sample = solid.sample(point);
                prop_assert!((sample.normal.norm() - 1.0).abs() < 1e-12);
                let foot = solid.sample(point - sample.normal * sample.distance);
                prop_assert!(foot.distance.abs() < 1e-12, "{foot:?} below {sample:?}");
                for (_, [start, end]) in solid.outline.edges() {
                    let level = start[0] + (end[0] - start[0]) * t;
                    let across = solid.section.point(level, lap);
                    let on_surface = Vector3::new(across.x, across.y, start[1] + (end[1] - start[1]) * t);
                    prop_assert!(solid.sample(on_surface).distance.abs() < 1e-12);
                    prop_assert!(sample.distance.abs() <= (on_surface - point).norm() + 1e-12);
                }
            }
        }
    }
}
