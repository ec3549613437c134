//! A line plot, over time as a rule: axes, ticks, legend, as one SVG element.
//!
//! A long line is drawn by the smallest and largest value of every pixel column: no peak is lost, and the file of a million
//! steps is as small as that of a thousand.

use std::fmt::Write;

use super::axis::{Axis, Scale};
use super::number::escape;

/// Size of a plot [px].
const SIZE: [f64; 2] = [560.0, 270.0];
/// Room left, top, right, below of the frame [px].
const MARGIN: [f64; 4] = [64.0, 58.0, 14.0, 40.0];

/// Colours that colour-blind readers can tell apart (after Okabe and Ito).
pub(super) const COLORS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#7b3fa0"];

/// The usual horizontal axis.
pub(super) const TIME: (&str, Scale) = ("time [s]", Scale::Linear);

/// A line of a plot.
pub(super) struct Series {
    /// Name in the legend.
    pub(super) name: &'static str,
    /// Time (or what the plot is over) and value; values that are not finite interrupt the line.
    pub(super) points: Vec<[f64; 2]>,
}

/// A plot.
pub(super) struct Plot {
    /// What is shown, with its unit.
    pub(super) title: String,
    /// Spread of the values.
    pub(super) scale: Scale,
    /// What it is over, with its unit, and how that is spread.
    pub(super) across: (&'static str, Scale),
    /// The lines, each in its own colour.
    pub(super) series: Vec<Series>,
    /// Moments to mark [s], with their names, in order.
    pub(super) marks: Vec<(f64, &'static str)>,
}

impl Plot {
    /// The plot as an SVG element.
    pub(super) fn svg(&self) -> String {
        let [width, height] = SIZE;
        let [left, top, right, below] = MARGIN;
        let points = || self.series.iter().flat_map(|series| &series.points);
        let (name, spread) = self.across;
        // time begins at zero; powers of ten have no zero
        let start = (spread == Scale::Linear).then_some(0.0);
        let times = points().map(|point| point[0]).chain(start);
        let across = Axis::over(times, spread, [left, width - right], 0.0);
        let up = Axis::over(points().map(|point| point[1]), self.scale, [height - below, top], 0.05);
        let mut svg = String::new();
        let _ = writeln!(
            svg,
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="Inter, Helvetica, Arial, sans-serif" font-size="12" fill="#3a4450">
<rect width="{width}" height="{height}" fill="#ffffff"/>
<text x="{left}" y="18" font-size="14.5" font-weight="600" fill="#1c222a">{}</text>"##,
            escape(&self.title)
        );
        self.write_legend(&mut svg);
        write_grid(&mut svg, across, up);
        let mut free_from = 0.0;
        for (time, name) in &self.marks {
            let x = across.pixel(*time);
            let _ = writeln!(
                svg,
                r##"<line x1="{x:.1}" x2="{x:.1}" y1="{top}" y2="{}" stroke="#8793a0" stroke-dasharray="3 3"/>"##,
                height - below,
            );
            // skip names that would overlap
            let half = 3.0 * name.chars().count() as f64;
            let x = x.clamp(half, width - half);
            if x - half > free_from {
                free_from = x + half + 3.0;
                let _ = writeln!(
                    svg,
                    r##"<text x="{x:.1}" y="{}" font-size="11" fill="#5a6572" text-anchor="middle">{name}</text>"##,
                    top - 4.0
                );
            }
        }
        // the first line is the most important one: draw it last, on top
        for (index, (series, color)) in self.series.iter().zip(COLORS).enumerate().rev() {
            let thickness = 1.5 + 0.8 * index as f64;
            for path in paths(&series.points, across, up) {
                let _ = writeln!(
                    svg,
                    r##"<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{thickness:.1}" stroke-linejoin="round" stroke-linecap="round"/>"##
                );
            }
        }
        let _ = writeln!(
            svg,
            r##"<text x="{}" y="{}" text-anchor="end" fill="#5a6572">{name}</text></svg>"##,
            width - right,
            height - 6.0
        );
        svg
    }

    fn write_legend(&self, svg: &mut String) {
        let mut x = MARGIN[0];
        for (series, color) in self.series.iter().zip(COLORS) {
            let _ = writeln!(
                svg,
                r##"<line x1="{x}" x2="{}" y1="33" y2="33" stroke="{color}" stroke-width="2.5"/><text x="{}" y="37">{}</text>"##,
                x + 18.0,
                x + 24.0,
                escape(series.name)
            );
            x += 46.0 + 6.4 * series.name.chars().count() as f64;
        }
    }
}

/// Frame, grid lines and tick labels.
pub(super) fn write_grid(svg: &mut String, across: Axis, up: Axis) {
    let ([left, right], [below, top]) = (across.ends(), up.ends());
    for (x, label) in across.ticks(7.0) {
        let _ = writeln!(
            svg,
            r##"<line x1="{x:.1}" x2="{x:.1}" y1="{top}" y2="{below}" stroke="#edf0f3"/><text x="{x:.1}" y="{}" text-anchor="middle">{label}</text>"##,
            below + 17.0
        );
    }
    for (y, label) in up.ticks(6.5) {
        let _ = writeln!(
            svg,
            r##"<line x1="{left}" x2="{right}" y1="{y:.1}" y2="{y:.1}" stroke="#edf0f3"/><text x="{}" y="{:.1}" text-anchor="end">{label}</text>"##,
            left - 7.0,
            y + 4.0
        );
    }
    let _ = writeln!(
        svg,
        r##"<rect x="{left}" y="{top}" width="{}" height="{}" fill="none" stroke="#c3cad2"/>"##,
        right - left,
        below - top
    );
}

/// The line in pixels, in pieces where values are missing, at most two points per pixel column.
fn paths(points: &[[f64; 2]], across: Axis, up: Axis) -> Vec<String> {
    let mut paths = Vec::new();
    for piece in points.split(|point| !point[1].is_finite()) {
        let mut path = String::new();
        for column in piece.chunk_by(|a, b| across.pixel(a[0]).floor() == across.pixel(b[0]).floor()) {
            let extreme = |order: fn(&f64, &f64) -> std::cmp::Ordering| {
                column.iter().enumerate().max_by(|a, b| order(&a.1[1], &b.1[1])).map(|(index, _)| index)
            };
            let lowest = extreme(|a, b| b.total_cmp(a)).unwrap_or(0);
            let highest = extreme(f64::total_cmp).unwrap_or(0);
            let mut kept = vec![0, lowest, highest, column.len() - 1];
            kept.sort_unstable();
            kept.dedup();
            for [time, value] in kept.into_iter().map(|index| column[index]) {
                let _ = write!(path, "{:.1},{:.1} ", across.pixel(time), up.pixel(value));
            }
        }
        if !path.is_empty() {
            paths.push(path.trim_end().to_string());
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(points: Vec<[f64; 2]>) -> Plot {
        let series = vec![Series { name: "force", points }];
        Plot { title: "a < b".into(), scale: Scale::Linear, across: TIME, series, marks: Vec::new() }
    }

    #[test]
    fn a_long_line_stays_a_small_file_and_keeps_its_peak() {
        let value = |step: u32| if step == 77_777 { 100.0 } else { 0.0 };
        let svg = plot((0..200_000).map(|step| [f64::from(step), value(step)]).collect()).svg();
        assert!(svg.len() < 60_000, "{}", svg.len());
        let up = Axis::over([0.0, 100.0].into_iter(), Scale::Linear, [SIZE[1] - MARGIN[3], MARGIN[1]], 0.05);
        assert!(svg.contains(&format!(",{:.1} ", up.pixel(100.0))), "the peak is gone");
    }

    #[test]
    fn missing_values_interrupt_the_line_and_titles_are_escaped() {
        let svg = plot(vec![[0.0, 1.0], [1.0, 2.0], [2.0, f64::NAN], [3.0, 1.0], [4.0, 1.5]]).svg();
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains("a &lt; b") && !svg.contains("NaN"));
        assert!(!plot(vec![]).svg().contains("polyline"));
    }
}
