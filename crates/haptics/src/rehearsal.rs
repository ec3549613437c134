//! A run in simulated time: loop, device and simulation in one thread, the same bits every time.
//!
//! ```text
//! tick k:   device lives through dt ─► loop ─► device
//! every T/dt ticks:   results that are due ─► loop;   order ─► step (result due T + scene delay later)
//! ```

use std::collections::VecDeque;

use crate::device::Device;
use crate::haptic_loop::{HapticLoop, LoopOptions, StepOrder, StepResult};
use crate::measures::{Measures, Recorder};
use crate::rendered_scene::RenderedScene;

/// Settings of a run, in simulated or real time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunOptions {
    /// Length [s].
    pub seconds: f64,
    /// Settings of the loop.
    pub haptic_loop: LoopOptions,
    /// Delay between loop and scene, each way [s], in whole steps of the scene; simulated time only.
    pub scene_delay: f64,
    /// In simulated time every how many steps one is audited, and all that are deeper by the certificate than those before;
    /// 0 for none. In real time as many as there is time for, unless 0.
    pub audit_every: u64,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { seconds: 10.0, haptic_loop: LoopOptions::default(), scene_delay: 0.0, audit_every: 0 }
    }
}

/// Runs in simulated time; `progress` gets the fraction that is done.
pub fn rehearse(
    scene: &mut RenderedScene,
    device: &mut dyn Device,
    options: &RunOptions,
    progress: &mut dyn FnMut(f64),
) -> Measures {
    let description = device.description();
    let mut haptic_loop = HapticLoop::new(&scene.part(), description, options.haptic_loop);
    scene.couple(&haptic_loop.coupling());
    let (tick, step) = (options.haptic_loop.tick, scene.step_seconds());
    let ticks = (options.seconds / tick).round() as u64;
    let per_step = ((step / tick).round() as u64).max(1);
    let steps_late = (options.scene_delay / step).round() as u64;
    let mut recorder = Recorder::new(scene.pitch(), ticks / per_step);
    let audit = (options.audit_every > 0).then(|| scene.audit());
    let mut deepest = 0.0;
    let mut orders: VecDeque<(u64, StepOrder)> = VecDeque::new();
    let mut results: VecDeque<(u64, StepResult)> = VecDeque::new();
    for count in 0..ticks {
        if count.is_multiple_of(per_step) {
            let now = count / per_step;
            while results.front().is_some_and(|(due, _)| *due <= now) {
                if let Some((_, result)) = results.pop_front() {
                    haptic_loop.deliver(result, step);
                }
            }
            orders.push_back((now + steps_late, haptic_loop.order()));
            while orders.front().is_some_and(|(due, _)| *due <= now) {
                if let Some((_, order)) = orders.pop_front() {
                    let (result, mut record) = scene.step(&order);
                    if let Some(audit) = &audit {
                        let is_deepest = record.certificate.penetration > deepest;
                        deepest = deepest.max(record.certificate.penetration);
                        if is_deepest || now.is_multiple_of(options.audit_every) {
                            record.audited = Some(scene.audited(audit));
                        }
                    }
                    recorder.step(&record, &haptic_loop);
                    results.push_back((now + 1 + steps_late, result));
                }
            }
            progress(count as f64 / ticks as f64);
        }
        let sample = device.read(tick);
        let wrench = haptic_loop.tick(sample.as_ref(), tick);
        device.write(&wrench);
        recorder.tick(&wrench);
    }
    recorder.finish(options.seconds, &haptic_loop, device)
}
