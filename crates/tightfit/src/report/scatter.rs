//! Points in a plane, with crosses for others and outlines over them, as one SVG element.

use std::fmt::Write;

use super::axis::{Axis, Scale};
use super::number::escape;
use super::plot::{COLORS, write_grid};

/// Size of a plot [px].
const SIZE: [f64; 2] = [560.0, 420.0];
/// Room left, top, right, below of the frame [px].
const MARGIN: [f64; 4] = [64.0, 46.0, 14.0, 42.0];
/// Up to this many points are drawn large.
const FEW: usize = 500;

/// A plot of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scatter {
    /// What is shown.
    pub title: String,
    /// Names of both axes with their units.
    pub axes: [String; 2],
    /// The points.
    pub points: Vec<[f64; 2]>,
    /// Points of another kind, drawn as crosses.
    pub crosses: Vec<[f64; 2]>,
    /// What points and crosses are.
    pub legend: Option<[String; 2]>,
    /// Lines over them, closed where the last point is the first.
    pub lines: Vec<Vec<[f64; 2]>>,
    /// Whether both axes have one scale.
    pub is_square: bool,
    /// Largest magnitudes shown; points beyond are left out and counted in the title.
    pub window: Option<[f64; 2]>,
}

impl Scatter {
    /// The plot as an SVG element.
    #[must_use]
    pub fn svg(&self) -> String {
        let [width, height] = SIZE;
        let [left, top, right, below] = MARGIN;
        let is_shown = |point: &&[f64; 2]| {
            self.window.is_none_or(|window| point[0].abs() <= window[0] && point[1].abs() <= window[1])
        };
        let shown: Vec<[f64; 2]> = self.points.iter().filter(is_shown).copied().collect();
        let all = || shown.iter().chain(&self.crosses).chain(self.lines.iter().flatten());
        let mut across = Axis::over(all().map(|point| point[0]), Scale::Linear, [left, width - right], 0.05);
        let mut up = Axis::over(all().map(|point| point[1]), Scale::Linear, [height - below, top], 0.05);
        if self.is_square {
            let scale = across.pixels_per_unit().min(up.pixels_per_unit());
            (across, up) = (across.with_pixels_per_unit(scale), up.with_pixels_per_unit(scale));
        }
        let hidden = self.points.len() - shown.len();
        let more = if hidden > 0 { format!(" ({hidden} points beyond)") } else { String::new() };
        let mut svg = String::new();
        let _ = writeln!(
            svg,
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="Inter, Helvetica, Arial, sans-serif" font-size="12" fill="#3a4450">
<rect width="{width}" height="{height}" fill="#ffffff"/>
<text x="{left}" y="18" font-size="14.5" font-weight="600" fill="#1c222a">{}{more}</text>"##,
            escape(&self.title)
        );
        write_grid(&mut svg, across, up);
        if let Some([of_points, of_crosses]) = &self.legend {
            let _ = writeln!(
                svg,
                r##"<circle cx="{}" cy="28" r="4" fill="{}"/><text x="{}" y="32">{}</text><path d="{}" stroke="{}" stroke-width="2.2"/><text x="{}" y="32">{}</text>"##,
                left + 6.0,
                COLORS[0],
                left + 16.0,
                escape(of_points),
                cross([left + 101.0, 28.0]),
                COLORS[1],
                left + 111.0,
                escape(of_crosses),
            );
        }
        // few points are drawn large, many as a cloud; more would only enlarge the file
        let (radius, opacity) = if shown.len() <= FEW { (4.0, 0.75) } else { (1.4, 0.35) };
        let every = shown.len().div_ceil(4000).max(1);
        let _ = writeln!(svg, r##"<g fill="{}" fill-opacity="{opacity}">"##, COLORS[0]);
        let pixel = |point: &[f64; 2]| [across.pixel(point[0]), up.pixel(point[1])];
        for point in shown.iter().step_by(every) {
            let [x, y] = pixel(point);
            let _ = writeln!(svg, r##"<circle cx="{x:.1}" cy="{y:.1}" r="{radius}"/>"##);
        }
        svg.push_str("</g>\n");
        for point in &self.crosses {
            let _ = writeln!(
                svg,
                r##"<path d="{}" stroke="{}" stroke-width="2.2"/>"##,
                cross(pixel(point)),
                COLORS[1]
            );
        }
        for line in &self.lines {
            let path: Vec<String> = line
                .iter()
                .map(|point| format!("{:.1},{:.1}", across.pixel(point[0]), up.pixel(point[1])))
                .collect();
            let _ = writeln!(
                svg,
                r##"<polyline points="{}" fill="none" stroke="{}" stroke-width="2"/>"##,
                path.join(" "),
                COLORS[1]
            );
        }
        let middle = f64::midpoint(top, height - below);
        let _ = writeln!(
            svg,
            r##"<text x="{}" y="{}" text-anchor="end" fill="#5a6572">{}</text>"##,
            width - right,
            height - 6.0,
            escape(&self.axes[0])
        );
        let _ = writeln!(
            svg,
            r##"<text x="14" y="{middle}" fill="#5a6572" transform="rotate(-90 14 {middle})" text-anchor="middle">{}</text></svg>"##,
            escape(&self.axes[1])
        );
        svg
    }
}

/// The path of a cross around a pixel.
fn cross([x, y]: [f64; 2]) -> String {
    const HALF: f64 = 4.5;
    let [west, east, north, south] = [x - HALF, x + HALF, y - HALF, y + HALF];
    format!("M{west:.1} {north:.1}L{east:.1} {south:.1}M{west:.1} {south:.1}L{east:.1} {north:.1}")
}
