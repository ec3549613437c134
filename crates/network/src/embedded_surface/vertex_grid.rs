//! Vertices in the cells of a grid, for the nearest of a point.

use nalgebra::Vector3;

/// Vertices of a cell on average.
const PER_CELL: f64 = 2.0;
/// Cells along an axis at most.
const MOST: f64 = 256.0;

/// A grid over the box of the vertices.
#[derive(Clone, Debug)]
pub(super) struct VertexGrid {
    low: Vector3<f64>,
    /// Edge of a cell [m].
    cell: f64,
    sizes: [i64; 3],
    /// Where the vertices of each cell begin; one more at the end.
    begins: Vec<u32>,
    vertices: Vec<u32>,
}

impl VertexGrid {
    pub(super) fn new(points: &[Vector3<f64>]) -> Self {
        let first = points.first().copied().unwrap_or_else(Vector3::zeros);
        let low = points.iter().fold(first, |low, point| low.inf(point));
        let high = points.iter().fold(first, |high, point| high.sup(point));
        let size = high - low;
        let longest = size.max().max(1e-9);
        // vertices lie on a surface: cells as wide as its area leaves them
        let area = size.x * size.y + size.y * size.z + size.z * size.x;
        let cell = (2.0 * area * PER_CELL / points.len().max(1) as f64).sqrt().max(longest / MOST);
        let sizes = [0, 1, 2].map(|axis| (size[axis] / cell) as i64 + 1);
        let mut grid = Self { low, cell, sizes, begins: Vec::new(), vertices: Vec::new() };
        let mut cells: Vec<(usize, u32)> = points
            .iter()
            .enumerate()
            .map(|(vertex, point)| (grid.index(grid.cell_of(*point)), vertex as u32))
            .collect();
        cells.sort_unstable();
        let count = sizes.iter().product::<i64>() as usize;
        grid.begins = vec![0; count + 1];
        cells.iter().for_each(|(cell, _)| grid.begins[cell + 1] += 1);
        for cell in 0..count {
            grid.begins[cell + 1] += grid.begins[cell];
        }
        grid.vertices = cells.into_iter().map(|(_, vertex)| vertex).collect();
        grid
    }

    /// The vertex nearest to a point; the first of equals that is met.
    pub(super) fn nearest(&self, points: &[Vector3<f64>], point: Vector3<f64>) -> u32 {
        let center = self.cell_of(point);
        let inside = self.nearest_inside(point);
        let mut best = (f64::INFINITY, 0);
        for ring in 0..=self.sizes.into_iter().max().unwrap_or(0) {
            // what is in this ring is at least so far from the nearest point of the box
            let reach = (ring - 1).max(0) as f64 * self.cell;
            if best.0 <= reach * reach + (point - inside).norm_squared() {
                break;
            }
            self.each_of_ring(center, ring, |cell| {
                for &vertex in &self.vertices[self.begins[cell] as usize..self.begins[cell + 1] as usize] {
                    let squared = (points[vertex as usize] - point).norm_squared();
                    if squared < best.0 {
                        best = (squared, vertex);
                    }
                }
            });
        }
        best.1
    }

    /// Visits the cells that are `ring` cells from one, those of the grid.
    fn each_of_ring(&self, center: [i64; 3], ring: i64, mut visit: impl FnMut(usize)) {
        let span =
            |axis: usize| (center[axis] - ring).max(0)..=(center[axis] + ring).min(self.sizes[axis] - 1);
        for z in span(2) {
            for y in span(1) {
                let is_shell = (z - center[2]).abs() == ring || (y - center[1]).abs() == ring;
                if is_shell {
                    span(0).for_each(|x| visit(self.index([x, y, z])));
                    continue;
                }
                for x in [center[0] - ring, center[0] + ring] {
                    if (0..self.sizes[0]).contains(&x) {
                        visit(self.index([x, y, z]));
                    }
                }
            }
        }
    }

    /// The cell of a point, the nearest one of the grid for points beside it.
    fn cell_of(&self, point: Vector3<f64>) -> [i64; 3] {
        let along = (point - self.low) / self.cell;
        [0, 1, 2].map(|axis| (along[axis].floor() as i64).clamp(0, self.sizes[axis] - 1))
    }

    fn nearest_inside(&self, point: Vector3<f64>) -> Vector3<f64> {
        let high = self.low + Vector3::from(self.sizes.map(|size| size as f64)) * self.cell;
        point.sup(&self.low).inf(&high)
    }

    fn index(&self, [x, y, z]: [i64; 3]) -> usize {
        ((z * self.sizes[1] + y) * self.sizes[0] + x) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_vertex_is_that_of_all_of_them() {
        let noise = |k: u32| ((f64::from(k) * 78.233).sin() * 43758.5453).fract();
        let point = |k: u32| Vector3::new(noise(3 * k), noise(3 * k + 1), 0.2 * noise(3 * k + 2)) * 0.05;
        let points: Vec<_> = (0..500).map(point).collect();
        let grid = VertexGrid::new(&points);
        for k in 1000..1400 {
            let query = point(k) * 1.7;
            let nearest = points[grid.nearest(&points, query) as usize];
            let best = points.iter().map(|p| (p - query).norm()).fold(f64::INFINITY, f64::min);
            assert!((nearest - query).norm() <= best + 1e-15);
        }
    }
}
