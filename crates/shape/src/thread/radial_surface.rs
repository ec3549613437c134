//! The thread as a radius over angle and height, R(θ, z).
//!
//! Every face of a thread start is *linear* in (θ, z): flanks r = r₂ + (w₂ ∓ (z − kθ − jP))/tan α, crest and
//! root constant, the 45° cone r = r_e ± (distance from the end plane). So the (θ, z) domain divides into
//! polygons with straight sides:
//!
//! ```text
//! bolt   R = min(clamp(flank, root, crest), cones)        nut   R = max(clamp(flank, root, crest), cones)
//! ```
//!
//! At a fixed angle the faces follow one another along z at known heights ([`RadialSurface::bands`]). The
//! corners of all polygons lie at a few known angles ([`RadialSurface::corner_angles`]). A mesh whose columns
//! include these angles has no T-junctions, and an integrand between them has no kinks.

use std::f64::consts::TAU;

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use super::{RunOut, ThreadProfile, ThreadStart};
use crate::Sample;

/// Whether the region ridge ∪ core is material or air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Bolt: material; cones shrink the region.
    External,
    /// Nut: air; cones enlarge the region.
    Internal,
}

/// A face of the radial surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RadialFace {
    Root,
    /// Flank of ridge `j` on the side of smaller (−1) or larger (+1) z.
    Flank {
        ridge: i64,
        side: i64,
    },
    Crest,
    /// Cone at the lower (0) or upper (1) end.
    Cone {
        end: usize,
    },
}

/// Thread with its two ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadialSurface {
    pub(crate) profile: ThreadProfile,
    /// End planes, lower and upper [m].
    pub(crate) ends: [f64; 2],
    pub(crate) starts: [ThreadStart; 2],
    pub(crate) side: Side,
    /// Where the groove of a bolt begins; `None` where it reaches its lower end plane.
    pub(crate) run_out: Option<RunOut>,
}

/// A point and its cylindrical coordinates about the z axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AboutAxis {
    /// Position [m].
    pub(crate) point: Vector3<f64>,
    /// Distance from the axis [m].
    pub(crate) radius: f64,
    /// Unit vector away from the axis [-]; +x for a point on the axis.
    pub(crate) outward: Vector3<f64>,
}

impl AboutAxis {
    pub(crate) fn of(point: Vector3<f64>) -> Self {
        let radius = (point.x * point.x + point.y * point.y).sqrt();
        let outward = if radius > 0.0 { Vector3::new(point.x, point.y, 0.0) / radius } else { Vector3::x() };
        Self { point, radius, outward }
    }
}

impl RadialSurface {
    /// R(θ, z) [m] and the face at that point.
    pub(crate) fn radius(&self, angle: f64, z: f64) -> (f64, RadialFace) {
        let profile = &self.profile;
        let s = profile.phase(angle, z);
        let flank = profile.flank_radius_at(s.abs());
        let mut best = if flank >= profile.crest_radius() {
            (profile.crest_radius(), RadialFace::Crest)
        } else if flank <= profile.root_radius() {
            (profile.root_radius(), RadialFace::Root)
        } else {
            let ridge = profile.ridges_up_to(angle, z).round() as i64;
            (flank, RadialFace::Flank { ridge, side: if s < 0.0 { -1 } else { 1 } })
        };
        if self.run_out.is_some_and(|run_out| run_out.is_filled(profile, angle, z)) {
            best = (profile.crest_radius(), RadialFace::Crest);
        }
        for end in 0..2 {
            let Some(cone) = self.cone_radius(end, z) else { continue };
            let cuts = match self.side {
                Side::External => cone < best.0,
                Side::Internal => cone > best.0,
            };
            if cuts {
                best = (cone, RadialFace::Cone { end });
            }
        }
        best
    }

    /// Radius of the cone at an end, extended to height z [m].
    pub(crate) fn cone_radius(&self, end: usize, z: f64) -> Option<f64> {
        let ThreadStart::Chamfered { end_radius } = self.starts[end] else { return None };
        let depth = if end == 0 { z - self.ends[0] } else { self.ends[1] - z };
        Some(match self.side {
            Side::External => end_radius + depth,
            Side::Internal => end_radius - depth,
        })
    }

    /// Field of the material that the cone of an end bounds, with the cone extended beyond its edges.
    pub(crate) fn sample_cone(&self, end: usize, at: &AboutAxis) -> Option<Sample> {
        let cone = self.cone_radius(end, at.point.z)?;
        let AboutAxis { radius, outward, .. } = *at;
        let up = if end == 0 { -Vector3::z() } else { Vector3::z() };
        let half = std::f64::consts::FRAC_1_SQRT_2;
        Some(match self.side {
            Side::External => Sample { distance: (radius - cone) * half, normal: (outward + up) * half },
            Side::Internal => Sample { distance: (cone - radius) * half, normal: (up - outward) * half },
        })
    }

    /// Whether the cone of an end can touch a point at height z [m] that is within `reach` [m] of the thread.
    pub(crate) fn cone_matters(&self, end: usize, z: f64, reach: f64) -> bool {
        self.cone_radius(end, z).is_some_and(|cone| match self.side {
            Side::External => cone < self.profile.crest_radius() + reach,
            Side::Internal => cone > self.profile.root_radius() - reach,
        })
    }

    /// Radius of the cone of an end in the end plane [m].
    pub(crate) fn end_radius(&self, end: usize) -> Option<f64> {
        match self.starts[end] {
            ThreadStart::Chamfered { end_radius } => Some(end_radius),
            ThreadStart::Blunt => None,
        }
    }

    /// Height at which the cone of an end has this radius [m]; `None` if that is not between the ends.
    pub(crate) fn cone_height(&self, end: usize, radius: f64) -> Option<f64> {
        let ThreadStart::Chamfered { end_radius } = self.starts[end] else { return None };
        let depth = match self.side {
            Side::External => radius - end_radius,
            Side::Internal => end_radius - radius,
        };
        let z = if end == 0 { self.ends[0] + depth } else { self.ends[1] - depth };
        (depth >= 0.0 && z >= self.ends[0] && z <= self.ends[1]).then_some(z)
    }

    /// Coefficients of r = A + B θ + C z on a face.
    pub(crate) fn plane(&self, face: RadialFace) -> [f64; 3] {
        let profile = &self.profile;
        match face {
            RadialFace::Root => [profile.root_radius(), 0.0, 0.0],
            RadialFace::Crest => [profile.crest_radius(), 0.0, 0.0],
            RadialFace::Flank { ridge, side } => {
                let slope = profile.flank_slope() * side as f64;
                let middle = profile.lift() + profile.pitch() * ridge as f64;
                [profile.flank_radius_at(0.0) - slope * middle, -slope * profile.rise(), slope]
            }
            RadialFace::Cone { end } => {
                let at_zero = self.cone_radius(end, self.ends[end]).unwrap_or_default();
                let growing = (self.side == Side::External) == (end == 0);
                let slope = if growing { 1.0 } else { -1.0 };
                [at_zero - slope * self.ends[end], 0.0, slope]
            }
        }
    }

    /// Radius of a face, extended beyond its edges, at (θ, z) [m].
    pub(crate) fn face_radius(&self, face: RadialFace, angle: f64, z: f64) -> f64 {
        let [a, b, c] = self.plane(face);
        a + b * angle + c * z
    }

    /// Height at which two faces meet at this angle [m].
    pub(crate) fn meeting_height(&self, lower: RadialFace, upper: RadialFace, angle: f64) -> f64 {
        let ([a0, b0, c0], [a1, b1, c1]) = (self.plane(lower), self.plane(upper));
        ((a0 - a1) + (b0 - b1) * angle) / (c1 - c0)
    }

    /// The faces met along z at this angle, from the lower end to the upper.
    pub(crate) fn bands(&self, angle: f64) -> Vec<(RadialFace, f64, f64)> {
        let [bottom, top] = self.ends;
        let profile = &self.profile;
        let mut heights = vec![bottom, top];
        let first = profile.ridges_up_to(angle, bottom).floor() as i64 - 1;
        let last = profile.ridges_up_to(angle, top).ceil() as i64 + 1;
        let mut faces = vec![RadialFace::Root, RadialFace::Crest];
        faces.extend((first..=last).flat_map(|ridge| [-1, 1].map(|side| RadialFace::Flank { ridge, side })));
        for (index, &face) in faces.iter().enumerate() {
            if index > 1 {
                heights.extend([0, 1].map(|level| self.meeting_height(faces[level], face, angle)));
            }
            for end in (0..2).filter(|&end| self.starts[end] != ThreadStart::Blunt) {
                heights.push(self.meeting_height(RadialFace::Cone { end }, face, angle));
            }
        }
        if self.starts.iter().all(|start| *start != ThreadStart::Blunt) {
            heights.push(self.meeting_height(
                RadialFace::Cone { end: 0 },
                RadialFace::Cone { end: 1 },
                angle,
            ));
        }
        heights.retain(|z| (bottom..=top).contains(z));
        heights.sort_by(f64::total_cmp);

        let mut bands: Vec<(RadialFace, f64, f64)> = Vec::new();
        for pair in heights.windows(2) {
            // 10 pm, less than an atom: rounding of one height
            if pair[1] - pair[0] < 1e-11 {
                continue;
            }
            let face = self.radius(angle, f64::midpoint(pair[0], pair[1])).1;
            match bands.last_mut() {
                Some(band) if band.0 == face => band.2 = pair[1],
                _ => bands.push((face, pair[0], pair[1])),
            }
        }
        bands
    }

    /// Angles in [0, 2π) [rad] at which faces begin or end: where an edge of the ridge meets an end plane, or the
    /// height at which a cone reaches crest or root.
    pub(crate) fn corner_angles(&self) -> Vec<f64> {
        let wall = self.run_out.map(|run_out| run_out.wall);
        let corners = self.corners().into_iter().map(|(angle, _)| angle);
        let mut angles: Vec<f64> = corners.chain(wall).map(|angle| angle.rem_euclid(TAU)).collect();
        angles.sort_by(f64::total_cmp);
        angles.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
        angles
    }

    /// Points (θ, z) where three faces, or two and an end plane, meet; at most 96.
    pub(crate) fn corners(&self) -> ArrayVec<(f64, f64), 96> {
        let profile = &self.profile;
        let mut corners = ArrayVec::new();
        for level in self.levels() {
            let radii = [profile.crest_radius(), profile.root_radius()];
            let cones = [0, 1].map(|end| self.cone_radius(end, level));
            let inside = |radius: &f64| (profile.root_radius()..=profile.crest_radius()).contains(radius);
            for radius in radii.into_iter().chain(cones.into_iter().flatten().filter(inside)) {
                for side in [-1.0, 1.0] {
                    let s = side * profile.half_width_at(radius);
                    corners.push((profile.angle_at(level, s), level));
                }
            }
        }
        corners
    }

    /// The end planes and the heights at which the cones reach crest and root.
    pub(crate) fn levels(&self) -> ArrayVec<f64, 6> {
        let radii = [self.profile.crest_radius(), self.profile.root_radius()];
        let cones = [0, 1].into_iter().flat_map(|end| radii.map(|radius| self.cone_height(end, radius)));
        self.ends.into_iter().chain(cones.flatten()).collect()
    }
}
