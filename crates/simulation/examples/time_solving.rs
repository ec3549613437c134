//! Times the contact solver on scenes: `time_solving [scene[+disturbed]]...`.
#![allow(clippy::print_stdout)]
use tightfit_simulation::{Disturbance, Run, Scene};

/// How long a disturbed scene goes on after its drive has ended [s].
const DISTURBED: f64 = 2.0;

fn main() {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    if names.is_empty() {
        names =
            ["bolting-engaged", "bolting", "peg-in-hole", "peg-in-hole+disturbed"].map(String::from).into();
    }
    println!(
        "{:22} {:>6} {:>7} {:>7} {:>7} {:>7} {:>24} {:>6} {:>6} {:>6} {:>8} {:>8} {:>8} {:>8}",
        "scene",
        "steps",
        "median",
        "mean",
        "p99",
        "stage2",
        "levels 0 1 2 3 4",
        "iter",
        "eval",
        "unconv",
        "pen um",
        "coulomb",
        "compl",
        "cone"
    );
    for name in names {
        time(&name);
    }
}

fn time(name: &str) {
    let (scene, disturbed) = name.split_once('+').map_or((name, false), |(scene, _)| (scene, true));
    let scene = Scene::find(scene).unwrap_or_else(|error| panic!("{error}"));
    let mut run = Run::new(scene, 1);
    let mut seconds = run.scene.drive.as_ref().map_or(1.0, |drive| drive.duration());
    if disturbed {
        run.disturbance = Some(Disturbance { force: 20.0, torque: 0.5 });
        seconds += DISTURBED;
    }
    let steps = (seconds / run.scene.step).round() as usize;
    let (mut solving, mut moving, mut levels) = (Vec::new(), Vec::new(), [0_u32; 5]);
    let (mut iterations, mut evaluations, mut unconverged) = (0_u64, 0_u64, 0);
    let mut worst = [0.0_f64; 4];
    for _ in 0..steps {
        let certificate = run.advance().certificate;
        solving.push(certificate.stage_seconds.solving * 1e6);
        moving.push(certificate.stage_seconds.integration * 1e6);
        levels[usize::from(certificate.level)] += 1;
        iterations += u64::from(certificate.iterations);
        evaluations += u64::from(certificate.evaluations);
        unconverged += u32::from(!certificate.converged);
        let found = [
            certificate.penetration * 1e6,
            certificate.coulomb,
            certificate.complementarity,
            certificate.cone,
        ];
        for (worst, found) in worst.iter_mut().zip(found) {
            *worst = worst.max(found);
        }
    }
    solving.sort_by(f64::total_cmp);
    moving.sort_by(f64::total_cmp);
    println!(
        "{name:22} {steps:6} {:7.1} {:7.1} {:7.1} {:7.1} {:>24} {:6.1} {:6.1} {unconverged:6} {:8.4} {:8.1e} {:8.1e} {:8.1e}",
        solving[steps / 2],
        solving.iter().sum::<f64>() / steps as f64,
        solving[steps * 99 / 100],
        moving[steps / 2],
        format!("{levels:?}"),
        iterations as f64 / steps as f64,
        evaluations as f64 / steps as f64,
        worst[0],
        worst[1],
        worst[2],
        worst[3],
    );
}
