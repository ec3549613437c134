//! `tightfit bench network`: how fast and how exact a network is evaluated, against what the core can do.
//!
//! Every round measures the rate of fused multiply-adds and right after it the network; the medians over the rounds
//! are reported, so that a busy machine or a changing clock spoils neither the one nor the other alone.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use serde_json::json;
use tightfit::network::{Activation, Inference, InferenceScratch, Network, Random, fused_multiply_add_rate};
use tightfit::spatial::InstructionSet;

use super::numbers::numbers;
use crate::output::{put, say};
use crate::table::Table;

#[derive(Args)]
pub(super) struct NetworkArguments {
    /// Points in a batch.
    #[arg(long, value_name = "COUNT", default_value_t = 1000)]
    points: usize,
    /// Sizes of the layers.
    #[arg(long, value_name = "SIZES", default_value = "3-64-64-64-1")]
    sizes: String,
    /// Rounds; the medians are reported.
    #[arg(long, value_name = "COUNT", default_value_t = 2000)]
    rounds: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &NetworkArguments) -> Result<ExitCode> {
    if arguments.points == 0 || arguments.rounds == 0 {
        bail!("--points and --rounds must be at least 1");
    }
    let network = random_network(&arguments.sizes)?;
    let mut measured = Vec::new();
    for path in InstructionSet::ALL.into_iter().rev().filter(|path| path.is_available()) {
        // the portable path has no vectors: a few rounds show as much
        let rounds =
            if path == InstructionSet::Portable { arguments.rounds.min(3) } else { arguments.rounds };
        measured.push(measure(&network, path, arguments.points, rounds)?);
    }
    let Some(best) = measured.first() else { bail!("no path is available") };
    if arguments.json {
        let mut all = best.json();
        all["sizes"] = json!(arguments.sizes);
        all["points"] = json!(arguments.points);
        all["paths"] = measured.iter().map(Measured::json).collect();
        say!("{}", serde_json::to_string_pretty(&all)?);
        return Ok(ExitCode::SUCCESS);
    }
    let mut table =
        Table::new(&["path", "ns per point", "GFLOP/s", "peak GFLOP/s", "% of peak", "value error"]);
    for path in &measured {
        table.row(vec![
            path.name(),
            format!("{:.1}", path.ns_per_point),
            format!("{:.1}", path.gflops),
            format!("{:.1}", path.peak_gflops),
            format!("{:.1}", 100.0 * path.fraction_of_peak),
            format!("{:.1e}", path.value_error),
        ]);
    }
    put!("{table}");
    Ok(ExitCode::SUCCESS)
}

/// What one path does.
struct Measured {
    path: InstructionSet,
    ns_per_point: f64,
    /// Operations per second [1e9/s] of value and gradient; a multiplication and an addition are two.
    gflops: f64,
    peak_gflops: f64,
    /// Median over the rounds of the network's rate against the peak of the same round [-].
    fraction_of_peak: f64,
    /// Largest error of a value against double precision, as a fraction of the range of the values [-].
    value_error: f64,
    /// Largest error of a gradient against the largest gradient [-], and how many points lie so near to a kink that
    /// their gradient belongs to its other side.
    gradient_error: f64,
    points_on_kinks: usize,
}

impl Measured {
    fn name(&self) -> String {
        format!("{:?}", self.path).to_lowercase()
    }

    fn json(&self) -> serde_json::Value {
        json!({
            "path": self.name(),
            "ns_per_point": self.ns_per_point,
            "gflops": self.gflops,
            "peak_gflops": self.peak_gflops,
            "fraction_of_peak": self.fraction_of_peak,
            "max_value_error_of_range": self.value_error,
            "max_gradient_error_of_largest": self.gradient_error,
            "points_on_kinks": self.points_on_kinks,
        })
    }
}

fn random_network(sizes: &str) -> Result<Network> {
    let remedy = "give numbers from 1 to 4096 with - between them that end in 1, such as 3-64-64-64-1";
    let text = sizes;
    let sizes: Vec<usize> =
        numbers(text, '-').map_err(|reason| anyhow!("--sizes is `{text}`: {reason}; {remedy}"))?;
    let fits = sizes.len() >= 2 && sizes.iter().all(|size| (1..=4096).contains(size));
    if !fits || sizes.last() != Some(&1) {
        bail!("--sizes is `{text}`; {remedy}");
    }
    Ok(Network::random(&sizes, Activation::Relu, Activation::Tanh, &mut Random::new(1))?)
}

fn measure(network: &Network, path: InstructionSet, points: usize, rounds: usize) -> Result<Measured> {
    let inference = Inference::with_instruction_set(network, path)?;
    let width = network.inputs();
    let mut random = Random::new(2);
    let inputs: Vec<f32> = (0..width * points).map(|_| random.uniform(-1.0, 1.0) as f32).collect();
    let (mut values, mut gradients) = (vec![0.0; points], vec![0.0; width * points]);
    let mut scratch = InferenceScratch::default();
    inference.values_and_gradients(&inputs, &mut values, &mut gradients, &mut scratch)?;
    let operations = 4.0 * network.multiplications() as f64 * points as f64;
    // the peak is measured for about as long as a batch takes
    let chain_rounds = (operations / 400.0).clamp(1e3, 1e6) as u32;
    let (mut seconds, mut peaks, mut fractions) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let peak = fused_multiply_add_rate(path, chain_rounds);
        let start = Instant::now();
        inference.values_and_gradients(&inputs, &mut values, &mut gradients, &mut scratch)?;
        let elapsed = start.elapsed().as_secs_f64();
        seconds.push(elapsed);
        peaks.push(peak);
        fractions.push(operations / elapsed / peak);
    }
    let seconds = median(&mut seconds);
    let errors = Errors::of(network, &inputs, &values, &gradients);
    Ok(Measured {
        path,
        ns_per_point: 1e9 * seconds / points as f64,
        gflops: 1e-9 * operations / seconds,
        peak_gflops: 1e-9 * median(&mut peaks),
        fraction_of_peak: median(&mut fractions),
        value_error: errors.value,
        gradient_error: errors.gradient,
        points_on_kinks: errors.on_kinks,
    })
}

/// Errors against double precision.
struct Errors {
    value: f64,
    gradient: f64,
    on_kinks: usize,
}

/// A gradient error above this belongs to a point whose sum was rounded across a kink.
const KINK: f64 = 1e-4;

impl Errors {
    fn of(network: &Network, inputs: &[f32], values: &[f32], gradients: &[f32]) -> Self {
        let points = values.len();
        let column = |point: usize| move |k: usize| k * points + point;
        let (mut low, mut high, mut largest) = (f64::INFINITY, f64::NEG_INFINITY, 0.0_f64);
        let (mut value_error, mut gradient_errors) = (0.0_f64, Vec::new());
        for (point, value) in values.iter().enumerate() {
            let at = column(point);
            let input: Vec<f64> = (0..network.inputs()).map(|k| f64::from(inputs[at(k)])).collect();
            let (truth, gradient) = network.reference(&input);
            (low, high) = (low.min(truth), high.max(truth));
            value_error = value_error.max((f64::from(*value) - truth).abs());
            largest = gradient.iter().fold(largest, |largest, g| largest.max(g.abs()));
            let error = |(k, g): (usize, &f64)| (f64::from(gradients[at(k)]) - g).abs();
            gradient_errors.push(gradient.iter().enumerate().map(error).fold(0.0, f64::max));
        }
        let range = (high - low).max(f64::MIN_POSITIVE);
        let largest = largest.max(f64::MIN_POSITIVE);
        let smooth = gradient_errors.iter().map(|error| error / largest).filter(|error| *error <= KINK);
        let on_kinks = gradient_errors.iter().filter(|error| **error / largest > KINK).count();
        Self { value: value_error / range, gradient: smooth.fold(0.0, f64::max), on_kinks }
    }
}

fn median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
