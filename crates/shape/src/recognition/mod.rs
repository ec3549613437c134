/*!
Round surfaces in meshes: triangles become the cylinders, cones, planes and threads that they were made from.

A mesh of a bore is a prism with as many sides as facets. Its corners lie on the bore, its sides do not: facets of a
50 mm bore with 96 sides stand 27 µm inside it. Recognition takes the surface through the corners, to a stated tolerance:

```text
triangles → plane facets (facets.rs) → regions on one cylinder or cone (regions.rs, straight.rs) → faces (faces.rs)
→ chains of edges between them (boundary.rs) → lines, circles, curves (curves.rs) → a solid with exact faces
```

A thread (helix.rs) becomes a bolt or nut as a whole (threads.rs). Bodies that touch become one solid. A mesh stays as it is
where nothing round is found, or where the solid would not be closed.

Region growing with fits: P. J. Besl, R. C. Jain, "Segmentation through variable-order surface fitting", IEEE PAMI 10(2),
1988; fits of cylinders and cones: D. Eberly, "Fitting 3D data with a cylinder", 2003.
*/

mod boundary;
mod curves;
mod faces;
mod facets;
mod helix;
mod regions;
mod straight;
mod threads;

use nalgebra::Vector3;
use serde::Serialize;
use tightfit_cad::geometry::{Curve, Surface};
use tightfit_cad::{Body, BodyEdge, BodyFace, Solid};

use crate::mesh::{Aabb, EdgeTable, MeshDistance, MeshDistanceError, shells, winding_number};
use crate::{Part, TriMesh};
use boundary::Boundary;
use curves::{curve, onto};
use faces::Faces;
use facets::Facets;
use regions::{Region, regions};

/// Largest distance of a vertex from its surface [m], unless a mesh is very small: files often round to 1 µm.
pub const TOLERANCE: f64 = 2e-6;
/// Most faces of a recognised solid: beyond that, facets outnumber surfaces.
const MOST_FACES: usize = 1000;

/// Cosine of the angle below which faces meet softly.
const SOFT: f64 = 0.996;

/// Kind of a recognised surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoundKind {
    /// A cylinder around material.
    Shaft,
    /// A cylinder around a hole.
    Bore,
    /// A cone around material.
    Cone,
    /// A cone around a hole.
    Countersink,
    /// The thread of a bolt.
    OutsideThread,
    /// The thread of a nut.
    InsideThread,
}

/// A recognised round surface.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RoundSurface {
    /// Its kind.
    pub kind: RoundKind,
    /// Smallest and largest diameter [m]; equal for a cylinder, root and crest of a thread.
    #[serde(rename = "diameters_m")]
    pub diameters: [f64; 2],
    /// Pitch of a thread [m].
    #[serde(rename = "pitch_m", skip_serializing_if = "Option::is_none")]
    pub pitch: Option<f64>,
    /// Number of facets that it replaces.
    pub facets: usize,
    /// Largest distance of their corners from it [m].
    #[serde(rename = "deviation_m")]
    pub deviation: f64,
}

impl std::fmt::Display for RoundSurface {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [small, large] = self.diameters.map(|diameter| 1e3 * diameter);
        match self.kind {
            RoundKind::Shaft => write!(f, "shaft: cylinder {small:.4} mm")?,
            RoundKind::Bore => write!(f, "bore: cylinder {small:.4} mm")?,
            RoundKind::Cone => write!(f, "cone: {small:.4} to {large:.4} mm")?,
            RoundKind::Countersink => write!(f, "countersink: {small:.4} to {large:.4} mm")?,
            RoundKind::OutsideThread => write!(f, "outside thread: {small:.4} to {large:.4} mm")?,
            RoundKind::InsideThread => write!(f, "inside thread: {small:.4} to {large:.4} mm")?,
        }
        if let Some(pitch) = self.pitch {
            write!(f, ", pitch {:.4} mm", 1e3 * pitch)?;
        }
        write!(f, ", {} facets, {:.2} µm", self.facets, 1e6 * self.deviation)
    }
}

/// Why a mesh keeps its triangles.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unrecognised {
    /// No cylinder or cone.
    #[error("nothing round was found")]
    NothingRound,
    /// Too much is left that is no cylinder, cone or plane.
    #[error("{faces} faces would be left, more than {MOST_FACES}: most of the surface is of another kind")]
    TooManyFaces {
        /// Faces that would be left.
        faces: usize,
    },
    /// An edge does not fit its two faces.
    #[error("the edge at ({:.3}, {:.3}, {:.3}) mm between {faces} fits no line, circle or smooth curve", .at[0], .at[1], .at[2])]
    Edge {
        /// A vertex of it [mm].
        at: [f64; 3],
        /// Kinds of its faces.
        faces: String,
    },
    /// The faces do not close.
    #[error("the recognised faces do not bound a solid: {0}")]
    Open(String),
    /// A thread that is no bolt or nut of the exact kinds.
    #[error("it has a thread, but {0}")]
    Thread(String),
    /// The triangles lie off the solid.
    #[error("the triangles lie up to {:.1} um off the recognised faces", 1e6 * .0)]
    FarOff(f64),
}

/// A mesh as a solid with round faces.
#[derive(Clone, Debug)]
pub struct Recognised {
    /// The solid; `None` for a bolt or nut.
    pub solid: Option<Solid>,
    /// Its round surfaces, those with most facets first.
    pub surfaces: Vec<RoundSurface>,
    /// Largest distance of a facet's centre from the solid [m]: what the facets cut away or add.
    pub facet_error: f64,
}

/// Recognises the round surfaces of a closed mesh.
///
/// # Errors
/// Why the mesh keeps its triangles.
pub fn recognise(mesh: &TriMesh) -> Result<Recognised, Unrecognised> {
    let size = Aabb::of(mesh.vertices.iter().copied()).diagonal();
    let tolerance = tolerance_of(mesh);
    let table = EdgeTable::new(mesh);
    let facets = Facets::new(mesh, &table, size);
    let regions = regions(mesh, &facets, tolerance);
    if regions.is_empty() {
        return Err(Unrecognised::NothingRound);
    }
    let open = |what: &str| Unrecognised::Open(what.to_owned());
    let faces =
        Faces::new(mesh, &facets, &regions, tolerance).ok_or_else(|| open("a surface degenerates"))?;
    if faces.all.len() > MOST_FACES {
        return Err(Unrecognised::TooManyFaces { faces: faces.all.len() });
    }
    let boundary = Boundary::new(mesh, &table, &faces.of_triangle, faces.all.len())
        .ok_or_else(|| open("edges do not pair"))?;
    let body = body(mesh, &faces, &boundary, tolerance)?;
    let solid = Solid::new(body).map_err(|error| Unrecognised::Open(error.to_string()))?;
    let facet_error = facet_error(mesh, &solid);
    let widest = regions.iter().map(|region| sagitta(mesh, &facets, region)).fold(0.0, f64::max);
    let touches = shells(mesh, &table).0.shells.len() > 1;
    let off = difference(mesh, &solid, size, touches).map_err(|error| open(&error.to_string()))?;
    let off = facet_error.max(off);
    if off > widest + 4.0 * tolerance {
        return Err(Unrecognised::FarOff(off));
    }
    let mut surfaces: Vec<RoundSurface> =
        regions.iter().map(|region| described(mesh, &facets, region)).collect();
    surfaces.sort_by_key(|surface| std::cmp::Reverse(surface.facets));
    Ok(Recognised { solid: Some(solid), surfaces, facet_error })
}

/// The bolt or nut that a mesh was made from.
pub(crate) fn bolt_or_nut(mesh: &TriMesh) -> Option<Part> {
    threads::thread(mesh, tolerance_of(mesh))?.ok().map(|(part, _)| part)
}

fn tolerance_of(mesh: &TriMesh) -> f64 {
    TOLERANCE.min(1e-3 * Aabb::of(mesh.vertices.iter().copied()).diagonal())
}

impl Part {
    /// The simplest part that equals a mesh with its round surfaces recognised.
    ///
    /// # Errors
    /// Why the mesh keeps its triangles.
    pub fn recognised(mesh: &TriMesh) -> Result<(Self, Recognised), Unrecognised> {
        let thread = threads::thread(mesh, tolerance_of(mesh));
        if let Some(Ok(found)) = thread {
            return Ok(found);
        }
        // many narrow cones are no thread
        if let Some(Err(reason)) = thread {
            return Err(reason);
        }
        let found = recognise(mesh)?;
        let solid = found.solid.clone().ok_or(Unrecognised::NothingRound)?;
        let part = Self::from_solid(solid).map_err(|error| Unrecognised::Open(error.to_string()))?;
        Ok((part, found))
    }
}

fn body(mesh: &TriMesh, faces: &Faces, boundary: &Boundary, tolerance: f64) -> Result<Body, Unrecognised> {
    let surface = |face: u32| &faces.all[face as usize].surface;
    let at = |vertex: u32| mesh.vertices[vertex as usize];
    let unfit = |vertex: u32, own: &[u32]| {
        let kinds: Vec<&str> = own.iter().map(|&face| surface(face).name()).collect();
        Unrecognised::Edge { at: (1e3 * at(vertex)).into(), faces: kinds.join(" and ") }
    };
    // ends of chains lie on all surfaces that meet there
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); mesh.vertices.len()];
    for chain in &boundary.chains {
        for end in chain.ends() {
            let own = &mut around[end as usize];
            own.extend(chain.faces);
            own.sort_unstable();
            own.dedup();
        }
    }
    let placed = |vertex: u32, faces: &[u32]| {
        let surfaces: Vec<&Surface> = faces.iter().map(|&face| surface(face)).collect();
        onto(&surfaces, at(vertex), 20.0 * tolerance).ok_or_else(|| unfit(vertex, faces))
    };
    let mut numbers = vec![u32::MAX; mesh.vertices.len()];
    let mut body = Body { name: String::new(), vertices: Vec::new(), edges: Vec::new(), faces: Vec::new() };
    for chain in &boundary.chains {
        for end in chain.ends() {
            if numbers[end as usize] == u32::MAX {
                numbers[end as usize] = body.vertices.len() as u32;
                body.vertices.push(placed(end, &around[end as usize])?);
            }
        }
        let ends = chain.ends().map(|end| numbers[end as usize]);
        let mut points: Vec<Vector3<f64>> = vec![body.vertices[ends[0] as usize]];
        for &vertex in &chain.vertices[1..chain.vertices.len() - 1] {
            points.push(placed(vertex, &chain.faces)?);
        }
        points.push(body.vertices[ends[1] as usize]);
        let curve = curve(&points, chain.faces.map(surface), tolerance);
        // round faces that meet softly along any curve are pieces of a surface of another kind, as of a ball
        let curve = curve.filter(|curve| {
            !matches!(curve, Curve::Spline(_)) || !is_soft(&points, chain.faces.map(surface), tolerance)
        });
        let curve = curve.ok_or_else(|| unfit(chain.vertices[chain.vertices.len() / 2], &chain.faces))?;
        body.edges.push(BodyEdge { id: body.edges.len() as u64 + 1, ends, curve });
    }
    for (number, (face, loops)) in faces.all.iter().zip(&boundary.loops).enumerate() {
        body.faces.push(BodyFace {
            id: number as u64 + 1,
            surface: face.surface.clone(),
            flipped: face.flipped,
            loops: loops.clone(),
            shell: 0,
        });
    }
    Ok(body)
}

/// Whether two round surfaces meet at less than 5° in the middle of an edge, and are not one cylinder but for noise.
fn is_soft(points: &[Vector3<f64>], surfaces: [&Surface; 2], tolerance: f64) -> bool {
    if let [Surface::Cylinder(a, r), Surface::Cylinder(b, s)] = surfaces {
        let between = b.origin - a.origin;
        let across = (between - a.z * between.dot(&a.z)).norm();
        if a.z.cross(&b.z).norm() < 1e-3 && across.max((r - s).abs()) < 4.0 * tolerance {
            return false;
        }
    }
    let middle = points[points.len() / 2];
    let normals = surfaces.map(|surface| surface.foot(middle).map(|foot| foot.normal));
    let is_round = |surface: &Surface| !matches!(surface, Surface::Plane(_));
    matches!(normals, [Some(a), Some(b)] if a.dot(&b).abs() > SOFT) && surfaces.into_iter().all(is_round)
}

/// Largest distance of the middle of a triangle from the solid [m].
fn facet_error(mesh: &TriMesh, solid: &Solid) -> f64 {
    let stride = (mesh.triangles.len() / 20_000).max(1);
    (0..mesh.triangles.len())
        .step_by(stride)
        .map(|triangle| {
            solid.sample(mesh.corners(triangle).iter().sum::<Vector3<f64>>() / 3.0).distance.abs()
        })
        .fold(0.0, f64::max)
}

/// Largest difference of the distance from the mesh and from the solid [m], at points above and below the triangles: a face
/// that reaches beyond its edges shows itself away from the surface. Where shells touch, two faces with opposite normals lie on each
/// other inside the material and tell no sign: there, where the mesh winds around the point, distances are compared without it.
fn difference(mesh: &TriMesh, solid: &Solid, size: f64, touches: bool) -> Result<f64, MeshDistanceError> {
    let distance = MeshDistance::new(mesh.clone())?;
    let stride = (mesh.triangles.len() / 2_000).max(1);
    let mut worst: f64 = 0.0;
    for triangle in (0..mesh.triangles.len()).step_by(stride) {
        let [a, b, c] = mesh.corners(triangle);
        let Some(normal) = (b - a).cross(&(c - a)).try_normalize(0.0) else { continue };
        for height in [-0.02, -1e-3, 1e-3, 0.02] {
            let point = (a + b + c) / 3.0 + normal * (height * size);
            let [of_mesh, of_solid] = [distance.sample(point).distance, solid.sample(point).distance];
            let is_within = || winding_number(mesh, 0..mesh.triangles.len(), point) > 0.5;
            let tells_no_sign = touches && of_mesh.signum() != of_solid.signum() && is_within();
            let off = if tells_no_sign { of_mesh.abs() - of_solid.abs() } else { of_mesh - of_solid };
            worst = worst.max(off.abs());
        }
    }
    Ok(worst)
}

/// How far the edges of a region's facets stand off the surface [m].
fn sagitta(mesh: &TriMesh, facets: &Facets, region: &Region) -> f64 {
    let surface = &region.surface;
    let mut deepest: f64 = 0.0;
    for &facet in &region.facets {
        let own = &facets.vertices[facet as usize];
        let points: Vec<_> = own.iter().map(|&vertex| mesh.vertices[vertex as usize]).collect();
        let middle = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
        deepest = deepest.max(surface.error(middle).abs());
        for a in 0..points.len().min(8) {
            for b in 0..a {
                deepest = deepest.max(surface.error((points[a] + points[b]) / 2.0).abs());
            }
        }
    }
    deepest
}

fn described(mesh: &TriMesh, facets: &Facets, region: &Region) -> RoundSurface {
    let surface = &region.surface;
    let kind = match (surface.taper == 0.0, region.is_convex) {
        (true, true) => RoundKind::Shaft,
        (true, false) => RoundKind::Bore,
        (false, true) => RoundKind::Cone,
        (false, false) => RoundKind::Countersink,
    };
    let vertices = region.facets.iter().flat_map(|&facet| &facets.vertices[facet as usize]);
    let radii = vertices.map(|&vertex| surface.about(mesh.vertices[vertex as usize])[0]);
    let [least, most] = radii.fold([f64::INFINITY, 0.0f64], |[a, b], r| [a.min(r), b.max(r)]);
    let diameters = if surface.taper == 0.0 { [2.0 * surface.radius; 2] } else { [2.0 * least, 2.0 * most] };
    RoundSurface { kind, diameters, pitch: None, facets: region.facets.len(), deviation: region.deviation }
}
