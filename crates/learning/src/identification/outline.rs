//! Cross-section of a peg and its possible wall contacts.

use nalgebra::Vector2;

/// Number of contact directions around a round peg.
const AROUND: usize = 16;

/// Cross-section of a peg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outline {
    /// A circle.
    Round {
        /// Radius [m].
        radius: f64,
    },
    /// A rectangle with sharp corners.
    Rectangle {
        /// Half widths along the part's x and y [m].
        half: [f64; 2],
    },
}

/// A point of the outline that may touch a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallContact {
    /// Point on the outline [m].
    pub point: Vector2<f64>,
    /// Unit direction towards the wall, hole axes.
    pub outward: Vector2<f64>,
    /// Index of the clearance: 0 along x or all around, 1 along y.
    pub clearance: usize,
}

impl Outline {
    /// Name in reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Round { .. } => "round",
            Self::Rectangle { .. } => "rectangle",
        }
    }

    /// Number of clearances.
    #[must_use]
    pub fn clearances(&self) -> usize {
        match self {
            Self::Round { .. } => 1,
            Self::Rectangle { .. } => 2,
        }
    }

    /// Radius, or length of the half diagonal [m].
    #[must_use]
    pub fn size(&self) -> f64 {
        match *self {
            Self::Round { radius } => radius,
            Self::Rectangle { half } => half[0].hypot(half[1]),
        }
    }

    /// Distance from the outline [m], negative inside.
    #[must_use]
    pub fn distance(&self, point: Vector2<f64>) -> f64 {
        match *self {
            Self::Round { radius } => point.norm() - radius,
            Self::Rectangle { half } => {
                let over = Vector2::new(point.x.abs() - half[0], point.y.abs() - half[1]);
                over.sup(&Vector2::zeros()).norm() + over.max().min(0.0)
            }
        }
    }

    /// All possible wall contacts at one height.
    #[must_use]
    pub fn wall_contacts(&self) -> Vec<WallContact> {
        match *self {
            Self::Round { radius } => (0..AROUND)
                .map(|index| {
                    let (sin, cos) = (std::f64::consts::TAU * index as f64 / AROUND as f64).sin_cos();
                    let outward = Vector2::new(cos, sin);
                    WallContact { point: outward * radius, outward, clearance: 0 }
                })
                .collect(),
            Self::Rectangle { half } => {
                let mut all = Vec::new();
                for (x, y) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
                    let point = Vector2::new(x * half[0], y * half[1]);
                    all.push(WallContact { point, outward: Vector2::new(x, 0.0), clearance: 0 });
                    all.push(WallContact { point, outward: Vector2::new(0.0, y), clearance: 1 });
                }
                all
            }
        }
    }

    /// Distance of a wall contact's wall from the hole's axis without clearance [m].
    #[must_use]
    pub fn reach(&self, contact: &WallContact) -> f64 {
        contact.point.dot(&contact.outward)
    }
}
