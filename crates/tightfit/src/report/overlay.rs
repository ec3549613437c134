//! Runs of one scene by different methods, their curves in one plot.

use std::f64::consts::TAU;
use std::fmt::Write;

use tightfit_simulation::{Record, Task, WrenchDifference};

use super::axis::Scale;
use super::charts::{LEAST_PENETRATION, LEAST_RESIDUAL, tilt};
use super::figures::{duration, methods, write_comparison};
use super::number::{escape, number};
use super::plot::{Plot, Series, TIME};
use super::{RunSummary, WrenchPair, head, view};

/// A run of a comparison.
#[derive(Clone, Debug)]
pub struct ComparedRun {
    /// The run.
    pub summary: RunSummary,
    /// Contact wrench against that of the first run, each at its own states.
    pub own_way: WrenchDifference,
    /// The same at the states of the first run.
    pub same_states: WrenchDifference,
}

/// The report of a comparison with the first run as reference. The contact wrenches of a pair are shown axis by axis.
#[must_use]
pub fn comparison_html(runs: &[ComparedRun], pair: Option<&WrenchPair>) -> String {
    let name = runs.first().map_or("nothing", |run| run.summary.name.as_str());
    let mut html = head(&format!("Methods compared on {name}"));
    let summaries: Vec<RunSummary> = runs.iter().map(|run| run.summary.clone()).collect();
    view::write(&mut html, summaries.iter().filter_map(|run| run.view.as_ref()));
    write_comparison(&mut html, &summaries);
    write_stages(&mut html, runs);
    write_wrenches(&mut html, runs);
    html.push_str("<div class=\"plots\">\n");
    for plot in plots(&summaries) {
        html.push_str(&plot.svg());
    }
    html.push_str("</div>\n");
    if let Some(pair) = pair {
        pair.write(&mut html);
    }
    view::write_script(&mut html, summaries.iter().any(|run| run.view.is_some()));
    html + "</body></html>\n"
}

fn write_stages(html: &mut String, runs: &[ComparedRun]) {
    html.push_str("<table><tr><th>methods</th>");
    for stage in ["detection", "clustering", "solving", "integration"] {
        let _ = write!(html, "<th class=\"n\">{stage}</th>");
    }
    html.push_str("</tr>\n");
    for run in runs {
        let _ = write!(html, "<tr><td>{}</td>", escape(&methods(&run.summary)));
        for seconds in run.summary.mean_stage_seconds() {
            let _ = write!(html, "<td class=\"n\">{}</td>", duration(seconds));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</table>\n");
}

fn write_wrenches(html: &mut String, runs: &[ComparedRun]) {
    html.push_str(
        "<table><tr><th>contact wrench against the first, root mean square</th><th class=\"n\">at its own states</th>\
         <th class=\"n\"></th><th class=\"n\">at the same states</th><th class=\"n\"></th></tr>\n",
    );
    for run in runs {
        let _ = write!(html, "<tr><td>{}</td>", run.summary.methods.preset.name());
        for difference in [run.own_way, run.same_states] {
            for (value, reference, unit) in [
                (difference.force, difference.reference[0], "N"),
                (difference.torque, difference.reference[1], "N·m"),
            ] {
                let _ =
                    write!(html, "<td class=\"n\">{} of {} {unit}</td>", number(value), number(reference));
            }
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</table>\n");
}

/// One line per run.
fn plots(runs: &[RunSummary]) -> Vec<Plot> {
    let plot = |title: &str, scale: Scale, value: &dyn Fn(&Record) -> f64| Plot {
        title: title.to_string(),
        scale,
        across: TIME,
        series: runs
            .iter()
            .map(|run| Series {
                name: run.methods.preset.name(),
                points: run.records.iter().map(|record| [record.time, value(record)]).collect(),
            })
            .collect(),
        marks: Vec::new(),
    };
    let task = runs.first().and_then(|run| run.task);
    let place = match task {
        Some(Task::Insert { .. }) => {
            plot("Insertion depth [mm]", Scale::Linear, &|r| 1e3 * r.depth.unwrap_or(-r.pose.translation.z))
        }
        _ => plot("Height of the part's frame [mm]", Scale::Linear, &|r| 1e3 * r.pose.translation.z),
    };
    let way = match task {
        Some(Task::Thread { .. }) => plot("Turns about the axis [-]", Scale::Linear, &|r| r.angle / TAU),
        _ => plot("Sideways along x [mm]", Scale::Linear, &|r| 1e3 * r.pose.translation.x),
    };
    let residual = Scale::Log { floor: LEAST_RESIDUAL };
    vec![
        place,
        way,
        plot("Tilt [deg]", Scale::Linear, &|r| tilt(r).to_degrees()),
        plot("Contact force, mean over a step [N]", Scale::Linear, &|r| r.force.norm()),
        plot("Contact torque about the centre of mass [N·m]", Scale::Linear, &|r| r.torque.norm()),
        plot("Deepest penetration, audit [µm]", Scale::Log { floor: LEAST_PENETRATION }, &|r| {
            1e6 * r.audited.unwrap_or(r.certificate.penetration)
        }),
        plot("Coulomb residual [m/s]", residual, &|r| r.certificate.coulomb),
        plot("Approach of contacts that clustering left out [m/s]", residual, &|r| r.certificate.left_out),
        plot("Iterations or sweeps of the solver [-]", Scale::Log { floor: 1.0 }, &|r| {
            f64::from(r.certificate.iterations)
        }),
        plot("Computing time of a step [µs]", Scale::Log { floor: 1.0 }, &|r| {
            1e6 * r.certificate.stage_seconds.total()
        }),
    ]
}
