//! `tightfit bench clustering`: how long the ways to reduce contacts take.
//!
//! The contacts are those of a peg that leans in its hole: rings of points with normals inwards, nearest on one side below and
//! on the other above. The interaction network lies on a mesh of the peg; `interaction` knows where on it the contacts are, as
//! steps do of a part's own nodes, `interaction-located` finds it out, as they do of the other part's. Times are on the processor where the system tells; medians over the rounds.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use tightfit::scene::ClusteringMethod;
use tightfit::spatial::Vector3;
use tightfit_pipeline::clustering::ClusteringWorkspace;
use tightfit_pipeline::records::{Contacts, NOT_FREE};

use super::bench_interaction;
use super::bench_record::{append_csv, conditions, machine, quantile};
use crate::cpu_clock;
use crate::output::{put, say};
use crate::table::Table;

#[derive(Args)]
pub(super) struct ClusteringArguments {
    /// Numbers of contacts, separated by commas.
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', default_values_t = [100, 1_000, 10_000])]
    contacts: Vec<usize>,
    /// Rounds; the medians are reported.
    #[arg(long, value_name = "COUNT", default_value_t = 101)]
    rounds: usize,
    /// Append the results to a CSV file; without a name to that of this machine under experiments/speed/results.
    #[arg(long, value_name = "FILE")]
    csv: Option<Option<PathBuf>>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// What is timed.
#[derive(Clone, Copy)]
enum Timed {
    Method(ClusteringMethod),
    /// The network's; whether places on the surface are known.
    Interaction {
        is_located: bool,
    },
}

const METHODS: [ClusteringMethod; 1] = [ClusteringMethod::KMeans { clusters: 12 }];

const NAMES: [&str; 4] = ["method", "contacts", "us", "ns_per_contact"];

pub(super) fn run(arguments: &ClusteringArguments) -> Result<ExitCode> {
    if arguments.rounds == 0 || arguments.contacts.contains(&0) {
        bail!("--rounds and --contacts must be at least 1");
    }
    let mut measured = Vec::new();
    for &count in &arguments.contacts {
        let contacts = leaning_peg(count);
        let network = [true, false].map(|is_located| Timed::Interaction { is_located });
        for timed in METHODS.map(Timed::Method).into_iter().chain(network) {
            let (name, micros) = match timed {
                Timed::Method(method) => (method.name(), micros(method, &contacts, arguments.rounds)),
                Timed::Interaction { is_located } => {
                    let name = if is_located { "interaction" } else { "interaction-located" };
                    (name, bench_interaction::micros(&contacts, is_located, arguments.rounds)?)
                }
            };
            measured.push((name, count, micros, 1e3 * micros / count as f64));
        }
    }
    let cells = |(method, count, micros, each): &(&str, usize, f64, f64)| {
        vec![method.to_string(), count.to_string(), format!("{micros:.2}"), format!("{each:.2}")]
    };
    let rows: Vec<_> = measured.iter().map(cells).collect();
    if let Some(file) = &arguments.csv {
        append_csv(file.as_deref(), "clustering", &NAMES, &rows)?;
    }
    if arguments.json {
        let one = |(method, count, micros, each): &(&str, usize, f64, f64)| {
            json!({
                "method": method, "contacts": count, "us": micros, "ns_per_contact": each,
                "machine": machine(), "conditions": conditions(),
            })
        };
        let all: Vec<Value> = measured.iter().map(one).collect();
        say!("{}", serde_json::to_string_pretty(&all)?);
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&NAMES);
    rows.into_iter().for_each(|row| table.row(row));
    put!("{table}");
    say!("\n{}; {}; medians of {} rounds", machine(), conditions(), arguments.rounds);
    Ok(ExitCode::SUCCESS)
}

fn micros(method: ClusteringMethod, contacts: &Contacts, rounds: usize) -> f64 {
    let mut workspace = ClusteringWorkspace::default();
    workspace.make_room(method, contacts.len(), 1);
    let once = |workspace: &mut ClusteringWorkspace| {
        workspace.chosen.clear();
        method.choose(contacts, 0..contacts.len(), workspace);
    };
    median(contacts.len(), rounds, || once(&mut workspace))
}

/// Median processor time of something done once for so many contacts [us].
pub(super) fn median(contacts: usize, rounds: usize, mut once: impl FnMut()) -> f64 {
    // what takes less than the clock can tell is repeated within a round
    let repeats = (20_000 / contacts).max(1);
    let times = (0..=rounds).map(|_| {
        let (clock, on_processor) = (Instant::now(), cpu_clock::thread_time());
        (0..repeats).for_each(|_| once());
        let spent = cpu_clock::thread_time().zip(on_processor).map(|(after, before)| after - before);
        spent.unwrap_or_else(|| clock.elapsed()).as_secs_f64() * 1e6 / repeats as f64
    });
    // the first warms up
    quantile(times.skip(1).collect(), 0.5)
}

/// So many contacts of a peg that leans in its hole.
fn leaning_peg(count: usize) -> Contacts {
    let around = (count as f64).sqrt().ceil() as usize;
    let mut contacts = Contacts::default();
    for index in 0..count {
        let angle = std::f64::consts::TAU * (index % around) as f64 / around as f64;
        let (sin, cos) = angle.sin_cos();
        let height = (index / around) as f64 / around as f64;
        let gap = 32.5e-6 * (1.0 - (1.0 - 2.0 * height) * cos) + 1e-12 * index as f64;
        contacts.body_a.push(0);
        contacts.body_b.push(NOT_FREE);
        contacts.arm_a.push(Vector3::new(25e-3 * cos, 25e-3 * sin, 30e-3 * height));
        contacts.normal.push(Vector3::new(-cos, -sin, 0.0));
        contacts.gap.push(gap);
        contacts.friction.push(0.1);
        contacts.restitution.push(0.0);
        contacts.id.push(index as u32);
    }
    contacts
}
