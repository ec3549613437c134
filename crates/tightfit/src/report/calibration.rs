//! The page of a calibration: values with ranges, errors before and after over time, and where the part is worn.

use std::fmt::Write;

use super::axis::Scale;
use super::head;
use super::number::{escape, number};
use super::plot::{Plot, Series, TIME};

/// What the page shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CalibrationPage {
    /// Its title.
    pub title: String,
    /// Name, value, range and unit.
    pub values: Vec<[String; 4]>,
    /// Name and reason.
    pub refusals: Vec<[String; 2]>,
    /// Model, and its errors of force [N] and torque [N·m].
    pub errors: Vec<(String, [f64; 2])>,
    /// Trials whose errors are drawn.
    pub trials: Vec<CalibratedTrial>,
    /// Where contact was made on a worn part.
    pub places: Vec<WornPlace>,
}

/// Errors of a trial over time.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibratedTrial {
    /// Its name.
    pub name: String,
    /// Time [s] and error of the force [N] with the scene as it was.
    pub before: Vec<[f64; 2]>,
    /// The same with the calibrated scene.
    pub after: Vec<[f64; 2]>,
}

/// A place of a worn part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WornPlace {
    /// 0 up, 1 down, 2 sideways.
    pub side: usize,
    /// Angle about the part's axis.
    pub angle_deg: f64,
    /// Height along it.
    pub height_mm: f64,
    /// Missing material.
    pub wear_um: f64,
}

/// The page.
#[must_use]
pub fn calibration_html(page: &CalibrationPage) -> String {
    let mut html = head(&page.title);
    html.push_str("<section><h2>Values</h2><table><tr><th>what</th><th class=\"n\">value</th><th class=\"n\">95 % range</th><th>unit</th></tr>\n");
    for [name, value, range, unit] in &page.values {
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td class=\"n\">{value}</td><td class=\"n\">{range}</td><td>{}</td></tr>",
            escape(name),
            escape(unit)
        );
    }
    html.push_str("</table>\n");
    for [name, reason] in &page.refusals {
        let _ = writeln!(html, "<p><b>{}</b> is not determined: {}</p>", escape(name), escape(reason));
    }
    html.push_str("</section><section><h2>Root mean square errors</h2><table><tr><th>model</th><th class=\"n\">force [N]</th><th class=\"n\">torque [N·m]</th></tr>\n");
    for (name, [force, torque]) in &page.errors {
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            escape(name),
            number(*force),
            number(*torque)
        );
    }
    html.push_str("</table></section><section><h2>Errors over time</h2><div class=\"plots\">\n");
    for trial in &page.trials {
        let series = vec![
            Series { name: "after", points: trial.after.clone() },
            Series { name: "before", points: trial.before.clone() },
        ];
        let plot = Plot {
            title: format!("{}: error of the force [N]", trial.name),
            scale: Scale::Linear,
            across: TIME,
            series,
            marks: Vec::new(),
        };
        html.push_str(&plot.svg());
    }
    html.push_str("</div></section>\n");
    if !page.places.is_empty() {
        html.push_str("<section><h2>Where the part is worn</h2><p>Places that carried load, unrolled about the part's axis; blue: material is missing, red: it is more than drawn.</p><div class=\"plots\">\n");
        for (side, name) in ["facing up", "facing down", "facing sideways"].into_iter().enumerate() {
            let own: Vec<&WornPlace> = page.places.iter().filter(|place| place.side == side).collect();
            if !own.is_empty() {
                html.push_str(&chart(name, &own));
            }
        }
        html.push_str("</div></section>\n");
    }
    html + "</body></html>\n"
}

/// Places of one side, unrolled.
fn chart(name: &str, places: &[&WornPlace]) -> String {
    const SIZE: [f64; 2] = [560.0, 300.0];
    let heights = places.iter().map(|own| own.height_mm);
    let [low, high] = heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], z| [a.min(z), b.max(z)]);
    let most = places.iter().map(|own| own.wear_um.abs()).fold(1e-3, f64::max);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" font-family=\"Inter, Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#3a4450\"><rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/><text x=\"10\" y=\"18\" font-size=\"14.5\" font-weight=\"600\">Surface {name}: up to {most:.1} um</text>\n",
        SIZE[0], SIZE[1]
    );
    for place in places {
        let x = 20.0 + (place.angle_deg + 180.0) / 360.0 * (SIZE[0] - 40.0);
        let y = SIZE[1] - 30.0 - (place.height_mm - low) / (high - low).max(1e-6) * (SIZE[1] - 70.0);
        let share = (place.wear_um.abs() / most).clamp(0.03, 1.0);
        let color = if place.wear_um >= 0.0 { "#0072b2" } else { "#d55e00" };
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\" fill=\"{color}\" fill-opacity=\"{share:.2}\"/>"
        );
    }
    let _ = write!(
        svg,
        "<text x=\"20\" y=\"{0}\">-180°</text><text x=\"{1}\" y=\"{0}\" text-anchor=\"end\">180°, height {low:.1} to {high:.1} mm</text></svg>",
        SIZE[1] - 8.0,
        SIZE[0] - 20.0
    );
    svg
}
