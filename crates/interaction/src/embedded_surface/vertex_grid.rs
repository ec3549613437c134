//! Vertices in the cells of a grid, for nearest-vertex queries.

use nalgebra::Vector3;

/// Mean number of vertices of a cell.
const PER_CELL: f64 = 2.0;
/// Maximum number of cells along an axis.
const MOST: f64 = 256.0;

/// Offsets of the rows of cells around a cell: its row first, then the rows that share a face with it.
const ROWS: [[i64; 2]; 9] = [[0, 0], [-1, 0], [1, 0], [0, -1], [0, 1], [-1, -1], [-1, 1], [1, -1], [1, 1]];

/// The nearest vertex so far.
struct Nearest {
    /// Squared distance [m²].
    squared: f64,
    vertex: u32,
}

/// A grid over the bounding box of the vertices.
#[derive(Clone, Debug)]
pub(super) struct VertexGrid {
    low: Vector3<f64>,
    /// Edge length of a cell [m].
    cell: f64,
    sizes: [i64; 3],
    /// Start of each cell's vertices, and the end of the last.
    begins: Vec<u32>,
    vertices: Vec<u32>,
    /// Their positions [m].
    places: Vec<Vector3<f64>>,
}

impl VertexGrid {
    pub(super) fn new(points: &[Vector3<f64>]) -> Self {
        let first = points.first().copied().unwrap_or_else(Vector3::zeros);
        let low = points.iter().fold(first, |low, point| low.inf(point));
        let high = points.iter().fold(first, |high, point| high.sup(point));
        let size = high - low;
        let longest = size.max().max(1e-9);
        // Vertices lie on a surface: the cell width follows from its area.
        let area = size.x * size.y + size.y * size.z + size.z * size.x;
        let cell = (2.0 * area * PER_CELL / points.len().max(1) as f64).sqrt().max(longest / MOST);
        let sizes = [0, 1, 2].map(|axis| (size[axis] / cell) as i64 + 1);
        let mut grid =
            Self { low, cell, sizes, begins: Vec::new(), vertices: Vec::new(), places: Vec::new() };
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
        grid.places = grid.vertices.iter().map(|vertex| points[*vertex as usize]).collect();
        grid
    }

    /// The vertex nearest to a point; the lowest index among equals.
    pub(super) fn nearest(&self, point: Vector3<f64>) -> u32 {
        let center = self.cell_of(point);
        let mut best = Nearest { squared: f64::INFINITY, vertex: u32::MAX };
        // Rows of three cells, contiguous in memory: the row of the point, and those of the eight around it that are
        // near enough.
        let span = (center[0] - 1).max(0)..=(center[0] + 1).min(self.sizes[0] - 1);
        for [down, back] in ROWS {
            let [y, z] = [center[1] + down, center[2] + back];
            if !(0..self.sizes[1]).contains(&y) || !(0..self.sizes[2]).contains(&z) {
                continue;
            }
            let [along_y, along_z] = [self.beyond(1, y, point.y), self.beyond(2, z, point.z)];
            if along_y * along_y + along_z * along_z <= best.squared {
                let [first, last] = [*span.start(), *span.end()].map(|x| self.index([x, y, z]));
                self.visit(first..last + 1, point, &mut best);
            }
        }
        let inside = self.nearest_inside(point);
        for ring in 2..=self.sizes.into_iter().max().unwrap_or(0) {
            // Cells of this ring and beyond are at least this far from the nearest point of the box.
            let unseen = self.to_walls(inside, center, ring - 1).max(0.0);
            if best.squared <= unseen * unseen + (point - inside).norm_squared() {
                break;
            }
            self.each_of_ring(center, ring, |cell| self.visit(cell..cell + 1, point, &mut best));
        }
        best.vertex
    }

    /// Compares the vertices of consecutive cells with the nearest one so far.
    fn visit(&self, cells: std::ops::Range<usize>, point: Vector3<f64>, best: &mut Nearest) {
        let range = self.begins[cells.start] as usize..self.begins[cells.end] as usize;
        for (place, &vertex) in self.places[range.clone()].iter().zip(&self.vertices[range]) {
            let squared = (place - point).norm_squared();
            if squared < best.squared || squared == best.squared && vertex < best.vertex {
                *best = Nearest { squared, vertex };
            }
        }
    }

    /// Distance of a coordinate from a cell along an axis [m]; zero inside.
    fn beyond(&self, axis: usize, cell: i64, x: f64) -> f64 {
        let low = self.low[axis] + cell as f64 * self.cell;
        (low - x).max(x - (low + self.cell)).max(0.0)
    }

    /// Distance of a point from the nearest cell beyond `rings` rings around its cell [m].
    fn to_walls(&self, point: Vector3<f64>, center: [i64; 3], rings: i64) -> f64 {
        let mut nearest = f64::INFINITY;
        for axis in 0..3 {
            let x = point[axis] - self.low[axis];
            let [first, last] = [center[axis] - rings, center[axis] + rings + 1];
            if first > 0 {
                nearest = nearest.min(x - first as f64 * self.cell);
            }
            if last < self.sizes[axis] {
                nearest = nearest.min(last as f64 * self.cell - x);
            }
        }
        nearest
    }

    /// Visits the cells of the grid that are `ring` cells from `center`.
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

    /// The cell of a point; the nearest cell for points outside the grid.
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
    fn the_nearest_vertex_equals_brute_force() {
        let noise = |k: u32| ((f64::from(k) * 78.233).sin() * 43758.5453).fract();
        let point = |k: u32| Vector3::new(noise(3 * k), noise(3 * k + 1), 0.2 * noise(3 * k + 2)) * 0.05;
        let points: Vec<_> = (0..500).map(point).collect();
        let grid = VertexGrid::new(&points);
        for k in 1000..1400 {
            let query = point(k) * 1.7;
            let nearest = points[grid.nearest(query) as usize];
            let best = points.iter().map(|p| (p - query).norm()).fold(f64::INFINITY, f64::min);
            assert!((nearest - query).norm() <= best + 1e-15);
        }
    }
}
