//! Where the kernels run: on a CUDA device, or on the host for tests.

use crate::cuda::Cuda;
use crate::depth_network::DepthNetworkRecord;
use crate::error::GpuError;
use crate::host::HostKernels;
use crate::node_table::NodeTable;
use crate::records::{Common, Environment, MotionRecord, WaypointPair};

/// Memory and kernels of a batch.
#[allow(clippy::large_enum_variant, reason = "a batch has one")]
pub(crate) enum Backend {
    Cuda(Cuda),
    Host(HostKernels),
}

impl Backend {
    /// Gives the kernels what all environments share.
    pub(crate) fn set_common(
        &mut self,
        common: &Common,
        tables: &[NodeTable; 2],
        networks: &[Vec<DepthNetworkRecord>; 2],
    ) -> Result<(), GpuError> {
        match self {
            Self::Cuda(cuda) => cuda.set_common(common, tables, networks),
            Self::Host(host) => host.set_common(common, tables, networks),
        }
    }

    /// Writes environments.
    pub(crate) fn write(&mut self, list: &[i32], records: &[Environment]) -> Result<(), GpuError> {
        match self {
            Self::Cuda(cuda) => cuda.write(list, records),
            Self::Host(host) => {
                host.write(list, records);
                Ok(())
            }
        }
    }

    /// Reads environments.
    pub(crate) fn read(&mut self, list: &[i32]) -> Result<Vec<Environment>, GpuError> {
        match self {
            Self::Cuda(cuda) => cuda.read(list),
            Self::Host(host) => Ok(host.read(list)),
        }
    }

    /// Takes `more` steps of all environments, or the steps that the listed ones still have to take; returns those that wait
    /// for the host.
    pub(crate) fn take_steps(&mut self, list: Option<&[i32]>, more: usize) -> Result<Vec<i32>, GpuError> {
        match self {
            Self::Cuda(cuda) => cuda.take_steps(list, more),
            Self::Host(host) => Ok(host.take_steps(list, more)),
        }
    }

    /// Motion and summaries of the listed environments.
    pub(crate) fn read_motions(&mut self, list: &[i32]) -> Result<Vec<MotionRecord>, GpuError> {
        match self {
            Self::Cuda(cuda) => cuda.read_motions(list),
            Self::Host(host) => Ok(host.read_motions(list)),
        }
    }

    /// Replaces the waypoints of the listed environments.
    pub(crate) fn set_waypoints(&mut self, list: &[i32], points: &[WaypointPair]) -> Result<(), GpuError> {
        match self {
            Self::Cuda(cuda) => cuda.set_waypoints(list, points),
            Self::Host(host) => {
                host.set_waypoints(list, points);
                Ok(())
            }
        }
    }

    /// In words.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Cuda(cuda) => cuda.name.clone(),
            Self::Host(_) => "host kernels".into(),
        }
    }
}
