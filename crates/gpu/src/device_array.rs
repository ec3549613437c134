//! Numbers in the memory of a device, for libraries that compute there.

use std::sync::Arc;

use cudarc::driver::{CudaSlice, CudaStream, DevicePtr};

use crate::error::GpuError;

/// Single-precision numbers on a CUDA device; its memory is freed with it.
pub struct DeviceArray {
    numbers: CudaSlice<f32>,
    stream: Arc<CudaStream>,
}

impl DeviceArray {
    pub(crate) fn new(stream: &Arc<CudaStream>, numbers: &[f32]) -> Result<Self, GpuError> {
        let numbers = stream.clone_htod(numbers)?;
        // whoever reads it need not know our stream
        stream.synchronize()?;
        Ok(Self { numbers, stream: Arc::clone(stream) })
    }

    /// Address on the device.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.numbers.device_ptr(&self.stream).0
    }

    /// Number of the device.
    #[must_use]
    pub fn device(&self) -> usize {
        self.stream.context().ordinal()
    }

    /// Number of numbers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
