//! A bad environment is frozen and named; the others do not notice.

use tightfit_gpu::GpuBatch;
use tightfit_simulation::batch::{Control, Fault};
use tightfit_simulation::{Input, Scene};

use crate::host_library::{host_device, pegs};

#[test]
fn an_action_that_is_not_a_number_freezes_its_environment_and_its_neighbours_keep_their_bits() {
    let Some(device) = host_device() else { return };
    let scene = Scene::find("peg-in-hole").expect("built in");
    let setups = pegs(&scene, 3);
    let mut hashes = Vec::new();
    for is_bad in [false, true] {
        let mut batch = GpuBatch::new(scene.clone(), 3, &device).expect("host kernels");
        batch.reset_many(setups.iter().cloned().enumerate().collect()).expect("setups");
        batch.advance(5).expect("steps");
        if is_bad {
            let state = batch.state(1).expect("it exists");
            let mut input = Input::of_drives(&setups[1].drives, &scene, &setups[1].parameters, &state);
            input.wrenches[0].force_in_world.x = f64::NAN;
            batch.control(1, Control::Given(input)).expect("it exists");
        }
        batch.advance(20).expect("steps");
        let frozen: Vec<usize> = batch.faults().map(|(index, _)| index).collect();
        assert_eq!(frozen, if is_bad { vec![1] } else { vec![] });
        if let Some(fault) = batch.fault(1).expect("it exists") {
            assert!(matches!(fault, Fault::Input { step: 6, .. }), "{fault}");
        }
        hashes.push([0, 2].map(|index| batch.state(index).expect("it exists").hash()));
    }
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn absurd_parameters_freeze_their_environment_at_once() {
    let Some(device) = host_device() else { return };
    let scene = Scene::find("peg-in-hole").expect("built in");
    let mut batch = GpuBatch::new(scene.clone(), 2, &device).expect("host kernels");
    let mut setup = pegs(&scene, 1).remove(0);
    setup.parameters.friction[0] = -1.0;
    batch.reset(1, setup).expect("it exists");
    batch.advance(3).expect("steps");
    let faults: Vec<_> = batch.faults().map(|(index, fault)| (index, fault.to_string())).collect();
    assert_eq!(faults.len(), 1);
    assert!(faults[0].0 == 1 && faults[0].1.contains("friction"), "{faults:?}");
    assert_eq!(batch.state(0).expect("it exists").step_count, 3);
}
