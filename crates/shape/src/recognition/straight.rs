//! Cylinders and cones fitted to vertices.
//!
//! ```text
//! a unit axis, c a point of it, z = (v − c)·a, ρ = |v − c − z a|
//! e(v) = (ρ − r − t z) / √(1 + t²)        distance of v from a cylinder (t = 0) or a cone
//! ```
//!
//! The normals of a cylinder's facets are perpendicular to a, those of a cone's make one angle with it: a is the direction
//! in which they vary least. Gauss-Newton steps over a, c, r and t then take the vertices onto the surface.

use nalgebra::{DMatrix, DVector, Matrix3, SymmetricEigen, Vector3};
use tightfit_cad::geometry::{Frame, Surface};

/// A cylinder or cone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Straight {
    /// Unit axis.
    pub axis: Vector3<f64>,
    /// A point of the axis [m].
    pub origin: Vector3<f64>,
    /// Radius at the origin [m].
    pub radius: f64,
    /// Radius per height along the axis [-]; 0 for a cylinder.
    pub taper: f64,
}

/// Which parameters a fit changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Free {
    pub axis: bool,
    pub origin: bool,
    pub taper: bool,
}

impl Free {
    pub(super) const CYLINDER: Self = Self { axis: true, origin: true, taper: false };
    pub(super) const CONE: Self = Self { axis: true, origin: true, taper: true };
    /// A cylinder along a given axis.
    pub(super) const PLACE: Self = Self { axis: false, origin: true, taper: false };
    /// A cone about a given line.
    pub(super) const TAPER: Self = Self { axis: false, origin: false, taper: true };
}

impl Straight {
    /// First guess from the normals of a patch of facets, weighted by area, and its vertices.
    pub(super) fn guess(
        normals: &[(Vector3<f64>, f64)],
        vertices: &[Vector3<f64>],
        tapered: bool,
    ) -> Option<Self> {
        let total: f64 = normals.iter().map(|(_, weight)| weight).sum();
        let mean = if tapered {
            normals.iter().map(|(normal, weight)| normal * *weight).sum::<Vector3<f64>>() / total
        } else {
            Vector3::zeros()
        };
        let scatter: Matrix3<f64> = normals
            .iter()
            .map(|(normal, weight)| (normal - mean) * (normal - mean).transpose() * (weight / total))
            .sum();
        let eigen = SymmetricEigen::new(scatter);
        let least = eigen.eigenvalues.imin();
        let axis: Vector3<f64> = eigen.eigenvectors.column(least).into_owned();
        let slope = if tapered { mean.dot(&axis) } else { 0.0 };
        if slope.is_nan() || slope.abs() >= 0.999 {
            return None;
        }
        // outward or inward normals: the sign follows from the circle below; try both for a cone
        let tries = if tapered { [1.0, -1.0] } else { [1.0, 1.0] };
        let tan = slope / (1.0 - slope * slope).sqrt();
        tries
            .into_iter()
            .filter_map(|sign| Self::circle(axis, -sign * tan, vertices))
            .min_by(|a, b| a.worst(vertices).total_cmp(&b.worst(vertices)))
    }

    /// Least-squares centre and radius for a given axis and taper:
    /// |p|² − t² z² = 2 p·c + 2 t z r − (|c|² − r²), p the part of v across the axis.
    pub(super) fn circle(axis: Vector3<f64>, taper: f64, vertices: &[Vector3<f64>]) -> Option<Self> {
        let frame = Frame::new(Vector3::zeros(), axis, None)?;
        let middle = vertices.iter().sum::<Vector3<f64>>() / vertices.len() as f64;
        let unknowns = if taper == 0.0 { 3 } else { 4 };
        let mut rows = DMatrix::zeros(vertices.len(), unknowns);
        let mut right = DVector::zeros(vertices.len());
        for (row, vertex) in vertices.iter().enumerate() {
            let local = frame.inside(vertex - middle);
            right[row] = local.x * local.x + local.y * local.y - taper * taper * local.z * local.z;
            rows[(row, 0)] = 2.0 * local.x;
            rows[(row, 1)] = 2.0 * local.y;
            rows[(row, 2)] = 1.0;
            if unknowns == 4 {
                rows[(row, 3)] = 2.0 * taper * local.z;
            }
        }
        let solution = rows.svd(true, true).solve(&right, 1e-12).ok()?;
        let centre = frame.x * solution[0] + frame.y * solution[1];
        let radius = if unknowns == 4 {
            solution[3]
        } else {
            (solution[2] + solution[0] * solution[0] + solution[1] * solution[1]).max(0.0).sqrt()
        };
        let found = Self { axis, origin: middle + centre, radius, taper };
        (radius.is_finite() && radius > 0.0).then_some(found)
    }

    /// The cone about the same line that fits vertices best: ρ = r + t z by least squares.
    pub(super) fn about_same_line(&self, vertices: &[Vector3<f64>]) -> Option<Self> {
        let count = vertices.len() as f64;
        let places = vertices.iter().map(|vertex| self.about(*vertex));
        let [rho, z] = places.clone().fold([0.0, 0.0], |[a, b], [rho, z]| [a + rho / count, b + z / count]);
        let [cross, square] =
            places.fold([0.0, 0.0], |[a, b], [r, h]| [a + (r - rho) * (h - z), b + (h - z) * (h - z)]);
        let taper = cross / square;
        let origin = self.origin + self.axis * z;
        (taper.is_finite() && taper != 0.0).then_some(Self { origin, radius: rho, taper, ..*self })
    }

    /// Signed distance of a point from the surface, positive away from the axis [m].
    pub(super) fn error(&self, vertex: Vector3<f64>) -> f64 {
        let [rho, z] = self.about(vertex);
        (rho - self.radius - self.taper * z) / (1.0 + self.taper * self.taper).sqrt()
    }

    /// Distance from the axis and height [m].
    pub(super) fn about(&self, point: Vector3<f64>) -> [f64; 2] {
        let from = point - self.origin;
        let z = from.dot(&self.axis);
        [(from - self.axis * z).norm(), z]
    }

    /// Unit vector away from the axis.
    pub(super) fn radial(&self, point: Vector3<f64>) -> Vector3<f64> {
        let from = point - self.origin;
        (from - self.axis * from.dot(&self.axis)).try_normalize(1e-12).unwrap_or_else(Vector3::zeros)
    }

    /// Normal of the surface, away from the axis.
    pub(super) fn normal(&self, point: Vector3<f64>) -> Vector3<f64> {
        (self.radial(point) - self.axis * self.taper) / (1.0 + self.taper * self.taper).sqrt()
    }

    /// Largest distance of the vertices [m].
    pub(super) fn worst(&self, vertices: &[Vector3<f64>]) -> f64 {
        vertices.iter().map(|vertex| self.error(*vertex).abs()).fold(0.0, f64::max)
    }

    /// Least-squares fit from this start; `None` where it does not converge.
    pub(super) fn fitted(mut self, vertices: &[Vector3<f64>], free: Free) -> Option<Self> {
        for _ in 0..12 {
            let frame = Frame::new(self.origin, self.axis, None)?;
            let scale = self.taper.hypot(1.0);
            let mut normal_matrix = nalgebra::Matrix6::<f64>::zeros();
            let mut right = nalgebra::Vector6::<f64>::zeros();
            for vertex in vertices {
                let local = frame.inside(*vertex);
                let rho = (local.x * local.x + local.y * local.y).sqrt();
                if rho < 1e-12 {
                    continue;
                }
                let (x, y) = (local.x / rho, local.y / rho);
                let error = (rho - self.radius - self.taper * local.z) / scale;
                // turning the axis by α about x and β about y moves z into (β, −α)
                let mut row = nalgebra::Vector6::zeros();
                if free.axis {
                    row[0] = (y * local.z + self.taper * local.y) / scale;
                    row[1] = -(x * local.z + self.taper * local.x) / scale;
                }
                if free.origin {
                    row[2] = -x / scale;
                    row[3] = -y / scale;
                }
                row[4] = -1.0 / scale;
                if free.taper {
                    row[5] = -local.z / scale - self.taper * error / (scale * scale);
                }
                normal_matrix += row * row.transpose();
                right -= row * error;
            }
            let size = normal_matrix.diagonal().max();
            for k in 0..6 {
                let is_free = normal_matrix[(k, k)] > 0.0;
                normal_matrix[(k, k)] += if is_free { 1e-13 * normal_matrix[(k, k)] } else { size };
            }
            let step = normal_matrix.cholesky()?.solve(&right);
            let turned = frame.z - frame.y * step[0] + frame.x * step[1];
            self.axis = turned.try_normalize(1e-12)?;
            self.origin += frame.x * step[2] + frame.y * step[3];
            self.radius += step[4];
            self.taper += step[5];
            if !(self.radius.is_finite() && self.taper.is_finite() && self.taper.abs() < 50.0) {
                return None;
            }
            if step.norm() < 1e-14 {
                break;
            }
        }
        Some(self)
    }

    /// The surface; the axis of a cone points away from its apex.
    pub(super) fn surface(&self) -> Option<Surface> {
        if self.taper == 0.0 {
            return Some(Surface::Cylinder(Frame::new(self.origin, self.axis, None)?, self.radius));
        }
        let apex = self.origin - self.axis * (self.radius / self.taper);
        let frame = Frame::new(apex, self.axis * self.taper.signum(), None)?;
        let long = self.taper.hypot(1.0);
        Some(Surface::Cone { frame, half_angle: [self.taper.abs() / long, 1.0 / long] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(of: &Straight, heights: &[f64], count: usize, turn: f64) -> Vec<Vector3<f64>> {
        let frame = Frame::new(of.origin, of.axis, None).expect("an axis");
        let at = |z: f64, k: usize| {
            let angle = turn * k as f64 / count as f64;
            let rho = of.radius + of.taper * z;
            frame.outside(Vector3::new(rho * angle.cos(), rho * angle.sin(), z))
        };
        heights.iter().flat_map(|&z| (0..count).map(move |k| at(z, k))).collect()
    }

    #[test]
    fn a_fit_returns_the_cylinder_or_cone_that_the_vertices_lie_on() {
        for taper in [0.0, 0.3, -1.0] {
            let axis = Vector3::new(0.2, -0.4, 1.0).normalize();
            let truth = Straight { axis, origin: Vector3::new(0.01, 0.02, -0.01), radius: 0.012, taper };
            let vertices = ring(&truth, &[-2e-3, 4e-3], 24, 4.0);
            let normals: Vec<_> = vertices.iter().map(|v| (truth.normal(*v), 1.0)).collect();
            let guess = Straight::guess(&normals, &vertices, taper != 0.0).expect("a guess");
            let free = if taper == 0.0 { Free::CYLINDER } else { Free::CONE };
            let start = Straight { axis: (guess.axis + Vector3::new(1e-3, 0.0, 2e-3)).normalize(), ..guess };
            let fit = start.fitted(&vertices, free).expect("a fit");
            assert!(fit.worst(&vertices) < 1e-12, "{taper}: {}", fit.worst(&vertices));
            assert!(fit.axis.cross(&axis).norm() < 1e-9);
            let surface = fit.surface().expect("a surface");
            for vertex in &vertices {
                let foot = surface.foot(*vertex).expect("a foot point");
                assert!(foot.distance.abs() < 1e-12, "{taper}: {}", foot.distance);
            }
        }
    }
}
