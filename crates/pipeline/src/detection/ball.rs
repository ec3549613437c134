//! A ball against a polyhedron: its centre against faces, convex edges and corners.
//!
//! ```text
//! face    φ = n·c − level − r              where the foot of c lies on the face
//! edge    φ = |c − p| − r,  p = foot on the edge, where c lies between the normals of its two faces
//! corner  φ = |c − p| − r,  where no edge that leaves it turns towards c
//! ```
//!
//! c, r centre and radius, φ gap. The centre does not move while the ball spins, so the ball rolls exactly whatever the step; nodes
//! of the polyhedron ahead of it would be predicted to dip in and brake it. For the same reason the tangent at an edge foretells less
//! than the gap at the end of the step, and the gap is raised by the difference, as in `turned.rs`.

use nalgebra::Vector3;
use tightfit_shape::Part;
use tightfit_shape::mesh::Aabb;
use tightfit_shape::polyhedron::{Corner, Edge, Polyhedron};

use super::contact_writer::ContactWriter;
use super::{DetectionOptions, PairBody};
use crate::records::Contacts;

/// A ball and a mesh whose faces are known as those of a polyhedron.
pub struct BallPair<'a> {
    /// The body of the ball, then that of the polyhedron.
    sides: [&'a PairBody<'a>; 2],
    polyhedron: &'a Polyhedron,
    /// Distance of the centre from the polyhedron at which they touch [m].
    radius: f64,
}

impl<'a> BallPair<'a> {
    /// The pair, if one body is a ball and the other such a mesh.
    #[must_use]
    pub fn of(sides: [&'a PairBody<'a>; 2]) -> Option<Self> {
        let ordered = |of: &'a PairBody<'a>, against: &'a PairBody<'a>| {
            let is_mesh = matches!(against.part, Part::Mesh(_)) && against.network.is_none();
            let polyhedron = against.polyhedron.filter(|_| is_mesh && of.part.is_ball())?;
            let radius = of.part.node_offset() + against.part.node_offset();
            Some(Self { sides: [of, against], polyhedron, radius })
        };
        ordered(sides[0], sides[1]).or_else(|| ordered(sides[1], sides[0]))
    }

    /// Number of identities that the contacts of the pair take.
    #[must_use]
    pub fn ids(&self) -> u32 {
        let Polyhedron { faces, edges, corners, .. } = self.polyhedron;
        (faces.len() + edges.len() + corners.len()) as u32
    }
}

/// Appends the contacts of a ball with a polyhedron.
pub(super) fn detect(pair: &BallPair, options: &DetectionOptions, contacts: &mut Contacts) {
    let BallPair { sides: [of, against], polyhedron, radius } = *pair;
    if !(of.is_free() || against.is_free()) {
        return;
    }
    let first = of.first_id.min(against.first_id).wrapping_mul(Part::MOST_PIECES);
    let first_edge = first.wrapping_add(polyhedron.faces.len() as u32);
    let first_corner = first_edge.wrapping_add(polyhedron.edges.len() as u32);
    let center = of.world_from_part.translation;
    let into = against.world_from_part.rotation.inverse();
    let ball = Ball {
        center: into * (center - against.world_from_part.translation),
        drift: into * (of.velocity_at(center) - against.velocity_at(center)) * options.horizon,
        radius,
    };
    let reach = options.margin + radius;
    let around = Aabb { min: ball.center, max: ball.center }.grown(reach.max(0.0));
    let mut writer = ContactWriter::new(of, against, contacts);
    let mut push = |normal: Vector3<f64>, gap: f64, id: u32| {
        if gap < options.margin {
            writer.push(ball.center - normal * of.part.node_offset(), normal, gap, id);
        }
    };
    let inside = against.part.sample(ball.center);
    if inside.distance < 0.0 {
        push(inside.normal, inside.distance - radius, first);
    } else {
        polyhedron.each_face(&around, |index, face| {
            let height = face.height(ball.center);
            if height >= 0.0 && height < reach && face.covers(ball.center, &polyhedron.edges) {
                push(face.normal, height - radius, first.wrapping_add(index));
            }
        });
        polyhedron.each_convex_edge(&around, |index, edge| {
            if let Some(place) = ball.over_edge(edge) {
                let nearest = |center: Vector3<f64>| edge.ends[0] + edge.along * along(edge, center);
                let (normal, gap) = ball.against_point(place, |center| (center - nearest(center)).norm());
                push(normal, gap, first_edge.wrapping_add(index));
            }
        });
        for (index, corner) in polyhedron.corners.iter().enumerate() {
            if around.contains(corner.position) && ball.is_over_corner(corner, polyhedron) {
                let to_corner = |center: Vector3<f64>| (center - corner.position).norm();
                let (normal, gap) = ball.against_point(corner.position, to_corner);
                push(normal, gap, first_corner.wrapping_add(index as u32));
            }
        }
    }
    writer.finish(options);
}

/// Place on an edge that is nearest to a point, from its first end [m].
fn along(edge: &Edge, point: Vector3<f64>) -> f64 {
    (point - edge.ends[0]).dot(&edge.along).clamp(0.0, edge.length)
}

/// A ball in the frame of a polyhedron.
struct Ball {
    /// [m]
    center: Vector3<f64>,
    /// How far the centre is expected to move in the step [m].
    drift: Vector3<f64>,
    radius: f64,
}

impl Ball {
    /// The point of a convex edge that is nearest, where no face of it is nearer.
    fn over_edge(&self, edge: &Edge) -> Option<Vector3<f64>> {
        let place = along(edge, self.center);
        let is_corner =
            (place == 0.0 && edge.ends_at_corner[0]) || (place == edge.length && edge.ends_at_corner[1]);
        let point = edge.ends[0] + edge.along * place;
        let from = self.center - point;
        let is_beside = [[0, 1], [1, 0]].into_iter().all(|[own, other]| {
            let across = edge.normals[own].cross(&edge.along);
            // into the face, which the other face's normal points away from
            let into_face = if across.dot(&edge.normals[other]) < 0.0 { across } else { -across };
            from.dot(&into_face) <= 0.0
        });
        (!is_corner && is_beside && from.norm() > 0.0).then_some(point)
    }

    /// Whether a corner is nearer than the edges that leave it.
    fn is_over_corner(&self, corner: &Corner, polyhedron: &Polyhedron) -> bool {
        let from = self.center - corner.position;
        from.norm() > 0.0 && polyhedron.leaving(corner).iter().all(|edge| from.dot(edge) <= 0.0)
    }

    /// Normal and gap at a point; `distance_at` of the centre from what the point belongs to.
    fn against_point(
        &self,
        point: Vector3<f64>,
        distance_at: impl Fn(Vector3<f64>) -> f64,
    ) -> (Vector3<f64>, f64) {
        let from = self.center - point;
        let (distance, normal) = (from.norm(), from.normalize());
        let (gap, foretold) = (distance - self.radius, distance - self.radius + normal.dot(&self.drift));
        if gap <= 0.0 || foretold >= 0.0 {
            return (normal, gap);
        }
        (normal, gap + (distance_at(self.center + self.drift) - self.radius - foretold).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use tightfit_shape::mesh::{MeshPart, TriMesh};
    use tightfit_shape::primitive::Capsule;
    use tightfit_spatial::{Columns3, Pose, SplitMix};

    use super::*;
    use crate::detection::{Clearances, DetectionScratch, NodeBlocks, detect_pair};
    use crate::records::NOT_FREE;

    /// A prism along y over a section in x and z (counter-clockwise), cut into triangles that the section's diagonals give.
    fn prism(section: &[[f64; 2]], caps: &[[u32; 3]], half: f64) -> TriMesh {
        let count = section.len() as u32;
        let mut mesh = TriMesh::default();
        for y in [-half, half] {
            mesh.vertices.extend(section.iter().map(|[x, z]| Vector3::new(*x, y, *z)));
        }
        for k in 0..count {
            let next = (k + 1) % count;
            mesh.triangles.extend([[k, count + next, next], [k, count + k, count + next]]);
        }
        for &[a, b, c] in caps {
            mesh.triangles.extend([[a, b, c], [count + a, count + c, count + b]]);
        }
        mesh
    }

    /// In front of a plate, a corner and a groove of triangles the smallest gap is the distance of the centre less the radius.
    #[test]
    fn the_smallest_gap_is_that_of_the_centre() {
        let plate = [[-0.03, -0.01], [0.03, -0.01], [0.03, 0.0], [-0.03, 0.0]];
        let groove = [[-0.04, -0.01], [0.04, -0.01], [0.04, 0.03], [0.0, 0.0], [-0.04, 0.03]];
        let corner = [[0.0, 0.0], [0.04, 0.0], [0.04, 0.01], [0.01, 0.01], [0.01, 0.03], [0.0, 0.03]];
        let solids = [
            prism(&plate, &[[0, 1, 2], [0, 2, 3]], 0.03),
            prism(&groove, &[[0, 1, 3], [1, 2, 3], [0, 3, 4]], 0.03),
            prism(&corner, &[[0, 1, 3], [1, 2, 3], [0, 3, 4], [0, 4, 5]], 0.03),
        ];
        let ball = Part::Capsule(Capsule::new(8e-3, 0.0).unwrap());
        let nodes = NodeBlocks::new(Columns3::default());
        let mut random = SplitMix(3);
        for mesh in solids {
            let part = Part::Mesh(MeshPart::new(mesh).unwrap());
            let polyhedron = part.polyhedron().expect("planes");
            let mut near = 0;
            for _ in 0..20_000 {
                let center =
                    (random.cube() - Vector3::repeat(0.5)).component_mul(&Vector3::new(0.12, 0.09, 0.09));
                let distance = part.sample(center).distance;
                let pose = Pose::new(center, nalgebra::UnitQuaternion::identity());
                let margin = 2e-3;
                if distance < 0.0 || (distance - 8e-3).abs() > margin {
                    continue;
                }
                near += 1;
                let other = PairBody {
                    polyhedron: Some(&polyhedron),
                    ..PairBody::at_rest(&part, &nodes, Pose::identity(), NOT_FREE)
                };
                let sides = [&PairBody::at_rest(&ball, &nodes, pose, 0), &other];
                let options = DetectionOptions {
                    margin,
                    crossings: true,
                    horizon: 0.01,
                    friction: 0.1,
                    restitution: 0.0,
                };
                let (mut clearances, mut contacts) = (<[Clearances; 2]>::default(), Contacts::default());
                detect_pair(
                    sides,
                    &options,
                    &mut clearances,
                    &mut DetectionScratch::default(),
                    &mut contacts,
                );
                let gap = contacts.gap.iter().copied().fold(f64::INFINITY, f64::min);
                assert!(
                    (gap - (distance - 8e-3)).abs() < 1e-9,
                    "{gap:e} at {center:?}, true {:e}",
                    distance - 8e-3
                );
            }
            assert!(near > 300, "{near}");
        }
    }
}
