//! `tightfit evaluate` on a scene with an arm: the complete simulation, from the scene's start, against recorded runs.

use std::process::ExitCode;

use anyhow::{Result, bail};
use rayon::prelude::*;
use serde_json::json;
use tightfit::interaction_training::wrench::{Moments, WrenchErrors, complete_run, measured_run};
use tightfit::learning::recordings::Recording;
use tightfit::report::{EvaluatedMethod, evaluation_html};
use tightfit::scene::{Preset, Scene};

use super::evaluate::{EvaluateArguments, curves_csv, mean_wrench, table};
use crate::commands::output_file::write_text;
use crate::output;
use crate::progress;

pub(super) fn run(arguments: &EvaluateArguments, scene: &Scene) -> Result<ExitCode> {
    if arguments.trained.is_some() {
        bail!(
            "--trained is for a part without an arm; name the network in the scene file (`interaction`) instead"
        );
    }
    let (train, mut chosen, fingerprint) = arguments.recorded.whole_trials()?;
    let mean = mean_wrench(&train);
    if arguments.all_trials || chosen.is_empty() {
        chosen.extend(train);
    }
    let runs: Vec<Moments> = chosen.iter().map(measured_run).collect();
    let presets = match arguments.preset.is_empty() {
        true => vec![Preset::Tight, Preset::Refined, Preset::Paper, Preset::Textbook],
        false => arguments.preset.clone(),
    };
    let bar = progress::bar("complete simulation");
    let (mut evaluated, mut curves) = (Vec::new(), Vec::new());
    for (index, preset) in presets.iter().enumerate() {
        bar.set_message(format!("complete simulation by {}", preset.name()));
        let replaced = [format!("method.preset={}", preset.name())];
        let own = Scene::from_source_with(&scene.source, &scene.name, &replaced)?;
        let trial = |trial: &Recording| complete_run(&own, own.methods, trial);
        let predicted: Vec<Vec<[f64; 6]>> = chosen.par_iter().map(trial).collect();
        evaluated.push(judged(preset.name(), &predicted, &runs));
        curves.push((preset.name(), predicted));
        progress::set(&bar, (index + 1) as f64 / presets.len() as f64);
    }
    bar.finish_and_clear();
    for (name, constant) in [("zero", Some([0.0; 6])), ("mean of the training trials", mean)] {
        let Some(constant) = constant else { continue };
        let predicted: Vec<_> = runs.iter().map(|own| vec![constant; own.measured.len()]).collect();
        evaluated.push(judged(name, &predicted, &runs));
    }
    let words = format!(
        "{} trials of recordings {fingerprint}; each simulated from the start of the scene, arm included",
        runs.len()
    );
    if let Some(path) = &arguments.curves {
        write_text(path, &curves_csv(&runs, &curves))?;
    }
    if let (Some(path), Some(first)) = (&arguments.report, runs.first()) {
        write_text(path, &evaluation_html(&scene.name, &words, first, &evaluated))?;
    }
    let text = match arguments.json {
        true => {
            let methods: Vec<_> =
                evaluated.iter().map(|own| json!({ "name": own.name, "errors": own.errors })).collect();
            let report = json!({
                "scene": scene.name, "recordings": fingerprint, "complete_simulation": true,
                "trials": runs.iter().map(|own| &own.trial).collect::<Vec<_>>(), "methods": methods,
            });
            serde_json::to_string_pretty(&report)? + "\n"
        }
        false => format!("{}\n{words}\n", table(&evaluated)),
    };
    output::write(format_args!("{text}"))?;
    Ok(ExitCode::SUCCESS)
}

fn judged(name: &'static str, predicted: &[Vec<[f64; 6]>], runs: &[Moments]) -> EvaluatedMethod {
    let measured = runs.iter().flat_map(|own| &own.measured);
    EvaluatedMethod {
        name,
        errors: WrenchErrors::of(predicted.iter().flatten().zip(measured)),
        from_all: None,
        curve: predicted.first().cloned().unwrap_or_default(),
    }
}
