//! The kernels compiled for the host: for tests on machines without a GPU.

use std::path::Path;

use bytemuck::Zeroable;
use libloading::Library;

use crate::depth_network::DepthNetworkRecord;
use crate::error::GpuError;
use crate::node_table::NodeTable;
use crate::records::{
    Common, Environment, FLIGHT_BYTES, MotionRecord, ROWS_BYTES, SCRATCH_BYTES, WaypointPair,
};

type TakeSteps =
    unsafe extern "C" fn(*const Common, *mut Environment, *mut u8, *const i32, i32, i32, *mut i32) -> i32;

/// A library made from `kernels/host.cpp`, and the memory of a batch.
pub(crate) struct HostKernels {
    take_steps: TakeSteps,
    common: Common,
    tables: Option<Box<[NodeTable; 2]>>,
    /// None or one for each side.
    networks: [Vec<DepthNetworkRecord>; 2],
    environments: Vec<Environment>,
    /// Eight-byte words, so that the rows are aligned.
    rows: Vec<u64>,
    /// Keeps the function above.
    _library: Library,
}

impl HostKernels {
    pub(crate) fn open(path: &Path, count: usize) -> Result<Self, GpuError> {
        let wrong = |reason: String| GpuError::HostKernels { path: path.display().to_string(), reason };
        // SAFETY: the library is built from our own source; loading it runs no code of its own.
        let library = unsafe { Library::new(path) }.map_err(|error| wrong(error.to_string()))?;
        let mut sizes = [0_u64; 7];
        // SAFETY: `tightfit_sizes` writes seven numbers.
        unsafe {
            let tell = library.get::<unsafe extern "C" fn(*mut u64)>(b"tightfit_sizes\0");
            tell.map_err(|error| wrong(error.to_string()))?(sizes.as_mut_ptr());
        }
        let expected = [size_of::<Environment>(), ROWS_BYTES, size_of::<Common>()].map(|size| size as u64);
        let is_network_sound = sizes[6] == size_of::<DepthNetworkRecord>() as u64;
        let is_room = sizes[3] <= SCRATCH_BYTES as u64 && sizes[5] <= FLIGHT_BYTES as u64;
        if sizes[..3] != expected || !is_room || !is_network_sound {
            return Err(wrong(format!("records of {sizes:?} bytes, but {expected:?} are expected")));
        }
        // SAFETY: the type is that of the function in host.cpp; the library lives as long as the copy of it.
        let take_steps = unsafe { library.get::<TakeSteps>(b"tightfit_take_steps\0") };
        let take_steps = *take_steps.map_err(|error| wrong(error.to_string()))?;
        Ok(Self {
            take_steps,
            common: Common::zeroed(),
            tables: None,
            networks: Default::default(),
            environments: vec![Environment::zeroed(); count],
            rows: vec![0; count * ROWS_BYTES / 8],
            _library: library,
        })
    }

    pub(crate) fn set_common(
        &mut self,
        common: &Common,
        tables: &[NodeTable; 2],
        networks: &[Vec<DepthNetworkRecord>; 2],
    ) -> Result<(), GpuError> {
        let tables = Box::new(tables.clone());
        self.common = *common;
        for (nodes, table) in self.common.nodes.iter_mut().zip(tables.iter()) {
            nodes.node = table.blocked.as_ptr() as u64;
            nodes.boxes = table.boxes.as_ptr() as u64;
            nodes.box_slopes = table.box_slopes.as_ptr() as u64;
            nodes.left = table.left.as_ptr() as u64;
        }
        self.networks.clone_from(networks);
        for (address, network) in self.common.network.iter_mut().zip(&self.networks) {
            *address = network.first().map_or(0, |network| std::ptr::from_ref(network) as u64);
        }
        self.tables = Some(tables);
        Ok(())
    }

    pub(crate) fn write(&mut self, list: &[i32], records: &[Environment]) {
        for (index, record) in list.iter().zip(records) {
            self.environments[*index as usize] = *record;
        }
    }

    pub(crate) fn read(&self, list: &[i32]) -> Vec<Environment> {
        list.iter().map(|index| self.environments[*index as usize]).collect()
    }

    pub(crate) fn read_motions(&self, list: &[i32]) -> Vec<MotionRecord> {
        list.iter().map(|index| MotionRecord::of(&self.environments[*index as usize])).collect()
    }

    pub(crate) fn set_waypoints(&mut self, list: &[i32], points: &[WaypointPair]) {
        for (index, points) in list.iter().zip(points) {
            self.environments[*index as usize].set_waypoints(points);
        }
    }

    pub(crate) fn take_steps(&mut self, list: Option<&[i32]>, more: usize) -> Vec<i32> {
        let all: Vec<i32>;
        let list = match list {
            Some(list) => list,
            None => {
                all = (0..self.environments.len() as i32).collect();
                &all
            }
        };
        let mut left = vec![0_i32; list.len()];
        // SAFETY: the indices of the list are below the number of environments and of rows, `left` has room for all of them, and
        // the tables and networks that `common` points to live in `self`.
        let count = unsafe {
            (self.take_steps)(
                &self.common,
                self.environments.as_mut_ptr(),
                self.rows.as_mut_ptr().cast(),
                list.as_ptr(),
                list.len() as i32,
                more as i32,
                left.as_mut_ptr(),
            )
        };
        left.truncate(count as usize);
        left
    }
}
