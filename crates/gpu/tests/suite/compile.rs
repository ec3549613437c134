//! The kernels compile for the device, where NVRTC can be had.

#![allow(clippy::print_stderr, reason = "a skipped test says why")]

use tightfit_gpu::{
    GpuError, KernelOptions, Parts, kernel_binary, kernel_source, network_binary, pose_binary,
};

/// It takes some minutes the first time, so it must be asked for: TIGHTFIT_NVRTC names the library of the wheel
/// nvidia-cuda-nvrtc-cu12.
#[test]
fn the_kernels_compile_for_hopper() {
    if std::env::var_os("TIGHTFIT_NVRTC").is_none() {
        eprintln!("skipped: set TIGHTFIT_NVRTC to libnvrtc.so.12 of the wheel nvidia-cuda-nvrtc-cu12");
        return;
    }
    let kinds = [KernelOptions::default(), KernelOptions::for_threads()];
    let with_networks = kinds.map(|own| KernelOptions { networks: true, ..own });
    let steps = kinds.into_iter().chain(with_networks).map(|own| kernel_binary("sm_90", &own));
    let poses = [Parts::Turned, Parts::Threads].map(|parts| pose_binary("sm_90", parts));
    let all: Result<Vec<_>, _> = steps.chain(poses).chain([network_binary("sm_90")]).collect();
    match all {
        Ok(all) => assert!(all.iter().all(|binary| binary.starts_with(b"\x7fELF"))),
        Err(GpuError::NoCompiler { reason, .. }) => eprintln!("skipped: no NVRTC ({reason})"),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn the_source_is_whole_and_includes_no_file() {
    let source = kernel_source();
    assert!(source.contains("take_steps") && !source.contains("#include \""));
}
