//! Measured and simulated wrenches over one another: Figs. 9, 10 and 14 of the paper.

use std::fmt::Write;

use tightfit_interaction_training::wrench::{Moments, WrenchErrors};

use super::axis::Scale;
use super::head;
use super::number::{escape, number};
use super::plot::{COLORS, Plot, Series, TIME};
use super::wrench_pair::WRENCH_AXES;

/// What a set of methods made of recorded trials.
#[derive(Clone, Debug)]
pub struct EvaluatedMethod {
    /// Its name.
    pub name: &'static str,
    /// Over all trials.
    pub errors: WrenchErrors,
    /// Root mean square of the difference from the prediction of all contacts [N, N·m], if it was evaluated.
    pub from_all: Option<[f64; 2]>,
    /// Predicted wrenches of the first trial [N, N·m].
    pub curve: Vec<[f64; 6]>,
}

/// A page of errors, and of the curves of one trial over the measured ones.
#[must_use]
pub fn evaluation_html(name: &str, subtitle: &str, trial: &Moments, methods: &[EvaluatedMethod]) -> String {
    let mut html = head(&format!("Contact wrench of {name} against recordings"));
    let _ = writeln!(
        html,
        "<p>{}</p><section><h2>Root mean square errors</h2><table><tr><th>method</th>",
        escape(subtitle)
    );
    for title in ["force [N]", "torque [N·m]"].into_iter().chain(WRENCH_AXES.map(|(axis, _)| axis)) {
        let _ = write!(html, "<th class=\"n\">{title}</th>");
    }
    html.push_str(
        "<th class=\"n\">from all contacts [N]</th><th class=\"n\">from all contacts [N·m]</th></tr>\n",
    );
    for EvaluatedMethod { name, errors, from_all, .. } in methods {
        let _ = write!(html, "<tr><td>{}</td>", escape(name));
        let apart = from_all.iter().flatten().copied();
        for value in [errors.force, errors.torque].into_iter().chain(errors.per_axis).chain(apart) {
            let _ = write!(html, "<td class=\"n\">{}</td>", number(value));
        }
        html.push_str("</tr>\n");
    }
    if let Some(first) = methods.first() {
        let [force, torque] = first.errors.measured.map(number);
        let _ = writeln!(
            html,
            "<tr><td>measured itself</td><td class=\"n\">{force}</td><td class=\"n\">{torque}</td></tr>"
        );
    }
    let _ =
        writeln!(html, "</table></section><section><h2>{}</h2><div class=\"plots\">", escape(&trial.trial));
    for (axis, (title, unit)) in WRENCH_AXES.iter().enumerate() {
        html.push_str(&plot(&format!("Contact {title} [{unit}]"), axis, trial, methods).svg());
    }
    html + "</div></section></body></html>\n"
}

/// As many curves as there are colours: what was measured, K-means, the trained network, and others as far as they go.
fn plot(title: &str, axis: usize, trial: &Moments, methods: &[EvaluatedMethod]) -> Plot {
    let curve = |values: &[[f64; 6]]| {
        trial.times.iter().zip(values).map(|(time, wrench)| [*time, wrench[axis]]).collect::<Vec<_>>()
    };
    let standard = methods.iter().filter(|own| own.name.starts_with("K-means"));
    let trained = methods.iter().filter(|own| own.name == "network trained");
    let is_other = |own: &&EvaluatedMethod| !own.name.starts_with("K-means") && own.name != "network trained";
    let others = trained.chain(methods.iter().filter(is_other));
    let measured = Series { name: "measured", points: curve(&trial.measured) };
    let simulated = standard.chain(others).map(|own| Series { name: own.name, points: curve(&own.curve) });
    let series = std::iter::once(measured).chain(simulated).take(COLORS.len()).collect();
    Plot { title: title.to_string(), scale: Scale::Linear, across: TIME, series, marks: Vec::new() }
}
