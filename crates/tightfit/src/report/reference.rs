//! A run and a recorded one, curve by curve.

use super::axis::Scale;
use super::head;
use super::plot::{Plot, Series, TIME};

/// One quantity of a run and of a recorded one.
#[derive(Clone, Debug, PartialEq)]
pub struct OverlaidCurve {
    /// What it is, with its unit.
    pub title: String,
    /// Time [s] and value of the run.
    pub ours: Vec<[f64; 2]>,
    /// The same of the recorded one.
    pub recorded: Vec<[f64; 2]>,
}

/// A page with the curves of a run and of a recorded one.
#[must_use]
pub fn reference_html(name: &str, curves: &[OverlaidCurve]) -> String {
    let mut html = head(&format!("{name} and a recorded run"));
    html.push_str("<div class=\"plots\">\n");
    for curve in curves {
        let plot = Plot {
            title: curve.title.clone(),
            scale: Scale::Linear,
            across: TIME,
            series: vec![
                Series { name: "recorded", points: curve.recorded.clone() },
                Series { name: "this run", points: curve.ours.clone() },
            ],
            marks: Vec::new(),
        };
        html.push_str(&plot.svg());
    }
    html + "</div>\n</body></html>\n"
}
