//! Steps many environments on a device, and reports rates, the steps that the host took, an audit, and the difference to the CPU.
//!
//! ```text
//! bench_gpu TASK [--environments N] [--device cuda:0 | --device host:LIBRARY] [--steps N] [--rounds N] [--per-call N]
//!           [--warm-up N] [--histogram STEPS] [--lanes N] [--block N] [--slots N] [--passes N] [--audit N] [--compare N]
//!           [--aside M] [--hash N] [--episodes N] [--poison INDEX] [--trace INDEX] [--detection exact | --detection neural-paper]
//! --episodes: instead of rounds, all environments are drawn anew and stepped by --steps, N times
//! TASK: nut, peg, shaken, bolting; network [--points N] measures a depth network; compile [--architecture sm_90] puts the binary into the folder that TIGHTFIT_KERNELS names
//! ```

#![allow(clippy::print_stdout, reason = "it is a program")]

use std::collections::HashMap;
use std::time::Instant;

use nalgebra::Vector3;
use rayon::prelude::*;
use tightfit_gpu::{Device, GpuBatch, GpuNetwork, KernelOptions, kernel_binary, network_binary};
use tightfit_network::{Activation, Inference, InferenceScratch, Network, Random};
use tightfit_shape::Part;
use tightfit_shape::preset::hole_50;
use tightfit_shape::thread::{Hand, Nut, ThreadAllowance, ThreadStart};
use tightfit_simulation::batch::{Batch, Control, Setup};
use tightfit_simulation::{Audit, Input, Scene, State};
use tightfit_spatial::{SplitMix, Wrench};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let task = arguments.next().ok_or("a task: nut, peg, shaken or bolting")?;
    let mut options = HashMap::new();
    while let (Some(name), Some(value)) = (arguments.next(), arguments.next()) {
        options.insert(name.trim_start_matches('-').to_string(), value);
    }
    let number = |name: &str, usual: usize| options.get(name).map_or(Ok(usual), |value| value.parse());
    let count = number("environments", 4096)?;
    let device = match options.get("device").map_or("cuda:0", String::as_str).split_once(':') {
        Some(("host", path)) => Device::Host(path.into()),
        Some((_, place)) => Device::Cuda(place.parse()?),
        None => Device::Cuda(0),
    };
    let usual = match task.as_str() {
        "nut" | "bolting" => KernelOptions::for_threads(),
        _ => KernelOptions::default(),
    };
    let kernels = KernelOptions {
        parts: usual.parts,
        lanes: number("lanes", usual.lanes as usize)? as u32,
        block: number("block", usual.block as usize)? as u32,
        slots: number("slots", usual.slots as usize)? as u32,
        most_passes: number("passes", usual.most_passes as usize)? as u32,
        ..usual
    };
    if task == "compile" {
        let architecture = options.get("architecture").map_or("sm_90", String::as_str);
        let binary = kernel_binary(architecture, &kernels)?;
        if !options.contains_key("lanes") {
            let threads = KernelOptions::for_threads();
            for own in [threads, KernelOptions { networks: true, ..threads }] {
                kernel_binary(architecture, &own)?;
            }
        }
        kernel_binary(architecture, &KernelOptions { networks: true, ..kernels })?;
        network_binary(architecture)?;
        println!("{architecture}: {} bytes in the folder of the kernels", binary.len());
        return Ok(());
    }
    if task == "network" {
        return network(number("points", 5_000_000)?);
    }
    let name = match task.as_str() {
        "nut" => "bolting-engaged",
        "bolting" => "bolting",
        _ => "peg-in-hole",
    };
    let detection = options.get("detection").map_or("exact", String::as_str);
    let scene = Scene::find_with(name, &[format!("method.detection={detection}")])?;
    let clock = Instant::now();
    let mut batch = GpuBatch::with_options(scene.clone(), count, &device, kernels)?;
    println!("{task}: {} ({:.1} s to open)", batch.device_name(), clock.elapsed().as_secs_f64());
    let clock = Instant::now();
    let setups: Vec<Setup> = (0..count).into_par_iter().map(|index| setup(&task, &scene, index)).collect();
    batch.reset_many(setups.iter().cloned().enumerate().collect())?;
    println!(
        "{} environments of {} bytes set up in {:.1} s",
        count,
        batch.environment_bytes(),
        clock.elapsed().as_secs_f64()
    );

    if let Some(first) = options.get("trace") {
        let first: usize = first.parse()?;
        return trace(&task, &scene, &device, kernels, first..first + count, number("steps", 60)?);
    }
    let compared = number("compare", 0)?.min(count);
    let (warm_up, steps, rounds, per_call) =
        (number("warm-up", 100)?, number("steps", 20)?, number("rounds", 5)?, number("per-call", 10)?);
    let mut shaker = Shaker { random: SplitMix::stream(9), is_used: task == "shaken" };
    let episodes = number("episodes", 0)?;
    if episodes > 0 {
        let lengths = [number("steps", 200)?, per_call];
        return long_run(&task, &mut batch, &mut shaker, episodes, lengths, number("audit", 64)?.min(count));
    }
    let clock = Instant::now();
    for _ in 0..warm_up.div_ceil(per_call) {
        shaker.shake(&mut batch)?;
        batch.advance(per_call)?;
    }
    if let Some(bad) = options.get("poison") {
        let bad: usize = bad.parse()?;
        let state = batch.state(bad)?;
        let mut input = Input::of_drives(&setups[bad].drives, &scene, &setups[bad].parameters, &state);
        input.wrenches[0].force_in_world.x = f64::NAN;
        batch.control(bad, Control::Given(input))?;
    }
    let before = batch.tail();
    println!(
        "warm-up of {warm_up} steps in {:.2} s; host took {} of {} steps {:?}",
        clock.elapsed().as_secs_f64(),
        before.host_steps(),
        before.steps,
        before.by_reason
    );
    if compared > 0 {
        let aside = options.get("aside").map_or(Ok(1e-12), |value| value.parse())?;
        compare(&scene, &setups[..compared], warm_up.div_ceil(per_call) * per_call, aside, &mut batch)?;
    }
    passes_by_level(&mut batch, number("histogram", 0)?)?;
    let start = batch.states(&(0..count).collect::<Vec<_>>())?;
    let mut rates = Vec::new();
    for _ in 0..rounds {
        shaker.shake(&mut batch)?;
        let clock = Instant::now();
        for _ in 0..steps.div_ceil(per_call) {
            batch.advance(per_call)?;
        }
        let taken = (count - batch.faults().count()) * steps.div_ceil(per_call) * per_call;
        rates.push(taken as f64 / clock.elapsed().as_secs_f64());
    }
    rates.sort_by(f64::total_cmp);
    let tail = batch.tail();
    println!(
        "{:.3} million steps/s (median of {rounds} rounds of {steps} steps, {per_call} per call; {:.3} to {:.3}); host took {} of {} steps {:?}; unconverged since the start {}, frozen {}",
        rates[rounds / 2] / 1e6,
        rates[0] / 1e6,
        rates[rounds - 1] / 1e6,
        tail.host_steps() - before.host_steps(),
        tail.steps - before.steps,
        tail.by_reason,
        tail.unconverged,
        batch.faults().count()
    );
    for (index, fault) in batch.faults().take(3) {
        println!("  environment {index} is frozen: {fault}");
    }
    let all: Vec<usize> = (0..count).collect();
    let certificates = batch.certificates(&all)?;
    let most = |value: &dyn Fn(usize) -> f64| all.iter().map(|i| value(*i)).fold(0.0, f64::max);
    println!(
        "last step: deepest {:.3} um, coulomb at most {:.2e} m/s, candidates mean {:.0} most {:.0}, active mean {:.1} most {:.0}, passes mean {:.1}, unconverged {}",
        1e6 * most(&|i| certificates[i].penetration),
        most(&|i| certificates[i].coulomb),
        certificates.iter().map(|own| own.candidates as f64).sum::<f64>() / count as f64,
        most(&|i| certificates[i].candidates as f64),
        certificates.iter().map(|own| own.active as f64).sum::<f64>() / count as f64,
        most(&|i| certificates[i].active as f64),
        certificates.iter().map(|own| f64::from(own.evaluations)).sum::<f64>() / count as f64,
        certificates.iter().filter(|own| !own.converged).count()
    );
    let end = batch.states(&all)?;
    let hashed = number("hash", 0)?.min(count);
    if hashed > 0 {
        let bad = options.get("poison").and_then(|bad| bad.parse().ok()).unwrap_or(7);
        let others = end[..hashed].iter().enumerate().filter(|(index, _)| *index != bad);
        let total = others.fold(0_u64, |total, (_, state)| total.rotate_left(7) ^ state.hash());
        println!("hash of the first {hashed} states but {bad}: {total:016x}");
    }
    if task == "nut" {
        let mut leads: Vec<f64> = start
            .iter()
            .zip(&end)
            .map(|(a, b)| {
                let turns = (b.spins[0] - a.spins[0]) / std::f64::consts::TAU;
                1e3 * (b.motions[0].center.z - a.motions[0].center.z) / turns
            })
            .collect();
        leads.sort_by(f64::total_cmp);
        println!(
            "lead {:.5} to {:.5} mm/turn at 1 and 99 %, median {:.5}",
            leads[count / 100],
            leads[count - 1 - count / 100],
            leads[count / 2]
        );
    }
    let audited = number("audit", 64)?.min(count);
    if audited > 0 {
        let places: Vec<usize> = (0..audited).map(|k| k * count / audited).collect();
        let mut depths: Vec<f64> = places
            .par_iter()
            .map(|place| {
                Audit::new(&scene, &setups[*place].parameters).penetration(
                    &scene,
                    &setups[*place].parameters,
                    &end[*place],
                )
            })
            .collect();
        depths.sort_by(f64::total_cmp);
        println!(
            "audit of {audited} poses: at most {:.3} um, median {:.4} um",
            1e6 * depths[audited - 1],
            1e6 * depths[audited / 2]
        );
    }
    Ok(())
}

/// Steps environments that are drawn anew for each episode, and audits some of each episode where it ends.
fn long_run(
    task: &str,
    batch: &mut GpuBatch,
    shaker: &mut Shaker,
    episodes: usize,
    [steps, per_call]: [usize; 2],
    audited: usize,
) -> Result<(), Failure> {
    let (count, scene) = (batch.len(), batch.scene().clone());
    let (mut seconds, mut depths) = (0.0, Vec::new());
    for episode in 0..episodes {
        let draw = |index| (index, setup(task, &scene, index + episode * count));
        batch.reset_many((0..count).into_par_iter().map(draw).collect())?;
        let clock = Instant::now();
        for _ in 0..steps.div_ceil(per_call) {
            shaker.shake(batch)?;
            batch.advance(per_call)?;
        }
        let taken = clock.elapsed().as_secs_f64();
        seconds += taken;
        let places: Vec<usize> = (0..audited).map(|k| k * count / audited).collect();
        let poses: Vec<(Setup, State)> = places
            .iter()
            .zip(batch.states(&places)?)
            .map(|(place, state)| Ok((batch.setup(*place)?.clone(), state)))
            .collect::<Result<_, Failure>>()?;
        let audit = |(own, state): &(Setup, State)| {
            Audit::new(&scene, &own.parameters).penetration(&scene, &own.parameters, state)
        };
        depths.par_extend(poses.par_iter().map(audit));
        let (tail, frozen) = (batch.tail(), batch.faults().count());
        println!(
            "episode {episode}: {:.3} million steps/s; so far host took {} of {} steps {:?}, unconverged {}, frozen {frozen}, deepest of {} audited poses {:.3} um",
            (count * steps) as f64 / taken / 1e6,
            tail.host_steps(),
            tail.steps,
            tail.by_reason,
            tail.unconverged,
            depths.len(),
            1e6 * depths.iter().copied().fold(0.0, f64::max)
        );
    }
    let taken = (episodes * steps * count) as f64;
    depths.sort_by(f64::total_cmp);
    println!(
        "{task}: {taken:.3e} steps at {:.3} million steps/s; audit median {:.4} um, 99.9 % {:.3} um",
        taken / seconds / 1e6,
        1e6 * depths[depths.len() / 2],
        1e6 * depths[(depths.len() - 1) * 999 / 1000]
    );
    Ok(())
}

/// Takes some steps one by one and prints how many passes they needed, by level of the solver.
fn passes_by_level(batch: &mut GpuBatch, steps: usize) -> Result<(), Failure> {
    let all: Vec<usize> = (0..batch.len()).collect();
    let mut passes: Vec<(u8, u32)> = Vec::new();
    for _ in 0..steps {
        batch.step()?;
        passes.extend(batch.certificates(&all)?.iter().map(|own| (own.level, own.evaluations)));
    }
    for level in 0..=4 {
        let mut own: Vec<u32> = passes.iter().filter(|pass| pass.0 == level).map(|pass| pass.1).collect();
        own.sort_unstable();
        if own.is_empty() {
            continue;
        }
        let at = |share: f64| own[((own.len() - 1) as f64 * share) as usize];
        println!(
            "level {level}: {} of {} steps; passes mean {:.1}, 50 % {}, 90 % {}, 99 % {}, 99.9 % {}, most {}",
            own.len(),
            passes.len(),
            own.iter().map(|own| f64::from(*own)).sum::<f64>() / own.len() as f64,
            at(0.5),
            at(0.9),
            at(0.99),
            at(0.999),
            at(1.0)
        );
    }
    Ok(())
}

/// Prints the first step in which the kernels and the CPU part, for each environment where they do, and both certificates.
fn trace(
    task: &str,
    scene: &Scene,
    device: &Device,
    kernels: KernelOptions,
    chosen: std::ops::Range<usize>,
    steps: usize,
) -> Result<(), Failure> {
    let setups: Vec<Setup> = chosen.clone().map(|index| setup(task, scene, index)).collect();
    let all: Vec<usize> = (0..setups.len()).collect();
    let mut own = GpuBatch::with_options(scene.clone(), setups.len(), device, kernels)?;
    own.reset_many(setups.iter().cloned().enumerate().collect())?;
    let mut cpu = Batch::new(scene.clone(), setups.len(), 0)?;
    for (index, setup) in setups.iter().enumerate() {
        cpu.reset(index, setup.clone())?;
    }
    let mut has_parted = vec![0.0_f64; setups.len()];
    for step in 1..=steps {
        let before = own.tail();
        own.step()?;
        cpu.advance(1);
        let (states, certificates) = (own.states(&all)?, own.certificates(&all)?);
        for (index, state) in states.iter().enumerate() {
            let other = cpu.state(index)?;
            let apart = (state.motions[0].center - other.motions[0].center).norm();
            if apart > 10.0 * has_parted[index].max(1e-10) {
                has_parted[index] = apart;
                let (a, b) = (&certificates[index], cpu.certificate(index)?);
                let short = |own: &tightfit_simulation::Certificate| {
                    format!(
                        "level {} passes {} candidates {} active {} depth {:.2e} m coulomb {:.1e} work {:.3e} projected {:.3e} J",
                        own.level,
                        own.evaluations,
                        own.candidates,
                        own.active,
                        own.penetration,
                        own.coulomb,
                        own.contact_work,
                        own.projection_work
                    )
                };
                println!(
                    "environment {} step {step}: {apart:.2e} m, turned {:.1e} rad; host took {}\n  kernels: {} warm {}\n  CPU:     {} warm {}",
                    chosen.start + index,
                    state.motions[0].rotation.angle_to(&other.motions[0].rotation),
                    own.tail().host_steps() - before.host_steps(),
                    short(a),
                    state.warm.ids.len(),
                    short(b),
                    other.warm.ids.len(),
                );
            }
        }
    }
    Ok(())
}

/// Value and gradient of a random depth network on the device, against the CPU.
fn network(count: usize) -> Result<(), Failure> {
    let mut random = Random::new(3);
    let network = Network::random(&[3, 64, 64, 64, 1], Activation::Relu, Activation::Tanh, &mut random)?;
    let on_device = GpuNetwork::open(&network, 0)?;
    let columns: Vec<f32> = (0..3 * count).map(|_| random.uniform(-1.0, 1.0) as f32).collect();
    let mut points = on_device.put(&columns)?;
    let seconds = on_device.time(&mut points, 9)?;
    let (values, gradients) = on_device.read(&points)?;
    let compared = count.min(100_000);
    let some: Vec<f32> =
        (0..3).flat_map(|k| columns[k * count..k * count + compared].iter().copied()).collect();
    let (mut own, mut slopes) = (vec![0.0; compared], vec![0.0; 3 * compared]);
    Inference::new(&network).values_and_gradients(
        &some,
        &mut own,
        &mut slopes,
        &mut InferenceScratch::default(),
    )?;
    let value_error = own.iter().zip(&values).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    // where a sum is within rounding of zero the slope jumps
    let far = (0..compared)
        .filter(|i| (0..3).any(|k| (slopes[k * compared + i] - gradients[k * count + i]).abs() > 1e-4))
        .count();
    let (peak, reached) = (on_device.peak()?, on_device.operations() * count as f64 / seconds);
    println!(
        "network: {count} points in {:.3} ms, {:.3} ns per point for value and gradient; {:.1} TFLOP/s, {:.0} % of the measured {:.1} and {:.0} % of 67; values differ by {value_error:.1e} at most from the CPU, gradients by more than 1e-4 at {far} of {compared}",
        1e3 * seconds,
        1e9 * seconds / count as f64,
        reached / 1e12,
        100.0 * reached / peak,
        peak / 1e12,
        100.0 * reached / 67e12
    );
    Ok(())
}

/// Clearance, friction and start of an environment; depth networks know one clearance alone.
fn setup(task: &str, scene: &Scene, index: usize) -> Setup {
    let mut random = SplitMix::stream(index as u64);
    let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
    let mut drive = scene.drives[0].clone();
    let setup = Setup::of(scene).with_friction(between(0.05, 0.3));
    let (body, part) = match task {
        "nut" | "bolting" => {
            let radial = between(0.0, 0.1e-3);
            let allowance = ThreadAllowance { radial, axial: 0.0 };
            let nut = Nut::new(48e-3, 5e-3, 15e-3, 74e-3, allowance, Hand::Right).expect("a nut");
            let end_radius = 22.5e-3 + radial;
            let nut = nut.with_start(ThreadStart::Chamfered { end_radius }).expect("a countersink");
            let (turn, aside) = (between(-0.5, 0.5), between(0.0, 0.2e-3));
            if task == "nut" {
                drive.offset = 0.25 * aside;
                for waypoint in &mut drive.waypoints {
                    waypoint.angle += std::f64::consts::TAU * turn;
                    waypoint.position.z += 5e-3 * turn;
                }
            } else {
                drive.offset = 2.0 * aside;
                drive
                    .waypoints
                    .iter_mut()
                    .for_each(|waypoint| waypoint.angle += std::f64::consts::TAU * turn);
            }
            ("nut", Part::Nut(nut))
        }
        _ => {
            let mut hole = hole_50();
            hole.diameter += between(-20e-6, 40e-6);
            drive.offset = between(0.1e-3, 0.6e-3);
            drive.tilt = between(0.0, 0.3_f64).to_radians();
            if task == "shaken" {
                // it stands in the hole
                drive.offset = 0.0;
                drive.tilt = 0.0;
                drive.wiggle = None;
                drive.waypoints.truncate(1);
                drive.waypoints[0].position.z = between(-25e-3, -15e-3);
            } else {
                drive.waypoints[0].position.z = between(0.5e-3, 3e-3);
            }
            ("hole", Part::Sectioned(hole.build().expect("a hole")))
        }
    };
    let setup = match scene.detection.is_neural() {
        true => setup,
        false => setup.with_part(scene, body, part).expect("the same kind"),
    };
    setup.with_drive(scene, drive).expect("no arm")
}

/// Random wrenches of 20 N and 0.5 N·m.
struct Shaker {
    random: SplitMix,
    is_used: bool,
}

impl Shaker {
    fn shake(&mut self, batch: &mut GpuBatch) -> Result<(), Failure> {
        if !self.is_used {
            return Ok(());
        }
        let states = batch.states(&(0..batch.len()).collect::<Vec<_>>())?;
        let mut controls = Vec::new();
        for (index, state) in states.iter().enumerate() {
            let setup = batch.setup(index)?;
            let mut input = Input::of_drives(&setup.drives, batch.scene(), &setup.parameters, state);
            let mut toss = |size: f64| Vector3::from_fn(|_, _| size * self.random.signed());
            input.wrenches[0] = Wrench::new(toss(20.0), toss(0.5));
            controls.push((index, Control::Given(input)));
        }
        Ok(batch.control_many(controls)?)
    }
}

/// Steps the same environments on the CPU and compares; also the CPU with itself, started a distance aside [m].
fn compare(
    scene: &Scene,
    setups: &[Setup],
    steps: usize,
    aside: f64,
    batch: &mut GpuBatch,
) -> Result<(), Failure> {
    let on_cpu = |aside: f64| -> Result<Vec<State>, Failure> {
        let mut other = Batch::new(scene.clone(), setups.len(), 0)?;
        for (index, setup) in setups.iter().enumerate() {
            let mut setup = setup.clone();
            setup.state.motions[0].center.y += aside;
            other.reset(index, setup)?;
        }
        other.advance(steps);
        (0..setups.len()).map(|index| Ok(other.state(index)?.clone())).collect()
    };
    let clock = Instant::now();
    let cpu = on_cpu(0.0)?;
    let rate = (setups.len() * steps) as f64 / clock.elapsed().as_secs_f64();
    let own = batch.states(&(0..setups.len()).collect::<Vec<_>>())?;
    println!("the CPU took {rate:.0} steps/s");
    differences("the kernels and the CPU", steps, &own, &cpu);
    let what = format!("the CPU and the CPU started {aside:.0e} m aside");
    differences(&what, steps, &on_cpu(aside)?, &cpu);
    Ok(())
}

fn differences(what: &str, steps: usize, own: &[State], cpu: &[State]) {
    let (mut apart, mut turned) = (Vec::new(), Vec::new());
    for (own, cpu) in own.iter().zip(cpu) {
        apart.push((own.motions[0].center - cpu.motions[0].center).norm());
        turned.push(own.motions[0].rotation.angle_to(&cpu.motions[0].rotation));
    }
    let agree = apart.iter().zip(&turned).filter(|(a, t)| **a <= 0.1e-6 && **t <= 1e-6).count();
    apart.sort_by(f64::total_cmp);
    turned.sort_by(f64::total_cmp);
    let at = |column: &[f64], share: f64| column[((column.len() - 1) as f64 * share) as usize];
    println!(
        "{what}, after {steps} steps: {agree} of {} environments agree to 0.1 um and 1e-6 rad; apart median {:.2e} um, 90 % {:.2e}, 99 % {:.2e}, most {:.2e}; turned median {:.1e}, 99 % {:.1e}, most {:.1e} rad",
        own.len(),
        1e6 * at(&apart, 0.5),
        1e6 * at(&apart, 0.9),
        1e6 * at(&apart, 0.99),
        1e6 * at(&apart, 1.0),
        at(&turned, 0.5),
        at(&turned, 0.99),
        at(&turned, 1.0)
    );
}
