//! Solids of revolution.
//!
//! Every corner of the outline is a circle, every edge of it a face: a plane, a cylinder or a cone. A face uses the
//! circle at the start of its edge along its direction and the one at the end against it, so that each circle is used
//! once in each direction; cylinders and cones have a seam at angle 0.

use nalgebra::Vector3;

use super::writer::{Use, Writer};
use crate::profile::Outline;

/// Writes the faces of an outline turned about z.
pub(super) fn faces(writer: &mut Writer, outline: &Outline) -> Vec<usize> {
    let corners = outline.vertices();
    let vertices: Vec<_> = corners.iter().map(|&[a, z]| writer.vertex(Vector3::new(a, 0.0, z))).collect();
    let circles: Vec<Option<usize>> = corners
        .iter()
        .zip(&vertices)
        .map(|(&[a, z], &vertex)| (a > 0.0).then(|| writer.arc(Vector3::z() * z, a, [vertex; 2])))
        .collect();
    let mut faces = Vec::new();
    for (index, [p, q]) in outline.edges() {
        let next = (index + 1) % corners.len();
        let normal = outline.edge_normal(index);
        let rings: [Option<Use>; 2] =
            [circles[index].map(|ring| (ring, true)), circles[next].map(|ring| (ring, false))];
        if p[1] == q[1] {
            let plane = writer.plane(Vector3::z() * p[1], Vector3::z() * normal[1].signum());
            faces.push(writer.face(plane, true, &rings.map(|ring| ring.into_iter().collect())));
            continue;
        }
        let seam = writer.line([vertices[index], vertices[next]]);
        let uses = [rings[0], Some((seam, true)), rings[1], Some((seam, false))].into_iter().flatten();
        let surface = if p[0] == q[0] {
            writer.cylinder(Vector3::z() * p[1], p[0])
        } else {
            writer.cone(Vector3::zeros(), [p, q])
        };
        faces.push(writer.face(surface, normal[0] > 0.0, &[uses.collect()]));
    }
    faces
}
