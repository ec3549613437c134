//! Points in a plane with outlines over them, as one SVG element.

use std::fmt::Write;

use super::axis::{Axis, Scale};
use super::number::escape;
use super::plot::{COLORS, write_grid};

/// Size of a plot [px].
const SIZE: [f64; 2] = [560.0, 420.0];
/// Room left, top, right, below of the frame [px].
const MARGIN: [f64; 4] = [64.0, 34.0, 14.0, 42.0];

/// A plot of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scatter {
    /// What is shown.
    pub title: String,
    /// Names of both axes with their units.
    pub axes: [String; 2],
    /// The points.
    pub points: Vec<[f64; 2]>,
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
        let all = || shown.iter().chain(self.lines.iter().flatten());
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
        // more would only thicken the file
        let every = shown.len().div_ceil(4000).max(1);
        let _ = writeln!(svg, r##"<g fill="{}" fill-opacity="0.35">"##, COLORS[0]);
        for point in shown.iter().step_by(every) {
            let _ = writeln!(
                svg,
                r##"<circle cx="{:.1}" cy="{:.1}" r="1.4"/>"##,
                across.pixel(point[0]),
                up.pixel(point[1])
            );
        }
        svg.push_str("</g>\n");
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
