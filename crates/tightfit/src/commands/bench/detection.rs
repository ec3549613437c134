//! `tightfit bench detection`: time to find all penetrations, beside FCL in the same run.
//!
//! FCL and every method pass over a chunk of poses several times in turn, so that a busy machine affects all of them; the time
//! of a pose is the median over the passes. Poses are independent: nothing is reused from one to the next. All times are
//! processor times of the thread.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};

use super::detection_task::{Finder, Method, Row, TASKS, Task};
use super::fcl_process::{Fcl, FclProcess, REMEDY};
use super::gpu_detection;
use super::record::{machine, quantile};
use crate::cpu_clock::thread_micros;
use crate::output::{put, say};
use crate::progress;
use crate::table::Table;

/// Poses of a chunk.
const CHUNK: usize = 50;
/// What the processor measures unless told otherwise.
const USUAL_METHODS: [Method; 4] = [Method::Exact, Method::Baked, Method::Neural, Method::Mesh];
const USUAL_POSES: u64 = 1000;

#[derive(Args)]
pub(super) struct DetectionArguments {
    /// Measure these tasks: peg, nut.
    #[arg(value_name = "TASK", value_parser = ["peg", "nut"], default_values_t = ["peg", "nut"].map(String::from))]
    pub(super) tasks: Vec<String>,
    /// Measure these methods beside FCL, separated by commas [default: exact, baked, neural, mesh; with `--device` exact, neural-paper].
    #[arg(long, value_delimiter = ',', value_enum)]
    pub(super) methods: Vec<Method>,
    /// Use this many poses of a task, spread evenly over its 3000 [default: 1000, with `--device` all].
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=3000))]
    pub(super) poses: Option<u64>,
    /// Pass over the poses this often and report medians.
    #[arg(long, value_name = "COUNT", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(super) rounds: u64,
    /// Do not measure FCL.
    #[arg(long)]
    no_fcl: bool,
    /// Detect all poses in one batch on this device, `cuda:0`: poses per second, ratio to one core and to FCL, largest difference to the CPU's contacts.
    #[arg(long, value_name = "DEVICE")]
    device: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(arguments: &DetectionArguments) -> Result<ExitCode> {
    if let Some(device) = &arguments.device {
        return gpu_detection::run(arguments, device);
    }
    let fcl = compile_fcl(arguments);
    let mut measured = Vec::new();
    for task in TASKS.iter().filter(|task| arguments.tasks.iter().any(|name| name == task.name)) {
        measured.extend(measure(task, arguments, fcl.as_ref().ok())?);
    }
    if arguments.json {
        let why = fcl.as_ref().err();
        let all: Vec<Value> = measured.iter().map(|one| one.json(arguments.rounds, why)).collect();
        say!("{}", serde_json::to_string_pretty(&all)?);
        return Ok(ExitCode::SUCCESS);
    }
    print(&measured)?;
    if let Err(reason) = &fcl {
        say!("FCL: {reason}");
    }
    say!("\n{}; medians of {} passes", machine(), arguments.rounds);
    Ok(ExitCode::SUCCESS)
}

/// FCL's program, or why there is none.
pub(super) fn compile_fcl(arguments: &DetectionArguments) -> Result<Fcl, String> {
    match arguments.no_fcl {
        true => Err("not asked for".to_string()),
        false => Fcl::compile().map_err(|error| format!("{error:#}; {REMEDY}")),
    }
}

/// Indices of poses that are spread evenly, and how far apart they are.
pub(super) fn chosen(all: usize, poses: u64) -> (Vec<usize>, usize) {
    let stride = (all / poses as usize).max(1);
    ((0..all).step_by(stride).take(poses as usize).collect(), stride)
}

/// Times of a method on a task [us].
struct Measured {
    task: &'static str,
    method: Method,
    /// One a pose.
    times: Vec<f64>,
    /// FCL's, one a pose; none without it.
    fcl_times: Vec<f64>,
    /// Mean number of FCL's contacts.
    fcl_contacts: f64,
    /// Nodes of both parts, or triangles.
    asked: usize,
    /// Mean number found.
    found: f64,
    /// |deepest found − deepest exact distance of the same nodes| of every pose [um].
    errors: Vec<f64>,
    /// Poses where as many nodes are found.
    same_count: usize,
    /// |deepest found − recorded| of every pose [um].
    deviations: Vec<f64>,
}

/// A method at work.
struct Trial {
    finder: Finder,
    measured: Measured,
}

fn measure(task: &'static Task, arguments: &DetectionArguments, fcl: Option<&Fcl>) -> Result<Vec<Measured>> {
    let rows = task.rows()?;
    if rows.is_empty() {
        bail!("{} has no poses", task.name);
    }
    let (chosen, stride) = chosen(rows.len(), arguments.poses.unwrap_or(USUAL_POSES));
    let mut trials = Vec::new();
    let methods = if arguments.methods.is_empty() { &USUAL_METHODS[..] } else { &arguments.methods };
    for &method in methods {
        let bar = progress::bar(&format!("{}: preparing {}", task.name, method.name()));
        let finder = task.finder(method, &|share| progress::set(&bar, share))?;
        bar.finish_and_clear();
        trials.push(Trial::new(task.name, method, finder));
    }
    let mut fcl = fcl.map(|fcl| fcl.start(task)).transpose()?;
    let (mut fcl_times, mut fcl_contacts) = (Vec::new(), 0);
    let bar = progress::bar(&format!("{}: all penetrations", task.name));
    let rounds = arguments.rounds as usize;
    for (index, chunk) in chosen.chunks(CHUNK).enumerate() {
        if let Some(fcl) = &mut fcl {
            let (times, contacts) = pass_fcl(fcl, chunk, stride, rounds)?;
            fcl_times.extend(times);
            fcl_contacts += contacts;
        }
        for trial in &mut trials {
            trial.pass(&rows, chunk, rounds);
        }
        progress::set(&bar, (index * CHUNK) as f64 / chosen.len() as f64);
    }
    bar.finish_and_clear();
    let finish = |trial: Trial| Measured {
        fcl_times: fcl_times.clone(),
        fcl_contacts: fcl_contacts as f64 / chosen.len() as f64,
        found: trial.measured.found / chosen.len() as f64,
        ..trial.measured
    };
    Ok(trials.into_iter().map(finish).collect())
}

/// Times of FCL over a chunk [us], and the number of its contacts.
fn pass_fcl(
    fcl: &mut FclProcess,
    chunk: &[usize],
    stride: usize,
    rounds: usize,
) -> Result<(Vec<f64>, usize)> {
    let first = chunk.first().copied().unwrap_or(0);
    let passes: Vec<Vec<(f64, usize)>> =
        (0..rounds).map(|_| fcl.measure(first, chunk.len(), stride)).collect::<Result<_>>()?;
    let time = |pose: usize| quantile(passes.iter().map(|pass| pass[pose].0).collect(), 0.5);
    let contacts = passes[0].iter().map(|query| query.1).sum();
    Ok(((0..chunk.len()).map(time).collect(), contacts))
}

/// Mean time of FCL at some poses [us].
pub(super) fn mean_of_fcl(
    fcl: &Fcl,
    task: &Task,
    poses: &[usize],
    stride: usize,
    rounds: u64,
) -> Result<f64> {
    let (mut process, mut times) = (fcl.start(task)?, Vec::new());
    for chunk in poses.chunks(CHUNK) {
        times.extend(pass_fcl(&mut process, chunk, stride, rounds as usize)?.0);
    }
    Ok(mean(&times))
}

impl Trial {
    fn new(task: &'static str, method: Method, finder: Finder) -> Self {
        let asked = finder.asked();
        let measured = Measured {
            task,
            method,
            times: Vec::new(),
            fcl_times: Vec::new(),
            fcl_contacts: 0.0,
            asked,
            found: 0.0,
            errors: Vec::new(),
            same_count: 0,
            deviations: Vec::new(),
        };
        Self { finder, measured }
    }

    /// Passes over a chunk, and once more to inspect the results.
    fn pass(&mut self, rows: &[Row], chunk: &[usize], rounds: usize) {
        let mut times = vec![Vec::with_capacity(rounds); chunk.len()];
        for _ in 0..rounds {
            for (own, &index) in times.iter_mut().zip(chunk) {
                let start = thread_micros();
                self.finder.find(&rows[index].fixed_from_moving);
                own.push(thread_micros() - start);
            }
        }
        self.measured.times.extend(times.into_iter().map(|times| quantile(times, 0.5)));
        for &index in chunk {
            let row = &rows[index];
            self.finder.find(&row.fixed_from_moving);
            let (depth, count) = self.finder.found();
            self.measured.found += count as f64;
            self.measured.deviations.push((depth - row.depth).abs() * 1e6);
            if let Some((true_depth, true_count)) = self.finder.truth(&row.fixed_from_moving) {
                self.measured.errors.push((depth - true_depth).abs() * 1e6);
                self.measured.same_count += usize::from(count == true_count);
            }
        }
    }
}

impl Measured {
    fn mean(&self) -> f64 {
        mean(&self.times)
    }

    fn fcl_mean(&self) -> Option<f64> {
        (!self.fcl_times.is_empty()).then(|| mean(&self.fcl_times))
    }

    fn json(&self, rounds: u64, why: Option<&String>) -> Value {
        let fcl = self.fcl_mean();
        let of_fcl = |share: f64| fcl.map(|_| quantile(self.fcl_times.clone(), share));
        json!({
            "task": self.task,
            "method": self.method.name(),
            "mean_us": self.mean(),
            "median_us": quantile(self.times.clone(), 0.5),
            "max_us": quantile(self.times.clone(), 1.0),
            "fcl_mean_us": fcl,
            "fcl_median_us": of_fcl(0.5),
            "fcl_max_us": of_fcl(1.0),
            "speedup": fcl.map(|fcl| fcl / self.mean()),
            "asks": self.method.asks(),
            "asked": self.asked,
            "found_mean": self.found,
            "fcl_contacts_mean": fcl.map(|_| self.fcl_contacts),
            "depth_error_um": spread(&self.errors),
            "same_count_poses": (!self.errors.is_empty()).then_some(self.same_count),
            "depth_from_recorded_um": spread(&self.deviations),
            "poses": self.times.len(),
            "rounds": rounds,
            "fcl": why.map_or("FCL BVHModel<OBBRSSd>, all contacts, one thread, -O3 -march=native", |why| why),
            "machine": machine(),
        })
    }
}

/// Median, 99 % and largest; `None` without values.
fn spread(numbers: &[f64]) -> Option<Value> {
    let at = |share: f64| quantile(numbers.to_vec(), share);
    (!numbers.is_empty()).then(|| json!({ "median": at(0.5), "p99": at(0.99), "max": at(1.0) }))
}

fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

fn print(measured: &[Measured]) -> Result<()> {
    let mut table = Table::new(&[
        "task",
        "method",
        "mean us",
        "median us",
        "longest us",
        "FCL mean us",
        "times faster",
        "asked",
        "found",
        "same nodes found",
        "depth error um: 99 %",
        "worst",
        "from recorded: 99 %",
        "worst",
    ]);
    for one in measured {
        let fcl = one.fcl_mean();
        let optional = |value: Option<f64>| value.map_or("-".into(), |value| format!("{value:.1}"));
        let at = |numbers: &[f64], share: f64| match numbers {
            [] => "-".into(),
            _ => format!("{:.3}", quantile(numbers.to_vec(), share)),
        };
        table.row(vec![
            one.task.into(),
            one.method.name().into(),
            format!("{:.1}", one.mean()),
            format!("{:.1}", quantile(one.times.clone(), 0.5)),
            format!("{:.1}", quantile(one.times.clone(), 1.0)),
            optional(fcl),
            optional(fcl.map(|fcl| fcl / one.mean())),
            one.asked.to_string(),
            format!("{:.1}", one.found),
            match one.errors[..] {
                [] => "-".into(),
                _ => format!("{} of {}", one.same_count, one.times.len()),
            },
            at(&one.errors, 0.99),
            at(&one.errors, 1.0),
            at(&one.deviations, 0.99),
            at(&one.deviations, 1.0),
        ]);
    }
    put!("{table}");
    say!("");
    let mut methods: Vec<Method> = Vec::new();
    for one in measured {
        if !methods.contains(&one.method) {
            methods.push(one.method);
            say!("{}: {}", one.method.name(), one.method.asks());
        }
    }
    say!("same nodes found, depth error: against every node by itself and its exact distance");
    say!(
        "from recorded: deepest penetration against the benchmark's column: round parts for the peg, meshes for the nut"
    );
    Ok(())
}
