//! Dots over two numbers, good ones and bad ones told apart by colour and shape.

use std::fmt::Write;

use super::axis::{Axis, Scale};
use super::plot::{COLORS, write_grid};

/// Size of the drawing [px].
const SIZE: [f64; 2] = [560.0, 420.0];
/// Room left, top, right, below of the frame [px].
const MARGIN: [f64; 4] = [64.0, 58.0, 14.0, 48.0];

/// A dot.
pub(super) struct Dot {
    /// Along both axes.
    pub(super) place: [f64; 2],
    /// Whether it is a good one.
    pub(super) is_good: bool,
}

/// A drawing of dots.
pub(super) struct OutcomeScatter {
    /// What is shown, with its unit.
    pub(super) title: &'static str,
    /// Names of the axes, with their units.
    pub(super) axes: [&'static str; 2],
    /// The dots.
    pub(super) dots: Vec<Dot>,
}

impl OutcomeScatter {
    /// The drawing as an SVG element.
    pub(super) fn svg(&self) -> String {
        let [width, height] = SIZE;
        let [left, top, right, below] = MARGIN;
        let along = |axis: usize| self.dots.iter().map(move |dot| dot.place[axis]);
        let across = Axis::over(along(0), Scale::Linear, [left, width - right], 0.05);
        let up = Axis::over(along(1), Scale::Linear, [height - below, top], 0.05);
        let (good, bad) = (COLORS[0], COLORS[1]);
        let mut svg = format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="Inter, Helvetica, Arial, sans-serif" font-size="12" fill="#3a4450">
<rect width="{width}" height="{height}" fill="#ffffff"/>
<text x="{left}" y="18" font-size="14.5" font-weight="600" fill="#1c222a">{}</text>
<circle cx="{}" cy="33" r="4" fill="{good}"/><text x="{}" y="37">succeeded</text>
<path d="{}" stroke="{bad}" stroke-width="2.2"/><text x="{}" y="37">failed</text>
"##,
            self.title,
            left + 6.0,
            left + 16.0,
            cross(left + 101.0, 33.0),
            left + 111.0,
        );
        write_grid(&mut svg, across, up);
        for dot in &self.dots {
            let (x, y) = (across.pixel(dot.place[0]), up.pixel(dot.place[1]));
            let _ = match dot.is_good {
                true => writeln!(
                    svg,
                    r##"<circle cx="{x:.1}" cy="{y:.1}" r="4" fill="{good}" fill-opacity="0.75"/>"##
                ),
                false => writeln!(svg, r##"<path d="{}" stroke="{bad}" stroke-width="2.2"/>"##, cross(x, y)),
            };
        }
        let _ = writeln!(
            svg,
            r##"<text x="{}" y="{}" text-anchor="end" fill="#5a6572">{}</text><text x="{left}" y="{}" fill="#5a6572">{}</text></svg>"##,
            width - right,
            height - 8.0,
            self.axes[0],
            top - 5.0,
            self.axes[1],
        );
        svg
    }
}

/// The path of a cross around a pixel.
fn cross(x: f64, y: f64) -> String {
    const HALF: f64 = 4.5;
    let [west, east, north, south] = [x - HALF, x + HALF, y - HALF, y + HALF];
    format!("M{west:.1} {north:.1}L{east:.1} {south:.1}M{west:.1} {south:.1}L{east:.1} {north:.1}")
}
