//! The sign of the distance.
//!
//! At an edge the sum of both normals decides, at a corner the angle-weighted sum. Where these nearly cancel (a knife
//! edge, a tangent cusp) the point is replaced by others in the ball around it that touches the surface: they lie on
//! the same side, and some of them are nearest to a face.

use nalgebra::Vector3;

use super::cells::Leaf;
use super::{Feature, Nearest, Sample};
use crate::Solid;
use crate::geometry::Frame;

/// Shorter pseudo-normals are not relied on.
const SHORTEST: f64 = 0.1;
/// Closer to the surface than this [m] the sign has no meaning.
const ON_SURFACE: f64 = 1e-15;

impl Solid {
    /// Signed distance from the nearest point.
    pub(crate) fn signed(&self, p: Vector3<f64>, nearest: &Nearest) -> Sample {
        let away = p - nearest.point;
        let distance = nearest.squared.sqrt();
        let pseudo = self.pseudo_normal(nearest);
        if distance <= ON_SURFACE {
            let normal = pseudo.try_normalize(1e-12).unwrap_or(Vector3::z());
            return Sample { distance: 0.0, normal };
        }
        let relied_on = pseudo.norm() > SHORTEST && pseudo.dot(&away).abs() > 1e-6 * distance * pseudo.norm();
        let outside = if relied_on {
            pseudo.dot(&away) > 0.0
        } else {
            self.probe(p, nearest.point, distance).unwrap_or(pseudo.dot(&away) >= 0.0)
        };
        let sign = if outside { 1.0 } else { -1.0 };
        // beside a face its normal is more exact than the difference of two near points
        let normal = match nearest.feature {
            Feature::Face(_) if nearest.normal.dot(&away).abs() > 0.999_999 * distance => nearest.normal,
            _ => away * (sign / distance),
        };
        Sample { distance: sign * distance, normal }
    }

    /// Normal of a face, sum of the normals at an edge or corner.
    pub(crate) fn pseudo_normal(&self, nearest: &Nearest) -> Vector3<f64> {
        match nearest.feature {
            Feature::Face(_) => nearest.normal,
            Feature::Edge(_, found) if found.vertex.is_some() => {
                found.vertex.map_or_else(Vector3::zeros, |vertex| self.corners[vertex as usize].pseudo_normal)
            }
            Feature::Edge(edge, found) => {
                let faces = self.edges[edge as usize].faces;
                let normal = |face: u32| self.normal_at(face, found.point, Some((edge, found.t)));
                (normal(faces[0]) + normal(faces[1])) * 0.5
            }
        }
    }

    /// Whether p is outside, by points of the ball around p that touches the surface at `nearest`.
    fn probe(&self, p: Vector3<f64>, nearest: Vector3<f64>, distance: f64) -> Option<bool> {
        let frame = Frame::new(nearest, p - nearest, None)?;
        let mut votes = 0.0;
        for scale in [0.3, 0.02] {
            for step in 0..12 {
                let (sin, cos) = libm::sincos(f64::from(step) * std::f64::consts::TAU / 12.0);
                // 72° from the normal: inside the ball for less than 0.6 of the distance
                let local = Vector3::new(0.95 * cos, 0.95 * sin, 0.31) * (scale * distance);
                let point = frame.outside(local);
                let Some(found) = self.nearest(self.cells.leaf(point), point) else { continue };
                if let Feature::Face(_) = found.feature {
                    let away = point - found.point;
                    votes += found.normal.dot(&away) / away.norm().max(1e-300);
                }
            }
            if votes != 0.0 {
                return Some(votes > 0.0);
            }
        }
        None
    }
}

/// Sign of the distance to one shell at a point far outside it: +1 where its normals point away from it.
pub(crate) fn shell_sign(solid: &mut Solid, shell: u32) -> f64 {
    let mut cells = super::Cells::default();
    let leaf: Leaf = cells.of_features(solid, |face| face.shell == shell);
    solid.cells = cells.into();
    let low = solid.vertices.iter().fold(Vector3::repeat(f64::INFINITY), |a, b| a.inf(b));
    let high = solid.vertices.iter().fold(Vector3::repeat(f64::NEG_INFINITY), |a, b| a.sup(b));
    let (centre, size) =
        if low.x.is_finite() { (0.5 * (low + high), (high - low).norm()) } else { (Vector3::zeros(), 1.0) };
    let mut votes = 0.0;
    let directions = [
        [0.31, 0.52, 0.83],
        [-0.71, 0.23, 0.41],
        [0.12, -0.93, 0.21],
        [0.43, 0.31, -0.84],
        [-0.5, -0.6, -0.7],
    ];
    for direction in directions {
        let p = centre + Vector3::from(direction) * (3.0 * size + 1e-3);
        if let Some(nearest) = solid.nearest(leaf, p) {
            let away = p - nearest.point;
            votes += solid.pseudo_normal(&nearest).dot(&away).signum();
        }
    }
    votes
}
