//! `tightfit bench detection --device cuda:0`: all poses of a task in one batch on a graphics processor.
//!
//! A round copies the poses to the device, detects the contacts of all of them, and copies number and smallest gap of every pose
//! back; then one core of the processor takes the same poses by the same method. Beside the rates: FCL's on one core, and the
//! largest difference to the processor's contacts.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tightfit::gpu::{Device, PoseDetection};
use tightfit::spatial::Pose;

use super::contact_difference::largest_difference;
use super::detection::{DetectionArguments, chosen, compile_fcl, mean_of_fcl};
use super::detection_task::{Finder, Method, NodeFinder, OPTIONS, TASKS, Task};
use super::fcl_process::Fcl;
use super::gpu_batch::{device, usable};
use super::record::{machine, quantile};
use crate::cpu_clock::thread_micros;
use crate::output::{put, say};
use crate::table::Table;

/// What runs on a device.
const METHODS: [Method; 2] = [Method::Exact, Method::NeuralPaper];

/// Largest difference of a gap from the processor's [m]; a contact that only one of them has differs by its whole gap. Networks have
/// coordinates and sums in single precision, of which one unit is up to 5 nm.
fn tolerance(method: Method) -> f64 {
    if method == Method::Exact { 1e-12 } else { 50e-9 }
}

/// What other records have for a task.
struct Recorded {
    task: &'static str,
    /// FCL's mean time of a pose [us].
    fcl_us: f64,
    /// How many times faster than FCL the paper is (its Table I, mean times).
    paper: f64,
}

const RECORDED: [Recorded; 2] = [
    Recorded { task: "peg", fcl_us: 2460.0, paper: 8.2 },
    Recorded { task: "nut", fcl_us: 8023.0, paper: 21.0 },
];
/// Where FCL's times are recorded.
const RECORD: &str = "recorded in experiments/peers/README.md";

/// Measures the tasks. Returns 2 without a usable device, and 1 where contacts differ from those of the processor.
pub(super) fn run(arguments: &DetectionArguments, name: &str) -> Result<ExitCode> {
    let device = device(name)?;
    let methods = if arguments.methods.is_empty() { &METHODS[..] } else { &arguments.methods };
    if let Some(method) = methods.iter().find(|method| !METHODS.contains(method)) {
        bail!(
            "--methods {}: with --device there are exact and neural-paper; leave --device out",
            method.name()
        );
    }
    let mut fcl = None;
    let mut measured = Vec::new();
    for task in TASKS.iter().filter(|task| arguments.tasks.iter().any(|name| name == task.name)) {
        let mut fcl_us = None;
        for &method in methods {
            let Finder::Nodes(finder) = task.finder(method, &|_| {})? else { continue };
            let Some(trial) = Trial::open(task, method, finder, &device)? else {
                return Ok(ExitCode::from(2));
            };
            // a missing device is reported before anything is compiled
            let fcl = fcl.get_or_insert_with(|| compile_fcl(arguments));
            let own = trial.measure(arguments, fcl.as_ref().ok(), fcl_us)?;
            fcl_us = Some(own.fcl_us);
            measured.push(own);
        }
    }
    if arguments.json {
        let all: Vec<Value> = measured.iter().map(|one| one.json(arguments.rounds)).collect();
        say!("{}", serde_json::to_string_pretty(&all)?);
    } else {
        print(&measured)?;
        say!("\n{}; medians of {} rounds", machine(), arguments.rounds);
    }
    let agree = measured.iter().all(|one| one.difference.largest <= tolerance(one.method));
    Ok(if agree { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One task on the device and on the processor.
struct Trial {
    task: &'static Task,
    method: Method,
    finder: Box<NodeFinder>,
    detection: PoseDetection,
}

/// How contacts on the device differ from those on the processor.
#[derive(Clone, Copy, Default)]
struct Difference {
    /// Largest difference of a gap [m].
    largest: f64,
    /// Poses with other numbers of contacts.
    counts: usize,
}

struct Measured {
    task: &'static Task,
    method: Method,
    device: String,
    poses: usize,
    /// Mean number of contacts.
    found: f64,
    /// Time of the whole batch on the device [s].
    batch_s: f64,
    /// Mean time of a pose on one core, and of FCL [us].
    core_us: f64,
    fcl_us: f64,
    /// Where FCL's time comes from.
    fcl_source: &'static str,
    difference: Difference,
}

impl Trial {
    /// `None` and a printed reason without a usable device.
    fn open(
        task: &'static Task,
        method: Method,
        finder: Box<NodeFinder>,
        device: &Device,
    ) -> Result<Option<Self>> {
        let (parts, nodes) = (finder.moving_and_fixed(), finder.positions());
        let detection = match finder.networks() {
            Some(networks) => PoseDetection::with_networks(parts, nodes, networks, device),
            None => PoseDetection::new(parts, nodes, device),
        };
        Ok(usable(detection)?.map(|detection| Self { task, method, finder, detection }))
    }

    /// `fcl_us` is FCL's time where this run has measured it.
    fn measure(
        mut self,
        arguments: &DetectionArguments,
        fcl: Option<&Fcl>,
        fcl_us: Option<f64>,
    ) -> Result<Measured> {
        let rows = self.task.rows()?;
        let (indices, stride) = chosen(rows.len(), arguments.poses.unwrap_or(rows.len() as u64));
        let poses: Vec<Pose> = indices.iter().map(|index| rows[*index].fixed_from_moving).collect();
        let margin = OPTIONS.margin;
        // memory is allocated in the first call
        self.detection.detect(&poses, margin)?;
        let (mut batch, mut core) = (Vec::new(), Vec::new());
        for _ in 0..arguments.rounds {
            let clock = Instant::now();
            self.detection.detect(&poses, margin)?;
            batch.push(clock.elapsed().as_secs_f64());
            let start = thread_micros();
            poses.iter().for_each(|pose| self.finder.find(pose));
            core.push((thread_micros() - start) / poses.len() as f64);
        }
        let (difference, found) = self.compare(&poses)?;
        let recorded = RECORDED.iter().find(|one| one.task == self.task.name).context("no record")?;
        let (fcl_us, fcl_source) = match fcl {
            Some(fcl) => {
                let measure = || mean_of_fcl(fcl, self.task, &indices, stride, arguments.rounds);
                (fcl_us.map_or_else(measure, Ok)?, "measured in this run")
            }
            None => (recorded.fcl_us, RECORD),
        };
        Ok(Measured {
            task: self.task,
            method: self.method,
            device: self.detection.device_name(),
            poses: poses.len(),
            found: found as f64 / poses.len() as f64,
            batch_s: quantile(batch, 0.5),
            core_us: quantile(core, 0.5),
            fcl_us,
            fcl_source,
            difference,
        })
    }

    /// Compares all contacts at all poses; their number.
    fn compare(&mut self, poses: &[Pose]) -> Result<(Difference, usize)> {
        let (mut difference, mut found) = (Difference::default(), 0);
        for (index, pose) in poses.iter().enumerate() {
            let own = self.detection.contacts(index)?;
            self.finder.find(pose);
            let contacts = self.finder.contacts();
            difference.largest = difference.largest.max(largest_difference(own, contacts));
            difference.counts += usize::from(self.detection.summary(index).count() != contacts.len());
            found += contacts.len();
        }
        Ok((difference, found))
    }
}

impl Measured {
    fn rate(&self) -> f64 {
        self.poses as f64 / self.batch_s
    }

    fn times_core(&self) -> f64 {
        self.rate() * self.core_us * 1e-6
    }

    fn times_fcl(&self) -> f64 {
        self.rate() * self.fcl_us * 1e-6
    }

    /// How many times faster than FCL the paper is.
    fn paper(&self) -> f64 {
        RECORDED.iter().find(|one| one.task == self.task.name).map_or(f64::NAN, |one| one.paper)
    }

    fn json(&self, rounds: u64) -> Value {
        json!({
            "task": self.task.name,
            "method": self.method.name(),
            "device": self.device,
            "poses": self.poses,
            "found_mean": self.found,
            "batch_ms": 1e3 * self.batch_s,
            "poses_per_s": self.rate(),
            "one_core_us": self.core_us,
            "one_core_poses_per_s": 1e6 / self.core_us,
            "times_one_core": self.times_core(),
            "fcl_us": self.fcl_us,
            "fcl_source": self.fcl_source,
            "times_fcl": self.times_fcl(),
            "paper_times_fcl": self.paper(),
            "largest_gap_difference_m": self.difference.largest,
            "tolerance_m": tolerance(self.method),
            "poses_with_other_counts": self.difference.counts,
            "rounds": rounds,
            "machine": machine(),
        })
    }
}

fn print(measured: &[Measured]) -> Result<()> {
    let mut table = Table::new(&[
        "task",
        "method",
        "poses",
        "batch ms",
        "poses per s",
        "one core us",
        "times one core",
        "FCL us",
        "times FCL",
        "paper times FCL",
        "found",
        "largest difference m",
        "other counts",
    ]);
    for one in measured {
        table.row(vec![
            one.task.name.into(),
            one.method.name().into(),
            one.poses.to_string(),
            format!("{:.3}", 1e3 * one.batch_s),
            format!("{:.0}", one.rate()),
            format!("{:.1}", one.core_us),
            format!("{:.1}", one.times_core()),
            format!("{:.0}", one.fcl_us),
            format!("{:.0}", one.times_fcl()),
            format!("{:.1}", one.paper()),
            format!("{:.1}", one.found),
            format!("{:.1e}", one.difference.largest),
            one.difference.counts.to_string(),
        ]);
    }
    put!("{table}");
    let mut methods: Vec<Method> = Vec::new();
    for one in measured {
        say!("\n{}, {}: {}", one.task.name, one.method.name(), one.device);
        say!("  FCL's time on one core: {}", one.fcl_source);
        if !methods.contains(&one.method) {
            methods.push(one.method);
        }
    }
    say!("");
    for method in methods {
        let most = 1e9 * tolerance(method);
        say!(
            "{}: {}; largest difference allowed: {most} nm, exit code 1 beyond",
            method.name(),
            method.asks()
        );
    }
    say!("largest difference: of a gap from the processor's, over all contacts at all poses");
    say!("paper times FCL: its Table I, mean times, both on the paper's computer");
    Ok(())
}
