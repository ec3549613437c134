/*!
Parts from STEP files: exact solids with faces, edges and corners.

A file becomes the simplest part that equals it: a solid of revolution about z becomes a [`SectionedSolid`], a solid
bounded by planes a mesh whose triangles are exact, any other solid a [`CadPart`].

[`SectionedSolid`]: crate::profile::SectionedSolid
*/

mod ears;
mod export;
mod limits;
mod mating;
mod nodes;
mod planes;
mod slides;
mod triangulate;
mod turned;
mod unroll;

use std::path::Path;
use std::sync::{Arc, OnceLock};

pub use export::step_text;
pub use limits::Limits;
pub use mating::{Bore, FacePair, Mating, bores, mate};
use nalgebra::Vector3;
use tightfit_cad::geometry::Surface;
use tightfit_cad::{CadError, Few, MassProperties, Near, NearCells, Nearby, PieceFaces, Vicinity};
pub use tightfit_cad::{File, Solid};
use tightfit_spatial::{Inertia, InertiaError};

use crate::block::{BLOCK, CORNER, FAR, FaceBlock, PAIR, PointBlock, SEVERAL, SINGLE, Verdict};
use crate::mesh::{Aabb, MeshOptions, MeshPart, TriMesh};
use crate::recognition::bolt_or_nut;
use crate::{Barrel, Branches, Part, Sample, ShapeError};

/// An exact solid.
#[derive(Clone, Debug)]
pub struct CadPart {
    solid: Arc<Solid>,
    mass: MassProperties,
    /// Faces near points, once they are needed.
    near: Arc<OnceLock<[NearCells; 2]>>,
    /// Largest distance from the z axis [m].
    outer_radius: f64,
    barrel: Barrel,
    /// Largest curvature of each convex round face [1/m], 0 of others.
    bends: Arc<[f64]>,
}

impl CadPart {
    /// Part of a solid.
    ///
    /// # Errors
    /// When its volume cannot be computed.
    pub fn new(solid: Solid) -> Result<Self, ShapeError> {
        let mass = solid.mass_properties().ok_or_else(|| {
            let name = &solid.name;
            ShapeError::Mesh(format!(
                "body `{name}`: the volume cannot be computed (a face closed in two directions with holes, or faces \
                 inside out); cut the face in the CAD program, or export an STL mesh"
            ))
        })?;
        let bounds = solid.aabb();
        let outer_radius = solid.outer_radius([0.0; 2]).unwrap_or_else(|| radius_of(&bounds));
        let centre = (bounds.min + bounds.max) * 0.5;
        let half = bounds.max - centre;
        let radius = solid.outer_radius([centre.x, centre.y]).unwrap_or(f64::INFINITY);
        let radius = radius.min(libm::hypot(half.x, half.y));
        let barrel = Barrel { centre: [centre.x, centre.y], radius, heights: [bounds.min.z, bounds.max.z] };
        let bends = slides::bends(&solid).into();
        Ok(Self { solid: Arc::new(solid), mass, near: Arc::default(), outer_radius, barrel, bends })
    }

    /// Largest distance from the z axis [m].
    #[must_use]
    pub fn outer_radius(&self) -> f64 {
        self.outer_radius
    }

    /// The solid.
    #[must_use]
    pub fn solid(&self) -> &Arc<Solid> {
        &self.solid
    }

    /// Signed distance and unit gradient.
    #[must_use]
    #[inline]
    pub fn sample(&self, point: Vector3<f64>) -> Sample {
        let known = self.cells(0.0).and_then(|cells| match cells.at(point) {
            Nearby::Few(few) => self.solid.sample_of(&few, point, cells.reach()),
            _ => None,
        });
        let sample = known.unwrap_or_else(|| self.solid.sample(point));
        Sample { distance: sample.distance, normal: sample.normal }
    }

    /// Visits the locally convex pieces of material within `reach` [m] of a point, with their faces.
    pub fn each_piece(&self, point: Vector3<f64>, reach: f64, mut visit: impl FnMut(u32, &Branches)) {
        let mut number = 0;
        let visit = |faces: &PieceFaces| {
            if number < Part::MOST_PIECES {
                let faces = faces.iter().map(|face| Sample { distance: face.distance, normal: face.normal });
                visit(number, &faces.collect());
                number += 1;
            }
        };
        match self.cells(reach).map(|cells| cells.at(point)) {
            Some(Nearby::Several(faces)) => {
                self.solid.each_piece_among(faces.iter().copied(), point, reach, visit);
            }
            Some(Nearby::Few(few)) => self.solid.each_piece_of(&few, point, reach, visit),
            Some(Nearby::Outside(_)) => {}
            _ => self.solid.each_piece(point, reach, visit),
        }
    }

    /// A cylinder around the solid.
    pub(crate) fn barrel(&self) -> Barrel {
        self.barrel
    }

    /// Prepares queries of blocks.
    pub(crate) fn prepare(&self) {
        self.near.get_or_init(|| NearCells::REACHES.map(|reach| NearCells::new(&self.solid, reach)));
    }

    /// The cells for queries up to a reach [m].
    fn cells(&self, reach: f64) -> Option<&NearCells> {
        self.near.get()?.iter().find(|cells| reach <= cells.reach())
    }

    /// How far outside a point is at least [m], less than `-depth` only where it is deeper inside; its cell often tells.
    pub(crate) fn clearance(&self, point: Vector3<f64>, depth: f64) -> f64 {
        let cells = self.cells(depth);
        match cells.map(|cells| cells.at(point)) {
            Some(Nearby::Outside(clear)) => clear,
            Some(Nearby::Inside) => f64::NEG_INFINITY,
            // faces beyond the reach of the cells may be nearer
            Some(Nearby::Single(face)) => {
                self.solid.extended(face, point).distance.min(cells.map_or(0.0, NearCells::reach))
            }
            _ => self.sample(point).distance,
        }
    }

    /// Classifies a block of points: by their cells, or by the ball around them.
    pub(crate) fn face_block(&self, points: &PointBlock, reach: f64, behind: f64, out: &mut FaceBlock) {
        let all = Aabb::of((0..BLOCK).map(|lane| points.get(lane)));
        let own = self.aabb();
        let gap = (own.min - all.max).sup(&(all.min - own.max)).sup(&Vector3::zeros()).norm();
        if gap > reach {
            out.verdict = [FAR; BLOCK];
            out.clear = gap;
            return;
        }
        if let Some(cells) = self.cells(reach) {
            let mut clear = f64::INFINITY;
            for lane in 0..BLOCK {
                let point = points.get(lane);
                let near = cells.at(point);
                out.verdict[lane] = match near {
                    Nearby::Outside(own) => {
                        out.distance[lane] = own;
                        FAR
                    }
                    Nearby::Single(face) => self.at_face(face, point, reach, lane, out),
                    Nearby::Few(few) => self.at_faces(&few, cells.reach(), point, [reach, behind], lane, out),
                    Nearby::Several(_) | Nearby::Inside => SEVERAL,
                };
                // where there is a face, the cells know no other beyond their reach
                let known = if matches!(near, Nearby::Outside(_)) { f64::INFINITY } else { cells.reach() };
                clear = clear.min(out.distance[lane].min(known));
            }
            let is_far = out.verdict.iter().all(|verdict| *verdict == FAR);
            out.clear = if is_far { clear } else { f64::NEG_INFINITY };
            return;
        }
        let centre = 0.5 * (all.min + all.max);
        match self.solid.vicinity(centre, 0.5 * all.diagonal(), reach) {
            Vicinity::Far(clear) => {
                out.verdict = [FAR; BLOCK];
                out.clear = clear;
            }
            Vicinity::Several => out.verdict = [SEVERAL; BLOCK],
            Vicinity::Few(few) => {
                for lane in 0..BLOCK {
                    let point = points.get(lane);
                    out.verdict[lane] = self.at_faces(&few.view(), reach, point, [reach, behind], lane, out);
                }
            }
            Vicinity::Single(face) => {
                for lane in 0..BLOCK {
                    out.verdict[lane] = self.at_face(face, points.get(lane), reach, lane, out);
                }
            }
        }
    }

    /// The only face near a point.
    #[inline]
    fn at_face(
        &self,
        face: u32,
        point: Vector3<f64>,
        reach: f64,
        lane: usize,
        out: &mut FaceBlock,
    ) -> Verdict {
        let sample = self.solid.extended(face, point);
        out.distance[lane] = sample.distance;
        out.number[lane] = 0;
        (0..3).for_each(|k| out.normal[k][lane] = sample.normal[k]);
        // deeper than the reach another face may be nearer
        match sample.distance {
            distance if distance > reach => FAR,
            distance if distance < -reach => SEVERAL,
            _ => SINGLE,
        }
    }

    /// One of several faces near a point, or those of an edge; all faces within `known` [m] are among them.
    #[inline]
    fn at_faces(
        &self,
        few: &Few,
        known: f64,
        point: Vector3<f64>,
        [reach, behind]: [f64; 2],
        lane: usize,
        out: &mut FaceBlock,
    ) -> Verdict {
        match self.solid.near(few, point, reach, known) {
            Near::Nothing(distance) => {
                out.distance[lane] = distance;
                FAR
            }
            Near::More => self.at_edge(few, point, reach, behind, lane, out),
            Near::One(sample) => {
                out.distance[lane] = sample.distance;
                out.number[lane] = 0;
                (0..3).for_each(|k| out.normal[k][lane] = sample.normal[k]);
                if sample.distance <= reach { SINGLE } else { FAR }
            }
        }
    }

    /// The faces near a point with several: an edge of two, a corner of two pieces, or more.
    fn at_edge(
        &self,
        few: &Few,
        point: Vector3<f64>,
        reach: f64,
        behind: f64,
        lane: usize,
        out: &mut FaceBlock,
    ) -> Verdict {
        // relevant faces of the first two pieces; the caller takes no face that the point is far behind
        let mut pieces = [[None::<Sample>; 3]; 2];
        let mut count = 0;
        self.solid.each_piece_of(few, point, reach, |faces| {
            if let Some(own) = pieces.get_mut(count) {
                let relevant = faces.iter().filter(|face| face.distance >= -behind);
                for (slot, face) in own.iter_mut().zip(relevant) {
                    *slot = Some(Sample { distance: face.distance, normal: face.normal });
                }
            }
            count += 1;
        });
        let mut put = |number: u64, first: Sample, second: Option<Sample>| {
            out.number[lane] = number;
            out.distance[lane] = first.distance;
            (0..3).for_each(|k| out.normal[k][lane] = first.normal[k]);
            if let Some(second) = second {
                out.second_distance[lane] = second.distance;
                (0..3).for_each(|k| out.second_normal[k][lane] = second.normal[k]);
            }
        };
        match (count, pieces) {
            (0, _) => {
                out.distance[lane] = reach;
                FAR
            }
            (1, [[Some(only), None, _], _]) => {
                put(0, only, None);
                SINGLE
            }
            (1, [[Some(first), Some(second), None], _]) => {
                put(0, first, Some(second));
                PAIR
            }
            // the second piece of a corner is number 0
            (2, [[Some(first), None, _], [Some(second), None, _]]) => {
                put(1, second, Some(first));
                CORNER
            }
            _ => SEVERAL,
        }
    }

    /// Bounding box.
    #[must_use]
    pub fn aabb(&self) -> Aabb {
        let bounds = self.solid.aabb();
        Aabb { min: bounds.min, max: bounds.max }
    }

    /// Mass properties at `density` [kg/m³].
    ///
    /// # Errors
    /// When the density is not positive.
    pub fn inertia(&self, density: f64) -> Result<Inertia, InertiaError> {
        self.mass.inertia(density)
    }

    /// Volume, centre and second moments.
    #[must_use]
    pub fn mass(&self) -> &MassProperties {
        &self.mass
    }

    /// Watertight triangles.
    ///
    /// # Errors
    /// When a face cannot be triangulated.
    pub fn mesh(&self, options: &MeshOptions) -> Result<TriMesh, ShapeError> {
        triangulate::triangulate(&self.solid, options)
    }
}

/// Largest distance of a box from the z axis [m].
fn radius_of(bounds: &tightfit_cad::Aabb) -> f64 {
    let farthest = bounds.min.abs().sup(&bounds.max.abs());
    libm::hypot(farthest.x, farthest.y)
}

impl PartialEq for CadPart {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.solid, &other.solid)
            || self.mass == other.mass && self.solid.name == other.solid.name
    }
}

impl Part {
    /// The body of this name of a STEP file, or its only body.
    ///
    /// # Errors
    /// When the file cannot be read or the body cannot be used.
    pub fn from_step(path: &Path, body: Option<&str>) -> Result<Self, ShapeError> {
        let located = |error: CadError| match error {
            CadError::File { .. } => ShapeError::Mesh(error.to_string()),
            _ => ShapeError::Mesh(format!("{}: {error}", path.display())),
        };
        let solid = File::open(path).map_err(located)?.solid(body).map_err(located)?;
        Self::from_solid(solid)
    }

    /// The simplest part that equals a solid.
    ///
    /// # Errors
    /// When its volume cannot be computed.
    pub fn from_solid(solid: Solid) -> Result<Self, ShapeError> {
        let part = CadPart::new(solid)?;
        if let Some(turned) = turned::turned(&part) {
            return Ok(Self::Sectioned(turned));
        }
        if let Some(threaded) = threaded(&part) {
            return Ok(threaded);
        }
        let flat = planes::exact_mesh(part.solid()).and_then(|mesh| MeshPart::new(mesh).ok());
        Ok(flat.map_or(Self::Cad(part), Self::Mesh))
    }
}

/// The bolt or nut that a solid with free-form helical faces is.
fn threaded(part: &CadPart) -> Option<Part> {
    let mesh = is_thread_like(part.solid()).then(|| part.mesh(&MeshOptions::default()))?;
    bolt_or_nut(&mesh.ok()?)
}

/// Whether a file name is that of a STEP file.
#[must_use]
pub fn is_step(path: &Path) -> bool {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    matches!(extension.as_deref(), Some("step" | "stp" | "p21"))
}

/// Whether most faces are free-form and wind around one axis like a thread: several B-spline faces, more than a third of
/// all, on a body with cylinders.
#[must_use]
pub fn is_thread_like(solid: &Solid) -> bool {
    let count = |name: &str| solid.faces.iter().filter(|face| face.surface.name() == name).count();
    let round =
        solid.faces.iter().any(|face| matches!(face.surface, Surface::Cylinder(..) | Surface::Cone { .. }));
    let free = count("B-spline");
    round && free >= 4 && 3 * free > solid.faces.len()
}
