//! Runs as tables and JSON.

use serde_json::{Value, json};
use tightfit::scene::{Limit, Methods, Outcome, Summary, ThreadState};

use super::order;
use super::simulate::Finished;
use crate::table::Table;

impl Finished {
    /// The scene, and the preset where the methods are not the usual ones.
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
    let outcome = Outcome::of(&finished.run, &finished.summary.records);
    let methods = &finished.run.scene.methods;
    let summary = Summary::of(&finished.summary.records);
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
        },
        "steps": finished.summary.records.len(),
        "dt_s": finished.run.scene.step,
        "completed": finished.is_success,
        "end": finished.end,
        "outcome": {
            "depth_mm": outcome.depth.map(|depth| depth * 1e3),
            "turns": outcome.turns,
            "lead_mm_per_turn": outcome.lead.map(|lead| lead * 1e3),
            "state": outcome.state.map(state_text),
            "torque_nm": outcome.torque,
        },
        "certificate": certificate,
        "audit": summary.audited.map(three),
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

/// How a run went, in a sentence: whatever happened in it has words.
pub(super) fn words(finished: &Finished) -> String {
    let records = &finished.summary.records;
    let outcome = Outcome::of(&finished.run, records);
    let summary = Summary::of(records);
    let mut text = match (finished.run.scene.task.is_some(), outcome.completed) {
        (false, _) => "ran to its end".to_string(),
        (true, true) => "completed".to_string(),
        (true, false) => "not completed".to_string(),
    };
    if let Some(state) = outcome.state.filter(|_| !outcome.completed) {
        text += &format!(" ({})", state_text(state));
    }
    text += &match summary.unconverged {
        0 => ", every step converged".to_string(),
        steps => format!(
            ", {steps} of {} steps above the Coulomb residual of 1e-5 m/s (worst {:.1e} m/s)",
            records.len(),
            summary.coulomb
        ),
    };
    for limit in Limit::ALL.into_iter().filter(|limit| *limit != Limit::NotConverged) {
        let steps = records.iter().filter(|record| record.certificate.limits.contains(limit)).count();
        if steps > 0 {
            let name = match limit {
                Limit::NotConverged | Limit::NotFinite => "could not be taken (not finite)",
                Limit::ProjectionIncomplete => "with an incomplete projection",
                Limit::TankEmpty => "whose projection lacked energy",
                Limit::TooFast => "went farther than contacts are sought; take a smaller step",
                Limit::BeganInside => "began with parts inside one another, which were moved apart",
                Limit::JointRange => "with a joint at the end of its range",
                Limit::JointSpeed => "with a joint at its highest speed",
                Limit::DriveEffort => "with a drive at its highest effort",
                Limit::GraspSlipped => "in which the part slipped in the hand",
                Limit::OutOfReach => "whose command was out of reach",
                Limit::ArmFailed => "could not be taken (arm)",
            };
            text += &format!(", {steps} steps {name}");
        }
    }
    if let Some(end) = &finished.end {
        text += &format!("; {end}");
    }
    text
}

pub(super) fn state_text(state: ThreadState) -> &'static str {
    match state {
        ThreadState::Engaged => "engaged",
        ThreadState::CrossThreaded => "cross-threaded",
        ThreadState::NotEngaged => "not-engaged",
    }
}

pub(super) fn outcome_table(finished: &[Finished]) -> Table {
    let mut table = Table::new(&["scene", "steps", "completed", "depth mm", "turns", "lead mm", "state"]);
    for one in finished {
        let outcome = Outcome::of(&one.run, &one.summary.records);
        let number =
            |value: Option<f64>, digits: usize| value.map_or(String::new(), |v| format!("{v:.digits$}"));
        table.row(vec![
            one.label(),
            one.summary.records.len().to_string(),
            if one.is_success { "yes" } else { "no" }.into(),
            number(outcome.depth.map(|depth| depth * 1e3), 3),
            number(outcome.turns, 3),
            number(outcome.lead.map(|lead| lead * 1e3), 4),
            outcome.state.map_or(String::new(), |state| state_text(state).into()),
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
        let summary = Summary::of(&one.summary.records);
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
