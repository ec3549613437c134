//! Shells: the parts of a surface that are connected across edges.

use nalgebra::Vector3;

use super::topology::{EdgeTable, half_edge_start, next_half_edge};
use super::{Aabb, TriMesh, UnionFind};

/// The shells of a mesh, in the order of their first triangles.
#[derive(Clone, Debug)]
pub struct Shells {
    /// Shell of each triangle.
    pub of_triangle: Vec<u32>,
    /// Properties of each shell.
    pub shells: Vec<Shell>,
}

/// One shell.
#[derive(Clone, Debug)]
pub struct Shell {
    /// Number of triangles.
    pub triangles: usize,
    /// Number of edges.
    pub edges: usize,
    /// Number of vertices; a vertex counts once for every fan of triangles around it.
    pub vertices: usize,
    /// Edges with one triangle.
    pub boundary_edges: usize,
    /// Edges with more than two triangles.
    pub non_manifold_edges: usize,
    /// Edges along which two triangles run in the same direction.
    pub inconsistent_edges: usize,
    /// Bounding box.
    pub aabb: Aabb,
    /// Area [m²].
    pub area: f64,
    /// Signed volume [m³]; for an open shell relative to the centre of its bounding box.
    pub volume: f64,
    /// Sum of the area vectors [m²]: zero for a closed shell.
    pub area_vector: Vector3<f64>,
}

impl Shell {
    /// Whether it bounds a solid: two triangles at every edge, in opposite directions.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.boundary_edges + self.non_manifold_edges + self.inconsistent_edges == 0
    }

    /// Euler number V − E + F [-].
    #[must_use]
    pub fn euler(&self) -> i64 {
        self.vertices as i64 - self.edges as i64 + self.triangles as i64
    }

    /// Number of handles; `None` when the shell is not closed.
    #[must_use]
    pub fn genus(&self) -> Option<i64> {
        self.is_closed().then(|| (2 - self.euler()) / 2)
    }
}

/// Finds the shells. The second result lists the vertices with several fans of triangles, where the surface touches
/// itself in one point.
#[must_use]
pub fn shells(mesh: &TriMesh, table: &EdgeTable) -> (Shells, Vec<u32>) {
    let count = mesh.triangles.len();
    let mut joined = UnionFind::new(count);
    for edge in table.iter() {
        edge.half_edges.windows(2).for_each(|pair| joined.join(pair[0] / 3, pair[1] / 3));
    }
    let mut of_triangle = vec![u32::MAX; count];
    let mut shells: Vec<Shell> = Vec::new();
    for index in 0..count {
        // the root is the smallest member, so it already has a number
        let root = joined.find(index as u32) as usize;
        if root == index {
            of_triangle[index] = shells.len() as u32;
            shells.push(Shell::empty());
        }
        of_triangle[index] = of_triangle[root];
        let shell = &mut shells[of_triangle[index] as usize];
        shell.triangles += 1;
        for corner in mesh.corners(index) {
            shell.aabb.min = shell.aabb.min.inf(&corner);
            shell.aabb.max = shell.aabb.max.sup(&corner);
        }
    }
    drop(joined);
    for index in 0..count {
        let shell = &mut shells[of_triangle[index] as usize];
        let origin = shell.aabb.center();
        let [a, b, c] = mesh.corners(index).map(|corner| corner - origin);
        let area_vector = mesh.area_vector(index);
        shell.area += area_vector.norm();
        shell.area_vector += area_vector;
        shell.volume += a.dot(&b.cross(&c)) / 6.0;
    }
    for edge in table.iter() {
        let shell = &mut shells[of_triangle[(edge.half_edges[0] / 3) as usize] as usize];
        shell.edges += 1;
        match edge.half_edges {
            [_] => shell.boundary_edges += 1,
            [_, _] if edge.manifold(&mesh.triangles).is_none() => shell.inconsistent_edges += 1,
            [_, _] => {}
            _ => shell.non_manifold_edges += 1,
        }
    }
    let several = count_fans(mesh, table, &of_triangle, &mut shells);
    (Shells { of_triangle, shells }, several)
}

/// Counts the vertices of each shell, one for every fan; returns the vertices with several fans.
fn count_fans(mesh: &TriMesh, table: &EdgeTable, of_triangle: &[u32], shells: &mut [Shell]) -> Vec<u32> {
    // corner k of triangle t has number 3 t + k; corners at one vertex are joined across edges of two triangles
    let mut fans = UnionFind::new(3 * mesh.triangles.len());
    for edge in table.iter() {
        let &[first, second] = edge.half_edges else { continue };
        let ends = |half: u32| {
            let other = next_half_edge(half);
            if half_edge_start(&mesh.triangles, half) == edge.vertices[0] {
                [half, other]
            } else {
                [other, half]
            }
        };
        let ([a0, a1], [b0, b1]) = (ends(first), ends(second));
        fans.join(a0, b0);
        fans.join(a1, b1);
    }
    let mut seen = vec![false; mesh.vertices.len()];
    let mut several = Vec::new();
    for corner in 0..3 * mesh.triangles.len() as u32 {
        let triangle = mesh.triangles[(corner / 3) as usize];
        let repeated = triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0];
        if fans.find(corner) != corner || repeated {
            continue;
        }
        shells[of_triangle[(corner / 3) as usize] as usize].vertices += 1;
        let vertex = half_edge_start(&mesh.triangles, corner);
        if std::mem::replace(&mut seen[vertex as usize], true) {
            several.push(vertex);
        }
    }
    several.sort_unstable();
    several.dedup();
    several
}

impl Shell {
    fn empty() -> Self {
        Self {
            triangles: 0,
            edges: 0,
            vertices: 0,
            boundary_edges: 0,
            non_manifold_edges: 0,
            inconsistent_edges: 0,
            aabb: Aabb::of([]),
            area: 0.0,
            volume: 0.0,
            area_vector: Vector3::zeros(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::{cube, joined, moved, torus};

    #[test]
    fn two_cubes_that_share_a_corner_are_two_shells_of_genus_zero() {
        let mut mesh = joined(&cube(), &moved(&cube(), Vector3::repeat(1.0)));
        // corner 7 of the first is corner 0 of the second
        mesh.triangles.iter_mut().flatten().filter(|v| **v == 8).for_each(|v| *v = 7);
        let (found, several) = shells(&mesh, &EdgeTable::new(&mesh));
        assert_eq!(found.shells.len(), 2);
        assert_eq!(several, [7]);
        assert!(found.shells.iter().all(|shell| shell.genus() == Some(0)));
        assert!(found.shells.iter().all(|shell| (shell.volume - 1.0).abs() < 1e-12));
    }

    #[test]
    fn a_torus_has_one_handle() {
        let mesh = torus(24, 12);
        let (found, several) = shells(&mesh, &EdgeTable::new(&mesh));
        assert_eq!((found.shells.len(), several.len()), (1, 0));
        assert_eq!(found.shells[0].genus(), Some(1));
    }
}
