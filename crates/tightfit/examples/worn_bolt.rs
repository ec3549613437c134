//! The deciding experiment of a calibration: one worn bolt whose drawing is wrong, in the hand of a person.
//!
//! ```text
//! truth     M48x5 nut on a bolt of 47.6 mm, waviness of 6 um and flanks worn by up to 30 um, held by 4e4 N/m and 90 N·m/rad
//! drawing   48 mm, not worn; hold not told (1e5 N/m, 200 N·m/rad assumed)
//! data      20 trials, 14 to fit, 6 unseen; the fingerprint is printed before anything is fitted
//! ```
//!
//! `cargo run --release --example worn_bolt -- [trials] [seconds] [seed] [folder for checkpoints]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints its results")]

use std::path::PathBuf;

use anyhow::{Context, Result};
use tightfit::calibration::{
    Experiment, Fit, FitOptions, Follower, Prediction, Quantity, Setup, Solution, Unknown, WearChart,
};
use tightfit::interaction_training::virtual_experiment::{Disturbance, VirtualOptions, generate};
use tightfit::interaction_training::wrench::WrenchErrors;
use tightfit::learning::identification::HoldingSpring;
use tightfit::learning::recordings::{Recording, fingerprint, split_trials};
use tightfit::scene::{GapChart, GapField, Scene};
use tightfit::spatial::Vector3;

const TRUE_HOLD: [f64; 2] = [4e4, 90.0];
const DIAMETERS_MM: [f64; 2] = [48.0, 47.6];

fn main() -> Result<()> {
    let number = |place: usize, otherwise: f64| {
        std::env::args().nth(place).and_then(|own| own.parse::<f64>().ok()).unwrap_or(otherwise)
    };
    let (trials, seconds, seed) = (number(1, 20.0) as usize, number(2, 10.0), number(3, 1.0) as u64);
    let drawing = Scene::find("bolting-engaged")?;
    let explicit = Experiment::new(&drawing, 0.01)?;
    let mut truth = Scene::from_source_with(
        &explicit.source,
        "worn bolt",
        &[format!("parts.bolt.shape.diameter_mm={}", DIAMETERS_MM[1])],
    )?;
    let field = worn().context("a field")?;
    let bolt = truth.body("bolt").context("a bolt")?;
    truth.bodies[bolt].gap_field = Some(std::sync::Arc::new(field.clone()));
    let options = VirtualOptions { seed, seconds, grasp: TRUE_HOLD, ..VirtualOptions::default() }
        .without(Disturbance::Waviness);
    let all = generate(&truth, &options, trials, || ())?;
    println!("{trials} trials of {seconds} s, fingerprint {:016x}", fingerprint(&all));
    let split = split_trials(&vec![""; all.len()], 1);
    let of = |places: &[usize]| -> Vec<Recording> { places.iter().map(|k| all[*k].clone()).collect() };
    let (train, test) = (of(&split.train), of(&split.test));
    println!("{} to fit, {} unseen\n", train.len(), test.len());

    let mut told = Experiment::new(&drawing, 0.01)?;
    told.spring = HoldingSpring::settling([TRUE_HOLD[0]; 3], [TRUE_HOLD[1]; 3], 0.01);
    let words = |list: &str| list.split(',').map(String::from).collect::<Vec<_>>();
    let sizes = words("bolt.diameter,stiffness,friction,delay");
    let with_wear = words("bolt.diameter,stiffness,friction,bolt.wear,delay");
    println!("| model | test force error [N] | torque [N·m] | of nominal |\n|---|---|---|---|");
    let nominal = errors(&explicit, &[], None, &[], &test)?;
    let row = |name: &str, own: &WrenchErrors| {
        println!("| {name} | {:.3} | {:.4} | {:.3} |", own.force, own.torque, own.force / nominal.force);
    };
    row("nominal", &nominal);
    let folder = std::env::args_os().nth(4).map(PathBuf::from);
    let checkpoint = |name: &str| folder.as_ref().map(|own| own.join(format!("{name}-{seed}.checkpoint")));
    let plain = solve(&explicit, &sizes, &train, checkpoint("dimensions"))?;
    row("dimensions only", &errors_of(&explicit, &plain, &test)?);
    let full = solve(&explicit, &with_wear, &train, checkpoint("field"))?;
    row("dimensions + field", &errors_of(&explicit, &full, &test)?);
    // everything told: true size, true wear, true hold
    let mut true_source = told.clone();
    true_source.scene.bodies[bolt].part = truth.bodies[bolt].part.clone();
    true_source.scene.bodies[bolt].gap_field = truth.bodies[bolt].gap_field.clone();
    row("all told", &errors(&true_source, &[], None, &[], &test)?);
    for (name, constant) in [("zero", [0.0; 6]), ("training mean", mean(&train))] {
        let pairs: Vec<[f64; 6]> = test.iter().flat_map(|own| &own.samples).map(measured).collect();
        row(name, &WrenchErrors::of(pairs.iter().map(|own| (&constant, own))));
    }
    println!("| (measured) | {:.3} | {:.4} | |\n", nominal.measured[0], nominal.measured[1]);
    for (name, solution) in [("dimensions only", &plain), ("dimensions + field", &full)] {
        println!(
            "{name}: {} iterations, spread {:.3} N, correlated over {:.1} samples",
            solution.iterations, solution.spread, solution.correlation_time
        );
        for own in solution.quantities() {
            let refused = own.refusal.as_deref().unwrap_or("");
            println!(
                "  {}: {:.6e} ({:.6e} to {:.6e}) {refused}",
                own.unknown.quantity.name(),
                own.value,
                own.range[0],
                own.range[1]
            );
        }
    }
    compare(&full, &field);
    Ok(())
}

/// Waviness all around, and wear of both flanks that is deepest on one side and half way up.
fn worn() -> Option<GapField> {
    let chart = GapChart { axial: [0.0, 40e-3], angles: 36, heights: 43 };
    GapField::sampled(chart, |side, angle, z| {
        let wave = 4e-6 * f64::sin(2.0 * angle + 150.0 * z + 0.7) + 4e-6 * f64::cos(angle - 260.0 * z);
        let along = f64::exp(-((z - 30e-3) / 7e-3_f64).powi(2) / 2.0);
        let around = 0.5 * (1.0 + f64::cos(angle - 1.1));
        let wear = match side {
            0 => 30e-6 * along * around,
            1 => 18e-6 * along * 0.5 * (1.0 + f64::cos(angle - 3.0)),
            _ => 0.0,
        };
        wave + wear
    })
}

fn solve(
    experiment: &Experiment,
    words: &[String],
    train: &[Recording],
    checkpoint: Option<PathBuf>,
) -> Result<Solution> {
    let (unknowns, wear) = experiment.unknowns(words, train, [None, None])?;
    let fit =
        Fit::new(experiment, unknowns, wear, train, FitOptions { checkpoint, ..FitOptions::default() })?;
    let clock = std::time::Instant::now();
    Ok(fit.solve(|now| eprintln!("  {:.0} s: {now:?}", clock.elapsed().as_secs_f64()))?)
}

fn errors_of(experiment: &Experiment, solution: &Solution, test: &[Recording]) -> Result<WrenchErrors> {
    let unknowns: Vec<Unknown> = solution.estimates.iter().map(|own| own.unknown.clone()).collect();
    errors(experiment, &unknowns, solution.wear, &solution.coordinates, test)
}

fn errors(
    experiment: &Experiment,
    unknowns: &[Unknown],
    wear: Option<WearChart>,
    x: &[f64],
    test: &[Recording],
) -> Result<WrenchErrors> {
    let setup = Setup::new(experiment, unknowns, wear, x, false)?;
    let follow = |trial: &Recording| Follower::default().follow(experiment, &setup, 0, trial);
    let all: Vec<Prediction> = test.iter().flat_map(follow).collect();
    Ok(WrenchErrors::of(all.iter().map(|own| (&own.wrench, &own.measured))))
}

fn measured(sample: &tightfit::learning::recordings::Sample) -> [f64; 6] {
    let (f, t) = (sample.force, sample.torque);
    [f.x, f.y, f.z, t.x, t.y, t.z]
}

fn mean(trials: &[Recording]) -> [f64; 6] {
    let all: Vec<[f64; 6]> = trials.iter().flat_map(|own| &own.samples).map(measured).collect();
    std::array::from_fn(|axis| all.iter().map(|own| own[axis]).sum::<f64>() / all.len() as f64)
}

/// Size and wear of the fit against the truth, both as associated by least squares over the contacts: ISO 14405-1 (GG).
fn compare(solution: &Solution, truth: &GapField) {
    let value = |point: &Vector3<f64>, normal: &Vector3<f64>| truth.value(point, normal);
    let total: f64 = solution.touched.iter().map(|own| own.weight).sum();
    let sum = |of: &dyn Fn(&tightfit::calibration::Touched) -> f64| -> f64 {
        solution.touched.iter().map(|own| own.weight * of(own)).sum()
    };
    let square = sum(&|own| own.slopes[0] * own.slopes[0]);
    let shift = sum(&|own| own.slopes[0] * value(&own.point, &own.normal)) / square;
    let size = DIAMETERS_MM[1] * 1e-3 + shift;
    let Some(found) =
        solution.quantities().find(|own| matches!(own.unknown.quantity, Quantity::Dimension { .. }))
    else {
        return;
    };
    println!(
        "\ndiameter: {:.4} mm, {:.4} to {:.4}; truth {:.4} mm as drawn, {:.4} mm associated with the worn surface; error {:.2} um",
        found.value * 1e3,
        found.range[0] * 1e3,
        found.range[1] * 1e3,
        DIAMETERS_MM[1],
        size * 1e3,
        (found.value - size) * 1e6
    );
    let rest = |own: &tightfit::calibration::Touched| value(&own.point, &own.normal) - shift * own.slopes[0];
    let error = (sum(&|own| (own.wear[0] - rest(own)).powi(2)) / total).sqrt();
    let size = (sum(&|own| rest(own).powi(2)) / total).sqrt();
    let within = sum(&|own| f64::from((own.wear[0] - rest(own)).abs() <= 1.96 * own.wear[1])) / total;
    println!(
        "wear where contact was made: {:.2} um rms, error {:.2} um rms ({:.0} %), inside its 95 % range at {:.0} % of the places",
        size * 1e6,
        error * 1e6,
        100.0 * error / size,
        100.0 * within
    );
}
