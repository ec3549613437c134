//! Errors of a batch on a graphics processor.

use tightfit_simulation::batch::BatchError;

/// Why a batch cannot be made or used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// The scene has something that the kernels do not have.
    #[error("the GPU step does not support {what} of `{scene}`; {remedy}")]
    Unsupported {
        /// What it is.
        what: String,
        /// Name of the scene.
        scene: String,
        /// What can be done.
        remedy: &'static str,
    },
    /// The setup of one environment has something that the kernels do not have.
    #[error("environment {index}: the GPU step does not support {what}; {remedy}")]
    UnsupportedSetup {
        /// Index of the environment.
        index: usize,
        /// What it is.
        what: String,
        /// What can be done.
        remedy: &'static str,
    },
    /// There is no driver.
    #[error(
        "no CUDA driver: libcuda.so.1 was not found; install the NVIDIA driver, or leave `--device` out to step on the CPU"
    )]
    NoDriver,
    /// There is no compiler for the kernels.
    #[error(
        "no CUDA compiler: {tried} could not be opened ({reason}); install `pip install nvidia-cuda-nvrtc-cu12` and set \
         TIGHTFIT_NVRTC to its libnvrtc.so.12, with libnvrtc-builtins beside it"
    )]
    NoCompiler {
        /// Names that were tried.
        tried: String,
        /// What the system said.
        reason: String,
    },
    /// The kernels did not compile.
    #[error("the kernels do not compile for {architecture}: {log}")]
    Compile {
        /// The architecture.
        architecture: String,
        /// What the compiler said.
        log: String,
    },
    /// The driver reported an error.
    #[error("CUDA: {0}; check the device with nvidia-smi")]
    Driver(String),
    /// There is too little memory.
    #[error(
        "{count} environments take {wanted_mib} MiB of device memory, {free_mib} MiB are free; use fewer environments"
    )]
    Memory {
        /// Number of environments.
        count: usize,
        /// What they take.
        wanted_mib: usize,
        /// What there is.
        free_mib: usize,
    },
    /// Kernels that were compiled for the host cannot be used.
    #[error("host kernels {path}: {reason}; compile kernels/host.cpp again")]
    HostKernels {
        /// The library.
        path: String,
        /// Why.
        reason: String,
    },
    /// An invalid request.
    #[error(transparent)]
    Batch(#[from] BatchError),
}
