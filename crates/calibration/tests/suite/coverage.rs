//! Stated ranges against random truths: over many experiments about 95 in 100 contain the truth.
//!
//! The truth is simulated at 2 ms, averaged by the sensor over 10 ms, with noise of sensor and poses; the fit sees 10 ms.

use std::collections::BTreeMap;

use rayon::prelude::*;
use tightfit_calibration::{Experiment, Fit, FitOptions, Follower, Quantity, Setup, Unknown};
use tightfit_learning::recordings::Recording;
use tightfit_simulation::Scene;
use tightfit_spatial::{Pose, SplitMix, UnitQuaternion, Vector3};

use crate::pressed_peg::{motion_every, normal, words};

const WORDS: &str = "peg.diameter,fixed-pose,stiffness,friction,bias,delay";
/// The sensor averages five steps that end at the recorded pose: its mean is that of 4 ms before the end of the last [s].
const DELAY: f64 = 4e-3;

fn experiment(period: f64) -> Experiment {
    let scene = Scene::find_with("peg-in-hole", &["gravity_m_s2=[0, 0, -9.81]".to_string()]).unwrap();
    Experiment::new(&scene, period).unwrap()
}

/// Coordinates of a random truth.
fn truth(unknowns: &[Unknown], random: &mut SplitMix) -> Vec<f64> {
    let of = |own: &Unknown| {
        let size = match own.quantity {
            Quantity::Dimension { .. } => 15e-6,
            Quantity::FixedPose(axis) if axis < 3 => 30e-6,
            Quantity::FixedPose(_) => 3e-4,
            Quantity::Stiffness(_) => 0.5,
            Quantity::Friction => 0.4,
            Quantity::Bias(axis) if axis < 3 => 1.0,
            Quantity::Delay => return DELAY,
            _ => 0.05,
        };
        size * normal(random).clamp(-2.0, 2.0)
    };
    unknowns.iter().map(of).collect()
}

/// Trials of a truth.
fn trials(unknowns: &[Unknown], truth: &[f64], seed: u64, count: u64, seconds: f64) -> Vec<Recording> {
    let fine = experiment(0.002);
    // the averages below are the delay
    let told =
        unknowns.iter().zip(truth).map(|(own, x)| if own.quantity == Quantity::Delay { 0.0 } else { *x });
    let setup = Setup::new(&fine, unknowns, None, &told.collect::<Vec<_>>(), false).unwrap();
    let trial = |number: u64| {
        let path = motion_every(100 * seed + number, seconds, 0.002);
        let all = Follower::default().follow(&fine, &setup, 0, &path);
        let first = path.samples.len() - all.len();
        let mut random = SplitMix::stream(77 * seed + number);
        let mut samples = Vec::new();
        for (five, predictions) in path.samples[first..].chunks_exact(5).zip(all.chunks_exact(5)) {
            let mean = |axis: usize| predictions.iter().map(|own| own.wrench[axis]).sum::<f64>() / 5.0;
            let mut at = |axis: usize, noise: f64| mean(axis) + noise * normal(&mut random);
            let mut sample = five[4];
            sample.force = Vector3::new(at(0, 0.05), at(1, 0.05), at(2, 0.05));
            sample.torque = Vector3::new(at(3, 2e-3), at(4, 2e-3), at(5, 2e-3));
            let mut vector = |size: f64| Vector3::from_fn(|_, _| size * normal(&mut random));
            let turn = UnitQuaternion::from_scaled_axis(vector(1e-5));
            let Pose { translation, rotation } = sample.world_from_part;
            sample.world_from_part = Pose::new(translation + vector(1e-6), turn * rotation);
            samples.push(sample);
        }
        Recording { name: format!("{seed}-{number}"), samples }
    };
    (0..count).map(trial).collect()
}

/// Ranges that contain the truth, all ranges, and refusals, by kind.
fn covered(seeds: std::ops::Range<u64>, count: u64, seconds: f64) -> BTreeMap<&'static str, [usize; 3]> {
    let experiment = experiment(0.01);
    let of_seed = |seed: u64| {
        let mut found: BTreeMap<&'static str, [usize; 3]> = BTreeMap::new();
        let (unknowns, _) = experiment.unknowns(&words(WORDS), &[], [None, None]).unwrap();
        let truth = truth(&unknowns, &mut SplitMix::stream(9000 + seed));
        let trials = trials(&unknowns, &truth, seed, count, seconds);
        let fit = Fit::new(&experiment, unknowns, None, &trials, FitOptions::default()).unwrap();
        let solution = fit.solve(|_| ()).unwrap();
        for (own, truth) in solution.estimates.iter().zip(&truth) {
            let value = own.unknown.value(*truth);
            let at = found.entry(own.unknown.quantity.kind()).or_default();
            if own.refusal.is_some() {
                at[2] += 1;
                continue;
            }
            at[0] += usize::from((own.range[0]..=own.range[1]).contains(&value));
            at[1] += 1;
            let z = (own.unknown.coordinate(own.value) - truth) / own.sigma;
            println!("{seed} {}: z {z:.2}, sigma {:.2e}", own.unknown.quantity.name(), own.sigma);
        }
        println!("{seed}: {found:?}");
        found
    };
    let together = |mut sum: BTreeMap<&'static str, [usize; 3]>, own: BTreeMap<&'static str, [usize; 3]>| {
        for (kind, counts) in own {
            let at = sum.entry(kind).or_default();
            at.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        sum
    };
    seeds.into_par_iter().map(of_seed).reduce(BTreeMap::new, together)
}

/// Fifty experiments: `cargo test -p tightfit-calibration -- --ignored --nocapture fifty`.
#[test]
#[ignore = "takes minutes"]
fn fifty_experiments_are_covered() {
    for (kind, [inside, all, refused]) in covered(0..50, 3, 4.0) {
        println!("{kind}: {inside} of {all} ranges contain the truth, {refused} refused");
        let share = inside as f64 / all.max(1) as f64;
        assert!(all == 0 || (0.9..=0.99).contains(&share), "{kind}: {share}");
    }
}

#[test]
fn ranges_of_a_small_experiment_mostly_contain_the_truth() {
    let all = covered(0..1, 2, 2.0);
    let [inside, total] = [0, 1].map(|which| all.values().map(|own| own[which]).sum::<usize>());
    assert!(inside as f64 >= 0.8 * total as f64, "{all:?}");
}
