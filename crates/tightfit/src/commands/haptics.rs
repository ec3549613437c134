//! `tightfit haptics`: a hand holds the part of a scene and feels its contacts.

use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use serde_json::json;
use tightfit::haptics::{
    Device, DeviceDescription, HumanOptions, HumanPlan, Measures, Percentiles, RenderedScene, RunOptions,
    SetPointDevice, SpaceMouse, UdpDevice, VirtualHuman, WebSocketDevice, new_token, rehearse,
    run as run_in_real_time,
};
use tightfit::report::haptics_html;
use tightfit::scene::{Scene, Simulation};
use tightfit::spatial::Vector3;
use tightfit::viewer::Session;
use tightfit::viewer::server::{Content, Server, ServerOptions};

use super::output_file::{check, write_text};
use crate::output::say;
use crate::progress;

/// Scene that is rendered when none is named.
const DEFAULT_SCENE: &str = "bolting-engaged";
/// Exit code when a limit was missed.
const LIMIT_MISSED: u8 = 3;
/// Limits of the verdict [J, m, s].
const LOWEST_ENERGY: f64 = -1e-6;
const DEEPEST: f64 = 5e-6;
const LARGEST_PERIOD_ERROR: f64 = 1e-3;
/// How a silent device is reported.
const SILENT: &str = "the device was silent for too long";

/// What the hand holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum DeviceKind {
    /// A virtual person.
    Human,
    /// A program that sends datagrams (docs/protocol.md).
    Udp,
    /// A program or page that speaks WebSocket (docs/protocol.md).
    Websocket,
    /// A SpaceMouse at /dev/hidraw; it returns no force.
    Spacemouse,
    /// The page of the viewer: keys, gizmo, gamepad, SpaceMouse; it shows forces.
    Browser,
}

/// What a virtual person does.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum Plan {
    /// Wrenches at random in all directions.
    Wrench,
    /// Searches for the thread, turns the nut on, then wrenches.
    Bolt,
}

#[derive(Args)]
pub(crate) struct HapticsArguments {
    /// Built-in scene or scene file with one free part [default: bolting-engaged].
    scene: Option<String>,
    /// Device in the hand.
    #[arg(long, value_enum, default_value = "human")]
    device: DeviceKind,
    /// What a virtual person does [default: bolt where a nut is not on its thread yet, else wrench].
    #[arg(long, value_enum)]
    plan: Option<Plan>,
    /// Run for this time [s].
    #[arg(long, value_name = "S", default_value_t = 10.0)]
    seconds: f64,
    /// Delay of the link to the device, both ways together [ms]; the stiffness is clamped accordingly.
    #[arg(long, value_name = "MS", default_value_t = 0.0)]
    delay_ms: f64,
    /// Delay between loop and scene, each way [ms], in simulated time.
    #[arg(long, value_name = "MS", default_value_t = 0.0, requires = "simulated")]
    scene_delay_ms: f64,
    /// Run in simulated time, as fast as possible: the same bits every time.
    #[arg(long)]
    simulated: bool,
    /// Draw the virtual person from this seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Wanted stiffness of the coupling [N/m].
    #[arg(long, value_name = "N/M", default_value_t = 2000.0)]
    stiffness: f64,
    /// Replace a value of the scene, such as `friction=0.4`.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Audit every so many steps in simulated time, and all that are deeper than those before; 0 for none.
    #[arg(long, value_name = "STEPS", default_value_t = 10)]
    audit_every: u64,
    /// Listen for a device on this address.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,
    /// Listen for a device on this port; 0 takes a free one.
    #[arg(long, default_value_t = 8018)]
    port: u16,
    /// Write a page with plots.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &HapticsArguments) -> Result<ExitCode> {
    check("--report", arguments.report.as_ref())?;
    arguments.check_ranges()?;
    let name = arguments.scene.as_deref().unwrap_or(DEFAULT_SCENE);
    let mut simulation = Simulation::new(Scene::find_with(name, &arguments.set)?, 1);
    let is_engaged = simulation.branch().advance().engaged;
    simulation.prepare();
    let mut scene = RenderedScene::new(simulation)?;
    let mut device = arguments.device(&mut scene, is_engaged)?;
    let mut options = RunOptions { seconds: arguments.seconds, ..RunOptions::default() };
    options.haptic_loop.stiffness = arguments.stiffness;
    options.audit_every = arguments.audit_every;
    options.scene_delay = 1e-3 * arguments.scene_delay_ms;
    let bar = progress::bar(name);
    let measures = match arguments.simulated {
        true => rehearse(&mut scene, device.as_mut(), &options, &mut |done| progress::set(&bar, done)),
        false => {
            let mut go_on = |done: f64| {
                progress::set(&bar, done);
                true
            };
            run_in_real_time(scene, device.as_mut(), &options, &mut go_on)
                .context("a thread was refused by the system")?
        }
    };
    bar.finish_and_clear();
    let mut missed = missed_limits(&measures, arguments.simulated);
    if arguments.device == DeviceKind::Browser {
        // a page that lets go of the part is silent on purpose
        missed.retain(|limit| !limit.contains(SILENT));
    }
    let rows = rows(&measures, arguments.simulated);
    if let Some(path) = &arguments.report {
        write_text(path, &haptics_html(name, &measures, &rows, &missed))?;
    }
    match arguments.json {
        true => say!("{}", serde_json::to_string_pretty(&json_of(name, &measures, &missed))?),
        false => {
            let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
            for (name, value) in &rows {
                say!("{name:width$}  {value}");
            }
            match missed.is_empty() {
                true => say!("within all limits"),
                false => say!("limits missed: {}", missed.join("; ")),
            }
        }
    }
    Ok(if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(LIMIT_MISSED) })
}

impl HapticsArguments {
    fn check_ranges(&self) -> Result<()> {
        let within = |option: &str, value: f64, [low, high]: [f64; 2], unit: &str| -> Result<()> {
            if !(low..=high).contains(&value) {
                bail!("{option} is {value}; allowed: {low} to {high} {unit}");
            }
            Ok(())
        };
        within("--seconds", self.seconds, [0.01, 86_400.0], "s")?;
        within("--delay-ms", self.delay_ms, [0.0, 500.0], "ms")?;
        within("--scene-delay-ms", self.scene_delay_ms, [0.0, 300.0], "ms")?;
        within("--stiffness", self.stiffness, [1.0, 1e6], "N/m")
    }

    fn device(&self, scene: &mut RenderedScene, is_engaged: bool) -> Result<Box<dyn Device>> {
        let delay = 1e-3 * self.delay_ms;
        let address = SocketAddr::new(self.host, self.port);
        let refused = || format!("cannot listen on {address}; choose another --port, or 0 for a free one");
        let description = DeviceDescription { delay, ..DeviceDescription::default() };
        let token = new_token();
        if self.simulated && self.device != DeviceKind::Human {
            bail!("--simulated needs --device human: a device of the real world lives in real time");
        }
        Ok(match self.device {
            DeviceKind::Human => {
                let plan = match self.plan {
                    Some(Plan::Bolt) => HumanPlan::Bolt,
                    Some(Plan::Wrench) => HumanPlan::Wrench,
                    None if is_engaged => HumanPlan::Wrench,
                    None => HumanPlan::Bolt,
                };
                Box::new(VirtualHuman::new(HumanOptions {
                    seed: self.seed,
                    plan,
                    delay,
                    ..HumanOptions::default()
                }))
            }
            DeviceKind::Udp => {
                let device = UdpDevice::bind(address, token, description).with_context(refused)?;
                note(&format!("udp {} token {token:016x}", device.address()?));
                Box::new(device)
            }
            DeviceKind::Websocket => {
                let device = WebSocketDevice::bind(address, token, description).with_context(refused)?;
                note(&format!("ws://{}/?token={token:016x}", device.address()));
                Box::new(device)
            }
            DeviceKind::Spacemouse => {
                let device = SpaceMouse::open().context("--device spacemouse")?;
                note(&format!("SpaceMouse at {}", device.path().display()));
                Box::new(device)
            }
            DeviceKind::Browser => self.browser(scene, address).with_context(refused)?,
        })
    }

    /// Serves the viewer's page with the scene; the hand of the page is the device.
    fn browser(&self, scene: &mut RenderedScene, address: SocketAddr) -> Result<Box<dyn Device>> {
        let mut copy = scene.simulation().branch();
        for drive in &mut copy.scene.drives {
            // the hand of the page keeps its set-point within reach of this spring
            drive.stiffness = Vector3::repeat(self.stiffness);
            (drive.force, drive.wiggle) = (Vector3::zeros(), None);
        }
        let (session, end) = Session::mirroring(copy);
        let options = ServerOptions { address, ..ServerOptions::default() };
        let server = Server::bind(Content::Live(Box::new(session)), options)?;
        note(&server.url());
        std::thread::Builder::new().name("server".into()).spawn(move || {
            if let Err(error) = server.run() {
                note(&format!("the server stopped: {error}"));
            }
        })?;
        let shown = end.clone();
        scene.observe_by(move |simulation, record| {
            shown.show(&simulation.state, record, simulation.contact_points());
        });
        Ok(Box::new(SetPointDevice::new(move || end.set_point())))
    }
}

/// Prints beside the results, so that `--json` stays clean.
fn note(text: &str) {
    // a closed standard error is no reason to stop
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Limits that a run missed, in words.
pub(crate) fn missed_limits(measures: &Measures, is_simulated: bool) -> Vec<String> {
    let mut missed = Vec::new();
    let energy = measures.lowest_device_energy.unwrap_or(measures.lowest_port_energy);
    if energy < LOWEST_ENERGY {
        missed.push(format!("net energy at the port fell to {energy:.2e} J; limit {LOWEST_ENERGY:e} J"));
    }
    if measures.watchdog_trips > 0 {
        missed.push(format!("{SILENT} {} times", measures.watchdog_trips));
    }
    let deepest = measures.audited.map_or(measures.penetration, |(depth, _)| depth);
    if deepest > DEEPEST {
        missed.push(format!("penetration of {:.2} um; limit 5 um", 1e6 * deepest));
    }
    if measures.unconverged > 0 {
        missed.push(format!("{} steps did not converge", measures.unconverged));
    }
    if let Some(thread) = measures.thread.filter(|thread| thread.has_slipped()) {
        missed.push(format!("the nut left its thread by {:.2} mm", 1e3 * thread.largest_deviation));
    }
    if !is_simulated && measures.period_error.p999 >= LARGEST_PERIOD_ERROR {
        missed.push(format!("99.9 % period error of {:.2} ms; limit 1 ms", 1e3 * measures.period_error.p999));
    }
    missed
}

/// Names and values of a run.
pub(crate) fn rows(measures: &Measures, is_simulated: bool) -> Vec<(String, String)> {
    let micros = |of: &Percentiles| {
        let [p50, p99, p999, largest] = [of.p50, of.p99, of.p999, of.largest].map(|seconds| 1e6 * seconds);
        format!("{p50:.1} / {p99:.1} / {p999:.1} / {largest:.1} us")
    };
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut row = |name: &str, value: String| rows.push((name.to_string(), value));
    let kind = if is_simulated { "simulated time" } else { "real time" };
    row(
        "run",
        format!("{:.1} s in {kind}, {} ticks, {} steps", measures.seconds, measures.ticks, measures.steps),
    );
    if !is_simulated {
        row("period error, p50 / p99 / p99.9 / largest", micros(&measures.period_error));
        row("computing time of a tick", micros(&measures.tick_time));
        row("late steps", measures.late_steps.to_string());
    }
    row("computing time of a step", micros(&measures.step_time));
    row("missed watchdogs", measures.watchdog_trips.to_string());
    row("net energy at the port, lowest", format!("{:.3e} J", measures.lowest_port_energy));
    if let Some(energy) = measures.lowest_device_energy {
        row("net energy at the device, lowest", format!("{energy:.3e} J"));
    }
    row("net energy at the port, at the end", format!("{:.3} J", measures.port_energy));
    row("ticks limited by the tank", measures.limited_ticks.to_string());
    if let Some(stiffness) = measures.stiffness {
        row(
            "stiffness after the clamp",
            format!("{:.0} N/m, {:.3} N·m/rad", stiffness.linear, stiffness.turning),
        );
    }
    let [force, torque] = measures.largest_wrench;
    row("largest wrench to the hand", format!("{force:.1} N, {torque:.2} N·m"));
    row("penetration by the certificate", format!("{:.3} um", 1e6 * measures.penetration));
    if let Some((depth, count)) = measures.audited {
        row(
            "penetration by the audit",
            format!("{:.3} um over {count} of {} steps", 1e6 * depth, measures.steps),
        );
    }
    row("steps that did not converge", measures.unconverged.to_string());
    if let Some(thread) = &measures.thread {
        let lead = thread.lead().map_or("none".into(), |lead| format!("{:.3} mm", 1e3 * lead));
        row(
            "nut since it is engaged",
            format!(
                "{:.3} turns, lead {lead}, {:.1} turns swept",
                thread.turns,
                thread.swept / std::f64::consts::TAU
            ),
        );
        let deviation = 1e3 * thread.largest_deviation;
        row("largest deviation from the thread's pitch", format!("{deviation:.3} mm"));
    }
    rows
}

fn json_of(name: &str, measures: &Measures, missed: &[String]) -> serde_json::Value {
    let percentiles = |of: &Percentiles| json!({ "p50_s": of.p50, "p99_s": of.p99, "p99_9_s": of.p999, "largest_s": of.largest });
    json!({
        "scene": name,
        "seconds": measures.seconds,
        "ticks": measures.ticks,
        "steps": measures.steps,
        "late_steps": measures.late_steps,
        "period_error": percentiles(&measures.period_error),
        "tick_time": percentiles(&measures.tick_time),
        "step_time": percentiles(&measures.step_time),
        "watchdog_trips": measures.watchdog_trips,
        "lowest_port_energy_j": measures.lowest_port_energy,
        "lowest_device_energy_j": measures.lowest_device_energy,
        "port_energy_j": measures.port_energy,
        "limited_ticks": measures.limited_ticks,
        "stiffness_n_m": measures.stiffness.map(|stiffness| stiffness.linear),
        "turning_stiffness_nm_rad": measures.stiffness.map(|stiffness| stiffness.turning),
        "largest_force_n": measures.largest_wrench[0],
        "largest_torque_nm": measures.largest_wrench[1],
        "penetration_um": 1e6 * measures.penetration,
        "audited_um": measures.audited.map(|(depth, _)| 1e6 * depth),
        "audited_steps": measures.audited.map(|(_, count)| count),
        "unconverged": measures.unconverged,
        "turns": measures.thread.map(|thread| thread.turns),
        "lead_mm": measures.thread.and_then(|thread| thread.lead()).map(|lead| 1e3 * lead),
        "largest_deviation_mm": measures.thread.map(|thread| 1e3 * thread.largest_deviation),
        "hash": format!("{:016x}", measures.hash),
        "missed_limits": missed,
    })
}
