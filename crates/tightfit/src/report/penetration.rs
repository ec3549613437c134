//! Penetration of several runs in one plot: the paper's Fig. 8, with and without the C-space row.

use std::fmt::Write;

use super::axis::Scale;
use super::charts::LEAST_PENETRATION;
use super::figures::methods;
use super::number::{escape, number};
use super::plot::{Plot, Series, TIME};
use super::{RunSummary, head};

/// A run of the figure.
#[derive(Clone, Debug)]
pub struct PenetrationRun {
    /// Name in the legend.
    pub name: &'static str,
    /// The run, audited.
    pub summary: RunSummary,
    /// Mean, 95 % and largest penetration of the audit while the wrench acts [m].
    pub penetration: [f64; 3],
}

/// The figure with its numbers; `from` is when the random wrench begins [s].
#[must_use]
pub fn penetration_html(runs: &[PenetrationRun], from: f64) -> String {
    let name = runs.first().map_or("nothing", |run| run.summary.name.as_str());
    let mut html = head(&format!("Penetration under a random wrench on {name}"));
    html.push_str(
        "<table><tr><th>run</th><th>methods</th><th class=\"n\">mean</th><th class=\"n\">95 %</th><th class=\"n\">largest</th></tr>\n",
    );
    for run in runs {
        let _ = write!(html, "<tr><td>{}</td><td>{}</td>", run.name, escape(&methods(&run.summary)));
        for depth in run.penetration {
            let _ = write!(html, "<td class=\"n\">{} µm</td>", number(1e6 * depth));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</table>\n<div class=\"plots\">\n");
    let plot = |title: &str, scale: Scale| Plot {
        title: title.to_string(),
        scale,
        across: TIME,
        series: runs
            .iter()
            .map(|run| Series {
                name: run.name,
                points: run
                    .summary
                    .records
                    .iter()
                    .map(|record| {
                        [record.time, 1e6 * record.audited.unwrap_or(record.certificate.penetration)]
                    })
                    .collect(),
            })
            .collect(),
        marks: vec![(from, "random wrench")],
    };
    html.push_str(&plot("Deepest penetration, audit [µm]", Scale::Linear).svg());
    html.push_str(&plot("Deepest penetration, audit [µm]", Scale::Log { floor: LEAST_PENETRATION }).svg());
    html + "</div></body></html>\n"
}
