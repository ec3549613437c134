//! Detection at many poses on a CUDA device.

use std::sync::Arc;

use bytemuck::Zeroable;
use cudarc::driver::sys::CUdevice_attribute;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::Ptx;
use tightfit_network::Field;

use super::cuda_networks::{CudaNetworks, PoseSlices};
use super::records::{POSE_MEMORY_BYTES, PartPose, PoseContact, PoseSummary};
use crate::compiler::{POSE_BLOCK, POSE_LANES, Parts, pose_binary};
use crate::error::GpuError;
use crate::node_table::NodeTable;
use crate::records::{Common, Shape};

/// Poses of one block at a time.
const GROUPS: usize = (POSE_BLOCK / POSE_LANES) as usize;

/// Parts, poses and contacts in the memory of a device.
pub(crate) struct CudaPoses {
    pub(crate) name: String,
    stream: Arc<CudaStream>,
    detect_poses: CudaFunction,
    /// Blocks that the device holds at once.
    most_blocks: usize,
    common: CudaSlice<u8>,
    shapes: CudaSlice<u8>,
    /// `common` points to them.
    _tables: Vec<CudaSlice<f64>>,
    count: usize,
    poses: CudaSlice<u8>,
    memory: CudaSlice<u8>,
    contacts: CudaSlice<u8>,
    summaries: CudaSlice<u8>,
    networks: Option<CudaNetworks>,
}

impl CudaPoses {
    pub(crate) fn open(
        ordinal: usize,
        mut common: Common,
        shapes: [Shape; 2],
        tables: &[NodeTable; 2],
        parts: Parts,
        fields: Option<[&Field; 2]>,
    ) -> Result<Self, GpuError> {
        // SAFETY: only looks for the driver's library.
        if !unsafe { cudarc::driver::sys::is_culib_present() } {
            return Err(GpuError::NoDriver);
        }
        let context = CudaContext::new(ordinal)?;
        let (major, minor) = context.compute_capability()?;
        let module =
            context.load_module(Ptx::from_binary(pose_binary(&format!("sm_{major}{minor}"), parts)?))?;
        let detect_poses = module.load_function("detect_poses")?;
        let processors =
            context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as usize;
        let resident = detect_poses.occupancy_max_active_blocks_per_multiprocessor(POSE_BLOCK, 0, None)?;
        // SAFETY: all memory is used by one stream, in order.
        unsafe { context.disable_event_tracking() };
        let stream = context.default_stream();
        let mut kept = Vec::new();
        for (nodes, table) in common.nodes.iter_mut().zip(tables) {
            let mut put = |numbers: &[f64]| -> Result<u64, GpuError> {
                let slice = stream.clone_htod(numbers)?;
                let address = slice.device_ptr(&stream).0;
                kept.push(slice);
                Ok(address)
            };
            nodes.node = put(&table.blocked)?;
            nodes.boxes = put(table.boxes.as_flattened())?;
            nodes.box_slopes = put(table.box_slopes.as_flattened())?;
            nodes.left = put(&table.left)?;
        }
        Ok(Self {
            name: format!(
                "{}, {processors} multiprocessors, {} registers, {POSE_LANES} lanes per pose, {resident} blocks of {GROUPS} poses on each",
                context.name()?,
                detect_poses.num_regs()?
            ),
            detect_poses,
            most_blocks: processors * resident.max(1) as usize,
            common: stream.clone_htod(bytemuck::bytes_of(&common))?,
            shapes: stream.clone_htod(bytemuck::cast_slice(&shapes))?,
            _tables: kept,
            count: 0,
            poses: stream.alloc_zeros(1)?,
            memory: stream.alloc_zeros(1)?,
            contacts: stream.alloc_zeros(1)?,
            summaries: stream.alloc_zeros(1)?,
            networks: fields
                .map(|fields| CudaNetworks::new(fields, &context, &module, &stream))
                .transpose()?,
            stream,
        })
    }

    fn blocks(&self) -> usize {
        self.count.div_ceil(GROUPS).clamp(1, self.most_blocks)
    }

    /// Writes the poses; memory is allocated where there are more than before.
    pub(crate) fn put(&mut self, poses: &[PartPose]) -> Result<(), GpuError> {
        self.count = poses.len();
        for (slice, bytes) in [
            (&mut self.poses, self.count * size_of::<PartPose>()),
            (&mut self.summaries, self.count * size_of::<PoseSummary>()),
            (
                &mut self.memory,
                self.count.div_ceil(GROUPS).clamp(1, self.most_blocks) * GROUPS * POSE_MEMORY_BYTES,
            ),
        ] {
            if slice.len() < bytes {
                *slice = self.stream.alloc_zeros(bytes)?;
            }
        }
        self.stream.memcpy_htod(bytemuck::cast_slice(poses), &mut self.poses)?;
        Ok(())
    }

    /// Makes room for the contacts of every pose.
    fn make_room(&mut self, room: usize) -> Result<(), GpuError> {
        let wanted = self.count * room * size_of::<PoseContact>();
        if self.contacts.len() >= wanted {
            return Ok(());
        }
        self.contacts = self.stream.alloc_zeros(1)?;
        self.stream.synchronize()?;
        let free = cudarc::driver::result::mem_get_info()?.0;
        if wanted > free {
            return Err(GpuError::Memory {
                count: self.count,
                wanted_mib: wanted >> 20,
                free_mib: free >> 20,
            });
        }
        self.contacts = self.stream.alloc_zeros(wanted)?;
        Ok(())
    }

    pub(crate) fn detect(&mut self, margin: f64, room: usize) -> Result<Vec<PoseSummary>, GpuError> {
        self.make_room(room)?;
        let mut summaries = vec![PoseSummary::zeroed(); self.count];
        if self.count == 0 {
            return Ok(summaries);
        }
        let config = LaunchConfig {
            grid_dim: (self.blocks() as u32, 1, 1),
            block_dim: (POSE_BLOCK, 1, 1),
            shared_mem_bytes: 0,
        };
        let Self { common, shapes, poses, memory, contacts, summaries: found, count, .. } = self;
        let mut slices =
            PoseSlices { common, shapes, poses, memory, contacts, summaries: found, count: *count };
        match &mut self.networks {
            Some(networks) => networks.detect(&mut slices, config, margin, room)?,
            None => detect_exactly(&self.stream, &self.detect_poses, &mut slices, config, margin, room)?,
        }
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut summaries);
        let from = self.summaries.slice(0..bytes.len());
        self.stream.memcpy_dtoh(&from, bytes)?;
        self.stream.synchronize()?;
        Ok(summaries)
    }

    pub(crate) fn contacts(&self, first: usize, count: usize) -> Result<Vec<PoseContact>, GpuError> {
        let mut out = vec![PoseContact::zeroed(); count];
        if count > 0 {
            let size = size_of::<PoseContact>();
            let from = self.contacts.slice(first * size..(first + count) * size);
            self.stream.memcpy_dtoh(&from, bytemuck::cast_slice_mut(&mut out))?;
            self.stream.synchronize()?;
        }
        Ok(out)
    }
}

/// Finds the contacts by the parts' exact distances.
fn detect_exactly(
    stream: &Arc<CudaStream>,
    detect_poses: &CudaFunction,
    own: &mut PoseSlices,
    config: LaunchConfig,
    margin: f64,
    room: usize,
) -> Result<(), GpuError> {
    let (count, places) = (own.count as i32, room as i32);
    let mut launch = stream.launch_builder(detect_poses);
    launch.arg(own.common).arg(own.shapes).arg(own.poses).arg(&count).arg(&margin).arg(&places);
    launch.arg(&mut *own.memory).arg(&mut *own.contacts).arg(&mut *own.summaries);
    // SAFETY: the arguments are those of the kernel; there is memory for every group of the grid, `room` contacts and one
    // summary for every pose.
    unsafe { launch.launch(config) }?;
    Ok(())
}
