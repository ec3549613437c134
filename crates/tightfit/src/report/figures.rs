//! The figures of a run: what it reached, and the worst that its certificates say.

use std::f64::consts::TAU;
use std::fmt::Write;

use tightfit_simulation::{Certificate, CspaceMethod, Limit, Methods, Record, Task};

use super::RunSummary;
use super::number::{escape, number};

/// A figure with its name and unit.
type Row = (&'static str, String);

/// Two columns of figures.
pub(super) struct Figures {
    run: Vec<Row>,
    certificate: Vec<Row>,
}

impl Figures {
    pub(super) fn of(run: &RunSummary) -> Self {
        let records = &run.records;
        let largest = |of: &dyn Fn(&Record) -> f64| records.iter().map(of).fold(0.0, f64::max);
        let worst = |of: fn(&Certificate) -> f64| largest(&|record| of(&record.certificate));
        let total = |of: fn(&Certificate) -> f64| records.iter().map(|r| of(&r.certificate)).sum::<f64>();
        let unconverged = records.iter().filter(|record| !record.certificate.converged).count();
        let mut certificate = vec![
            ("deepest penetration", micrometres(worst(|c| c.penetration))),
            ("deepest penetration, audit", audited(records)),
            ("largest approach of contacts left out", format!("{} m/s", number(worst(|c| c.left_out)))),
            ("largest Coulomb residual", format!("{} m/s", number(worst(|c| c.coulomb)))),
            ("largest complementarity residual", format!("{} m/s", number(worst(|c| c.complementarity)))),
            ("largest cone violation, relative", number(worst(|c| c.cone))),
            ("energy put in by contacts", format!("{} J", number(total(|c| c.energy_injected)))),
            ("energy put in by projection", format!("{} J", number(total(|c| c.projection_work)))),
            ("work of contacts", format!("{} J", number(total(|c| c.contact_work)))),
            ("steps that did not converge", unconverged.to_string()),
        ];
        for limit in Limit::ALL.into_iter().filter(|limit| *limit != Limit::NotConverged) {
            let count = records.iter().filter(|record| record.certificate.limits.contains(limit)).count();
            if count > 0 {
                let name = match limit {
                    Limit::NotConverged => "steps that did not converge",
                    Limit::ProjectionIncomplete => "steps with an incomplete projection",
                    Limit::TankEmpty => "steps whose projection lacked energy",
                    Limit::NotFinite => "steps that were not finite",
                    Limit::TooFast => "steps that went farther than contacts are sought",
                    Limit::BeganInside => "starts inside another part",
                    Limit::JointRange => "steps with a joint at the end of its range",
                    Limit::JointSpeed => "steps with a joint at its highest speed",
                    Limit::DriveEffort => "steps with a drive at its highest effort",
                    Limit::GraspSlipped => "steps in which the part slipped in the hand",
                    Limit::OutOfReach => "steps whose command was out of reach",
                    Limit::ArmFailed => "steps that the arm could not take",
                };
                certificate.push((name, count.to_string()));
            }
        }
        let mut figures = reached(run);
        let time = records.last().map_or(0.0, |record| record.time);
        let computing = |fraction: f64| duration(step_time(records, fraction));
        figures.extend([
            ("methods", methods(run)),
            (
                "simulated",
                format!("{} s in {} steps of {} ms", number(time), records.len(), number(run.step * 1e3)),
            ),
            ("largest contact force", format!("{} N", number(largest(&|record| record.force.norm())))),
            ("largest contact torque", format!("{} N·m", number(largest(&|record| record.torque.norm())))),
            ("most contacts carrying force", number(worst(|c| c.active as f64))),
            ("highest level of the solver", number(worst(|c| f64::from(c.level)))),
            ("computing time of a step, median", computing(0.5)),
            ("computing time of a step, 99 %", computing(0.99)),
            (
                "state at the end",
                records.last().map_or("none".into(), |record| format!("{:016x}", record.hash)),
            ),
        ]);
        Self { run: figures, certificate }
    }

    /// The two tables side by side.
    pub(super) fn write_tables(&self, html: &mut String) {
        html.push_str("<div class=\"two\">");
        for (title, rows) in [("Run", &self.run), ("Certificate", &self.certificate)] {
            let _ = write!(html, "<table><tr><th>{title}</th><th></th></tr>");
            for (name, value) in rows {
                let _ = write!(html, "<tr><td>{name}</td><td class=\"n\">{}</td></tr>", escape(value));
            }
            html.push_str("</table>");
        }
        html.push_str("</div>\n");
    }
}

/// One row per run.
pub(super) fn write_comparison(html: &mut String, runs: &[RunSummary]) {
    html.push_str(
        "<table><tr><th>run</th><th>outcome</th><th class=\"n\">reached</th><th class=\"n\">largest force</th>\
         <th class=\"n\">penetration</th><th class=\"n\">audit</th><th class=\"n\">not converged</th>\
         <th class=\"n\">median step</th></tr>\n",
    );
    for run in runs {
        let records = &run.records;
        let force = records.iter().map(|record| record.force.norm()).fold(0.0, f64::max);
        let depth = records.iter().map(|record| record.certificate.penetration).fold(0.0, f64::max);
        let unconverged = records.iter().filter(|record| !record.certificate.converged).count();
        let outcome = run.outcome.as_ref().map_or(String::new(), |outcome| {
            let class = if outcome.is_success { "good" } else { "bad" };
            format!("<span class=\"{class}\">{}</span>", escape(&outcome.text))
        });
        let reached = reached(run).into_iter().next().map_or(String::new(), |(_, value)| value);
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td>{outcome}</td><td class=\"n\">{reached}</td><td class=\"n\">{} N</td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{unconverged} of {}</td>\
             <td class=\"n\">{}</td></tr>",
            escape(&run.label()),
            number(force),
            micrometres(depth),
            audited(records),
            records.len(),
            duration(step_time(records, 0.5)),
        );
    }
    html.push_str("</table>\n");
}

/// The methods of a run in a line.
pub(super) fn methods(run: &RunSummary) -> String {
    let Methods { preset, clustering, cspace, solver, integration, crossings, projection } = run.methods;
    let names = [clustering.name(), solver.name(), integration.name()].join(", ");
    let names = [run.detection.name().to_string() + " detection", names].join(", ");
    let cspace = if cspace == CspaceMethod::None { "" } else { ", C-space" };
    let nodes = if crossings { "" } else { ", nodes alone" };
    let projection = if projection { "" } else { ", no projection" };
    format!("{}: {names}{cspace}{nodes}{projection}", preset.name())
}

/// How far the task came.
fn reached(run: &RunSummary) -> Vec<Row> {
    let Some(last) = run.records.last() else { return Vec::new() };
    let engaged = if last.engaged { "yes" } else { "no" };
    match run.task {
        Some(Task::Insert { depth, .. }) => {
            let deepest =
                run.records.iter().map(|record| -record.pose.translation.z).fold(f64::MIN, f64::max);
            vec![
                ("depth reached", format!("{:.3} of {} mm", deepest * 1e3, number(depth * 1e3))),
                ("engaged at the end", engaged.into()),
            ]
        }
        Some(Task::Thread { turns, .. }) => {
            let first = run.records.first().map_or(0.0, |record| record.angle);
            let most = run.records.iter().map(|record| (record.angle - first).abs()).fold(0.0, f64::max);
            vec![
                ("turns made", format!("{:.3} of {}", most / TAU, number(turns))),
                ("engaged at the end", engaged.into()),
            ]
        }
        None => Vec::new(),
    }
}

fn audited(records: &[Record]) -> String {
    let deepest = records.iter().filter_map(|record| record.audited).reduce(f64::max);
    deepest.map_or("not audited".into(), micrometres)
}

pub(super) fn micrometres(length: f64) -> String {
    format!("{} µm", number(length * 1e6))
}

pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        1e-3.. => format!("{} ms", number(seconds * 1e3)),
        _ => format!("{} µs", number(seconds * 1e6)),
    }
}

/// Time of the stages that this fraction of the steps stays below [s].
fn step_time(records: &[Record], fraction: f64) -> f64 {
    let mut times: Vec<f64> = records.iter().map(|record| record.certificate.stage_seconds.total()).collect();
    times.sort_by(f64::total_cmp);
    times
        .get(((times.len() as f64 * fraction) as usize).min(times.len().saturating_sub(1)))
        .copied()
        .unwrap_or(0.0)
}
