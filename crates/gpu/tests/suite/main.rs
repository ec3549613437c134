//! The GPU step on machines without a GPU: the kernels compiled for the host, against the CPU's batch.

mod agreement;
mod compile;
mod faults;
mod host_library;
mod networks;
mod poses;
mod refusals;
