//! Shaded view of a mesh: an orthographic projection with a depth buffer.

use nalgebra::{Vector2, Vector3};

use crate::mesh::{SharpEdge, TriMesh};

/// A viewing direction.
#[derive(Clone, Copy)]
pub(super) struct View {
    azimuth: f64,
    elevation: f64,
}

impl View {
    /// The usual view of drawings, from the right, front and above, or from another corner that faces more of
    /// `places`.
    pub(super) fn facing(places: &[Vector3<f64>], middle: Vector3<f64>) -> Self {
        let mut best = (Self { azimuth: 0.0, elevation: 0.0 }, -1.0);
        // another corner must show more places, and a view from below, which is hard to read, many more
        for (elevation, worth) in [(26f64, 1.0), (-26f64, 0.6)] {
            for turn in [0.0, 90.0, 180.0, 270.0f64] {
                let azimuth = (turn - 52.0).to_radians();
                let view = Self { azimuth, elevation: elevation.to_radians() };
                let faced = places.iter().filter(|place| view.toward().dot(&(*place - middle)) > 0.0).count();
                let score = worth * faced as f64;
                if score > 1.1 * best.1 {
                    best = (view, score);
                }
            }
        }
        best.0
    }

    /// Direction from the part to the viewer.
    pub(super) fn toward(self) -> Vector3<f64> {
        let level = self.elevation.cos();
        Vector3::new(level * self.azimuth.cos(), level * self.azimuth.sin(), self.elevation.sin())
    }
}

/// An orthographic projection to pixels.
pub(super) struct Camera {
    right: Vector3<f64>,
    up: Vector3<f64>,
    toward: Vector3<f64>,
    middle: Vector2<f64>,
    /// Pixels per metre.
    scale: f64,
    size: Vector2<f64>,
}

impl Camera {
    /// Fits the points into `size` pixels with a margin.
    pub(super) fn fitting(
        view: View,
        points: impl Iterator<Item = Vector3<f64>>,
        size: Vector2<f64>,
        margin: Vector2<f64>,
    ) -> Self {
        let toward = view.toward();
        let right = Vector3::new(-view.azimuth.sin(), view.azimuth.cos(), 0.0);
        let up = toward.cross(&right);
        let far = Vector2::repeat(f64::INFINITY);
        let (low, high) = points.fold((far, -far), |(low, high), p| {
            let flat = Vector2::new(right.dot(&p), up.dot(&p));
            (low.inf(&flat), high.sup(&flat))
        });
        let room = (size - margin * 2.0).component_div(&(high - low));
        let scale = room.min();
        // a single point gives an infinite scale
        let scale = if scale.is_finite() { scale } else { 1.0 };
        Self { right, up, toward, middle: (low + high) / 2.0, scale, size }
    }

    /// Pixel (x to the right, y down) and depth towards the viewer, in pixels.
    pub(super) fn project(&self, point: Vector3<f64>) -> Vector3<f64> {
        let flat = Vector2::new(self.right.dot(&point), self.up.dot(&point)) - self.middle;
        let pixel = Vector2::new(flat.x, -flat.y) * self.scale + self.size / 2.0;
        Vector3::new(pixel.x, pixel.y, self.toward.dot(&point) * self.scale)
    }

    /// Whether a surface with that outward normal faces the viewer.
    pub(super) fn faces(&self, normal: Vector3<f64>) -> bool {
        self.toward.dot(&normal) > 0.0
    }
}

/// Palette position of the background.
const PAPER: u8 = 0;
/// Palette position of lines.
const INK: u8 = 255;
/// A marker counts as visible up to this depth behind the surface [px].
const MARKER_SLACK: f32 = 12.0;
/// Shades per side of the surface.
const SHADES: u8 = 120;

/// Colours: background, outer side of the surface in steel grey, inner side in red (visible through holes and on
/// shells that are inside out), lines.
pub(super) fn palette() -> Vec<[u8; 3]> {
    let mix = |dark: [f64; 3], light: [f64; 3], t: f64| {
        [0, 1, 2].map(|c| (dark[c] + (light[c] - dark[c]) * t).round() as u8)
    };
    let mut palette = vec![[255; 3]; 256];
    for shade in 0..SHADES {
        let t = f64::from(shade) / f64::from(SHADES - 1);
        palette[1 + usize::from(shade)] = mix([70.0, 88.0, 108.0], [232.0, 238.0, 244.0], t);
        palette[1 + usize::from(SHADES) + usize::from(shade)] =
            mix([120.0, 44.0, 40.0], [240.0, 190.0, 180.0], t);
    }
    palette[usize::from(INK)] = [28, 34, 42];
    palette
}

/// Pixels with depths.
pub(super) struct Raster {
    width: usize,
    height: usize,
    pub(super) pixels: Vec<u8>,
    depths: Vec<f32>,
}

impl Raster {
    pub(super) fn new(width: usize, height: usize) -> Self {
        let count = width * height;
        Self { width, height, pixels: vec![PAPER; count], depths: vec![f32::NEG_INFINITY; count] }
    }

    /// Paints every triangle of the mesh.
    pub(super) fn paint(&mut self, mesh: &TriMesh, camera: &Camera) {
        // light over the left shoulder of the viewer
        let light = (camera.toward + camera.up * 0.7 - camera.right * 0.45).normalize();
        for index in 0..mesh.triangles.len() {
            let Some(normal) = mesh.area_vector(index).try_normalize(f64::MIN_POSITIVE) else { continue };
            let outside = camera.toward.dot(&normal) >= 0.0;
            let lit = light.dot(&if outside { normal } else { -normal });
            let shade = ((0.5 + 0.5 * lit).powf(1.3) * f64::from(SHADES - 1)).round() as u8;
            let color = 1 + shade + if outside { 0 } else { SHADES };
            self.triangle(mesh.corners(index).map(|corner| camera.project(corner)), color);
        }
    }

    fn triangle(&mut self, [a, b, c]: [Vector3<f64>; 3], color: u8) {
        let area = (b - a).xy().perp(&(c - a).xy());
        if area.abs() < 1e-12 {
            return;
        }
        let range = |values: [f64; 3], end: usize| {
            let low = values.iter().copied().fold(f64::INFINITY, f64::min).ceil().max(0.0);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max).floor().min(end as f64 - 1.0);
            (low as usize, high)
        };
        let (left, right) = range([a.x, b.x, c.x], self.width);
        let (top, bottom) = range([a.y, b.y, c.y], self.height);
        for y in (top..self.height).take_while(|&y| y as f64 <= bottom) {
            for x in (left..self.width).take_while(|&x| x as f64 <= right) {
                let p = Vector2::new(x as f64, y as f64);
                let u = (b.xy() - p).perp(&(c.xy() - p)) / area;
                let v = (c.xy() - p).perp(&(a.xy() - p)) / area;
                let w = 1.0 - u - v;
                if u < 0.0 || v < 0.0 || w < 0.0 {
                    continue;
                }
                let depth = (u * a.z + v * b.z + w * c.z) as f32;
                let at = y * self.width + x;
                if depth > self.depths[at] {
                    self.depths[at] = depth;
                    self.pixels[at] = color;
                }
            }
        }
    }

    /// Draws the visible parts of the sharp edges.
    pub(super) fn draw_edges(&mut self, mesh: &TriMesh, camera: &Camera, edges: &[SharpEdge]) {
        for edge in edges {
            let seen =
                edge.triangles.iter().any(|&triangle| camera.faces(mesh.area_vector(triangle as usize)));
            let [a, b] = edge.vertices.map(|vertex| camera.project(mesh.vertices[vertex as usize]));
            let steps = (b - a).xy().amax().ceil().clamp(1.0, 1e4) as usize;
            for step in (0..=steps).filter(|_| seen) {
                self.dot(a.lerp(&b, step as f64 / steps as f64));
            }
        }
    }

    /// Whether a projected point is visible; a point inside the part by less than [`MARKER_SLACK`] is.
    pub(super) fn sees(&self, point: Vector3<f64>) -> bool {
        let (x, y) = (point.x.round().max(0.0) as usize, point.y.round().max(0.0) as usize);
        let depth = self.depths.get(y * self.width + x.min(self.width - 1));
        depth.is_none_or(|&depth| point.z as f32 + MARKER_SLACK >= depth)
    }

    fn dot(&mut self, point: Vector3<f64>) {
        let (x, y) = (point.x.round() as i64, point.y.round() as i64);
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let (Ok(x), Ok(y)) = (usize::try_from(x + dx), usize::try_from(y + dy)) else { continue };
            if x >= self.width || y >= self.height {
                continue;
            }
            let at = y * self.width + x;
            // 2.5 px of tolerance: on a slope the surface next to the line is nearer to the viewer
            if point.z as f32 + 2.5 >= self.depths[at] {
                self.pixels[at] = INK;
            }
        }
    }
}
