//! Contacts of two parts at many poses in one batch: detection without a step around it.
//!
//! All nodes of either part are compared with the other part's exact distance, as [`tightfit_pipeline::detection::detect_pair`] does
//! for parts at rest, by the kernels of the step. Nothing is kept from one pose to the next; crossings of edges are not detected.

mod cuda;
mod cuda_networks;
mod host;
mod host_networks;
mod records;

use bytemuck::Zeroable;
use tightfit_network::Field;
use tightfit_shape::Part;
use tightfit_spatial::{Columns3, Pose};

use crate::batch::Device;
use crate::compiler::Parts;
use crate::error::GpuError;
use crate::node_table::NodeTable;
use crate::records::{BLOCKS, Common};
use crate::shape_record::shape_record;
use crate::support::unsupported_pair;

use cuda::CudaPoses;
use host::HostPoses;
pub(crate) use records::{FieldRanges, NetworkColumns, POSE_MEMORY_BYTES, PartPose, PoseRange};
pub use records::{PoseContact, PoseSummary};

const ON_CPU: &str = "detect on the CPU";
/// Contacts of a pose for which there is room at first, and at most (`WIDE_ROWS` of the kernels).
const USUAL_ROOM: usize = 256;
const MOST_ROOM: usize = 6144;
/// Most nodes of a part: `LISTED` of the kernels.
const MOST_NODES: usize = 8192;

/// Where the kernels run.
#[allow(clippy::large_enum_variant, reason = "a detection has one")]
enum Backend {
    Cuda(CudaPoses),
    Host(HostPoses),
}

/// A moving and a fixed part with their nodes, on a device.
pub struct PoseDetection {
    backend: Backend,
    room: usize,
    summaries: Vec<PoseSummary>,
}

impl PoseDetection {
    /// Gives the device a moving and a fixed part, and the nodes of both [m].
    ///
    /// # Errors
    /// When the kernels do not have one of the parts, or the device cannot be used.
    pub fn new(parts: [&Part; 2], nodes: [&Columns3; 2], device: &Device) -> Result<Self, GpuError> {
        Self::with(parts, nodes, None, device)
    }

    /// The same by the depth networks of both parts alone, as in the paper: every node inside the other part's bounding volume is
    /// asked of its network, and the parts' exact distances decide nothing.
    ///
    /// # Errors
    /// As [`Self::new`], and when the kernels do not have one of the networks.
    pub fn with_networks(
        parts: [&Part; 2],
        nodes: [&Columns3; 2],
        networks: [&Field; 2],
        device: &Device,
    ) -> Result<Self, GpuError> {
        Self::with(parts, nodes, Some(networks), device)
    }

    fn with(
        parts: [&Part; 2],
        nodes: [&Columns3; 2],
        fields: Option<[&Field; 2]>,
        device: &Device,
    ) -> Result<Self, GpuError> {
        let refuse = |what: String| GpuError::Unsupported { what, scene: "detection".into(), remedy: ON_CPU };
        let [moving, fixed] = parts.map(|part| shape_record(part).map_err(refuse));
        let shapes = [moving?, fixed?];
        if let Some(what) = unsupported_pair(parts[0], parts[1]) {
            return Err(refuse(what));
        }
        let tables = nodes.map(NodeTable::of_points);
        for table in &tables {
            if table.len() == 0 || table.len() > MOST_NODES || table.boxes.len() > BLOCKS {
                return Err(refuse(format!("a part of {} nodes", table.len())));
            }
        }
        for field in fields.into_iter().flatten() {
            FieldRanges::of(field).map_err(refuse)?;
        }
        let mut common = Common::zeroed();
        common.fixed_rotation[3] = 1.0;
        for (nodes, table) in common.nodes.iter_mut().zip(&tables) {
            (nodes.count, nodes.blocks, nodes.apart) =
                (table.len() as i32, table.boxes.len() as i32, table.apart);
        }
        let backend = match device {
            Device::Cuda(ordinal) => {
                Backend::Cuda(CudaPoses::open(*ordinal, common, shapes, &tables, Parts::of(parts), fields)?)
            }
            Device::Host(path) => Backend::Host(HostPoses::open(path, common, shapes, tables, fields)?),
        };
        Ok(Self { backend, room: USUAL_ROOM, summaries: Vec::new() })
    }

    /// The device, in words.
    #[must_use]
    pub fn device_name(&self) -> String {
        match &self.backend {
            Backend::Cuda(cuda) => cuda.name.clone(),
            Backend::Host(_) => "host kernels".into(),
        }
    }

    /// Finds all contacts nearer than `margin` [m] at every pose of the moving part in the fixed part's frame: copies the poses to
    /// the device, detects, and copies number and smallest gap of every pose back. The contacts stay on the device.
    ///
    /// # Errors
    /// When a pose has more contacts than there is room for, or the device fails.
    pub fn detect(&mut self, poses: &[Pose], margin: f64) -> Result<&[PoseSummary], GpuError> {
        let poses: Vec<PartPose> = poses.iter().map(PartPose::from).collect();
        match &mut self.backend {
            Backend::Cuda(cuda) => cuda.put(&poses)?,
            Backend::Host(host) => host.put(&poses),
        }
        loop {
            self.summaries = match &mut self.backend {
                Backend::Cuda(cuda) => cuda.detect(margin, self.room)?,
                Backend::Host(host) => host.detect(margin, self.room),
            };
            let most = self.summaries.iter().map(PoseSummary::count).max().unwrap_or(0);
            if most <= self.room {
                return Ok(&self.summaries);
            }
            if self.room == MOST_ROOM {
                return Err(GpuError::Unsupported {
                    what: format!("{most} contacts"),
                    scene: "detection".into(),
                    remedy: "use a smaller margin or coarser nodes",
                });
            }
            self.room = most.next_power_of_two().min(MOST_ROOM);
        }
    }

    /// What the last call found at a pose.
    ///
    /// # Panics
    /// When there is no such pose.
    #[must_use]
    pub fn summary(&self, pose: usize) -> PoseSummary {
        self.summaries[pose]
    }

    /// All contacts of a pose of the last call, in the order of the nodes.
    ///
    /// # Errors
    /// When the device fails.
    ///
    /// # Panics
    /// When there is no such pose.
    pub fn contacts(&self, pose: usize) -> Result<Vec<PoseContact>, GpuError> {
        let (first, count) = (pose * self.room, self.summaries[pose].count());
        match &self.backend {
            Backend::Cuda(cuda) => cuda.contacts(first, count),
            Backend::Host(host) => Ok(host.contacts(first, count)),
        }
    }
}
