/*!
The step on a graphics processor: tens of thousands of environments of one scene, with the certificate of the CPU.

```text
Setup ─► record ─► kernels: predict, detect, impact, smooth, project, advance, correct ─► record ─► State, Certificate
                      │ what leaves the common path                                        ▲
                      └──────────► the CPU's own step, from the same state ────────────────┘
```

The kernels (`kernels/`) are CUDA C++ that compiles as C++17 too. They take the same decisions as the CPU's step: the same nodes,
faces, working sets and tolerances. A step that needs more than they have (the last levels of the solver, more contacts
than there is room for, a projection that cannot be completed) is not written; the environment goes on a list, and the host takes
that step by [`tightfit_simulation::step`]. Nothing is dropped, and [`GpuBatch::tail`] counts these steps by reason.

Driver and compiler are opened at run time: the crate builds and the program starts without CUDA.
*/

mod backend;
mod batch;
mod compiler;
mod cuda;
mod depth_network;
mod device_array;
mod error;
mod fallback;
mod host;
mod kernel_source;
mod network;
mod node_table;
mod poses;
mod records;
mod setup_record;
mod shape_record;
mod support;

pub use batch::{Device, GpuBatch, Tail};
pub use compiler::{KernelOptions, Parts, kernel_binary, network_binary, pose_binary};
pub use device_array::DeviceArray;
pub use error::GpuError;
pub use kernel_source::kernel_source;
pub use network::{GpuNetwork, GpuPoints};
pub use poses::{PoseContact, PoseDetection, PoseSummary};
