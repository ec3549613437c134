//! `tightfit bench batch --device cuda:0`: the same environments on a graphics processor.
//!
//! Rates are medians over the rounds. Beside them: the steps that the host took, by reason, and an audit of sampled poses.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use rayon::prelude::*;
use serde_json::{Value, json};
use tightfit::gpu::{Device, GpuBatch, GpuError};
use tightfit::scene::batch::Setup;
use tightfit::scene::{Audit, Scene};

use super::batch::BatchArguments;
use super::record::{machine, quantile};
use crate::output::say;
use crate::progress;

/// Poses of a scene that are audited.
const AUDITED: usize = 64;

/// A device by its name, such as `cuda:0`; `host:` and a library made from the kernels is for tests.
pub(super) fn device(name: &str) -> Result<Device> {
    if let Some(library) = name.strip_prefix("host:") {
        return Ok(Device::Host(library.into()));
    }
    let number = name.strip_prefix("cuda").map(|rest| rest.trim_start_matches(':'));
    let number = match number {
        Some("") => Some(0),
        Some(digits) => digits.parse().ok(),
        None => None,
    };
    number.map(Device::Cuda).with_context(|| format!("--device {name}: there are `cuda` and `cuda:<number>`"))
}

/// Measures the scenes; without a usable device it says so and returns 2.
pub(super) fn run(
    arguments: &BatchArguments,
    name: &str,
    setup: impl Fn(&Scene, usize) -> Result<Setup>,
) -> Result<ExitCode> {
    let device = device(name)?;
    let mut measured = Vec::new();
    for scene in &arguments.scenes {
        let scene = Scene::find_with(scene, &arguments.set)?;
        let Some(batch) = usable(GpuBatch::new(scene, arguments.environments, &device))? else {
            return Ok(ExitCode::from(2));
        };
        measured.push(measure(batch, arguments, &setup)?);
    }
    if arguments.json {
        say!("{}", serde_json::to_string_pretty(&measured)?);
    } else {
        measured.iter().try_for_each(print)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// `None` and a printed reason where the device cannot be used.
#[allow(clippy::print_stderr, reason = "the message of a program")]
pub(super) fn usable<T>(made: Result<T, GpuError>) -> Result<Option<T>> {
    match made {
        Ok(made) => Ok(Some(made)),
        Err(
            error @ (GpuError::NoDriver
            | GpuError::NoCompiler { .. }
            | GpuError::Driver(_)
            | GpuError::Memory { .. }
            | GpuError::Unsupported { .. }),
        ) => {
            eprintln!("error: {error}");
            Ok(None)
        }
        Err(error) => bail!(error),
    }
}

fn measure(
    mut batch: GpuBatch,
    arguments: &BatchArguments,
    setup: &impl Fn(&Scene, usize) -> Result<Setup>,
) -> Result<Value> {
    let (count, steps) = (batch.len(), arguments.steps);
    let bar = progress::bar(&format!("{}: {count} environments", batch.scene().name));
    let setups: Vec<Setup> = (0..count).map(|index| setup(batch.scene(), index)).collect::<Result<_>>()?;
    batch.reset_many(setups.iter().cloned().enumerate().collect())?;
    batch.advance(arguments.warm_up)?;
    let before = batch.tail();
    let mut seconds = Vec::new();
    for round in 0..arguments.rounds {
        progress::set(&bar, (round + 1) as f64 / (arguments.rounds + 1) as f64);
        let clock = Instant::now();
        match arguments.meet {
            true => (0..steps).try_for_each(|_| batch.step())?,
            false => batch.advance(steps)?,
        }
        seconds.push(clock.elapsed().as_secs_f64());
    }
    let tail = batch.tail();
    let places: Vec<usize> =
        (0..AUDITED.min(count)).map(|place| place * count / AUDITED.min(count)).collect();
    let (states, scene) = (batch.states(&places)?, batch.scene());
    let depths = places.par_iter().zip(&states).map(|(place, state)| {
        let parameters = &setups[*place].parameters;
        Audit::new(scene, parameters).penetration(scene, parameters, state)
    });
    let deepest = depths.reduce(|| 0.0, f64::max);
    bar.finish_and_clear();
    Ok(json!({
        "scene": scene.name,
        "device": batch.device_name(),
        "environments": count,
        "env_steps_per_s": (count * steps) as f64 / quantile(seconds, 0.5),
        "steps": tail.steps - before.steps,
        "steps_by_host": tail.host_steps() - before.host_steps(),
        "host_reasons": tail.by_reason.iter().map(|(reason, count)| json!({ "reason": reason, "steps": count })).collect::<Vec<_>>(),
        "unconverged": tail.unconverged - before.unconverged,
        "audited_poses": places.len(),
        "audited_penetration_um": 1e6 * deepest,
        "bytes_per_environment": batch.environment_bytes(),
        "faults": batch.faults().count(),
        "machine": machine(),
    }))
}

fn print(measured: &Value) -> Result<()> {
    let number = |name: &str| measured[name].as_f64().unwrap_or_default();
    let text = |name: &str| measured[name].as_str().unwrap_or_default().to_string();
    say!(
        "{}: {:.3} million environment steps per second, {} environments of {} bytes",
        text("scene"),
        number("env_steps_per_s") / 1e6,
        number("environments"),
        number("bytes_per_environment")
    );
    say!("  {}", text("device"));
    say!(
        "  {} of {} steps were taken by the host, {} did not converge, {} environments frozen",
        number("steps_by_host"),
        number("steps"),
        number("unconverged"),
        number("faults")
    );
    for own in measured["host_reasons"].as_array().into_iter().flatten() {
        say!("    {}: {}", own["reason"].as_str().unwrap_or_default(), own["steps"]);
    }
    say!("  audit of {} poses: at most {:.3} um", number("audited_poses"), number("audited_penetration_um"));
    Ok(())
}
