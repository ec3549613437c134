//! Random points near the surface of a part, uniform over its area.
//!
//! A triangle of the part's mesh is drawn by its area, a point in it uniformly. The point is moved onto the exact
//! surface along the gradient of the distance, which removes the facets, and then off the surface by the wanted
//! distance.

use tightfit_network::Random;
use tightfit_shape::mesh::{MeshOptions, TriMesh};
use tightfit_shape::{Part, Sample, ShapeError};
use tightfit_spatial::Vector3;

/// The part and the areas of its triangles.
#[derive(Debug)]
pub struct SurfaceSampler<'a> {
    part: &'a Part,
    mesh: TriMesh,
    /// Cumulative area of the triangles [m²].
    areas: Vec<f64>,
    /// Lowest and highest coordinate of the vertices [m].
    bounds: [[f64; 2]; 3],
}

impl<'a> SurfaceSampler<'a> {
    /// Prepares a part.
    ///
    /// # Errors
    /// For parts without a bounded surface.
    pub fn new(part: &'a Part) -> Result<Self, ShapeError> {
        let mesh = part.mesh(&MeshOptions::default())?;
        let mut total = 0.0;
        let areas = mesh.triangles.iter().map(|corners| {
            let [a, b, c] = corners.map(|corner| mesh.vertices[corner as usize]);
            total += (b - a).cross(&(c - a)).norm() / 2.0;
            total
        });
        let areas = areas.collect();
        let bounds = [0, 1, 2].map(|axis| {
            let along = mesh.vertices.iter().map(|vertex| vertex[axis]);
            [along.clone().fold(f64::INFINITY, f64::min), along.fold(f64::NEG_INFINITY, f64::max)]
        });
        Ok(Self { part, mesh, areas, bounds })
    }

    /// A point of the surface and its outward normal.
    #[must_use]
    pub fn surface_point(&self, random: &mut Random) -> (Vector3<f64>, Vector3<f64>) {
        let total = self.areas.last().copied().unwrap_or(0.0);
        let wanted = random.uniform(0.0, total);
        let triangle =
            self.areas.partition_point(|area| *area <= wanted).min(self.areas.len().saturating_sub(1));
        let [a, b, c] = self.mesh.triangles[triangle].map(|corner| self.mesh.vertices[corner as usize]);
        let (mut u, mut v) = (random.unit(), random.unit());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        let mut point = a + u * (b - a) + v * (c - a);
        let mut normal = Vector3::z();
        for _ in 0..2 {
            let sample = self.part.sample(point);
            normal = sample.normal;
            point -= sample.distance * normal;
        }
        (point, normal)
    }

    /// A point of the part's bounding box, which is wider by `around` [m] on all sides, and the exact sample there.
    #[must_use]
    pub fn point_around(&self, around: f64, random: &mut Random) -> (Vector3<f64>, Sample) {
        let axis = |axis: usize, random: &mut Random| {
            let [low, high] = self.bounds[axis];
            random.uniform(low - around, high + around)
        };
        let [x, y, z] = [0, 1, 2].map(|k| axis(k, random));
        let point = Vector3::new(x, y, z);
        (point, self.part.sample(point))
    }

    /// A point up to `reach` [m] from the surface on either side, and the exact sample there.
    #[must_use]
    pub fn point_within(&self, reach: f64, random: &mut Random) -> (Vector3<f64>, Sample) {
        loop {
            let (surface, normal) = self.surface_point(random);
            let point = surface + random.uniform(-reach, reach) * normal;
            let sample = self.part.sample(point);
            // In a groove the normal of one wall can lead into the other wall.
            if sample.distance.abs() <= reach {
                return (point, sample);
            }
        }
    }
}
