//! Mesh of a block with a rectangular blind hole; no parametric part has this shape.

use nalgebra::Vector2;
use tightfit_shape::TriMesh;
use tightfit_spatial::Vector3;

/// Thickness of walls and floor [m].
const WALL: f64 = 30e-3;

/// The closed mesh [m]: frame in the middle of the mouth, +z out of the hole; `half` are the hole's half widths.
#[must_use]
pub fn pocket_mesh(half: Vector2<f64>, depth: f64) -> TriMesh {
    let rectangle = |half: Vector2<f64>, z: f64| {
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .map(|(x, y)| Vector3::new(x * half.x, y * half.y, z))
    };
    let outer = half.add_scalar(WALL);
    let mut vertices = Vec::new();
    // 0: outer bottom, 4: outer top, 8: mouth, 12: floor
    vertices.extend(rectangle(outer, -depth - WALL));
    vertices.extend(rectangle(outer, 0.0));
    vertices.extend(rectangle(half, 0.0));
    vertices.extend(rectangle(half, -depth));
    let mut triangles = Vec::new();
    let mut quad = |a: u32, b: u32, c: u32, d: u32| triangles.extend([[a, b, c], [a, c, d]]);
    quad(3, 2, 1, 0);
    quad(12, 13, 14, 15);
    for side in 0..4 {
        let next = (side + 1) % 4;
        quad(side, next, 4 + next, 4 + side);
        quad(4 + side, 4 + next, 8 + next, 8 + side);
        quad(8 + side, 8 + next, 12 + next, 12 + side);
    }
    TriMesh { vertices, triangles }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_is_closed_and_lacks_the_hole() {
        let (half, depth) = (Vector2::new(4e-3, 9e-3), 50e-3);
        let mesh = pocket_mesh(half, depth);
        let volume: f64 = mesh
            .triangles
            .iter()
            .map(|triangle| {
                let [a, b, c] = triangle.map(|index| mesh.vertices[index as usize]);
                a.dot(&b.cross(&c)) / 6.0
            })
            .sum();
        let outer = 4.0 * (half.x + WALL) * (half.y + WALL) * (depth + WALL);
        assert!((volume - (outer - 4.0 * half.x * half.y * depth)).abs() < 1e-12, "{volume}");
    }
}
