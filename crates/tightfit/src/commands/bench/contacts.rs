//! `tightfit bench contacts`: cost of a contact, from a hundred nodes to ten thousand.
//!
//! A block rests on a table; only the spacing of its nodes differs, and with it the number of contacts. Contacts are at nodes alone:
//! corners and edges would be four, whatever the spacing. The time of a whole step
//! (processor time where the system reports it) is divided by its contacts. Pressed onto the table all contacts carry force,
//! which makes the numbers comparable. Under the weight alone few of many contacts carry, and these cost most; two prices are
//! therefore reported as well:
//!
//! ```text
//! t = a n_carrying + b (n − n_carrying),      a, b by least squares of the relative errors
//! ```

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use tightfit::scene::{Scene, Simulation};

use super::record::{append_csv, conditions, machine, quantile};
use crate::cpu_clock;
use crate::output::{put, say};
use crate::progress;
use crate::table::Table;

/// Steps until a block rests.
const SETTLING: usize = 100;
/// Steps that a block takes in its turn.
const STRETCH: usize = 20;
/// Time for which it steps in its turn before it is measured.
const WARM_UP: Duration = Duration::from_millis(5);

#[derive(Args)]
pub(super) struct ContactsArguments {
    /// Place this many contacts along either edge of the bottom, separated by commas.
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', default_values_t = [10, 18, 32, 56, 100])]
    along: Vec<usize>,
    /// Press the block onto the table by these forces besides its weight [N], separated by commas.
    #[arg(long, value_name = "FORCES", value_delimiter = ',', default_values_t = [1500.0, 0.0])]
    force_n: Vec<f64>,
    /// Measure this many steps, in turns of twenty, after a hundred that are not measured.
    #[arg(long, value_name = "COUNT", default_value_t = 200)]
    steps: usize,
    /// Append the results to a CSV file [default: the file of this machine under experiments/speed/results].
    #[arg(long, value_name = "FILE")]
    csv: Option<Option<PathBuf>>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &ContactsArguments) -> Result<ExitCode> {
    if arguments.steps == 0 || arguments.along.iter().any(|count| *count < 2) {
        bail!("--steps must be at least 1 and --along at least 2");
    }
    if let Some(force) = arguments.force_n.iter().find(|force| !(0.0..=1e6).contains(*force)) {
        bail!("--force-n {force}: the block is pressed by 0 to 1e6 N");
    }
    let mut blocks = Vec::new();
    for &force_n in &arguments.force_n {
        for &along in &arguments.along {
            blocks.push(Block::new(along, force_n)?);
        }
    }
    // The blocks take turns, so that a slow period of the machine affects all of them alike.
    let turns = arguments.steps.div_ceil(STRETCH);
    let bar = progress::bar("steps of blocks");
    for turn in 0..turns {
        progress::set(&bar, turn as f64 / turns as f64);
        blocks.iter_mut().for_each(Block::take_turn);
    }
    bar.finish_and_clear();
    let measured: Vec<_> = blocks.into_iter().map(Block::measured).collect();
    let rows: Vec<_> = measured.iter().map(Measured::cells).collect();
    if let Some(file) = &arguments.csv {
        append_csv(file.as_deref(), "contacts", &Measured::NAMES, &rows)?;
    }
    if arguments.json {
        let all: Vec<Value> = measured.iter().map(Measured::json).collect();
        say!("{}", serde_json::to_string_pretty(&all)?);
        return Ok(ExitCode::SUCCESS);
    }
    for (measured, rows) in measured.chunks(arguments.along.len()).zip(rows.chunks(arguments.along.len())) {
        let mut table = Table::new(&Measured::NAMES);
        rows.iter().for_each(|row| table.row(row.clone()));
        put!("{table}");
        let costs = || measured.iter().map(|one| one.step_us / one.contacts);
        let spread = costs().fold(0.0, f64::max) / costs().fold(f64::INFINITY, f64::min);
        say!("largest to smallest cost of a contact: {spread:.2}\n");
    }
    if let Some(Prices { carrying_ns, other_ns, worst }) = Prices::of(&measured) {
        say!(
            "a contact that carries costs {carrying_ns:.0} ns, another {other_ns:.0} ns: every step is within {:.0} % of that",
            100.0 * worst
        );
    }
    say!("{}; {}", machine(), conditions());
    Ok(ExitCode::SUCCESS)
}

/// One number of contacts under one force.
struct Measured {
    /// Force that presses besides the weight [N].
    force_n: f64,
    contacts: f64,
    /// Those of them that carry.
    carrying: f64,
    /// Medians of a step and of its stages [us].
    step_us: f64,
    detection_us: f64,
    solving_us: f64,
}

/// A block on the table, and the times of its steps.
struct Block {
    force_n: f64,
    run: Simulation,
    /// Times of a step and of its stages [us].
    times: [Vec<f64>; 3],
    /// Contacts of all steps, and those of them that carried.
    contacts: usize,
    carrying: usize,
}

impl Block {
    fn new(along: usize, force_n: f64) -> Result<Self> {
        let spacing = 99.0 / (along - 1) as f64;
        let text = format!(
            "name = \"{along} by {along} nodes\"\ngravity_m_s2 = [0, 0, -9.81]\nfriction = 0.4\n\
             [method]\ncrossings = false\n[parts.table]\nmotion = \"fixed\"\nshape = {{ kind = \"half-space\" }}\n\
             [parts.block]\nshape = {{ kind = \"block\", size_mm = [99, 99, 20] }}\nposition_mm = [0, 0, 10]\n\
             nodes = {{ face_spacing_mm = {spacing}, edge_spacing_mm = {spacing} }}\n\
             [drive]\npart = \"block\"\nforce_n = [0, 0, -{force_n}]\n\
             stiffness_n_m = [0, 0, 0]\nturning_stiffness_nm_rad = [0, 0, 0]\ndamping_per_s = 0\n\
             waypoints = [{{ time_s = 0, position_mm = [0, 0, 10] }}]\n"
        );
        let mut run = Simulation::new(Scene::from_toml(&text)?, 1);
        for _ in 0..SETTLING {
            run.step();
        }
        Ok(Self { force_n, run, times: [const { Vec::new() }; 3], contacts: 0, carrying: 0 })
    }

    /// Measures a stretch of steps, after some that warm the caches.
    fn take_turn(&mut self) {
        let began = Instant::now();
        while began.elapsed() < WARM_UP {
            self.run.step();
        }
        for _ in 0..STRETCH {
            let (clock, on_processor) = (Instant::now(), cpu_clock::thread_time());
            let certificate = self.run.step();
            let spent = cpu_clock::thread_time().zip(on_processor).map(|(after, before)| after - before);
            let spent = spent.unwrap_or_else(|| clock.elapsed()).as_secs_f64();
            let stages = certificate.stage_seconds;
            for (times, seconds) in self.times.iter_mut().zip([spent, stages.detection, stages.solving]) {
                times.push(seconds * 1e6);
            }
            self.contacts += certificate.candidates;
            self.carrying += certificate.active;
        }
    }

    fn measured(self) -> Measured {
        let steps = self.times[0].len() as f64;
        let [step_us, detection_us, solving_us] = self.times.map(|times| quantile(times, 0.5));
        let [contacts, carrying] = [self.contacts, self.carrying].map(|count| count as f64 / steps);
        Measured { force_n: self.force_n, contacts, carrying, step_us, detection_us, solving_us }
    }
}

impl Measured {
    const NAMES: [&'static str; 7] =
        ["force_n", "contacts", "carrying", "step_us", "detection_us", "solving_us", "ns_per_contact"];

    fn ns_per_contact(&self) -> f64 {
        1e3 * self.step_us / self.contacts
    }

    fn cells(&self) -> Vec<String> {
        let mut cells =
            [self.force_n, self.contacts, self.carrying].map(|count| format!("{count:.0}")).to_vec();
        let times = [self.step_us, self.detection_us, self.solving_us, self.ns_per_contact()];
        cells.extend(times.map(|time| format!("{time:.2}")));
        cells
    }

    fn json(&self) -> Value {
        json!({
            "force_n": self.force_n,
            "contacts": self.contacts,
            "carrying": self.carrying,
            "step_us": self.step_us,
            "detection_us": self.detection_us,
            "solving_us": self.solving_us,
            "ns_per_contact": self.ns_per_contact(),
            "machine": machine(),
            "conditions": conditions(),
        })
    }
}

/// Cost of a contact that carries force and of one that does not, fitted to all measurements.
struct Prices {
    carrying_ns: f64,
    other_ns: f64,
    /// Largest relative error of a step by them [-].
    worst: f64,
}

impl Prices {
    fn of(measured: &[Measured]) -> Option<Self> {
        let shares = measured
            .iter()
            .map(|one| [one.carrying, one.contacts - one.carrying].map(|count| count / (1e3 * one.step_us)));
        let sum = |of: fn([f64; 2]) -> f64| shares.clone().map(of).sum::<f64>();
        let (aa, ab, bb) = (sum(|[a, _]| a * a), sum(|[a, b]| a * b), sum(|[_, b]| b * b));
        let (a, b) = (sum(|[a, _]| a), sum(|[_, b]| b));
        let determinant = aa * bb - ab * ab;
        // two prices cannot be told from steps of one kind
        if determinant <= 1e-9 * aa * bb {
            return None;
        }
        let (carrying_ns, other_ns) = ((bb * a - ab * b) / determinant, (aa * b - ab * a) / determinant);
        let error = |[a, b]: [f64; 2]| (a * carrying_ns + b * other_ns - 1.0).abs();
        Some(Self { carrying_ns, other_ns, worst: shares.clone().map(error).fold(0.0, f64::max) })
    }
}
