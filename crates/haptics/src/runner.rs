//! A run in real time: the loop in the caller's thread, the simulation in a second, the audit in a third.
//!
//! ```text
//! loop, 1 kHz  ── order (never waits) ─►  simulation  ── state (never waits) ─►  audit
//!      ◄────────── result, if there ──────────┘
//! ```
//!
//! The deadline of a step is the exchange after it was ordered. A step reads no clock, so that its bits depend on nothing
//! but its input; its work is bounded by the iteration limits of its methods. The loop never waits for it: a result that
//! is not there at its exchange is late, the planes are held on, no further step is ordered until it is there, and the
//! scene falls behind real time by that much. Late steps are counted.
//!
//! A tick waits by sleeping until shortly before its time and spinning for the rest.

use std::io;
use std::sync::mpsc::{Receiver, TryRecvError, channel, sync_channel};
use std::time::{Duration, Instant};

use tightfit_simulation::{Record, State};

use crate::device::Device;
use crate::haptic_loop::{HapticLoop, StepOrder, StepResult};
use crate::measures::{Measures, Recorder};
use crate::rehearsal::RunOptions;
use crate::rendered_scene::RenderedScene;

/// Time before a tick at which sleeping ends.
const SPIN: Duration = Duration::from_micros(250);
/// States that may wait for the audit; more are not audited.
const WAITING_AUDITS: usize = 8;
/// Longest time that a device is told to have lived through at once [s].
const LONGEST_TICK: f64 = 0.1;

/// Runs in real time for `options.seconds`, or until `go_on` returns false; it gets the fraction that is done, ten times a
/// second. Unless `audit_every` is 0, as many steps as there is time for are audited.
///
/// # Errors
/// When a thread is refused by the system.
pub fn run(
    scene: RenderedScene,
    device: &mut dyn Device,
    options: &RunOptions,
    go_on: &mut dyn FnMut(f64) -> bool,
) -> io::Result<Measures> {
    let mut scene = scene;
    let is_audited = options.audit_every > 0;
    let description = device.description();
    let mut haptic_loop = HapticLoop::new(&scene.part(), description, options.haptic_loop);
    scene.couple(&haptic_loop.coupling());
    let (tick, step) = (options.haptic_loop.tick, scene.step_seconds());
    let steps = (options.seconds / step).ceil() as u64;
    let mut recorder = Recorder::new(scene.pitch(), steps);

    let (orders, ordered) = sync_channel::<StepOrder>(1);
    let (results, resulted) = sync_channel::<(StepResult, Record)>(2);
    let (states, to_audit) = sync_channel::<State>(WAITING_AUDITS);
    let audited = if is_audited { Some(start_audit(&scene, to_audit)?) } else { None };
    let worker = std::thread::Builder::new().name("simulation".into()).spawn(move || {
        while let Ok(order) = ordered.recv() {
            let result = scene.step(&order);
            if is_audited {
                // an audit that has no time skips this state
                let _ = states.try_send(scene.simulation().state.clone());
            }
            if results.send(result).is_err() {
                return;
            }
        }
    })?;

    let start = Instant::now();
    let period = Duration::from_secs_f64(tick);
    let (mut last, mut due) = (start, start);
    let mut is_out = false;
    let mut until_exchange: f64 = 0.0;
    let mut count: u64 = 0;
    loop {
        let now = wait_until(due);
        let passed = now.duration_since(start).as_secs_f64();
        if passed >= options.seconds || (count.is_multiple_of(100) && !go_on(passed / options.seconds)) {
            break;
        }
        let elapsed = if count == 0 { tick } else { now.duration_since(last).as_secs_f64() };
        if count > 0 {
            recorder.period(elapsed - tick);
        }
        last = now;
        let elapsed = elapsed.min(LONGEST_TICK);
        let sample = device.read(elapsed);
        let wrench = haptic_loop.tick(sample.as_ref(), elapsed);
        device.write(&wrench);
        recorder.tick(&wrench);
        until_exchange -= elapsed;
        if until_exchange <= tick / 2.0 {
            // exchanges that were missed are not made up for
            until_exchange = (until_exchange + step).max(0.0);
            exchange(&mut haptic_loop, &mut recorder, &resulted, step, &mut is_out);
            if !is_out {
                is_out = orders.try_send(haptic_loop.order()).is_ok();
            }
        }
        recorder.tick_time(now.elapsed().as_secs_f64());
        count += 1;
        due += period;
        let now = Instant::now();
        if due < now {
            // nor are ticks
            due = now + period;
        }
    }
    device.write(&crate::DeviceWrench::default());
    drop((orders, resulted));
    let seconds = start.elapsed().as_secs_f64();
    let _ = worker.join();
    if let Some(audited) = audited {
        audited.iter().for_each(|depth| recorder.audit(depth));
    }
    Ok(recorder.finish(seconds, &haptic_loop, device))
}

/// Audits states in a thread of its own until their sender is gone; returns the penetrations [m].
fn start_audit(scene: &RenderedScene, states: Receiver<State>) -> io::Result<Receiver<f64>> {
    let (depths, audited) = channel();
    let (own_scene, parameters) = (scene.simulation().scene.clone(), scene.simulation().parameters.clone());
    let audit = scene.audit();
    std::thread::Builder::new().name("audit".into()).spawn(move || {
        while let Ok(state) = states.recv() {
            if depths.send(audit.penetration(&own_scene, &parameters, &state)).is_err() {
                return;
            }
        }
    })?;
    Ok(audited)
}

/// Takes the result of the step that is out, if it is there.
fn exchange(
    haptic_loop: &mut HapticLoop,
    recorder: &mut Recorder,
    resulted: &Receiver<(StepResult, Record)>,
    step: f64,
    is_out: &mut bool,
) {
    if !*is_out {
        return;
    }
    match resulted.try_recv() {
        Ok((result, record)) => {
            recorder.step(&record, haptic_loop);
            haptic_loop.deliver(result, step);
            *is_out = false;
        }
        Err(TryRecvError::Empty) => recorder.late_step(),
        // the simulation's thread has ended: the planes are held on
        Err(TryRecvError::Disconnected) => {}
    }
}

/// Waits until a moment and returns when it is.
fn wait_until(due: Instant) -> Instant {
    loop {
        let now = Instant::now();
        let left = due.saturating_duration_since(now);
        if left.is_zero() {
            return now;
        }
        match left.checked_sub(SPIN) {
            Some(long) if !long.is_zero() => std::thread::sleep(long),
            _ => std::hint::spin_loop(),
        }
    }
}
