//! The report of a haptic run: its numbers, and the force to the hand over the search and the fastened phase.

use std::f64::consts::TAU;
use std::fmt::Write;

use tightfit_haptics::{Measures, Moment};

use super::axis::Scale;
use super::charts::LEAST_PENETRATION;
use super::head;
use super::number::escape;
use super::plot::{Plot, Series, TIME};

/// The page: a table of names and values, then the plots.
#[must_use]
pub fn haptics_html(
    scene: &str,
    measures: &Measures,
    rows: &[(String, String)],
    missed: &[String],
) -> String {
    let mut html = head(&format!("Haptic rendering of {scene}"));
    let (class, text) = match missed.is_empty() {
        true => ("good", "within all limits".to_string()),
        false => ("bad", missed.join("; ")),
    };
    let _ = writeln!(html, "<section><div class=\"{class}\">{}</div><table>", escape(&text));
    for (name, value) in rows {
        let _ = write!(html, "<tr><td>{}</td><td class=\"n\">{}</td></tr>", escape(name), escape(value));
    }
    html.push_str("</table><div class=\"plots\">");
    plots(measures).iter().for_each(|plot| html.push_str(&plot.svg()));
    html + "</div></section></body></html>\n"
}

/// The plots of a run.
fn plots(measures: &Measures) -> Vec<Plot> {
    let moments = &measures.moments;
    let line = |name: &'static str, value: &dyn Fn(&Moment) -> f64| Series {
        name,
        points: moments.iter().map(|moment| [moment.time, value(moment)]).collect(),
    };
    let found = moments.iter().position(|moment| moment.engaged).filter(|first| *first > 0);
    let marks: Vec<(f64, &'static str)> =
        found.map(|first| (moments[first].time, "search | fastened")).into_iter().collect();
    let plot = |title: &str, series: Vec<Series>| Plot {
        title: title.to_string(),
        scale: Scale::Linear,
        across: TIME,
        series,
        marks: marks.clone(),
    };
    let axes = |value: fn(&Moment) -> [f64; 3]| {
        ["x", "y", "z"].into_iter().enumerate().map(|(axis, name)| line(name, &|m| value(m)[axis])).collect()
    };
    vec![
        plot("Force to the hand [N]", axes(|m| m.felt.force.into())),
        plot("Torque to the hand [N·m]", axes(|m| m.felt.torque.into())),
        plot("Contact force on the part, mean over a step [N]", axes(|m| m.contact_force.into())),
        plot("Turns of the part [-]", vec![line("turns", &|m| m.angle / TAU)]),
        plot("Height of the part's frame [mm]", vec![line("z", &|m| 1e3 * m.height)]),
        plot("Net energy at the port [J]", vec![line("energy", &|m| m.port_energy)]),
        Plot {
            scale: Scale::Log { floor: LEAST_PENETRATION },
            ..plot("Deepest penetration [µm]", vec![line("penetration", &|m| 1e6 * m.penetration)])
        },
    ]
}
