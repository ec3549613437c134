//! From triangles to faces, edges and corners.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::Vector3;

use super::planes::Planes;
use super::{Corner, Edge, Face, Polyhedron};
use crate::mesh::{Aabb, BoxTree, EdgeTable, MeshOptions, TriMesh};
use crate::profile::Section;
use crate::{Part, ShapeError};

/// Edges shorter than this part of the mesh's size are joined to nothing and have no direction [-].
const POINT: f64 = 1e-12;
/// Sine of the angle within which two edges are one line.
const COLLINEAR: f64 = 1e-5;
/// Sine of the angle below which a concave edge is flat to rounding.
const FLAT: f64 = 1e-3;

impl Part {
    /// The part as a polyhedron, if planes bound it.
    #[must_use]
    pub fn polyhedron(&self) -> Option<Polyhedron> {
        let triangles = |options: &MeshOptions| -> Result<TriMesh, ShapeError> { self.mesh(options) };
        match self {
            Self::HalfSpace => Some(Polyhedron::half_space()),
            Self::Mesh(mesh) => Some(Polyhedron::new(mesh.mesh())),
            Self::Sectioned(solid) if !matches!(solid.section, Section::Polygon { .. }) => None,
            Self::Block(_) | Self::Sectioned(_) => {
                let options = MeshOptions { max_edge: 1e6, ..MeshOptions::default() };
                triangles(&options).ok().map(|mesh| Polyhedron::new(&mesh))
            }
            Self::Bolt(_) | Self::Nut(_) | Self::Capsule(_) | Self::Cad(_) | Self::Nodes(_) => None,
        }
    }
}

impl Polyhedron {
    /// Everything below z = 0.
    #[must_use]
    pub fn half_space() -> Self {
        let everywhere = Vector3::repeat(f64::INFINITY);
        let bounds = Aabb { min: -everywhere, max: Vector3::new(f64::INFINITY, f64::INFINITY, 0.0) };
        let plane = Aabb { min: Vector3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, 0.0), ..bounds };
        Self::assemble(vec![Face::new(Vector3::z(), 0.0, Vec::new(), plane, &[])], Vec::new(), bounds)
    }

    /// The faces, edges and corners of a closed mesh with outward normals.
    #[must_use]
    pub fn new(mesh: &TriMesh) -> Self {
        let bounds = Aabb::of(mesh.vertices.iter().copied());
        let size = bounds.diagonal();
        let table = EdgeTable::new(mesh);
        let planes = Planes::of(mesh, &table, size);
        let edges = edges(mesh, &table, &planes, size);
        let mut of_face = vec![Vec::new(); planes.faces.len()];
        for (index, edge) in edges.iter().enumerate() {
            edge.faces.iter().for_each(|&face| of_face[face as usize].push(index as u32));
        }
        let faces = planes.faces.iter().zip(of_face).map(|(&(normal, origin), own)| {
            let ends = own.iter().flat_map(|&edge| edges[edge as usize].ends);
            let bounds = Aabb::of(ends);
            Face::new(normal, normal.dot(&origin), own, bounds, &edges)
        });
        let faces = faces.collect();
        Self::assemble(faces, edges, bounds)
    }

    fn assemble(faces: Vec<Face>, mut edges: Vec<Edge>, bounds: Aabb) -> Self {
        let (corners, leaving) = corners(&edges);
        let places: BTreeSet<_> = corners.iter().map(|corner| key(&corner.position)).collect();
        for edge in &mut edges {
            edge.ends_at_corner = edge.ends.each_ref().map(|end| places.contains(&key(end)));
        }
        let (face_tree, face_order) =
            BoxTree::build(&faces.iter().map(|face| face.bounds).collect::<Vec<_>>());
        let all: Vec<u32> =
            (0..edges.len() as u32).filter(|&index| edges[index as usize].is_convex).collect();
        let boxes: Vec<_> = all.iter().map(|&index| Aabb::of(edges[index as usize].ends)).collect();
        let (convex_tree, order) = BoxTree::build(&boxes);
        let convex = order.iter().map(|&place| all[place as usize]).collect();
        let boxes: Vec<_> = edges.iter().map(|edge| Aabb::of(edge.ends)).collect();
        let (edge_tree, edge_order) = BoxTree::build(&boxes);
        Self {
            corners,
            edges,
            faces,
            leaving,
            convex,
            convex_tree,
            edge_order,
            edge_tree,
            face_order,
            face_tree,
            bounds,
        }
    }
}

/// Edges between different faces, collinear neighbours joined.
fn edges(mesh: &TriMesh, table: &EdgeTable, planes: &Planes, size: f64) -> Vec<Edge> {
    // segments by the pair of faces: [first face, second face] → ends, in the winding of the first
    let mut segments: BTreeMap<[u32; 2], Vec<[u32; 2]>> = BTreeMap::new();
    for edge in table.iter() {
        let Some(halves) = edge.manifold(&mesh.triangles) else { continue };
        let faces = halves.map(|half| planes.face_of[half as usize / 3]);
        if faces[0] == faces[1] {
            continue;
        }
        let [first, second] = if faces[0] < faces[1] { [0, 1] } else { [1, 0] };
        let triangle = mesh.triangles[halves[first] as usize / 3];
        let side = halves[first] as usize % 3;
        let ends = [triangle[side], triangle[(side + 1) % 3]];
        segments.entry([faces[first], faces[second]]).or_default().push(ends);
    }
    let at = |vertex: u32| mesh.vertices[vertex as usize];
    let mut edges = Vec::new();
    for (faces, mut own) in segments {
        let normals = faces.map(|face| planes.faces[face as usize].0);
        while let Some(start) = own.pop() {
            let mut ends = start;
            let along = (at(ends[1]) - at(ends[0])).try_normalize(POINT * size);
            let is_straight =
                |from: u32, to: u32| match (along, (at(to) - at(from)).try_normalize(POINT * size)) {
                    (Some(along), Some(next)) => {
                        along.cross(&next).norm() < COLLINEAR && along.dot(&next) > 0.0
                    }
                    _ => false,
                };
            loop {
                let after = own.iter().position(|next| next[0] == ends[1] && is_straight(next[0], next[1]));
                let before = own.iter().position(|last| last[1] == ends[0] && is_straight(last[0], last[1]));
                match (after, before) {
                    (Some(place), _) => ends[1] = own.swap_remove(place)[1],
                    (_, Some(place)) => ends[0] = own.swap_remove(place)[0],
                    _ => break,
                }
            }
            let ends = ends.map(at);
            let length = (ends[1] - ends[0]).norm();
            let Some(along) = (ends[1] - ends[0]).try_normalize(POINT * size) else { continue };
            // the first face is to the left of the edge, seen from outside
            let is_convex = normals[0].cross(&normals[1]).dot(&along) > 0.0;
            let ends_at_corner = [false; 2];
            edges.push(Edge { ends, along, length, faces, normals, is_convex, ends_at_corner });
        }
    }
    edges
}

/// Ends of edges are vertices of the mesh, so equal positions are equal numbers.
fn key(position: &Vector3<f64>) -> [u64; 3] {
    position.map(f64::to_bits).data.0[0]
}

/// Points where all edges are convex, with the directions of the edges that leave them. Around a concave edge the material
/// fills more than half of space, so no plane touches an end of it first.
fn corners(edges: &[Edge]) -> (Vec<Corner>, Vec<Vector3<f64>>) {
    /// An end of edges.
    struct Found {
        position: Vector3<f64>,
        is_convex: bool,
        leaving: Vec<Vector3<f64>>,
    }
    let mut found: BTreeMap<[u64; 3], Found> = BTreeMap::new();
    for edge in edges {
        for (&position, sign) in edge.ends.iter().zip([1.0, -1.0]) {
            let new = || Found { position, is_convex: true, leaving: Vec::new() };
            let own = found.entry(key(&position)).or_insert_with(new);
            own.is_convex &= edge.is_convex || edge.normals[0].cross(&edge.normals[1]).norm() < FLAT;
            own.leaving.push(edge.along * sign);
        }
    }
    let (mut corners, mut leaving) = (Vec::new(), Vec::new());
    for Found { position, leaving: own, .. } in found.into_values().filter(|own| own.is_convex) {
        let start = leaving.len() as u32;
        leaving.extend(own);
        corners.push(Corner { position, edges: [start, leaving.len() as u32] });
    }
    (corners, leaving)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{FitSection, HoleDimensions, PegDimensions};
    use crate::preset::{hole_50, square_peg_20};
    use crate::primitive::Block;

    #[test]
    fn a_block_has_six_faces_twelve_convex_edges_and_eight_corners_however_it_is_meshed() {
        let block = Block::new(Vector3::new(0.03, 0.02, 0.01)).unwrap();
        for max_edge in [1.0, 3e-3] {
            let mesh = block.mesh(&MeshOptions { max_edge, ..MeshOptions::default() });
            let solid = Polyhedron::new(&mesh);
            assert_eq!((solid.faces.len(), solid.edges.len(), solid.corners.len()), (6, 12, 8));
            assert_eq!(solid.convex_edges().count(), 12);
            for corner in &solid.corners {
                assert_eq!(solid.leaving(corner).len(), 3);
                for along in solid.leaving(corner) {
                    assert!(along.dot(&corner.position) < 0.0, "edges lead away from a corner");
                }
            }
        }
    }

    #[test]
    fn a_square_hole_has_concave_edges_in_its_bore() {
        let section = FitSection::Polygon { sides: 4, corner_radius: 0.0 };
        let peg = PegDimensions { section, tip_chamfer: 0.0, ..square_peg_20() }.build().unwrap();
        let peg = Part::Sectioned(peg).polyhedron().expect("planes");
        assert_eq!((peg.faces.len(), peg.convex_edges().count(), peg.corners.len()), (6, 12, 8));
        let hole = HoleDimensions { section, chamfer: 0.0, ..hole_50() }.build().unwrap();
        let hole = Part::Sectioned(hole).polyhedron().expect("planes");
        // four walls of the bore, four outside, top and bottom
        assert_eq!(hole.faces.len(), 10);
        assert_eq!(hole.edges.iter().filter(|edge| !edge.is_convex).count(), 4);
        assert_eq!(hole.convex_edges().count(), 20);
        assert_eq!(hole.corners.len(), 8, "no plane touches the corners of the bore first");
    }
}
