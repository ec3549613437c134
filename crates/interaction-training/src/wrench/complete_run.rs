//! The complete simulation of a scene against a recorded run (paper 5.4): only the start is common.

use tightfit_learning::recordings::Recording;
use tightfit_simulation::{Methods, Scene, Simulation};

use super::Moments;

/// Contact wrench on the held part at the times of a recording, simulated from the scene's start [N, N·m], and the measured
/// one. A sample is compared with the step that it begins.
#[must_use]
pub fn complete_run(scene: &Scene, methods: Methods, recording: &Recording) -> Vec<[f64; 6]> {
    let mut run = Simulation::new(scene.clone(), 1);
    run.parameters.methods = methods;
    let first = recording.samples.first().map_or(0.0, |sample| sample.time);
    let free = scene.free_index(scene.led_body());
    let (mut steps, mut wrench) = (0, [0.0; 6]);
    let mut all = Vec::with_capacity(recording.samples.len());
    for sample in &recording.samples {
        let until = ((sample.time - first) / scene.dt).round() as usize + 1;
        while steps < until {
            let record = run.advance();
            steps += 1;
            if let Some(body) = free.and_then(|free| record.bodies.get(free)) {
                let both = body.force.iter().chain(body.torque.iter());
                wrench.iter_mut().zip(both).for_each(|(own, value)| *own = *value);
            }
        }
        all.push(wrench);
    }
    all
}

/// A recording in the form that reports and errors take: times and measured wrenches, no states.
#[must_use]
pub fn measured_run(recording: &Recording) -> Moments {
    Moments {
        trial: recording.name.clone(),
        skipped: 0,
        times: recording.samples.iter().map(|own| own.time).collect(),
        moments: Vec::new(),
        measured: recording
            .samples
            .iter()
            .map(|own| [own.force.x, own.force.y, own.force.z, own.torque.x, own.torque.y, own.torque.z])
            .collect(),
    }
}
