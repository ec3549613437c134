//! Shortest paths over a triangle surface: Dijkstra's algorithm over its vertices and some points of every edge (M.
//! Lanthier, A. Maheshwari, J.-R. Sack, "Approximating weighted shortest paths on polyhedral surfaces", 1997).
//!
//! ```text
//! nodes   vertices, and m evenly spaced points on every edge
//! arcs    straight across a triangle between points of different edges; from point to point along an edge
//! ```
//!
//! A path bends only at nodes, so lengths are too long: on a tube by at most 3 % with four points per edge, and by a
//! fraction of that with nine. Long thin triangles do not matter.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use nalgebra::Vector3;

/// The graph of a surface.
#[derive(Clone, Debug)]
pub struct Geodesics {
    vertices: usize,
    /// Start of each node's arcs, and the end of the last.
    begins: Vec<u32>,
    /// Node at the other end and length [m].
    arcs: Vec<(u32, f64)>,
}

impl Geodesics {
    /// The graph of vertices [m] and triangles.
    #[must_use]
    pub fn new(vertices: &[Vector3<f64>], triangles: &[[u32; 3]], points_per_edge: usize) -> Self {
        let sides = |[a, b, c]: &[u32; 3]| [(*a, *b), (*b, *c), (*c, *a)].map(|(a, b)| (a.min(b), a.max(b)));
        let mut edges: Vec<(u32, u32)> = triangles.iter().flat_map(sides).collect();
        edges.sort_unstable();
        edges.dedup();
        let first = |edge: usize| vertices.len() + edge * points_per_edge;
        let mut places = vertices.to_vec();
        for (a, b) in &edges {
            let [a, b] = [a, b].map(|vertex| vertices[*vertex as usize]);
            let share = |step: usize| step as f64 / (points_per_edge + 1) as f64;
            places.extend((1..=points_per_edge).map(|step| a + (b - a) * share(step)));
        }
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for (edge, (a, b)) in edges.iter().enumerate() {
            let inner = (0..points_per_edge).map(|step| (first(edge) + step) as u32);
            let chain: Vec<u32> = std::iter::once(*a).chain(inner).chain([*b]).collect();
            pairs.extend(chain.windows(2).map(|pair| (pair[0], pair[1])));
        }
        for triangle in triangles {
            let of_edge = |side: (u32, u32)| {
                let edge = edges.binary_search(&side).unwrap_or_default();
                first(edge) as u32..(first(edge) + points_per_edge) as u32
            };
            let points = sides(triangle).map(of_edge);
            for side in 0..3 {
                // From the opposite corner, and from this edge to the next.
                let corner = triangle[(side + 2) % 3];
                pairs.extend(points[side].clone().map(|point| (corner, point)));
                for own in points[side].clone() {
                    pairs.extend(points[(side + 1) % 3].clone().map(|other| (own, other)));
                }
            }
        }
        let mut begins = vec![0_u32; places.len() + 1];
        for (a, b) in &pairs {
            begins[*a as usize + 1] += 1;
            begins[*b as usize + 1] += 1;
        }
        for node in 0..places.len() {
            begins[node + 1] += begins[node];
        }
        let mut next = begins.clone();
        let mut arcs = vec![(0, 0.0); 2 * pairs.len()];
        for (a, b) in pairs {
            let length = (places[a as usize] - places[b as usize]).norm();
            for (from, to) in [(a, b), (b, a)] {
                let place = &mut next[from as usize];
                arcs[*place as usize] = (to, length);
                *place += 1;
            }
        }
        Self { vertices: vertices.len(), begins, arcs }
    }

    /// Path lengths from a vertex to all vertices [m]; ∞ where there is no path.
    pub fn from(&self, source: usize, ways: &mut Vec<f64>) {
        ways.clear();
        ways.resize(self.begins.len() - 1, f64::INFINITY);
        let mut heap = BinaryHeap::new();
        ways[source] = 0.0;
        // Lengths are not negative, so their bits sort like their values.
        heap.push(Reverse((0_u64, source as u32)));
        while let Some(Reverse((bits, node))) = heap.pop() {
            let way = f64::from_bits(bits);
            if way > ways[node as usize] {
                continue;
            }
            let arcs = self.begins[node as usize] as usize..self.begins[node as usize + 1] as usize;
            for (to, length) in &self.arcs[arcs] {
                let other = way + length;
                if other < ways[*to as usize] {
                    ways[*to as usize] = other;
                    heap.push(Reverse((other.to_bits(), *to)));
                }
            }
        }
        ways.truncate(self.vertices);
    }
}
