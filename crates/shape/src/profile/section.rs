//! Cross-sections: the meaning of an outline's coordinate a across the axis.
//!
//! ```text
//! Round            a = r
//! Polygon          a = distance of the flats (sharp corners, mitred: the corner of level a is at a/cos(π/N))
//! RoundedPolygon   a = q + (distance to the core Q),  Q = regular N-gon with flats at q
//! ```
//!
//! For `Round` and `RoundedPolygon` a has a unit gradient everywhere (a rounded polygon of flat distance
//! a > q has the corner radius a − q), so the distance in the plane (a, z) *is* the distance in space: it
//! cannot be larger because the straight path exists, nor smaller because (a, z) is 1-Lipschitz.
//! The section point P(a, v) is linear in a: P = Q(v) + (a − q) n(v), and Q(v) a/q inside the core.

use std::f64::consts::{PI, TAU};

use nalgebra::Vector2;

use crate::angle::angle_of;

use crate::ShapeError;

/// Cross-section of a part, perpendicular to its axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Section {
    /// A circle; a is the radius.
    Round,
    /// A regular polygon with sharp corners; a is the distance of its flats from the axis.
    Polygon {
        /// Number of flats, the first one facing +x.
        sides: u32,
    },
    /// A regular polygon with rounded corners.
    RoundedPolygon {
        /// Number of flats, the first one facing +x.
        sides: u32,
        /// q: distance of the core's flats from the axis [m]; the corner radius of level a is a − q.
        core: f64,
    },
}

/// Where a point lies relative to a section.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SectionPoint {
    /// a [m].
    pub(crate) level: f64,
    /// Unit gradient of a in (x, y) [-].
    pub(crate) direction: Vector2<f64>,
}

impl Section {
    /// A polygon whose flats are `2 * flat_distance` apart, sharp where the corner radius is zero.
    ///
    /// # Errors
    /// When the polygon has fewer than three sides or its corners are rounder than its flats allow.
    pub fn polygon(sides: u32, flat_distance: f64, corner_radius: f64) -> Result<Self, ShapeError> {
        if !(3..=64).contains(&sides) {
            let value = sides.to_string();
            return Err(ShapeError::Dimension { field: "sides", value, allowed: "3 to 64".into() });
        }
        if corner_radius == 0.0 {
            return Ok(Self::Polygon { sides });
        }
        if !(corner_radius > 0.0 && corner_radius < flat_distance) {
            let allowed = format!("0 to less than half of across_flats_mm ({} mm)", flat_distance * 1e3);
            return Err(ShapeError::length("corner_radius_mm", corner_radius, allowed));
        }
        Ok(Self::RoundedPolygon { sides, core: flat_distance - corner_radius })
    }

    /// Half the angle of one flat seen from the axis [rad]; zero for a circle.
    pub(crate) fn half_angle(&self) -> f64 {
        match *self {
            Self::Round => 0.0,
            Self::Polygon { sides } | Self::RoundedPolygon { sides, .. } => PI / f64::from(sides),
        }
    }

    /// Angles of the corners of a sharp polygon [rad]; none for other sections.
    pub(crate) fn corner_angles(&self) -> impl Iterator<Item = f64> + use<> {
        let sides = if let Self::Polygon { sides } = *self { sides } else { 0 };
        (0..sides).map(move |side| (f64::from(side) + 0.5) * TAU / f64::from(sides))
    }

    /// q [m]: zero for sections without a rounded core.
    pub(crate) fn core(&self) -> f64 {
        if let Self::RoundedPolygon { core, .. } = *self { core } else { 0.0 }
    }

    /// Unit normal of the flat that a point faces [-].
    pub(crate) fn facing(&self, point: Vector2<f64>) -> Vector2<f64> {
        let step = 2.0 * self.half_angle();
        let angle = (angle_of(point.x, point.y) / step).round() * step;
        let (sin, cos) = libm::sincos(angle);
        Vector2::new(cos, sin)
    }

    /// Level and direction of a point; for a sharp polygon those of the flat that it faces.
    pub(crate) fn locate(&self, point: Vector2<f64>) -> SectionPoint {
        let radius = point.norm();
        let outward = if radius > 0.0 { point / radius } else { Vector2::x() };
        match *self {
            Self::Round => SectionPoint { level: radius, direction: outward },
            Self::Polygon { .. } => {
                let normal = self.facing(point);
                SectionPoint { level: point.dot(&normal), direction: normal }
            }
            Self::RoundedPolygon { core, .. } => {
                let normal = self.facing(point);
                let (along, across) = (point.dot(&normal), point.perp(&normal).abs());
                let half_width = core * libm::tan(self.half_angle());
                if across <= half_width {
                    return SectionPoint { level: along, direction: normal };
                }
                let tangent = Vector2::new(-normal.y, normal.x)
                    * point.dot(&Vector2::new(-normal.y, normal.x)).signum();
                let away = point - normal * core - tangent * half_width;
                let distance = away.norm();
                let direction = if distance > 0.0 { away / distance } else { normal };
                SectionPoint { level: core + distance, direction }
            }
        }
    }

    /// P(a, v): the point at level `level` [m] and lap coordinate v ∈ [0, 1), counter-clockwise.
    pub(crate) fn point(&self, level: f64, lap: f64) -> Vector2<f64> {
        let (base, normal) = self.base_and_normal(lap);
        let core = self.core();
        if level < core { base * (level / core) } else { base + normal * (level - core) }
    }

    /// Q(v) and dP/da. Each of the N flats of a polygon has an equal share of the lap, centred on k/N. On a rounded
    /// polygon the middle half of a share is the flat, and the outer quarters are the two half corners.
    fn base_and_normal(&self, lap: f64) -> (Vector2<f64>, Vector2<f64>) {
        let unit = |angle: f64| {
            let (sin, cos) = libm::sincos(angle);
            Vector2::new(cos, sin)
        };
        match *self {
            Self::Round => (Vector2::zeros(), unit(lap * TAU)),
            Self::Polygon { sides } => {
                let share = lap * f64::from(sides);
                let flat = share.round();
                let normal = unit(flat * TAU / f64::from(sides));
                let tangent = Vector2::new(-normal.y, normal.x);
                (Vector2::zeros(), normal + tangent * (2.0 * (share - flat) * libm::tan(self.half_angle())))
            }
            Self::RoundedPolygon { sides, core } => {
                let share = lap * f64::from(sides);
                let flat = share.round();
                let within = 2.0 * (share - flat);
                let flat_angle = flat * TAU / f64::from(sides);
                let normal = unit(flat_angle);
                let tangent = Vector2::new(-normal.y, normal.x);
                let half_width = core * libm::tan(self.half_angle());
                let on_flat = (2.0 * within).clamp(-1.0, 1.0);
                let turned = (2.0 * within - on_flat) * self.half_angle();
                (normal * core + tangent * (half_width * on_flat), unit(flat_angle + turned))
            }
        }
    }

    /// Perimeter of the section at level `level` [m].
    pub(crate) fn perimeter(&self, level: f64) -> f64 {
        match *self {
            Self::Round => TAU * level,
            Self::Polygon { sides } => 2.0 * f64::from(sides) * level * libm::tan(self.half_angle()),
            Self::RoundedPolygon { sides, core } => {
                let straight = 2.0 * f64::from(sides) * level.min(core) * libm::tan(self.half_angle());
                straight + TAU * (level - core).max(0.0)
            }
        }
    }

    /// Area [m²] and polar second moment ∫ r² dA [m⁴] inside the section at level `level` [m].
    pub(crate) fn area_moments(&self, level: f64) -> (f64, f64) {
        let (a, angle) = (level, self.half_angle());
        let sharp = |sides: u32, a: f64| {
            let tan = libm::tan(angle);
            let n = f64::from(sides);
            (n * tan * a * a, n * a.powi(4) * (tan / 2.0 + tan.powi(3) / 6.0))
        };
        match *self {
            Self::Round => (PI * a * a, PI * a.powi(4) / 2.0),
            Self::Polygon { sides } => sharp(sides, a),
            Self::RoundedPolygon { sides, core } if a <= core => sharp(sides, a),
            Self::RoundedPolygon { sides, core } => {
                // core + rectangles on the flats + sectors on the corners
                let (n, rho) = (f64::from(sides), a - core);
                let half_width = core * libm::tan(angle);
                let corner = core / libm::cos(angle);
                let (core_area, core_polar) = sharp(sides, core);
                let flats = 2.0 * half_width * (a.powi(3) - core.powi(3)) / 3.0
                    + 2.0 * rho * half_width.powi(3) / 3.0;
                let sector = corner * corner * angle * rho * rho
                    + 4.0 / 3.0 * corner * rho.powi(3) * libm::sin(angle)
                    + angle * rho.powi(4) / 2.0;
                (
                    core_area + n * (2.0 * half_width * rho + angle * rho * rho),
                    core_polar + n * (flats + sector),
                )
            }
        }
    }
}
