//! The report of trials: numbers, start errors and results, force curves of a typical and of the worst trial.

use std::fmt::Write;

use tightfit_robot::strategy::Phase;
use tightfit_simulation::trials::{Trial, Trials};
use tightfit_simulation::{Grade, Record};
use tightfit_viewer::Recording;

use super::axis::Scale;
use super::figures::micrometres;
use super::number::{escape, number};
use super::plot::{Plot, Series, TIME};
use super::scatter::Scatter;
use super::{head, view};

/// Trials of one strategy.
#[derive(Clone, Debug)]
pub struct TrialsSummary {
    /// Name of the scene.
    pub name: String,
    /// What happens in it.
    pub description: String,
    /// How many, from which seed, with which errors.
    pub options: Trials,
    /// Every trial.
    pub trials: Vec<Trial>,
    /// Those whose curves are drawn.
    pub curves: Vec<TrialCurve>,
}

/// A trial whose curves are drawn.
#[derive(Clone, Debug)]
pub struct TrialCurve {
    /// Its role, such as `typical`.
    pub name: &'static str,
    /// Its number, from 0.
    pub number: u64,
    /// Its steps.
    pub records: Vec<Record>,
    /// The trial in 3-D, where it was recorded.
    pub view: Option<Recording>,
}

/// The page.
#[must_use]
pub fn trials_html(summary: &TrialsSummary) -> String {
    let mut html = head(&format!("Trials of {}", summary.name));
    let _ = writeln!(html, "<p>{}</p>", escape(&summary.description));
    write_figures(&mut html, summary);
    view::write(&mut html, summary.curves.iter().filter_map(|curve| curve.view.as_ref()));
    let _ = writeln!(html, "<section><h2>Where the trials started</h2>");
    let _ = writeln!(
        html,
        "<p>Error of the part in the hand, which the strategy does not know.</p><div class=\"plots\">"
    );
    for scatter in scatters(&summary.trials) {
        html.push_str(&scatter.svg());
    }
    html.push_str("</div></section>\n");
    for curve in &summary.curves {
        let trial = summary.trials.iter().find(|trial| trial.number == curve.number);
        write_curve(&mut html, curve, trial);
    }
    view::write_script(&mut html, summary.curves.iter().any(|curve| curve.view.is_some()));
    html + "</body></html>\n"
}

fn write_figures(html: &mut String, summary: &TrialsSummary) {
    let trials = &summary.trials;
    let good = trials.iter().filter(|trial| trial.is_success()).count();
    let certified = trials.iter().filter(|trial| trial.assessment.is_certified()).count();
    let class = match (certified == trials.len(), good == trials.len()) {
        (true, _) => "good",
        (false, true) => "fair",
        (false, false) => "bad",
    };
    let _ = writeln!(
        html,
        "<div class=\"{class}\">{good} of {} succeeded, {certified} certified</div>",
        trials.len()
    );
    let mut times: Vec<f64> =
        trials.iter().filter(|trial| trial.is_success()).map(|trial| trial.time).collect();
    times.sort_by(f64::total_cmp);
    let largest = |of: &dyn Fn(&Trial) -> f64| trials.iter().map(of).fold(0.0, f64::max);
    let seconds = |time: Option<&f64>| time.map_or("none".into(), |time| format!("{} s", number(*time)));
    let audited = trials.iter().filter_map(|trial| trial.penetration[1]).reduce(f64::max);
    let mut rows = vec![
        ("start errors".to_string(), errors(&summary.options)),
        ("time to success, median".into(), seconds(times.get(times.len() / 2))),
        ("time to success, longest".into(), seconds(times.last())),
        ("largest contact force".into(), format!("{} N", number(largest(&|trial| trial.peaks[0])))),
        ("largest contact torque".into(), format!("{} N·m", number(largest(&|trial| trial.peaks[1])))),
        (
            "deepest penetration".into(),
            micrometres(largest(&|trial| trial.penetration[0].unwrap_or_default())),
        ),
        ("deepest penetration, audit".into(), audited.map_or("not audited".into(), micrometres)),
        ("largest drift of the grasp".into(), micrometres(largest(&|trial| trial.grasp_drift))),
        (
            "steps that did not converge".into(),
            format!(
                "{} of {}",
                trials.iter().map(|trial| trial.steps[1]).sum::<usize>(),
                trials.iter().map(|trial| trial.steps[0]).sum::<usize>()
            ),
        ),
    ];
    for trial in trials.iter().filter(|trial| !trial.is_success()) {
        let phase = trial.last_phase.map_or("start", Phase::name);
        let end = match (trial.failure, trial.end) {
            (Some(failure), _) => failure.to_string(),
            (None, end) => end.map_or("none", Phase::name).to_string(),
        };
        rows.push((format!("trial {} failed", trial.number), format!("in phase {phase}: {end}")));
    }
    html.push_str("<table>");
    for (name, value) in rows {
        let _ = write!(html, "<tr><td>{}</td><td class=\"n\">{}</td></tr>", escape(&name), escape(&value));
    }
    html.push_str("</table>\n");
}

fn errors(options: &Trials) -> String {
    let (shift, tilt) = (number(1e3 * options.shift), number(options.tilt.to_degrees()));
    format!("±{shift} mm along x, y, z, ±{tilt}° about x, y; seed {}", options.seed)
}

fn scatters(trials: &[Trial]) -> [Scatter; 2] {
    let scatter = |title: &str, axes: [&str; 2], of: &dyn Fn(&Trial) -> [f64; 2]| {
        let places = |is_success: bool| {
            trials.iter().filter(move |trial| trial.is_success() == is_success).map(of).collect()
        };
        Scatter {
            title: title.into(),
            axes: axes.map(String::from),
            points: places(true),
            crosses: places(false),
            legend: Some(["succeeded".into(), "failed".into()]),
            ..Scatter::default()
        }
    };
    let shift = |trial: &Trial| [1e3 * trial.error.shift.x, 1e3 * trial.error.shift.y];
    let tilt = |trial: &Trial| trial.error.tilt.map(f64::to_degrees);
    [
        scatter("Shift [mm]", ["x [mm]", "y [mm]"], &shift),
        scatter("Tilt [deg]", ["about x [deg]", "about y [deg]"], &tilt),
    ]
}

fn write_curve(html: &mut String, curve: &TrialCurve, trial: Option<&Trial>) {
    let verdict = trial.map_or(("bad", "unknown"), |trial| match trial.assessment.grade {
        Grade::Certified => ("good", "certified"),
        Grade::CompletedUncertified => ("fair", "succeeded, not certified"),
        Grade::Failed => ("bad", "failed"),
    });
    let _ = writeln!(
        html,
        "<section><h2>Trial {}, the {} one</h2><div class=\"{}\">{}</div>",
        curve.number, curve.name, verdict.0, verdict.1
    );
    if let Some(trial) = trial {
        let error = &trial.error;
        let _ = writeln!(
            html,
            "<p>shift {} mm, {} mm, {} mm; tilt {}°, {}°; turn {}°</p>",
            number(1e3 * error.shift.x),
            number(1e3 * error.shift.y),
            number(1e3 * error.shift.z),
            number(error.tilt[0].to_degrees()),
            number(error.tilt[1].to_degrees()),
            number(error.turn.to_degrees()),
        );
    }
    html.push_str("<div class=\"plots\">");
    type Axis<'a> = (&'static str, &'a dyn Fn(&Record) -> f64);
    let plot = |title: &str, lines: &[Axis]| Plot {
        title: title.to_string(),
        scale: Scale::Linear,
        across: TIME,
        series: lines
            .iter()
            .map(|(name, of)| Series {
                name,
                points: curve.records.iter().map(|record| [record.time, of(record)]).collect(),
            })
            .collect(),
        marks: phases(&curve.records),
    };
    let sensor =
        |axis: usize| move |record: &Record| record.arm.as_ref().map_or(f64::NAN, |arm| arm.measured[axis]);
    let plots = [
        plot("Contact force [N]", &[("x", &|r| r.force.x), ("y", &|r| r.force.y), ("z", &|r| r.force.z)]),
        plot(
            "Force that the sensor shows, its axes [N]",
            &[("x", &sensor(0)), ("y", &sensor(1)), ("z", &sensor(2))],
        ),
        plot(
            "Contact torque about the centre of mass [N·m]",
            &[("x", &|r| r.torque.x), ("y", &|r| r.torque.y), ("z", &|r| r.torque.z)],
        ),
        plot(
            "True place of the part against its counterpart [mm]",
            &[
                ("x", &|r| 1e3 * r.pose.translation.x),
                ("y", &|r| 1e3 * r.pose.translation.y),
                ("z", &|r| 1e3 * r.pose.translation.z),
            ],
        ),
    ];
    for plot in plots {
        html.push_str(&plot.svg());
    }
    html.push_str("</div></section>\n");
}

/// When each phase began.
fn phases(records: &[Record]) -> Vec<(f64, &'static str)> {
    let mut marks = Vec::new();
    let mut last = None;
    for record in records {
        let phase = record.arm.as_ref().and_then(|arm| arm.phase);
        if let Some(phase) = phase.filter(|_| phase != last) {
            marks.push((record.time, phase.name()));
        }
        last = phase;
    }
    marks
}
