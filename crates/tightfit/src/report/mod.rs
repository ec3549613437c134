//! The report of runs: one HTML file with its drawings inside, readable without a network; only the 3-D view needs scripts.
//!
//! ```text
//! Run, Record, ... ─► RunSummary ─► figures (table)   ─┐
//!                                 ─► charts (plot)     ─┼─► report_html
//!                                 ─► contact_drawing   ─┘
//! a run and a recorded one ─► reference ─► reference_html
//! several methods against recorded trials ─► evaluation ─► evaluation_html
//! a scene before and after a calibration ─► calibration ─► calibration_html
//! trials as logged ─► recordings ─► recordings_html, identification_html (scatter)
//! runs of one scene by different methods ─► overlay ─► comparison_html
//! trials of a strategy ─► scatter, plot ─► trials_html
//! a haptic run ─► plot ─► haptics_html
//! ```

mod axis;
mod calibration;
mod charts;
mod contact_drawing;
#[cfg(feature = "learning")]
mod evaluation;
mod figures;
#[cfg(feature = "haptics")]
mod haptics;
pub(crate) mod number;
mod overlay;
mod penetration;
mod plot;
mod recordings;
mod reference;
mod scatter;
mod summary;
mod trials;
mod view;
mod wrench_pair;

pub use calibration::{CalibratedTrial, CalibrationPage, WornPlace, calibration_html};
pub use contact_drawing::ContactDrawing;
#[cfg(feature = "learning")]
pub use evaluation::{EvaluatedMethod, evaluation_html};
#[cfg(feature = "haptics")]
pub use haptics::haptics_html;
pub use overlay::{ComparedRun, comparison_html};
pub use penetration::{PenetrationRun, penetration_html};
pub use recordings::{IdentifiedSection, TrialPage, identification_html, recordings_html};
pub use reference::{OverlaidCurve, reference_html};
pub use scatter::Scatter;
pub use summary::{Conclusion, RunSummary};
pub use trials::{TrialCurve, TrialsSummary, trials_html};
pub use wrench_pair::{WRENCH_AXES, WrenchCurve, WrenchPair};

use std::fmt::Write;

use figures::Figures;
use number::escape;

const STYLE: &str = "body{font-family:Inter,Helvetica,Arial,sans-serif;background:#fff;color:#1c222a;max-width:1180px;\
margin:32px auto;padding:0 24px;font-size:15px;line-height:1.45}h1{font-size:26px;margin:0 0 4px}\
h2{font-size:21px;margin:0 0 2px}p{margin:2px 0 14px;color:#5a6572}section{margin-top:36px;padding-top:24px;\
border-top:1px solid #dde2e8}table{border-collapse:collapse;margin:10px 0 18px;font-size:14px}\
td,th{padding:4px 18px 4px 0;border-bottom:1px solid #edf0f3;text-align:left;vertical-align:top}\
th{color:#5a6572;font-weight:500}td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\
th.n{text-align:right}.two{display:grid;grid-template-columns:1fr 1fr;gap:0 40px;align-items:start}\
.plots{display:grid;grid-template-columns:1fr 1fr;gap:18px 24px}svg{max-width:100%;height:auto;display:block}\
.good,.fair,.bad{display:inline-block;border-radius:4px;padding:1px 9px;font-weight:600;font-size:14px}\
.good{background:#d9f2e6;color:#00563f}.fair{background:#fdf0c8;color:#6b4e00}.bad{background:#fbe0d2;color:#8a3200}\
@media(max-width:900px){.plots,.two{grid-template-columns:1fr}}\
@media print{section{break-before:page}.plots>*{break-inside:avoid}}";

/// The report of one or several runs.
#[must_use]
pub fn report_html(runs: &[RunSummary]) -> String {
    let title = match runs {
        [only] => format!("Run of {}", only.name),
        _ => format!("{} runs", runs.len()),
    };
    let mut html = head(&title);
    if runs.len() > 1 {
        figures::write_comparison(&mut html, runs);
    }
    runs.iter().for_each(|run| write_run(&mut html, run));
    view::write_script(&mut html, runs.iter().any(|run| run.view.is_some()));
    html + "</body></html>\n"
}

/// All before the first section.
fn head(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head><body>\n\
         <h1>{0}</h1><p>tightfit {1}</p>\n",
        escape(title),
        env!("CARGO_PKG_VERSION"),
    )
}

fn write_run(html: &mut String, run: &RunSummary) {
    let _ = writeln!(html, "<section><h2>{}</h2><p>{}</p>", escape(&run.label()), escape(&run.description));
    if let Some((class, text)) = run.badge() {
        let _ = writeln!(html, "<div class=\"{class}\">{}</div>", escape(&text));
    }
    let reasons = run.conclusion.iter().flat_map(|conclusion| &conclusion.assessment.reasons);
    let reasons: String = reasons.map(|reason| format!("<li>{}</li>", escape(&reason.to_string()))).collect();
    if !reasons.is_empty() {
        let _ = writeln!(html, "<ul>{reasons}</ul>");
    }
    view::write(html, run.view.iter());
    Figures::of(run).write_tables(html);
    let _ = writeln!(html, "<div class=\"plots\">");
    for plot in charts::charts(run) {
        html.push_str(&plot.svg());
    }
    let _ = writeln!(html, "</div>");
    if let Some(drawing) = &run.contacts {
        html.push_str(&drawing.svg());
    }
    let _ = writeln!(html, "</section>");
}
