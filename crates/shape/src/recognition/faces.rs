//! Every triangle gets a face: a recognised cylinder or cone, or a plane.

use nalgebra::{Matrix3, SymmetricEigen, Vector3};
use tightfit_cad::geometry::{Frame, Surface};

use super::facets::Facets;
use super::regions::Region;
use crate::TriMesh;

/// Cosine of the largest angle between facets of one plane: 1°.
const PARALLEL: f64 = 0.999_85;
/// Sine of the angle within which a plane is taken to be perpendicular or parallel to an axis.
const SNAP: f64 = 2e-3;

/// A face of the solid.
pub(super) struct FoundFace {
    pub surface: Surface,
    /// Whether the outward normal opposes that of the surface.
    pub flipped: bool,
}

/// Faces, and the face of each triangle.
pub(super) struct Faces {
    pub all: Vec<FoundFace>,
    pub of_triangle: Vec<u32>,
}

impl Faces {
    /// Faces of the regions first, then planes; `None` where a surface degenerates.
    pub(super) fn new(mesh: &TriMesh, facets: &Facets, regions: &[Region], tolerance: f64) -> Option<Self> {
        let mut of_facet = vec![u32::MAX; facets.len()];
        let mut all = Vec::new();
        for region in regions {
            for &facet in &region.facets {
                of_facet[facet as usize] = all.len() as u32;
            }
            all.push(FoundFace { surface: region.surface.surface()?, flipped: !region.is_convex });
        }
        let axes: Vec<Vector3<f64>> = [Vector3::x(), Vector3::y(), Vector3::z()]
            .into_iter()
            .chain(regions.iter().map(|region| region.surface.axis))
            .collect();
        let mut order: Vec<u32> = (0..facets.len() as u32).collect();
        order.sort_by(|&a, &b| facets.areas[b as usize].total_cmp(&facets.areas[a as usize]).then(a.cmp(&b)));
        for seed in order {
            if of_facet[seed as usize] != u32::MAX {
                continue;
            }
            let number = all.len() as u32;
            let own = flat(mesh, facets, &mut of_facet, seed, number, tolerance);
            all.push(FoundFace {
                surface: Surface::Plane(plane(mesh, facets, &own, &axes, tolerance)?),
                flipped: false,
            });
        }
        let of_triangle = facets.of_triangle.iter().map(|&facet| of_facet[facet as usize]).collect();
        Some(Self { all, of_triangle })
    }
}

/// Facets in the plane of a seed, which become the face of this number.
fn flat(
    mesh: &TriMesh,
    facets: &Facets,
    of_facet: &mut [u32],
    seed: u32,
    number: u32,
    tolerance: f64,
) -> Vec<u32> {
    let normal = facets.normals[seed as usize];
    let origin = mesh.vertices[facets.vertices[seed as usize][0] as usize];
    let lies_in = |facet: u32| {
        let own = &facets.vertices[facet as usize];
        own.iter().all(|&v| (mesh.vertices[v as usize] - origin).dot(&normal).abs() <= tolerance)
    };
    let mut own = vec![seed];
    of_facet[seed as usize] = number;
    let mut next = 0;
    while next < own.len() {
        for neighbour in &facets.neighbours[own[next] as usize] {
            let facet = neighbour.facet;
            let is_free = of_facet[facet as usize] == u32::MAX;
            let is_parallel = facets.normals[facet as usize].dot(&normal) > PARALLEL
                || facets.areas[facet as usize] < tolerance * tolerance;
            if is_free && is_parallel && lies_in(facet) {
                of_facet[facet as usize] = number;
                own.push(facet);
            }
        }
        next += 1;
    }
    own
}

/// Least-squares plane through the vertices, turned to be perpendicular or parallel to a known axis where they allow it.
fn plane(
    mesh: &TriMesh,
    facets: &Facets,
    own: &[u32],
    axes: &[Vector3<f64>],
    tolerance: f64,
) -> Option<Frame> {
    let mut numbers: Vec<u32> =
        own.iter().flat_map(|&facet| facets.vertices[facet as usize].iter().copied()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let points: Vec<Vector3<f64>> = numbers.iter().map(|&v| mesh.vertices[v as usize]).collect();
    let mean = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    let rough = own
        .iter()
        .map(|&facet| facets.normals[facet as usize] * facets.areas[facet as usize])
        .sum::<Vector3<f64>>()
        .try_normalize(0.0)
        .unwrap_or(facets.normals[own[0] as usize]);
    let scatter: Matrix3<f64> = points.iter().map(|p| (p - mean) * (p - mean).transpose()).sum();
    let eigen = SymmetricEigen::new(scatter);
    let least: Vector3<f64> = eigen.eigenvectors.column(eigen.eigenvalues.imin()).into_owned();
    // slivers have no plane of their own
    let mut normal =
        if least.dot(&rough).abs() > PARALLEL { least * least.dot(&rough).signum() } else { rough };
    let off = |normal: &Vector3<f64>| -> f64 {
        points.iter().map(|p| (p - mean).dot(normal).abs()).fold(0.0, f64::max)
    };
    let allowed = (2.0 * off(&normal) + 1e-8).min(tolerance);
    for axis in axes {
        let along = axis.dot(&normal);
        if axis.cross(&normal).norm() < SNAP && off(axis) <= allowed {
            normal = axis * along.signum();
            break;
        }
        if along.abs() < SNAP
            && let Some(level) = (normal - axis * along).try_normalize(0.5)
            && off(&level) <= allowed
        {
            normal = level;
        }
    }
    Frame::new(mean, normal, None)
}
