//! Items that are made of runs: detection times, C-space, complete simulations with the arm, the ten pairs.

use anyhow::Result;
use tightfit::scene::{Preset, WrenchDifference};

use super::item::Regenerated;
use crate::commands::assembly::compare_cspace::penetration;
use crate::commands::simulate::{Finished, SimulationArguments, simulate};

/// Random wrench of Table I and Fig. 8 [N, N·m].
const DISTURBANCE: &str = "20,0.5";

/// Presets that are shown beside one another, with the names of the tables.
const SHOWN: [Preset; 4] = [Preset::Paper, Preset::Refined, Preset::Tight, Preset::Textbook];

/// Table I: time of the detection stage under a random wrench.
pub(super) fn detection_times(seconds: f64) -> Result<Regenerated> {
    let mut item = Regenerated::with_head(&["task", "detection", "mean ms", "max ms"]);
    let arguments = SimulationArguments::default().lasting(seconds).disturbed(DISTURBANCE);
    for scene in ["peg-in-hole", "bolting-engaged"] {
        for preset in [Preset::Paper, Preset::Tight] {
            let run = simulate(scene, &arguments, Some(preset), false, "table-1: ")?;
            let times: Vec<f64> =
                run.summary.records.iter().map(|own| 1e3 * own.certificate.stage_seconds.detection).collect();
            let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
            let largest = times.iter().copied().fold(0.0, f64::max);
            let method = run.run.scene.detection.name();
            item.row(&[
                scene.into(),
                format!("{method} ({})", preset.name()),
                format!("{mean:.3}"),
                format!("{largest:.3}"),
            ]);
            item.bars.push((format!("{scene}, {method}"), mean));
        }
    }
    item.unit = "ms per step".into();
    item.note = "One core, time of the whole detection stage, which a step enters more than once. The paper's is on a GPU: \
                 `tightfit bench detection --device cuda:0`. FCL on the same meshes and poses: `tightfit bench detection`."
        .into();
    Ok(item)
}

/// Fig. 8: depth by the audit under a random wrench.
pub(super) fn cspace(seconds: f64) -> Result<Regenerated> {
    let mut item = Regenerated::with_head(&["task", "methods", "mean um", "max um"]);
    let base = SimulationArguments::default().lasting(seconds).disturbed(DISTURBANCE).audited_late();
    for scene in ["peg-in-hole", "bolting-engaged"] {
        let none = base.with("method.cspace=none".into());
        let runs = [
            ("paper, N-space alone", &none, Preset::Paper),
            ("paper, N-space and C-space", &base, Preset::Paper),
            ("refined, N-space alone", &none, Preset::Refined),
            ("refined, N-space and C-space", &base, Preset::Refined),
            ("tight", &base, Preset::Tight),
        ];
        for (name, arguments, preset) in runs {
            let run = simulate(scene, arguments, Some(preset), true, "fig-8: ")?;
            let from = run.run.scene.drives.first().map_or(0.0, tightfit::scene::Drive::duration);
            let [mean, _, most] = penetration(&run, from).unwrap_or_default().map(|depth| 1e6 * depth);
            item.row(&[scene.into(), name.into(), format!("{mean:.2}"), format!("{most:.2}")]);
            item.bars.push((format!("{scene}: {name}"), mean));
        }
    }
    item.unit = "um, mean depth".into();
    item.note = format!(
        "Random wrench of {DISTURBANCE} N and N·m per component after the task. The paper shows the mean over its contact \
         nodes; here it is the deepest point of a dense audit by the exact distance."
    );
    Ok(item)
}

/// Figs. 10 and 11: the complete simulation with the arm, and its time per stage.
pub(super) fn with_arm(is_quick: bool) -> Result<[Regenerated; 2]> {
    // an audit of a run that sinks takes longer than the run
    let is_audited = !is_quick;
    let mut forces = Regenerated::with_head(&[
        "task",
        "preset",
        "verdict",
        "reached",
        "audited um",
        "force error N",
        "of N",
    ]);
    let mut times = Regenerated::with_head(&[
        "task",
        "preset",
        "median us",
        "detection",
        "clustering",
        "solving",
        "integration",
    ]);
    for scene in ["peg-in-hole-arm", "bolting-arm"] {
        let reference =
            simulate(scene, &SimulationArguments::default(), Some(Preset::Tight), is_audited, "fig-10: ")?;
        for preset in SHOWN {
            let own;
            let run = match preset {
                Preset::Tight => &reference,
                _ => {
                    own = simulate(
                        scene,
                        &SimulationArguments::default(),
                        Some(preset),
                        is_audited,
                        "fig-10: ",
                    )?;
                    &own
                }
            };
            forces.row(&force_row(scene, preset, run, &reference));
            let stages = run.stages().map(|micros| format!("{micros:.0}"));
            let median = run.median_and_p99()[0];
            times.row(
                &[vec![scene.into(), preset.name().into(), format!("{median:.0}")], stages.to_vec()].concat(),
            );
            times.bars.push((format!("{scene}: {}", preset.name()), 1e-3 * median));
        }
    }
    forces.note = "The virtual experiment is the run of `tight`: the force error is the root mean square difference of the \
                   contact force along separate runs, as in the paper, where only the start is matched."
        .into();
    times.unit = "ms, median step".into();
    times.note = "One core; mean of the stages, median of the step. The paper's 3.2 and 5.6 ms use a GPU for detection.".into();
    Ok([forces, times])
}

fn force_row(scene: &str, preset: Preset, run: &Finished, reference: &Finished) -> Vec<String> {
    let audited = run.summary.records.iter().filter_map(|record| record.audited).reduce(f64::max);
    let difference = WrenchDifference::between(&reference.summary.records, &run.summary.records);
    let outcome = &run.outcome;
    let reached = match (outcome.turns, outcome.depth) {
        (Some(turns), _) => format!("{turns:.3} turns"),
        (None, Some(depth)) => format!("{:.3} mm", 1e3 * depth),
        _ => String::new(),
    };
    vec![
        scene.into(),
        preset.name().into(),
        run.assessment.grade.name().into(),
        reached,
        audited.map_or_else(|| "not audited".into(), |depth| format!("{:.2}", 1e6 * depth)),
        format!("{:.3}", difference.force),
        format!("{:.3}", difference.reference[0]),
    ]
}

/// Figs. 15 and 16: complete simulations of pairs of Table II.
pub(super) fn pairs(sizes: &[&str], is_audited: bool, note: &str) -> Result<Regenerated> {
    let mut item = Regenerated::with_head(&[
        "pair",
        "preset",
        "verdict",
        "reached",
        "audited um",
        "force error N",
        "of N",
    ]);
    for size in sizes {
        let arguments = SimulationArguments::default()
            .with(format!("parts.bolt.shape.name=paper-{size}-bolt"))
            .with(format!("parts.nut.shape.name=paper-{size}-nut"));
        let reference = simulate("bolting-arm", &arguments, Some(Preset::Tight), is_audited, note)?;
        item.row(&force_row(size, Preset::Tight, &reference, &reference));
        for preset in [Preset::Refined, Preset::Textbook] {
            let run = simulate("bolting-arm", &arguments, Some(preset), is_audited, note)?;
            item.row(&force_row(size, preset, &run, &reference));
        }
    }
    item.note = "The arm of `bolting-arm` with the pair's parts. `paper` needs depth and C-space networks of each pair, which \
                 are not embedded: `tightfit train depth --table-2 --paper`. The force error is against `tight`."
        .into();
    Ok(item)
}
