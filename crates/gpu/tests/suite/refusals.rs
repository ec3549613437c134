//! What the kernels do not have is refused by name, before any device is asked for.

use tightfit_gpu::{Device, GpuBatch, GpuError, GpuNetwork};
use tightfit_network::{Activation, Network, Random};
use tightfit_simulation::{Methods, Preset, Scene};

pub(crate) fn refusal(scene: Scene) -> String {
    match GpuBatch::new(scene, 1, &Device::Cuda(0)) {
        Err(error @ GpuError::Unsupported { .. }) => error.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was not refused"),
    }
}

#[test]
fn scenes_that_the_kernels_cannot_step_are_refused_by_name() {
    for (name, what) in [
        ("bolting-arm", "the arm"),
        ("peg-in-hole-arm", "the arm"),
        ("square-key", "a prism"),
        ("block-on-table", "a block"),
        ("balls-on-slab", "free bodies"),
    ] {
        let said = refusal(Scene::find(name).expect("built in"));
        assert!(
            said.contains(what) || said.contains("kinematic") || said.contains("half-space"),
            "{name}: {said}"
        );
    }
}

#[test]
fn other_presets_are_refused_by_name() {
    for (preset, what) in [(Preset::Standard, "clustering"), (Preset::Textbook, "clustering")] {
        let mut scene = Scene::find("peg-in-hole").expect("built in");
        scene.methods = Methods::from(preset);
        let said = refusal(scene);
        assert!(said.contains(what), "{said}");
    }
}

#[test]
fn without_a_driver_the_error_says_what_is_missing() {
    let scene = Scene::find("peg-in-hole").expect("built in");
    match GpuBatch::new(scene, 1, &Device::Cuda(0)) {
        Ok(_) | Err(GpuError::NoCompiler { .. } | GpuError::Driver(_)) => {}
        Err(error) => assert!(error.to_string().contains("libcuda.so.1"), "{error}"),
    }
}

#[test]
fn networks_that_the_kernel_cannot_evaluate_are_refused_by_name() {
    let mut random = Random::new(1);
    for (sizes, hidden, what) in [
        (vec![3, 32, 32, 1], Activation::Relu, "[32, 32, 1]"),
        (vec![3, 64, 64, 64, 1], Activation::Silu, "Silu"),
        (vec![9, 64, 64, 64, 1], Activation::Relu, "9 inputs"),
    ] {
        let network = Network::random(&sizes, hidden, Activation::Tanh, &mut random).expect("a network");
        match GpuNetwork::open(&network, 0) {
            Err(error @ GpuError::Unsupported { .. }) => assert!(error.to_string().contains(what), "{error}"),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("{what} was not refused"),
        }
    }
}
