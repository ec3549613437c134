//! Fewer triangles for the same surface, to a stated tolerance.
//!
//! Modellers write slivers: a fillet of 0.05 mm with sixty facets, rims with a thousand vertices, vertices inside planes. A vertex
//! v is drawn onto a neighbour u of its ring w₀ … wₙ₋₁ where the surface hardly moves:
//!
//! ```text
//! old fan (v, wᵢ, wᵢ₊₁)  →  new fan (u, wᵢ, wᵢ₊₁)                       both have the ring as their boundary
//! e = max( dist(p, new fan) of all vertices p drawn away from there, dist(places of u wᵢ, mesh that was given) ) ≤ tolerance
//! ```
//!
//! No vertex moves, so planes stay planes and sharp edges stay where they are; the smallest changes are made first. The mesh
//! stays closed: u and v have two neighbours in common (link condition), and no triangle turns over. Distances are measured from
//! the mesh that was given, so that the noise of a file does not add up.
//!
//! T. K. Dey, H. Edelsbrunner, S. Guha, D. V. Nekhayev, "Topology preserving edge contraction", Publ. Inst. Math. 66, 1999; points that
//! keep the distance: R. Klein, G. Liebich, W. Strasser, "Mesh reduction with error control", Visualization 1996.

use std::collections::VecDeque;

use nalgebra::Vector3;

use super::closest_point_triangle::PreparedTriangle;
use super::{MeshDistance, TriMesh};

/// Distance within which the triangles of a scene's mesh may be replaced [m].
pub const COARSENING: f64 = 0.4e-6;
/// Parts of the tolerance that changes may take, one pass after the other.
const PASSES: [f64; 4] = [0.02, 0.1, 0.35, 1.0];
/// Largest ring of a vertex that is drawn away.
const LARGEST_RING: usize = 48;
/// Least cosine between a triangle and the one that takes its place.
const TURNED: f64 = 0.5;
/// Triangles lower than this many tolerances have no reliable normal.
const THIN: f64 = 2.0;
/// Places on a line whose distance is measured, beside its first end.
const PLACES: [f64; 3] = [0.25, 0.5, 0.75];

/// A mesh with fewer triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Coarsened {
    /// The triangles; every vertex is one of the mesh that was given.
    pub mesh: TriMesh,
    /// How far the surface moved at most [m].
    pub error: f64,
}

impl TriMesh {
    /// Fewer triangles within `tolerance` [m] of a closed mesh, whose distance is given too.
    #[must_use]
    pub fn coarsened(&self, distance: &MeshDistance, tolerance: f64) -> Coarsened {
        let mut work = Work::new(self, distance, tolerance);
        for share in PASSES {
            work.pass(share * tolerance);
        }
        work.finish()
    }
}

/// A triangle that is gone.
const GONE: [u32; 3] = [u32::MAX; 3];

struct Work<'a> {
    vertices: &'a [Vector3<f64>],
    /// Distance from the mesh that was given.
    given: &'a MeshDistance,
    triangles: Vec<[u32; 3]>,
    /// Vertices that were drawn away from the place of each triangle.
    drawn: Vec<Vec<u32>>,
    /// Largest distance measured [m].
    error: f64,
    /// Triangles at each vertex.
    around: Vec<Vec<u32>>,
    /// Height below which a triangle is thin [m].
    thin: f64,
}

/// A vertex with the triangles and vertices around it, in order: triangle i is (v, wᵢ, wᵢ₊₁).
struct Fan {
    triangles: Vec<u32>,
    ring: Vec<u32>,
}

impl<'a> Work<'a> {
    fn new(mesh: &'a TriMesh, given: &'a MeshDistance, tolerance: f64) -> Self {
        let mut around = vec![Vec::new(); mesh.vertices.len()];
        for (index, triangle) in mesh.triangles.iter().enumerate() {
            triangle.iter().for_each(|&vertex| around[vertex as usize].push(index as u32));
        }
        let drawn = vec![Vec::new(); mesh.triangles.len()];
        let (vertices, triangles) = (mesh.vertices.as_slice(), mesh.triangles.clone());
        Self { vertices, given, triangles, drawn, error: 0.0, around, thin: THIN * tolerance }
    }

    /// Draws away every vertex that the limit [m] allows.
    fn pass(&mut self, limit: f64) {
        let mut waiting: VecDeque<u32> = (0..self.vertices.len() as u32).collect();
        let mut is_waiting = vec![true; self.vertices.len()];
        while let Some(vertex) = waiting.pop_front() {
            is_waiting[vertex as usize] = false;
            let Some(fan) = self.fan(vertex) else { continue };
            if !self.draw_away(vertex, &fan, limit) {
                continue;
            }
            for next in fan.ring {
                if !std::mem::replace(&mut is_waiting[next as usize], true) {
                    waiting.push_back(next);
                }
            }
        }
    }

    /// The closed fan around a vertex; `None` where there is none, or a very large one.
    fn fan(&self, vertex: u32) -> Option<Fan> {
        let own = &self.around[vertex as usize];
        if own.len() < 3 || own.len() > LARGEST_RING {
            return None;
        }
        let opposite = |triangle: u32| {
            let corners = self.triangles[triangle as usize];
            let place = corners.iter().position(|&corner| corner == vertex)?;
            Some([corners[(place + 1) % 3], corners[(place + 2) % 3]])
        };
        let (mut triangles, mut ring) = (vec![own[0]], vec![opposite(own[0])?[0]]);
        let mut end = opposite(own[0])?[1];
        while end != ring[0] {
            let mut next = own.iter().filter_map(|&triangle| Some((triangle, opposite(triangle)?)));
            let (triangle, [start, after]) = next.find(|(_, [start, _])| *start == end)?;
            if ring.contains(&start) {
                return None;
            }
            triangles.push(triangle);
            ring.push(start);
            end = after;
        }
        (triangles.len() == own.len()).then_some(Fan { triangles, ring })
    }

    fn at(&self, vertex: u32) -> Vector3<f64> {
        self.vertices[vertex as usize]
    }

    fn draw_away(&mut self, vertex: u32, fan: &Fan, limit: f64) -> bool {
        let (own, count) = (self.at(vertex), fan.ring.len());
        let side = |index: usize| [fan.ring[index], fan.ring[(index + 1) % count]].map(|v| self.at(v));
        let old: Vec<PreparedTriangle> =
            (0..count).map(side).map(|[start, end]| PreparedTriangle::new([own, start, end])).collect();
        // where v itself would be nearest to the new fan
        let mut candidates: Vec<(f64, usize, Vec<PreparedTriangle>)> = Vec::new();
        for target in 0..count {
            let onto = self.at(fan.ring[target]);
            let new: Vec<PreparedTriangle> = (target + 1..target + count - 1)
                .map(|index| side(index % count))
                .map(|[start, end]| PreparedTriangle::new([onto, start, end]))
                .collect();
            let away = distance(&new, own);
            if away <= limit {
                candidates.push((away, target, new));
            }
        }
        candidates.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut drawn: Vec<u32> =
            fan.triangles.iter().flat_map(|&t| &self.drawn[t as usize]).copied().collect();
        drawn.push(vertex);
        for (_, target, new) in candidates {
            let is_sound = self.keeps_topology(vertex, fan, target) && self.keeps_facing(&old, &new, target);
            let away = if is_sound { self.away(fan, target, &drawn, &new, limit) } else { f64::INFINITY };
            if away <= limit {
                self.error = self.error.max(away);
                self.replace(vertex, fan, target, &drawn, &new);
                return true;
            }
        }
        false
    }

    /// Whether v and u have just the two neighbours of their edge in common, and no triangle comes twice.
    fn keeps_topology(&self, vertex: u32, fan: &Fan, target: usize) -> bool {
        let (onto, count) = (fan.ring[target], fan.ring.len());
        let beside = [fan.ring[(target + 1) % count], fan.ring[(target + count - 1) % count]];
        self.around[onto as usize].iter().all(|&triangle| {
            let corners = self.triangles[triangle as usize];
            let is_shared = |corner: &u32| *corner != onto && fan.ring.contains(corner);
            let shared = corners.iter().filter(|corner| is_shared(corner)).count();
            corners.contains(&vertex)
                || (shared < 2 && corners.iter().all(|corner| !is_shared(corner) || beside.contains(corner)))
        })
    }

    /// Whether every new triangle has an area and faces the way of the one that it replaces.
    fn keeps_facing(&self, old: &[PreparedTriangle], new: &[PreparedTriangle], target: usize) -> bool {
        new.iter().enumerate().all(|(index, triangle)| {
            let before = &old[(target + 1 + index) % old.len()];
            let is_thin = height(before) < self.thin;
            (is_thin || before.normal.dot(&triangle.normal) > TURNED)
                && height(triangle) >= height(before).min(self.thin)
        })
    }

    /// How far the new fan is from the mesh that was given [m]; any value above `limit` where it is farther.
    fn away(&self, fan: &Fan, target: usize, drawn: &[u32], new: &[PreparedTriangle], limit: f64) -> f64 {
        let mut most: f64 = 0.0;
        for &vertex in drawn {
            most = most.max(distance(new, self.at(vertex)));
            if most > limit {
                return most;
            }
        }
        let onto = self.at(fan.ring[target]);
        let lines = fan.ring.iter().map(|&end| self.at(end) - onto);
        let middles = new.iter().map(|triangle| triangle.corners.iter().sum::<Vector3<f64>>() / 3.0);
        let places = lines.flat_map(|line| PLACES.map(|share| onto + line * share)).chain(middles);
        for place in places {
            most = most.max(self.given.sample(place).distance.abs());
            if most > limit {
                return most;
            }
        }
        most
    }

    fn replace(&mut self, vertex: u32, fan: &Fan, target: usize, drawn: &[u32], new: &[PreparedTriangle]) {
        let (onto, count) = (fan.ring[target], fan.ring.len());
        for (index, &triangle) in fan.triangles.iter().enumerate() {
            self.drawn[triangle as usize].clear();
            if index == target || (index + 1) % count == target {
                for corner in self.triangles[triangle as usize] {
                    self.around[corner as usize].retain(|&other| other != triangle);
                }
                self.triangles[triangle as usize] = GONE;
                continue;
            }
            let corners = &mut self.triangles[triangle as usize];
            corners.iter_mut().filter(|corner| **corner == vertex).for_each(|corner| *corner = onto);
            self.around[onto as usize].push(triangle);
        }
        self.around[vertex as usize].clear();
        // each vertex that was drawn away stays with the triangle nearest to it
        for &own in drawn {
            let away = |triangle: &PreparedTriangle| distance(std::slice::from_ref(triangle), self.at(own));
            let nearest = (0..new.len()).min_by(|&a, &b| away(&new[a]).total_cmp(&away(&new[b])));
            if let Some(index) = nearest {
                self.drawn[fan.triangles[(target + 1 + index) % count] as usize].push(own);
            }
        }
    }

    fn finish(self) -> Coarsened {
        let mut numbers = vec![u32::MAX; self.vertices.len()];
        let mut mesh = TriMesh::default();
        for triangle in self.triangles.iter().filter(|triangle| **triangle != GONE) {
            mesh.triangles.push(triangle.map(|vertex| {
                let number = &mut numbers[vertex as usize];
                if *number == u32::MAX {
                    *number = mesh.vertices.len() as u32;
                    mesh.vertices.push(self.vertices[vertex as usize]);
                }
                *number
            }));
        }
        Coarsened { mesh, error: self.error }
    }
}

/// Distance of a point from triangles [m].
fn distance(triangles: &[PreparedTriangle], point: Vector3<f64>) -> f64 {
    let mut least = f64::INFINITY;
    for triangle in triangles {
        if let Some(found) = triangle.closest(point, least) {
            least = least.min(found.squared);
        }
    }
    least.sqrt()
}

/// Height of a triangle over its longest side [m].
fn height(triangle: &PreparedTriangle) -> f64 {
    let [a, b, c] = triangle.corners;
    let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    if longest > 0.0 { (b - a).cross(&(c - a)).norm() / longest } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{EdgeTable, MeshDistance, MeshOptions, shells};
    use crate::preset::preset;
    use crate::primitive::{Block, Capsule};

    const TOLERANCE: f64 = 0.4e-6;

    /// Closed, of the same genus, and as near in both directions as it says.
    fn check(mesh: &TriMesh) -> Coarsened {
        let old = MeshDistance::new(mesh.clone()).expect("closed");
        let coarse = mesh.coarsened(&old, TOLERANCE);
        let genus = |mesh: &TriMesh| shells(mesh, &EdgeTable::new(mesh)).0.shells[0].genus();
        assert_eq!(genus(&coarse.mesh), genus(mesh));
        assert!(coarse.error <= TOLERANCE);
        let new = MeshDistance::new(coarse.mesh.clone()).expect("closed");
        let middles = |mesh: &TriMesh| -> Vec<Vector3<f64>> {
            let of = |index: usize| {
                let [a, b, c] = mesh.corners(index);
                [a, (a + b) / 2.0, (b + c) / 2.0, (c + a) / 2.0, (a + b + c) / 3.0]
            };
            (0..mesh.triangles.len()).flat_map(of).collect()
        };
        for (points, other) in [(middles(mesh), &new), (middles(&coarse.mesh), &old)] {
            let worst = points.iter().map(|p| other.sample(*p).distance.abs()).fold(0.0, f64::max);
            assert!(worst <= TOLERANCE, "{worst:e} m of {:e}", coarse.error);
        }
        coarse
    }

    #[test]
    fn planes_and_straight_edges_need_no_vertices_inside() {
        let block = Block::new(Vector3::new(0.03, 0.02, 0.01)).unwrap();
        let mesh = block.mesh(&MeshOptions { max_edge: 1e-3, ..MeshOptions::default() });
        let coarse = check(&mesh);
        assert_eq!((coarse.mesh.vertices.len(), coarse.mesh.triangles.len()), (8, 12));
    }

    #[test]
    fn round_surfaces_keep_what_the_tolerance_needs() {
        let fine = MeshOptions { chord_tolerance: 0.02e-6, max_edge: 0.01 };
        for name in ["peg-50", "hole-50", "square-peg-20"] {
            let mesh = preset(name).expect(name).mesh(&fine).expect("a mesh");
            let coarse = check(&mesh);
            let (before, after) = (mesh.triangles.len(), coarse.mesh.triangles.len());
            assert!(3 * after < before, "{name}: {before} to {after}");
        }
        let ball = Capsule::new(2e-3, 0.0).unwrap();
        check(&ball.mesh(&MeshOptions { chord_tolerance: 0.2e-6, max_edge: 0.01 }));
    }
}
