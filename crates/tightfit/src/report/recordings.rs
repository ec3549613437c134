//! Pages of recordings: what was found in them, their channels, and what was identified from them.

use std::fmt::Write;

use super::axis::Scale;
use super::number::escape;
use super::plot::{Plot, Series, TIME};
use super::{Scatter, head};

/// Trials whose channels are drawn.
const DRAWN: usize = 24;

/// One trial on a page.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialPage {
    /// Its name.
    pub name: String,
    /// Severity and text of each finding.
    pub findings: Vec<[String; 2]>,
    /// Times [s].
    pub time: Vec<f64>,
    /// Force [N], torque [N·m] and displacement from the start [mm], each along x, y, z.
    pub channels: [[Vec<f64>; 3]; 3],
}

/// A page of trials with findings and channels.
#[must_use]
pub fn recordings_html(title: &str, trials: &[TrialPage]) -> String {
    let mut html = head(title);
    if trials.iter().all(|trial| trial.findings.is_empty()) {
        html.push_str("<p>Nothing was found wrong.</p>\n");
    }
    html.push_str("<table><tr><th>trial</th><th></th><th>finding</th></tr>\n");
    for trial in trials {
        for [severity, text] in &trial.findings {
            let name = escape(&trial.name);
            let _ = writeln!(html, "<tr><td>{name}</td><td>{severity}</td><td>{}</td></tr>", escape(text));
        }
    }
    html.push_str("</table>\n");
    if trials.len() > DRAWN {
        let _ =
            writeln!(html, "<p>The channels of the first {DRAWN} of {} trials are drawn.</p>", trials.len());
    }
    for trial in trials.iter().take(DRAWN) {
        let _ = writeln!(html, "<section><h2>{}</h2><div class=\"plots\">", escape(&trial.name));
        let titles = ["Force as logged [N]", "Torque as logged [N·m]", "Way of the tool from its start [mm]"];
        for (title, channels) in titles.into_iter().zip(&trial.channels) {
            html.push_str(&lines(title, &["x", "y", "z"], &trial.time, channels).svg());
        }
        html.push_str("</div></section>\n");
    }
    html + "</body></html>\n"
}

fn lines(title: &str, names: &[&'static str; 3], time: &[f64], channels: &[Vec<f64>; 3]) -> Plot {
    let series = names.iter().zip(channels).map(|(name, values)| Series {
        name,
        points: time.iter().zip(values).map(|(time, value)| [*time, *value]).collect(),
    });
    Plot {
        title: title.into(),
        scale: Scale::Linear,
        across: TIME,
        series: series.collect(),
        marks: Vec::new(),
    }
}

/// A page of what was identified: a table per question, refusals, pictures.
#[must_use]
pub fn identification_html(title: &str, sections: &[IdentifiedSection], pictures: &[Scatter]) -> String {
    let mut html = head(title);
    html.push_str("<div class=\"plots\">\n");
    pictures.iter().for_each(|picture| html.push_str(&picture.svg()));
    html.push_str("</div>\n");
    for section in sections {
        let _ = writeln!(html, "<section><h2>{}</h2><table>", escape(&section.name));
        html.push_str("<tr><th>what</th><th class=\"n\">value</th><th class=\"n\">± one standard deviation</th><th>unit</th></tr>\n");
        for [name, value, sigma, unit] in &section.values {
            let _ = writeln!(
                html,
                "<tr><td>{}</td><td class=\"n\">{value}</td><td class=\"n\">{sigma}</td><td>{}</td></tr>",
                escape(name),
                escape(unit)
            );
        }
        html.push_str("</table>\n");
        for [name, reason] in &section.refusals {
            let _ = writeln!(html, "<p><b>{}</b> is not determined: {}</p>", escape(name), escape(reason));
        }
        html.push_str("</section>\n");
    }
    html + "</body></html>\n"
}

/// One question's answer, ready to print.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IdentifiedSection {
    /// The question.
    pub name: String,
    /// Name, value, standard deviation, unit.
    pub values: Vec<[String; 4]>,
    /// Name and reason.
    pub refusals: Vec<[String; 2]>,
}
