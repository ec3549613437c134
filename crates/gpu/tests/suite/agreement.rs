//! The kernels give the states of the CPU, and the same bits whatever runs beside.

use tightfit_gpu::{Device, GpuBatch};
use tightfit_simulation::batch::{Batch, Setup};
use tightfit_simulation::{Scene, State};

use crate::host_library::{host_device, nuts, pegs};

/// Steps after which states are compared.
const STEPS: usize = 100;

fn stepped(scene: &Scene, setups: &[Setup], device: &Device) -> (GpuBatch, Vec<State>) {
    let mut batch = GpuBatch::new(scene.clone(), setups.len(), device).expect("host kernels");
    batch.reset_many(setups.iter().cloned().enumerate().collect()).expect("setups that the kernels have");
    batch.advance(STEPS).expect("steps");
    let states = batch.states(&(0..setups.len()).collect::<Vec<_>>()).expect("states");
    (batch, states)
}

/// Environments whose states differ by more than 0.1 µm or 1e-6 rad, and the share of steps that the host took.
fn apart(scene: &Scene, setups: &[Setup], device: &Device) -> (usize, f64) {
    let (batch, own) = stepped(scene, setups, device);
    let mut cpu = Batch::new(scene.clone(), setups.len(), 0).expect("threads");
    for (index, setup) in setups.iter().enumerate() {
        cpu.reset(index, setup.clone()).expect("it exists");
    }
    cpu.advance(STEPS);
    let differs = |(index, own): &(usize, &State)| {
        let (own, cpu) = (&own.motions[0], &cpu.state(*index).expect("it exists").motions[0]);
        let (shift, turn) = ((own.center - cpu.center).norm(), own.rotation.angle_to(&cpu.rotation));
        !(shift <= 0.1e-6 && turn <= 1e-6)
    };
    let tail = batch.tail();
    assert_eq!(tail.steps, (setups.len() * STEPS) as u64);
    assert_eq!(batch.faults().count(), 0);
    (own.iter().enumerate().filter(differs).count(), tail.host_steps() as f64 / tail.steps as f64)
}

#[test]
fn engaged_nuts_are_where_the_cpu_has_them_after_100_steps() {
    let Some(device) = host_device() else { return };
    let scene = Scene::find("bolting-engaged").expect("built in");
    let (differ, by_host) = apart(&scene, &nuts(&scene, 32), &device);
    assert_eq!(differ, 0);
    assert!(by_host < 0.02, "the host took {by_host} of the steps");
}

#[test]
fn pegs_are_where_the_cpu_has_them_after_100_steps() {
    let Some(device) = host_device() else { return };
    let scene = Scene::find("peg-in-hole").expect("built in");
    let (differ, by_host) = apart(&scene, &pegs(&scene, 32), &device);
    assert_eq!(differ, 0);
    assert!(by_host < 0.1, "the host took {by_host} of the steps");
}

#[test]
fn an_environment_has_the_same_bits_whatever_runs_beside_it() {
    let Some(device) = host_device() else { return };
    let scene = Scene::find("peg-in-hole").expect("built in");
    let setups = pegs(&scene, 6);
    let (_, all) = stepped(&scene, &setups, &device);
    let (_, few) = stepped(&scene, &setups[..2], &device);
    for (one, other) in all.iter().zip(&few) {
        assert_eq!(one.hash(), other.hash());
    }
}
