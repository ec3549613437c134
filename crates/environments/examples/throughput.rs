//! Simulation steps per second of environments on a device or the processor, beside those of its bare batch.
//!
//!     throughput cuda:0 PegInHole 16384 20
#![allow(clippy::print_stdout, reason = "it is a program")]

use std::time::Instant;

use tightfit_environments::{ACTIONS, Device, Environments, Kind};
use tightfit_spatial::SplitMix;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [device, kind, count, steps] = words.as_slice() else {
        return Err(
            "arguments: DEVICE ENVIRONMENT COUNT POLICY_STEPS, such as cuda:0 PegInHole 16384 20".into()
        );
    };
    let kind = Kind::ALL.into_iter().find(|known| known.name() == kind).ok_or("no such environment")?;
    let (count, steps): (usize, usize) = (count.parse()?, steps.parse()?);
    let (scene, options) = kind.scene_and_options()?;
    let substeps = options.substeps;
    let start = Instant::now();
    let mut own = match device.strip_prefix("cuda:") {
        Some(number) => Environments::on_device(scene, count, &Device::Cuda(number.parse()?), options),
        None => Environments::new(scene, count, 0, options),
    }?;
    let made = start.elapsed().as_secs_f64();
    let seeds: Vec<_> = (0..count).map(|index| (index, Some(index as u64))).collect();
    own.reset_many(&seeds)?;
    println!(
        "{count} {} made in {made:.1} s, reset in {:.1} s",
        kind.name(),
        start.elapsed().as_secs_f64() - made
    );
    let mut random = SplitMix::stream(1);
    let mut policy = || -> Vec<f32> {
        let down = |place: usize| if place % ACTIONS == 2 { 0.5 } else { 0.0 };
        (0..ACTIONS * count).map(|place| (random.unit() * 2.0 - 1.0) as f32 - down(place)).collect()
    };
    for _ in 0..5 {
        own.step(&policy(), |_| true)?;
    }
    for _ in 0..3 {
        let (mut spent, inside) = (0.0, own.batch_time());
        let mut again = 0;
        for _ in 0..steps {
            let actions = policy();
            let start = Instant::now();
            own.step(&actions, |_| true)?;
            let ended = |index: &usize| own.columns().terminated[*index] || own.columns().truncated[*index];
            let over: Vec<_> = (0..count).filter(ended).map(|index| (index, None)).collect();
            again += over.len();
            own.reset_many(&over)?;
            spent += start.elapsed().as_secs_f64();
        }
        let taken = (count * steps * substeps) as f64;
        let inside = (own.batch_time() - inside).as_secs_f64();
        let deepest = own.columns().penetration.iter().copied().fold(0.0, f64::max);
        let faults = own.columns().fault.iter().filter(|fault| **fault).count();
        println!(
            "{:.3} million steps/s, batch alone {:.3} million ({:.1} %), {again} episodes begun, deepest {:.3} um, {faults} faults",
            taken / spent * 1e-6,
            taken / inside * 1e-6,
            100.0 * inside / spent,
            1e6 * deepest
        );
    }
    Ok(())
}
