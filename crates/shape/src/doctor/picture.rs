//! A picture of a part with its findings, as one SVG file.
//!
//! The shaded view is an embedded bitmap, so the size of the file does not grow with the number of triangles.
//! Markers, dimensions and the legend are vectors and text.

use std::fmt::Write;

use nalgebra::{Vector2, Vector3};

use super::picture_raster::{Camera, Raster, View, palette};
use super::{Diagnosis, Severity, png};
use crate::mesh::{Aabb, DEFAULT_SHARP_ANGLE, EdgeTable, TriMesh, base64_encode, sharp_edges};

const WIDTH: f64 = 1000.0;
const VIEW_TOP: f64 = 92.0;
const VIEW_HEIGHT: f64 = 600.0;
/// Space for dimensions to the left and right of the part, and above and below it [px].
const MARGIN: [f64; 2] = [130.0, 70.0];
/// Pixels of the shaded view per pixel of the drawing: smooths the outlines.
const SUPERSAMPLING: f64 = 2.0;
/// Characters of the legend per line: 13 px text of average width 6.6 px.
const LEGEND_COLUMNS: usize = 132;

/// Colours of the findings, distinguishable with colour blindness (after Okabe and Ito).
const COLORS: [&str; 8] =
    ["#d55e00", "#0072b2", "#cc79a7", "#009e73", "#e69f00", "#7b3fa0", "#56b4e9", "#8c564b"];

/// Draws the shaded part with its sharp edges, its dimensions, and a marker at every place of a finding.
#[must_use]
pub fn picture_svg(mesh: &TriMesh, diagnosis: &Diagnosis, title: &str) -> String {
    let mut legend = String::new();
    let legend_bottom = write_legend(&mut legend, diagnosis, VIEW_TOP + VIEW_HEIGHT + 34.0);
    let mut svg = String::new();
    let height = legend_bottom + 16.0;
    let _ = write!(
        svg,
        r##"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{WIDTH}" height="{height:.0}" viewBox="0 0 {WIDTH} {height:.0}" font-family="Inter, Helvetica, Arial, sans-serif">
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="32" y="44" font-size="24" font-weight="600" fill="#1c222a">{}</text>
<text x="32" y="70" font-size="14" fill="#5a6572">{}</text>
"##,
        escape(&title.chars().take(70).collect::<String>()),
        escape(&subtitle(diagnosis)),
    );
    if is_drawable(mesh) {
        write_view(&mut svg, mesh, diagnosis);
    }
    svg + &legend + "</svg>\n"
}

fn is_drawable(mesh: &TriMesh) -> bool {
    let count = mesh.vertices.len();
    !mesh.triangles.is_empty()
        && mesh.vertices.iter().all(|vertex| vertex.iter().all(|value| value.is_finite()))
        && mesh.triangles.iter().flatten().all(|&vertex| (vertex as usize) < count)
}

fn subtitle(diagnosis: &Diagnosis) -> String {
    let facts = &diagnosis.facts;
    let shells =
        if facts.shell_count == 1 { "1 shell".into() } else { format!("{} shells", facts.shell_count) };
    let volume = match facts.volume {
        Some(volume) => format!("volume {} cm³", significant(volume * 1e6)),
        None => "not closed".into(),
    };
    format!("{} triangles, {shells}, {volume}, area {} cm²", facts.triangles, significant(facts.area * 1e4))
}

fn write_view(svg: &mut String, mesh: &TriMesh, diagnosis: &Diagnosis) {
    let used = Aabb::of(mesh.triangles.iter().flatten().map(|&vertex| mesh.vertices[vertex as usize]));
    let places: Vec<_> =
        diagnosis.findings.iter().flat_map(|finding| finding.places.iter().copied()).collect();
    let view = View::facing(&places, used.center());
    let dimensions = dimensioned_edges(&used, view.toward());
    // the part and the three edges of its bounding box that carry dimensions
    let shown = || {
        let marks = dimensions.into_iter().flat_map(|(from, to)| [from, to]);
        mesh.triangles.iter().flatten().map(|&vertex| mesh.vertices[vertex as usize]).chain(marks)
    };
    let (size, margin) = (Vector2::new(WIDTH, VIEW_HEIGHT), Vector2::from(MARGIN));
    let fine = Camera::fitting(view, shown(), size * SUPERSAMPLING, margin * SUPERSAMPLING);
    let (width, height) = ((WIDTH * SUPERSAMPLING) as usize, (VIEW_HEIGHT * SUPERSAMPLING) as usize);
    let mut raster = Raster::new(width, height);
    raster.paint(mesh, &fine);
    raster.draw_edges(mesh, &fine, &sharp_edges(mesh, &EdgeTable::new(mesh), DEFAULT_SHARP_ANGLE));
    let data = base64_encode(&png::encode(width, &raster.pixels, &palette()));
    let _ = writeln!(
        svg,
        r#"<image x="0" y="{VIEW_TOP}" width="{WIDTH}" height="{VIEW_HEIGHT}" xlink:href="data:image/png;base64,{data}"/>"#
    );
    let camera = Camera::fitting(view, shown(), size, margin);
    let pixel = |point: Vector3<f64>| camera.project(point).xy() + Vector2::new(0.0, VIEW_TOP);
    let middle = Vector2::new(WIDTH / 2.0, VIEW_TOP + VIEW_HEIGHT / 2.0);
    for (from, to) in dimensions {
        let label = format!("{} mm", significant((to - from).norm() * 1e3));
        write_dimension(svg, pixel(from), pixel(to), middle, &label);
    }
    // the most severe findings come last, so that nothing covers them
    for (index, finding) in diagnosis.findings.iter().enumerate().rev() {
        let color = COLORS[index % COLORS.len()];
        for place in &finding.places {
            let at = pixel(*place);
            // markers behind the surface are hollow
            let (inside, outline) =
                if raster.sees(fine.project(*place)) { (color, "#ffffff") } else { ("none", color) };
            let _ = writeln!(
                svg,
                r##"<circle cx="{:.1}" cy="{:.1}" r="5.5" fill="{inside}" fill-opacity="0.85" stroke="{outline}" stroke-width="1.5"/>"##,
                at.x, at.y
            );
        }
    }
}

/// The edges of the bounding box that carry dimensions, all on its outline in the view: two that meet at the corner
/// nearest to the viewer, on the hidden one of the top and bottom faces, and a vertical one at their left end.
fn dimensioned_edges(used: &Aabb, toward: Vector3<f64>) -> [(Vector3<f64>, Vector3<f64>); 3] {
    let far = Vector3::from_fn(|axis, _| if toward[axis] > 0.0 { used.min[axis] } else { used.max[axis] });
    let near = used.min + used.max - far;
    let corner = Vector3::new(near.x, near.y, far.z);
    let (along_x, along_y) = (Vector3::new(far.x, near.y, far.z), Vector3::new(near.x, far.y, far.z));
    let right = Vector3::z().cross(&toward);
    let left = if right.dot(&along_x) < right.dot(&along_y) { along_x } else { along_y };
    [(along_x, corner), (along_y, corner), (left, Vector3::new(left.x, left.y, near.z))]
}

/// A dimension line beside `from`–`to`, on the side away from `middle`.
fn write_dimension(
    svg: &mut String,
    from: Vector2<f64>,
    to: Vector2<f64>,
    middle: Vector2<f64>,
    label: &str,
) {
    let Some(along) = (to - from).try_normalize(1.0) else { return };
    let across = Vector2::new(-along.y, along.x);
    let away = if across.dot(&((from + to) / 2.0 - middle)) < 0.0 { -across } else { across };
    let (a, b) = (from + away * 22.0, to + away * 22.0);
    let line = |svg: &mut String, p: Vector2<f64>, q: Vector2<f64>| {
        let _ = writeln!(
            svg,
            r##"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}" stroke="#8793a0" stroke-width="1"/>"##,
            p.x, p.y, q.x, q.y
        );
    };
    line(svg, a, b);
    for (end, mark) in [(from, a), (to, b)] {
        line(svg, end + away * 6.0, mark + away * 5.0);
    }
    let at = (a + b) / 2.0 + away * 12.0;
    let anchor = if away.x > 0.2 {
        "start"
    } else if away.x < -0.2 {
        "end"
    } else {
        "middle"
    };
    let _ = writeln!(
        svg,
        r##"<text x="{:.1}" y="{:.1}" font-size="14" fill="#3a4450" text-anchor="{anchor}">{label}</text>"##,
        at.x,
        at.y + 5.0
    );
}

/// Writes the findings as a list; returns y below the last line [px].
fn write_legend(svg: &mut String, diagnosis: &Diagnosis, top: f64) -> f64 {
    let mut y = top;
    let _ = writeln!(svg, r##"<line x1="32" x2="968" y1="{0}" y2="{0}" stroke="#dde2e8"/>"##, y - 28.0);
    let mut text = |y: &mut f64, words: &str, style: &str| {
        for line in wrapped(words, LEGEND_COLUMNS) {
            let _ =
                writeln!(svg, r#"<text x="58" y="{y:.1}" font-size="13" {style}>{}</text>"#, escape(&line));
            *y += 19.0;
        }
    };
    let mut dots = Vec::new();
    if diagnosis.findings.is_empty() {
        dots.push((y, "#009e73"));
        text(&mut y, "No findings.", r##"fill="#1c222a""##);
    }
    for (finding, color) in diagnosis.findings.iter().zip(COLORS.iter().cycle()) {
        dots.push((y, color));
        let weight = if finding.severity == Severity::Error { "600" } else { "400" };
        let message = format!("{}: {}", finding.severity, finding.message);
        text(&mut y, &message, &format!(r##"fill="#1c222a" font-weight="{weight}""##));
        text(&mut y, &finding.remedy, r##"fill="#5a6572""##);
        y += 8.0;
    }
    for skipped in &diagnosis.skipped {
        text(&mut y, &format!("not checked: {skipped}"), r##"fill="#5a6572" font-style="italic""##);
    }
    for (y, color) in dots {
        let _ = writeln!(svg, r#"<circle cx="41" cy="{:.1}" r="6" fill="{color}"/>"#, y - 4.5);
    }
    y
}

/// Breaks a text into lines of at most `columns` characters, between words.
fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let full = lines
            .last()
            .is_some_and(|line| !line.is_empty() && line.chars().count() + word.chars().count() >= columns);
        if full {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// Four significant digits without trailing zeros.
fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".into();
    }
    let digits = (3 - value.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

fn escape(text: &str) -> String {
    let printable = text.chars().filter(|c| !c.is_control());
    printable.fold(String::new(), |mut escaped, c| {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(c),
        }
        escaped
    })
}
