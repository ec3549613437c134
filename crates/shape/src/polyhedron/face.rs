//! A plane face, and where a point lies over it.

use std::ops::Range;

use nalgebra::{Vector2, Vector3};

use super::Edge;
use crate::mesh::Aabb;

/// A face with more edges has them in bands: the end of a gear has thousands.
const FEW_EDGES: usize = 24;

/// A plane face with straight edges; it may have holes and need not be convex.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// Outward unit normal.
    pub normal: Vector3<f64>,
    /// n·x of its points [m].
    pub level: f64,
    /// Indices of its edges; a face without edges is a whole plane.
    edges: Vec<u32>,
    /// Where the edges are, if they are many.
    bands: Option<Bands>,
    /// Box around it.
    pub(super) bounds: Aabb,
}

/// Edges of a face by equal bands of the coordinate v in its plane, as many bands as edges.
#[derive(Clone, Debug, PartialEq)]
struct Bands {
    /// Smallest v [m], and bands per metre.
    low: f64,
    per_metre: f64,
    /// First place of each band in `edges`, and one past the last.
    starts: Vec<u32>,
    /// Edges by bands; an edge is in every band that it reaches.
    edges: Vec<u32>,
}

impl Bands {
    fn new(own: &[u32], all: &[Edge], v: usize) -> Option<Self> {
        let range = |edge: u32| {
            let [a, b] = all[edge as usize].ends.each_ref().map(|end| end[v]);
            [a.min(b), a.max(b)]
        };
        let whole = |[low, high]: [f64; 2], [a, b]: [f64; 2]| [low.min(a), high.max(b)];
        let [low, high] = own.iter().map(|&edge| range(edge)).fold([f64::INFINITY, f64::NEG_INFINITY], whole);
        let per_metre = own.len() as f64 / (high - low);
        if !per_metre.is_finite() {
            return None;
        }
        let mut members = vec![Vec::new(); own.len()];
        let mut bands = Self { low, per_metre, starts: vec![0], edges: Vec::new() };
        for &edge in own {
            bands.places(range(edge), own.len()).for_each(|band| members[band].push(edge));
        }
        for own in members {
            bands.edges.extend(own);
            bands.starts.push(bands.edges.len() as u32);
        }
        Some(bands)
    }

    /// Bands of a range of v [m], a little more for rounding.
    fn places(&self, [low, high]: [f64; 2], count: usize) -> Range<usize> {
        let place = |v: f64, slack: f64| ((v - self.low) * self.per_metre + slack).clamp(0.0, count as f64);
        place(low, -1e-6) as usize..(place(high, 1e-6).floor() as usize + 1).min(count)
    }

    /// Edges that may reach a range of v [m]; some come several times.
    fn reaching(&self, range: [f64; 2]) -> &[u32] {
        let bands = self.places(range, self.starts.len() - 1);
        match bands.is_empty() {
            true => &[],
            false => &self.edges[self.starts[bands.start] as usize..self.starts[bands.end] as usize],
        }
    }
}

/// Where the nearest point of a face to a point lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// In its interior.
    Inside,
    /// On an edge.
    Edge(u32),
    /// At the end of an edge: `true` at the second one.
    End(u32, bool),
}

impl Face {
    pub(super) fn new(normal: Vector3<f64>, level: f64, edges: Vec<u32>, bounds: Aabb, all: &[Edge]) -> Self {
        let v = axes(&normal)[1];
        let bands = (edges.len() > FEW_EDGES).then(|| Bands::new(&edges, all, v)).flatten();
        Self { normal, level, edges, bands, bounds }
    }

    /// Edges that may reach a range of the second coordinate in the plane [m].
    fn edges_reaching(&self, range: [f64; 2]) -> &[u32] {
        self.bands.as_ref().map_or(&self.edges, |bands| bands.reaching(range))
    }

    /// Indices of the edges.
    #[must_use]
    pub fn edges(&self) -> &[u32] {
        &self.edges
    }

    /// Memory [bytes].
    pub(super) fn memory(&self) -> usize {
        let of_bands = |bands: &Bands| size_of_val(&*bands.starts) + size_of_val(&*bands.edges);
        size_of_val(self) + size_of_val(&*self.edges) + self.bands.as_ref().map_or(0, of_bands)
    }

    /// Signed distance of a point to the plane [m].
    #[must_use]
    pub fn height(&self, point: Vector3<f64>) -> f64 {
        self.normal.dot(&point) - self.level
    }

    /// Where the face is nearest to a point, and how far the point's foot in the plane lies beside the face [m]; where that is more
    /// than `reach` [m], it may be infinite.
    #[must_use]
    pub fn locate(&self, point: Vector3<f64>, reach: f64, all: &[Edge]) -> (Place, f64) {
        if self.covers(point, all) {
            return (Place::Inside, 0.0);
        }
        let foot = point - self.normal * self.height(point);
        let v = foot[axes(&self.normal)[1]];
        let mut nearest = (Place::Inside, f64::INFINITY);
        let mut first = u32::MAX;
        for &index in self.edges_reaching([v - reach, v + reach]) {
            let (fraction, squared) = all[index as usize].nearest(foot);
            // of those at one corner, the first
            if squared < nearest.1 || (squared == nearest.1 && index < first) {
                first = index;
                let is_end = fraction <= 0.0 || fraction >= 1.0;
                let place = if is_end { Place::End(index, fraction > 0.5) } else { Place::Edge(index) };
                nearest = (place, squared);
            }
        }
        (nearest.0, nearest.1.sqrt())
    }

    /// Whether the foot of a point is inside the edges: a ray from it crosses an odd number of them.
    #[must_use]
    pub fn covers(&self, point: Vector3<f64>, all: &[Edge]) -> bool {
        if self.edges.is_empty() {
            return true;
        }
        let [u, v] = axes(&self.normal);
        let foot = point - self.normal * self.height(point);
        let flat = |at: &Vector3<f64>| Vector2::new(at[u] - foot[u], at[v] - foot[v]);
        let mut is_inside = false;
        for &index in self.edges_reaching([foot[v]; 2]) {
            let [a, b] = all[index as usize].ends.each_ref().map(flat);
            if (a.y > 0.0) != (b.y > 0.0) && (a.x + (b.x - a.x) * a.y / (a.y - b.y) > 0.0) {
                is_inside = !is_inside;
            }
        }
        is_inside
    }
}

/// The coordinates in which a plane is seen.
fn axes(normal: &Vector3<f64>) -> [usize; 2] {
    let axis = normal.iamax();
    [(axis + 1) % 3, (axis + 2) % 3]
}
