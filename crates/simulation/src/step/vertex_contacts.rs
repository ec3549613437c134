//! Contacts at the vertices of the surface that an interaction network averages on, as the published program has them: those of
//! its mesh that are inside the static part, whatever nodes ours has.
//!
//! ```text
//! φ + t n·(v + ω × p) ≤ widest gap        φ distance, n normal of the static part, t how far ahead is looked [s]
//! ```
//!
//! Most vertices are far. Blocks of them are asked which ([`Part::face_block`]), and the rest one by one.

use nalgebra::Vector3;
use tightfit_interaction::{ContactSet, EmbeddedSurface, Located};
use tightfit_shape::Part;
use tightfit_shape::block::{BLOCK, FAR, FaceBlock, PointBlock};
use tightfit_spatial::{Pose, Vectorise};

/// Adds the vertices within a gap to a set, in their order.
pub(super) struct VertexContacts<'a> {
    pub(super) surface: &'a EmbeddedSurface,
    pub(super) fixed: &'a Part,
    pub(super) fixed_from_object: Pose,
    /// Widest gap [m], not negative.
    pub(super) widest: f64,
    /// How far ahead that is [s].
    pub(super) ahead: f64,
    /// Velocity of the object's origin and angular velocity, its axes [m/s, rad/s].
    pub(super) velocity: [Vector3<f64>; 2],
    pub(super) contacts: &'a mut ContactSet,
    /// Which vertex each of them is.
    pub(super) chosen: &'a mut Vec<u32>,
}

impl Vectorise for VertexContacts<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { surface, fixed, fixed_from_object, widest, ahead, velocity, contacts, chosen } = self;
        let [linear, angular] = velocity;
        let object_from_fixed = fixed_from_object.rotation.inverse();
        let (mut points, mut faces) = (PointBlock::default(), FaceBlock::default());
        for (block, vertices) in surface.points().chunks(BLOCK).enumerate() {
            let mut farthest = 0.0_f64;
            for (lane, vertex) in vertices.iter().enumerate() {
                farthest = farthest.max(vertex.norm_squared());
                let point = fixed_from_object.transform_point(*vertex);
                points.axes.iter_mut().zip(point.iter()).for_each(|(axis, value)| axis[lane] = *value);
            }
            let reach = widest + ahead * (linear.norm() + angular.norm() * farthest.sqrt());
            fixed.face_block(&points, reach, 0.0, &mut faces);
            for (lane, vertex) in vertices.iter().enumerate().filter(|(lane, _)| faces.verdict[*lane] != FAR)
            {
                let sample = fixed.sample(points.get(lane));
                let normal = object_from_fixed * sample.normal;
                let approach = normal.dot(&(linear + angular.cross(vertex)));
                if sample.distance + ahead * approach <= widest {
                    let index = block * BLOCK + lane;
                    let located = Located { vertex: index as u32, embedding: surface.embedding()[index] };
                    contacts.push(*vertex, normal, sample.distance, located);
                    chosen.push(index as u32);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;
    use tightfit_shape::mesh::MeshOptions;
    use tightfit_shape::preset::preset;
    use tightfit_spatial::vectorised;

    use super::*;

    #[test]
    fn blocks_leave_no_vertex_out() {
        let bolt = preset("m48x5-bolt").expect("a preset");
        let nut = preset("m48x5-nut").expect("a preset");
        let mesh = nut.mesh(&MeshOptions { chord_tolerance: 2e-4, max_edge: 5e-3 }).expect("a surface");
        let points = mesh.vertices.clone();
        let normals = vec![Vector3::z(); points.len()];
        let embedding = points.iter().map(|p| [p.x, p.y, p.z, 0.0, 0.0, 0.0, 0.0, 0.0]).collect();
        let surface = EmbeddedSurface::new(points, normals, mesh.triangles, embedding).expect("a surface");
        let turn = |axis: Vector3<f64>| UnitQuaternion::from_scaled_axis(axis);
        let poses = [
            // beside the thread, half way on and a tooth off, above the bolt
            Pose::new(Vector3::new(4e-4, 0.0, 0.03), turn(Vector3::new(0.01, 0.0, 0.3))),
            Pose::new(Vector3::new(1e-4, -3e-4, 0.0425), turn(Vector3::new(0.0, 0.02, 2.0))),
            Pose::new(Vector3::new(0.0, 0.0, 0.2), UnitQuaternion::identity()),
        ];
        let velocity = [Vector3::new(0.01, 0.0, -0.05), Vector3::new(0.2, 0.0, -3.0)];
        let mut met = 0;
        for fixed_from_object in poses {
            for (widest, ahead) in [(0.0, 0.0), (1e-6, 0.01)] {
                let (mut contacts, mut chosen) = (ContactSet::default(), Vec::new());
                vectorised(VertexContacts {
                    surface: &surface,
                    fixed: &bolt,
                    fixed_from_object,
                    widest,
                    ahead,
                    velocity,
                    contacts: &mut contacts,
                    chosen: &mut chosen,
                });
                let is_met = |vertex: &Vector3<f64>| {
                    let sample = bolt.sample(fixed_from_object.transform_point(*vertex));
                    let speed = fixed_from_object.rotation * (velocity[0] + velocity[1].cross(vertex));
                    sample.distance + ahead * sample.normal.dot(&speed) <= widest
                };
                let all = (0..).zip(surface.points());
                let truth: Vec<u32> =
                    all.filter(|(_, vertex)| is_met(vertex)).map(|(index, _)| index).collect();
                assert_eq!(chosen, truth);
                assert_eq!(contacts.len(), truth.len());
                met += truth.len();
            }
        }
        assert!(met > 100, "{met}: the poses have become too easy");
    }
}
