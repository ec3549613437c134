//! The numbers of a run: what it reached, and the worst values of its certificates.

use std::f64::consts::TAU;
use std::fmt::Write;

use tightfit_simulation::{Certificate, CspaceMethod, Limit, Methods, Record, Task};

use super::RunSummary;
use super::number::{escape, number};

/// A figure with its name and unit.
type Row = (String, String);

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
            ("deepest penetration".into(), micrometres(worst(|c| c.penetration))),
            ("deepest penetration, audit".into(), audited(records)),
            (
                "largest approach of contacts left out".into(),
                format!("{} m/s", number(worst(|c| c.left_out))),
            ),
            ("largest Coulomb residual".into(), format!("{} m/s", number(worst(|c| c.coulomb)))),
            (
                "largest complementarity residual".into(),
                format!("{} m/s", number(worst(|c| c.complementarity))),
            ),
            ("largest cone violation, relative".into(), number(worst(|c| c.cone))),
            ("energy put in by contacts".into(), format!("{} J", number(total(|c| c.energy_injected)))),
            ("energy put in by projection".into(), format!("{} J", number(total(|c| c.projection_work)))),
            ("work of contacts".into(), format!("{} J", number(total(|c| c.contact_work)))),
            ("steps that did not converge".into(), unconverged.to_string()),
        ];
        for limit in Limit::ALL.into_iter().filter(|limit| *limit != Limit::NotConverged) {
            let count = records.iter().filter(|record| record.certificate.limits.contains(limit)).count();
            if count > 0 {
                certificate.push((format!("steps that {}", limit.what_happened()), count.to_string()));
            }
        }
        let mut figures = reached(run);
        let time = records.last().map_or(0.0, |record| record.time);
        let computing = |fraction: f64| duration(step_time(records, fraction));
        figures.extend([
            ("methods".into(), methods(run)),
            (
                "simulated".into(),
                format!("{} s in {} steps of {} ms", number(time), records.len(), number(run.step * 1e3)),
            ),
            ("largest contact force".into(), format!("{} N", number(largest(&|record| record.force.norm())))),
            (
                "largest contact torque".into(),
                format!("{} N·m", number(largest(&|record| record.torque.norm()))),
            ),
            ("most contacts carrying force".into(), number(worst(|c| c.active as f64))),
            ("highest level of the solver".into(), number(worst(|c| f64::from(c.level)))),
            ("computing time of a step, median".into(), computing(0.5)),
            ("computing time of a step, 99 %".into(), computing(0.99)),
            (
                "state at the end".into(),
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
        "<table><tr><th>run</th><th>verdict</th><th class=\"n\">reached</th><th class=\"n\">largest force</th>\
         <th class=\"n\">penetration</th><th class=\"n\">audit</th><th class=\"n\">not converged</th>\
         <th class=\"n\">median step</th></tr>\n",
    );
    for run in runs {
        let records = &run.records;
        let force = records.iter().map(|record| record.force.norm()).fold(0.0, f64::max);
        let depth = records.iter().map(|record| record.certificate.penetration).fold(0.0, f64::max);
        let unconverged = records.iter().filter(|record| !record.certificate.converged).count();
        let outcome = run.badge().map_or(String::new(), |(class, text)| {
            format!("<span class=\"{class}\">{}</span>", escape(&text))
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
    let Methods { preset, clustering, cspace, solver, integration, .. } = run.methods;
    let names = [clustering.name(), solver.name(), integration.name()].join(", ");
    let names = [run.detection.name().to_string() + " detection", names].join(", ");
    let cspace = if cspace == CspaceMethod::None { "" } else { ", C-space" };
    let missing = [
        (run.methods.crossings, ", nodes alone"),
        (run.methods.projection, ", no projection"),
        (run.methods.anticipation, ", no anticipation"),
        (run.methods.impact, ", no impact stage"),
        (run.methods.passivity_filter, ", no passivity filter"),
    ];
    let missing: String = missing.iter().filter(|(has, _)| !has).map(|(_, text)| *text).collect();
    format!("{}: {names}{cspace}{missing}", preset.name())
}

/// How far the task came by the end: the numbers of the run's outcome.
fn reached(run: &RunSummary) -> Vec<Row> {
    let Some(last) = run.records.last() else { return Vec::new() };
    let engaged = if last.engaged { "yes" } else { "no" };
    let outcome = run.conclusion.as_ref().map(|conclusion| &conclusion.outcome);
    match run.task {
        Some(Task::Insert { depth, .. }) => {
            let reached = outcome.map_or(last.depth, |outcome| outcome.depth).unwrap_or_default();
            vec![
                (
                    "depth at the end of the task".into(),
                    format!("{:.3} of {} mm", reached * 1e3, number(depth * 1e3)),
                ),
                ("engaged at the end".into(), engaged.into()),
            ]
        }
        Some(Task::Thread { turns, .. }) => {
            let first = run.records.first().map_or(0.0, |record| record.angle);
            let turned = outcome.and_then(|outcome| outcome.turns);
            let turned = turned.unwrap_or_else(|| (last.angle - first).abs() / TAU);
            let overlap = outcome.map_or(last.depth, |outcome| outcome.depth).unwrap_or_default();
            vec![
                ("turns at the end of the task".into(), format!("{turned:.3} of {}", number(turns))),
                ("overlap at the end of the task".into(), format!("{:.3} mm", overlap * 1e3)),
                ("engaged at the end".into(), engaged.into()),
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
