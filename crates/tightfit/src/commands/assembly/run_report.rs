//! Runs as tables and JSON, and their exit code.

use std::process::ExitCode;

use serde_json::{Value, json};
use tightfit::scene::{Assessment, Grade, Limit, MeasuredBy, Methods, Reason, ThreadState};

use super::order;
use crate::commands::simulate::Finished;
use crate::table::Table;

impl Finished {
    /// The scene, and the preset unless the methods are the default ones.
    fn label(&self) -> String {
        let scene = &self.run.scene;
        match scene.methods == Methods::default() {
            true => scene.name.clone(),
            false => format!("{} ({})", scene.name, scene.methods.preset.name()),
        }
    }
}

/// A run as JSON.
pub(super) fn json(finished: &Finished) -> Value {
    let Finished { outcome, certificate: summary, assessment, .. } = finished;
    let methods = &finished.run.scene.methods;
    let micro = |metres: f64| metres * 1e6;
    let three = |[max, mean, engaged]: [f64; 3]| {
        json!({
            "max_penetration_um": micro(max),
            "mean_penetration_um": micro(mean),
            "max_penetration_engaged_um": micro(engaged),
        })
    };
    let mut certificate = three(summary.penetration);
    let more = json!({
        "max_cone_violation": summary.cone,
        "max_coulomb_m_s": summary.coulomb,
        "max_left_out_m_s": summary.left_out,
        "max_complementarity_m_s": summary.complementarity,
        "max_energy_injected_j": summary.energy_injected,
        "projection_work_j": summary.projection_work,
        "kinematic_work_j": summary.kinematic_work,
        "unconverged_steps": summary.unconverged,
        "limits_hit": summary.limits,
    });
    if let (Some(target), Some(more)) = (certificate.as_object_mut(), more.as_object()) {
        target.extend(more.clone());
        if let Some(drift) = summary.grasp_drift {
            target.insert("max_grasp_drift_um".into(), json!(micro(drift)));
        }
    }
    let [median, p99] = finished.median_and_p99();
    let [detection, clustering, solving, integration] = finished.stages();
    json!({
        "scene": finished.run.scene.name,
        "preset": methods.preset.name(),
        "methods": {
            "detection": finished.run.scene.detection.name(),
            "clustering": methods.clustering.name(),
            "cspace": methods.cspace.name(),
            "solver": methods.solver.name(),
            "integration": methods.integration.name(),
            "crossings": methods.crossings,
            "projection": methods.projection,
            "anticipation": methods.anticipation,
            "impact": methods.impact,
            "passivity_filter": methods.passivity_filter,
        },
        "steps": finished.summary.records.len(),
        "dt_s": finished.run.scene.dt,
        "completed": assessment.is_completed(),
        "verdict": assessment.grade.name(),
        "reasons": reasons_json(assessment),
        "end": finished.end,
        "outcome": {
            "depth_mm": outcome.depth.map(|depth| depth * 1e3),
            "largest_force_n": largest_force(finished),
            "turns": outcome.turns,
            "lead_mm_per_turn": outcome.lead.map(|lead| lead * 1e3),
            "state": outcome.state.map(ThreadState::name),
            "torque_nm": outcome.torque,
        },
        "certificate": certificate,
        "audit": summary.audited.map(|audited| audit_json(finished, three(audited))),
        "order": finished.summary.order.as_ref().map(order::json),
        "timing": {
            "median_step_us": median,
            "p99_step_us": p99,
            "stages_us": {
                "detection": detection,
                "clustering": clustering,
                "solving": solving,
                "integration": integration,
            },
            "real_time_factor": finished.real_time_factor(),
        },
    })
}

/// What an audit found, with the place of the deepest penetration.
fn audit_json(finished: &Finished, mut audit: Value) -> Value {
    if let Some((time, place)) = finished.certificate.audited_place {
        let [part, inside] = [place.part, place.inside].map(|body| &finished.run.scene.bodies[body].name);
        let point: Vec<f64> = place.point.iter().map(|coordinate| coordinate * 1e3).collect();
        audit["deepest"] = json!({ "time_s": time, "part": part, "inside": inside, "point_mm": point });
    }
    audit
}

/// Why a run is not certified, as JSON.
pub(super) fn reasons_json(assessment: &Assessment) -> Value {
    let one = |reason: &Reason| json!({ "kind": reason.name(), "text": reason.to_string() });
    assessment.reasons.iter().map(one).collect()
}

/// Exit code of the worst grade of several runs.
pub(super) fn exit_code(worst: Option<Grade>) -> ExitCode {
    match worst {
        None | Some(Grade::Certified) => ExitCode::SUCCESS,
        Some(Grade::CompletedUncertified) => ExitCode::from(3),
        Some(Grade::Failed) => ExitCode::from(2),
    }
}

/// The verdict of a run with its reasons, one per line.
pub(super) fn verdict_lines(finished: &Finished) -> String {
    let Assessment { grade, reasons, .. } = &finished.assessment;
    let mut text = format!("{}: {}", finished.label(), grade.name());
    for reason in reasons {
        text += &format!("\n  {reason}");
    }
    let is_audited = |reason: &&Reason| matches!(reason, Reason::Penetration { by: MeasuredBy::Audit, .. });
    if let (Some(_), Some((time, place))) =
        (reasons.iter().find(is_audited), finished.certificate.audited_place)
    {
        let [part, inside] = [place.part, place.inside].map(|body| &finished.run.scene.bodies[body].name);
        let [x, y, z] = (place.point * 1e3).into();
        text += &format!(
            "\n  there {part} is inside {inside}, at {x:.3}, {y:.3}, {z:.3} mm in the frame of {inside}, at {time:.2} s"
        );
    }
    text
}

/// Summary of a run in one sentence: verdict, convergence, limits, end.
pub(super) fn words(finished: &Finished) -> String {
    let Finished { outcome, certificate, assessment, .. } = finished;
    let mut text = match (finished.run.scene.task.is_some(), assessment.grade) {
        (false, Grade::Certified) => "certified without a task".to_string(),
        (false, _) => "not certified, without a task".to_string(),
        (true, Grade::Certified) => "certified".to_string(),
        (true, Grade::CompletedUncertified) => "completed, not certified".to_string(),
        (true, Grade::Failed) => "not completed".to_string(),
    };
    if let Some(state) = outcome.state.filter(|_| !outcome.completed) {
        text += &format!(" ({})", state.name());
    }
    if certificate.unconverged == 0 {
        text += ", every step converged";
    }
    let others = assessment.reasons.iter().filter(|reason| !matches!(reason, Reason::NotCompleted));
    for reason in others {
        text += &format!(", {reason}");
    }
    // limits of an arm do not void the certificate, but are worth a word
    for (limit, steps) in Limit::ALL.into_iter().zip(certificate.limit_steps) {
        if steps > 0 && !limit.voids_certificate() {
            text += &format!(", {steps} steps {}", limit.what_happened());
        }
    }
    if let Some(end) = &finished.end {
        text += &format!("; {end}");
    }
    text
}

/// Largest contact force on the driven part [N].
fn largest_force(finished: &Finished) -> f64 {
    finished.summary.records.iter().map(|record| record.force.norm()).fold(0.0, f64::max)
}

pub(super) fn outcome_table(finished: &[Finished]) -> Table {
    let mut table =
        Table::new(&["scene", "steps", "verdict", "depth mm", "turns", "lead mm", "force N", "state"]);
    for one in finished {
        let outcome = &one.outcome;
        let number =
            |value: Option<f64>, digits: usize| value.map_or(String::new(), |v| format!("{v:.digits$}"));
        table.row(vec![
            one.label(),
            one.summary.records.len().to_string(),
            one.assessment.grade.name().into(),
            number(outcome.depth.map(|depth| depth * 1e3), 3),
            number(outcome.turns, 3),
            number(outcome.lead.map(|lead| lead * 1e3), 4),
            format!("{:.1}", largest_force(one)),
            outcome.state.map_or(String::new(), |state| state.name().into()),
        ]);
    }
    table
}

pub(super) fn certificate_table(finished: &[Finished]) -> Table {
    let mut titles = vec![
        "certificate",
        "deepest um",
        "mean um",
        "audited um",
        "Coulomb m/s",
        "injected J",
        "projection J",
        "unconverged",
        "limits",
    ];
    let has_arm = finished.iter().any(|one| one.run.scene.arm.is_some());
    if has_arm {
        titles.push("grasp um");
    }
    let mut table = Table::new(&titles);
    for one in finished {
        let summary = &one.certificate;
        let mut row = vec![
            one.label(),
            format!("{:.3}", summary.penetration[0] * 1e6),
            format!("{:.4}", summary.penetration[1] * 1e6),
            summary.audited.map_or("-".into(), |[max, _, _]| format!("{:.3}", max * 1e6)),
            format!("{:.1e}", summary.coulomb),
            format!("{:.1e}", summary.energy_injected),
            format!("{:.1e}", summary.projection_work),
            summary.unconverged.to_string(),
            summary.limits.to_string(),
        ];
        if has_arm {
            row.push(summary.grasp_drift.map_or("-".into(), |drift| format!("{:.3}", drift * 1e6)));
        }
        table.row(row);
    }
    table
}

pub(super) fn timing_table(finished: &[Finished]) -> Table {
    let mut table = Table::new(&[
        "time per step",
        "median us",
        "99 % us",
        "detection",
        "clustering",
        "solving",
        "integration",
        "real-time factor",
    ]);
    for one in finished {
        let ([median, p99], [detection, clustering, solving, integration]) =
            (one.median_and_p99(), one.stages());
        let whole = |value: f64| format!("{value:.0}");
        let factor = |value: f64| if value < 10.0 { format!("{value:.2}") } else { whole(value) };
        table.row(vec![
            one.label(),
            whole(median),
            whole(p99),
            whole(detection),
            whole(clustering),
            whole(solving),
            whole(integration),
            factor(one.real_time_factor()),
        ]);
    }
    table
}
