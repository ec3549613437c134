//! The wall at which the groove of a bolt begins above its shank.
//!
//! A groove that is swept along the helix begins with a flat wall in a plane through the axis. Below the wall the
//! cylinder of the crest goes on:
//!
//! ```text
//! t = θ + 2π g sgn k,  g = ⌊(z − lift − kθ)/P⌋        angle along the groove through the point
//! filled = { r < r_crest, δ < 0 },  δ = (t − t_wall) sgn k
//! ```
//!
//! The top of the filled turn lies inside the ridge above it, so that only cylinder and wall are surfaces.

use std::f64::consts::{FRAC_PI_2, TAU};

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use super::ThreadProfile;
use super::radial_surface::AboutAxis;
use crate::Sample;
use crate::angle::angle_of;

/// The wall where a bolt's groove begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RunOut {
    /// t of the wall [rad], counted along the groove from θ = 0, z = lift + P/2.
    pub(crate) wall: f64,
}

impl RunOut {
    /// δ of a point [rad]: negative where the groove is filled.
    fn beyond(&self, profile: &ThreadProfile, angle: f64, z: f64) -> f64 {
        let hand = profile.rise().signum();
        let along = angle + TAU * hand * profile.ridges_up_to(angle, z).floor();
        hand * (along - self.wall)
    }

    /// Whether the groove is filled at this angle and height.
    pub(crate) fn is_filled(&self, profile: &ThreadProfile, angle: f64, z: f64) -> bool {
        self.beyond(profile, angle, z) < 0.0
    }

    /// Height above which nothing is filled [m].
    pub(crate) fn top(&self, profile: &ThreadProfile) -> f64 {
        profile.lift() + profile.pitch() + profile.rise() * self.wall
    }

    /// Cylinder and, near it, the wall of the filled turns at a point; none where both are far.
    pub(crate) fn faces(&self, profile: &ThreadProfile, at: &AboutAxis) -> ArrayVec<Sample, 2> {
        let mut faces = ArrayVec::new();
        let beyond = self.beyond(profile, angle_of(at.point.x, at.point.y), at.point.z);
        if beyond >= FRAC_PI_2 {
            return faces;
        }
        faces.push(Sample { distance: at.radius - profile.crest_radius(), normal: at.outward });
        if beyond > -FRAC_PI_2 {
            let (sin, cos) = libm::sincos(self.wall);
            let normal = Vector3::new(-sin, cos, 0.0) * profile.rise().signum();
            faces.push(Sample { distance: at.point.dot(&normal), normal });
        }
        faces
    }
}
