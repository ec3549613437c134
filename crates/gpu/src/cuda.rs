//! The kernels on a CUDA device.

use std::sync::Arc;

use cudarc::driver::sys::{CUdevice_attribute, CUfunction_attribute};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, DriverError, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::Ptx;

use crate::compiler::{KernelOptions, kernel_binary};
use crate::depth_network::DepthNetworkRecord;
use crate::device_array::DeviceArray;
use crate::error::GpuError;
use crate::node_table::NodeTable;
use crate::records::{
    Common, Environment, FLIGHT_BYTES, MotionRecord, ROWS_BYTES, SCRATCH_BYTES, WaypointPair,
};

/// Threads of the kernels that copy environments.
const COPY_THREADS: u32 = 128;

/// Memory and kernels of a batch on one device.
pub(crate) struct Cuda {
    pub(crate) name: String,
    options: KernelOptions,
    stream: Arc<CudaStream>,
    take_steps: CudaFunction,
    gather: CudaFunction,
    scatter: CudaFunction,
    read_motions: CudaFunction,
    set_waypoints: CudaFunction,
    count: usize,
    blocks: u32,
    common: CudaSlice<u8>,
    tables: Vec<CudaSlice<f64>>,
    networks: Vec<CudaSlice<u8>>,
    environments: CudaSlice<u8>,
    rows: CudaSlice<u8>,
    scratch: CudaSlice<u8>,
    flights: CudaSlice<u8>,
    list: CudaSlice<i32>,
    left: CudaSlice<i32>,
    counters: CudaSlice<i32>,
    dense: CudaSlice<u8>,
    /// Dense copies of waypoints and motions.
    waypoints: CudaSlice<u8>,
    motions: CudaSlice<u8>,
}

impl From<DriverError> for GpuError {
    fn from(error: DriverError) -> Self {
        Self::Driver(error.to_string())
    }
}

/// Most environments that are copied at once.
const DENSE: usize = 4096;

impl Cuda {
    pub(crate) fn open(ordinal: usize, count: usize, options: KernelOptions) -> Result<Self, GpuError> {
        // SAFETY: only looks for the driver's library.
        if !unsafe { cudarc::driver::sys::is_culib_present() } {
            return Err(GpuError::NoDriver);
        }
        let context = CudaContext::new(ordinal)?;
        let (major, minor) = context.compute_capability()?;
        let binary = kernel_binary(&format!("sm_{major}{minor}"), &options)?;
        let module = context.load_module(Ptx::from_binary(binary))?;
        let take_steps = module.load_function("take_steps")?;
        let processors =
            context.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as u32;
        let most_shared = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        take_steps.set_attribute(most_shared, options.shared_bytes() as i32)?;
        let blocks = processors.min(count as u32).max(1);
        let dense = count.clamp(1, DENSE);
        let wanted = count * (size_of::<Environment>() + ROWS_BYTES)
            + (blocks * options.slots) as usize * (SCRATCH_BYTES + FLIGHT_BYTES)
            + dense * size_of::<Environment>()
            + count * (size_of::<MotionRecord>() + size_of::<WaypointPair>());
        let free = cudarc::driver::result::mem_get_info()?.0;
        if wanted > free {
            return Err(GpuError::Memory { count, wanted_mib: wanted >> 20, free_mib: free >> 20 });
        }
        // events between streams are not needed: there is one
        // SAFETY: all memory is used by one stream, in order.
        unsafe { context.disable_event_tracking() };
        let stream = context.default_stream();
        Ok(Self {
            name: format!(
                "{}, {processors} multiprocessors, {} registers, {} threads with {} environments in hand on each, {} lanes per environment",
                context.name()?,
                take_steps.num_regs()?,
                options.block,
                options.slots,
                options.lanes
            ),
            options,
            gather: module.load_function("gather")?,
            scatter: module.load_function("scatter")?,
            read_motions: module.load_function("read_motions")?,
            set_waypoints: module.load_function("set_waypoints")?,
            take_steps,
            count,
            blocks,
            common: stream.alloc_zeros(size_of::<Common>())?,
            tables: Vec::new(),
            networks: Vec::new(),
            environments: stream.alloc_zeros(count.max(1) * size_of::<Environment>())?,
            rows: stream.alloc_zeros(count.max(1) * ROWS_BYTES)?,
            scratch: stream.alloc_zeros((blocks * options.slots) as usize * SCRATCH_BYTES)?,
            flights: stream.alloc_zeros((blocks * options.slots) as usize * FLIGHT_BYTES)?,
            list: stream.alloc_zeros(count.max(1))?,
            left: stream.alloc_zeros(count.max(1))?,
            counters: stream.alloc_zeros(2)?,
            dense: stream.alloc_zeros(dense * size_of::<Environment>())?,
            waypoints: stream.alloc_zeros(count.max(1) * size_of::<WaypointPair>())?,
            motions: stream.alloc_zeros(count.max(1) * size_of::<MotionRecord>())?,
            stream,
        })
    }

    pub(crate) fn set_common(
        &mut self,
        common: &Common,
        tables: &[NodeTable; 2],
        networks: &[Vec<DepthNetworkRecord>; 2],
    ) -> Result<(), GpuError> {
        let mut common = *common;
        self.networks.clear();
        for (address, network) in common.network.iter_mut().zip(networks) {
            if !network.is_empty() {
                let slice = self.stream.clone_htod(bytemuck::cast_slice::<_, u8>(network))?;
                *address = slice.device_ptr(&self.stream).0;
                self.networks.push(slice);
            }
        }
        self.tables.clear();
        for (nodes, table) in common.nodes.iter_mut().zip(tables) {
            let mut put = |numbers: &[f64]| -> Result<u64, GpuError> {
                let numbers = if numbers.is_empty() { &[0.0] } else { numbers };
                let slice = self.stream.clone_htod(numbers)?;
                let address = slice.device_ptr(&self.stream).0;
                self.tables.push(slice);
                Ok(address)
            };
            nodes.node = put(&table.blocked)?;
            nodes.boxes = put(table.boxes.as_flattened())?;
            nodes.box_slopes = put(table.box_slopes.as_flattened())?;
            nodes.left = put(&table.left)?;
        }
        common.most_passes = self.options.most_passes as i32;
        self.stream.memcpy_htod(bytemuck::bytes_of(&common), &mut self.common)?;
        Ok(())
    }

    pub(crate) fn write(&mut self, list: &[i32], records: &[Environment]) -> Result<(), GpuError> {
        for (list, records) in list.chunks(DENSE).zip(records.chunks(DENSE)) {
            self.stream.memcpy_htod(list, &mut self.list)?;
            self.stream.memcpy_htod(bytemuck::cast_slice(records), &mut self.dense)?;
            let config = copies(list.len());
            let mut launch = self.stream.launch_builder(&self.scatter);
            launch.arg(&mut self.environments).arg(&self.list).arg(&self.dense);
            // SAFETY: the arguments are those of the kernel; every index is below the number of environments.
            unsafe { launch.launch(config) }?;
        }
        Ok(())
    }

    pub(crate) fn read(&mut self, list: &[i32]) -> Result<Vec<Environment>, GpuError> {
        let mut out = vec![bytemuck::Zeroable::zeroed(); list.len()];
        for (list, out) in list.chunks(DENSE).zip(out.chunks_mut(DENSE)) {
            self.stream.memcpy_htod(list, &mut self.list)?;
            let mut launch = self.stream.launch_builder(&self.gather);
            launch.arg(&self.environments).arg(&self.list).arg(&mut self.dense);
            // SAFETY: as above.
            unsafe { launch.launch(copies(list.len())) }?;
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(out);
            let from = self.dense.slice(0..bytes.len());
            self.stream.memcpy_dtoh(&from, bytes)?;
        }
        self.stream.synchronize()?;
        Ok(out)
    }

    pub(crate) fn read_motions(&mut self, list: &[i32]) -> Result<Vec<MotionRecord>, GpuError> {
        let mut out: Vec<MotionRecord> = vec![bytemuck::Zeroable::zeroed(); list.len()];
        if list.is_empty() {
            return Ok(out);
        }
        self.stream.memcpy_htod(list, &mut self.list)?;
        let count = list.len() as i32;
        let mut launch = self.stream.launch_builder(&self.read_motions);
        launch.arg(&self.environments).arg(&self.list).arg(&count).arg(&mut self.motions);
        // SAFETY: the arguments are those of the kernel; every index is below the number of environments, which `motions` has room for.
        unsafe { launch.launch(one_each(list.len())) }?;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut out);
        let from = self.motions.slice(0..bytes.len());
        self.stream.memcpy_dtoh(&from, bytes)?;
        self.stream.synchronize()?;
        Ok(out)
    }

    pub(crate) fn upload(&self, numbers: &[f32]) -> Result<DeviceArray, GpuError> {
        DeviceArray::new(&self.stream, numbers)
    }

    pub(crate) fn set_waypoints(&mut self, list: &[i32], points: &[WaypointPair]) -> Result<(), GpuError> {
        if list.is_empty() {
            return Ok(());
        }
        self.stream.memcpy_htod(list, &mut self.list)?;
        self.stream.memcpy_htod(bytemuck::cast_slice(points), &mut self.waypoints)?;
        let count = list.len() as i32;
        let mut launch = self.stream.launch_builder(&self.set_waypoints);
        launch.arg(&mut self.environments).arg(&self.list).arg(&count).arg(&self.waypoints);
        // SAFETY: as above.
        unsafe { launch.launch(one_each(list.len())) }?;
        Ok(())
    }

    pub(crate) fn take_steps(&mut self, list: Option<&[i32]>, more: usize) -> Result<Vec<i32>, GpuError> {
        let count = list.map_or(self.count, <[i32]>::len) as i32;
        self.stream.memcpy_htod(&[0_i32, 0], &mut self.counters)?;
        if let Some(list) = list {
            self.stream.memcpy_htod(list, &mut self.list)?;
        }
        let (nowhere, more) = (0_u64, more as i32);
        let blocks = self.blocks.min(count as u32).max(1);
        // few environments are spread over all blocks
        let slots = (count as u32).div_ceil(blocks).clamp(1, self.options.slots) as i32;
        let config = LaunchConfig {
            grid_dim: (blocks, 1, 1),
            block_dim: (self.options.block, 1, 1),
            shared_mem_bytes: self.options.shared_bytes(),
        };
        let mut launch = self.stream.launch_builder(&self.take_steps);
        launch
            .arg(&self.common)
            .arg(&mut self.environments)
            .arg(&mut self.rows)
            .arg(&mut self.scratch)
            .arg(&mut self.flights);
        match list {
            Some(_) => launch.arg(&self.list),
            None => launch.arg(&nowhere),
        };
        launch.arg(&count).arg(&more).arg(&slots).arg(&mut self.counters).arg(&mut self.left);
        // SAFETY: the arguments are those of the kernel; memory has room for all environments and for the scratch of every group.
        unsafe { launch.launch(config) }?;
        let counters = self.stream.clone_dtoh(&self.counters)?;
        let waiting = counters[1] as usize;
        let mut left = vec![0_i32; waiting];
        if waiting > 0 {
            self.stream.memcpy_dtoh(&self.left.slice(0..waiting), &mut left)?;
            self.stream.synchronize()?;
        }
        // the order in which groups end is not ours to report
        left.sort_unstable();
        Ok(left)
    }
}

/// A thread for each.
fn one_each(count: usize) -> LaunchConfig {
    let blocks = (count as u32).div_ceil(COPY_THREADS);
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (COPY_THREADS, 1, 1), shared_mem_bytes: 0 }
}

fn copies(count: usize) -> LaunchConfig {
    LaunchConfig { grid_dim: (count as u32, 1, 1), block_dim: (COPY_THREADS, 1, 1), shared_mem_bytes: 0 }
}
