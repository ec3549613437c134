//! A peg that a hand presses about in its hole, recorded with known truths.

use std::f64::consts::{PI, TAU};

use tightfit_calibration::{Experiment, Follower, Setup, Unknown};
use tightfit_learning::recordings::{Recording, Sample};
use tightfit_simulation::Scene;
use tightfit_spatial::{Pose, SplitMix, Twist, UnitQuaternion, Vector3};

/// A peg 49.97 mm wide in a hole of 50.035 mm, with weight.
pub(crate) fn experiment() -> Experiment {
    let scene = Scene::find_with("peg-in-hole", &["gravity_m_s2=[0, 0, -9.81]".to_string()]).unwrap();
    Experiment::new(&scene, 0.01).unwrap()
}

pub(crate) fn words(list: &str) -> Vec<String> {
    list.split(',').map(String::from).collect()
}

/// Standard normal number.
pub(crate) fn normal(random: &mut SplitMix) -> f64 {
    (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
}

/// Poses of a hand that presses the peg about, 20 mm deep, for some seconds, every 10 ms.
pub(crate) fn motion(seed: u64, seconds: f64) -> Recording {
    motion_every(seed, seconds, 0.01)
}

/// The same with another time between samples [s].
pub(crate) fn motion_every(seed: u64, seconds: f64, period: f64) -> Recording {
    let mut random = SplitMix::stream(seed);
    let mut wave = || {
        let [f, p, g, q] =
            [0.3 + random.unit(), 6.3 * random.unit(), 0.1 + 0.4 * random.unit(), 6.3 * random.unit()];
        move |t: f64| 0.7 * libm::sin(TAU * f * t + p) + 0.7 * libm::sin(TAU * g * t + q)
    };
    let (x, y, z, a, b) = (wave(), wave(), wave(), wave(), wave());
    let sample = |k: usize| {
        let t = k as f64 * period;
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(1e-3 * a(t), 1e-3 * b(t), 0.0));
        // pressed and let go in turn, every two seconds
        let size = 0.1e-3 * (1.0 - libm::cos(PI * t));
        let at = Vector3::new(size * x(t), size * y(t), -20e-3 + 1e-3 * z(t));
        Sample {
            time: t,
            world_from_part: Pose::new(at, turn),
            twist: Twist::zero(),
            force: Vector3::zeros(),
            torque: Vector3::zeros(),
            load: None,
        }
    };
    Recording {
        name: format!("trial {seed}"),
        samples: (0..(seconds / period).round() as usize).map(sample).collect(),
    }
}

/// Recordings of the experiment at other values, with noise of the sensor [N, N·m].
pub(crate) fn recorded(
    experiment: &Experiment,
    unknowns: &[Unknown],
    truth: &[f64],
    seeds: std::ops::Range<u64>,
    seconds: f64,
    noise: [f64; 2],
) -> Vec<Recording> {
    let setup = Setup::new(experiment, unknowns, None, truth, false).unwrap();
    seeds
        .map(|seed| {
            let mut path = motion(seed, seconds);
            let all = Follower::default().follow(experiment, &setup, 0, &path);
            let mut random = SplitMix::stream(seed + 1000);
            let first = path.samples.len() - all.len();
            for (sample, own) in path.samples[first..].iter_mut().zip(&all) {
                let mut at = |axis: usize, noise: f64| own.wrench[axis] + noise * normal(&mut random);
                sample.force = Vector3::new(at(0, noise[0]), at(1, noise[0]), at(2, noise[0]));
                sample.torque = Vector3::new(at(3, noise[1]), at(4, noise[1]), at(5, noise[1]));
            }
            path
        })
        .collect()
}
