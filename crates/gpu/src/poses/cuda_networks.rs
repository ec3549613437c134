//! Depth networks in the detection on a CUDA device: their points, values and gradients stay there.

use std::sync::Arc;

use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DevicePtr, LaunchConfig, PushKernelArg,
};
use tightfit_network::Field;

use super::records::{FieldRanges, NetworkColumns, PoseRange};
use crate::error::GpuError;
use crate::network::GpuNetwork;

/// Points of a pose and side for which there is room at first.
const USUAL_POINTS: usize = 512;

/// What the kernels read and write beside the columns.
pub(super) struct PoseSlices<'a> {
    pub(super) common: &'a CudaSlice<u8>,
    pub(super) shapes: &'a CudaSlice<u8>,
    pub(super) poses: &'a CudaSlice<u8>,
    pub(super) memory: &'a mut CudaSlice<u8>,
    pub(super) contacts: &'a mut CudaSlice<u8>,
    pub(super) summaries: &'a mut CudaSlice<u8>,
    pub(super) count: usize,
}

/// Networks of the two parts, and the columns of the two sides.
pub(super) struct CudaNetworks {
    stream: Arc<CudaStream>,
    list_points: CudaFunction,
    network_contacts: CudaFunction,
    networks: [GpuNetwork; 2],
    ranges: CudaSlice<u8>,
    columns: [Columns; 2],
    records: CudaSlice<u8>,
    taken: CudaSlice<i32>,
    /// Two ranges for each pose.
    places: CudaSlice<u8>,
}

struct Columns {
    inputs: CudaSlice<f32>,
    values: CudaSlice<f32>,
    gradients: CudaSlice<f32>,
    nodes: CudaSlice<u32>,
    room: usize,
}

impl Columns {
    fn new(stream: &Arc<CudaStream>, room: usize) -> Result<Self, GpuError> {
        Ok(Self {
            inputs: stream.alloc_zeros(3 * room)?,
            values: stream.alloc_zeros(room)?,
            gradients: stream.alloc_zeros(3 * room)?,
            nodes: stream.alloc_zeros(room)?,
            room,
        })
    }

    fn record(&self, stream: &CudaStream) -> NetworkColumns {
        NetworkColumns {
            inputs: self.inputs.device_ptr(stream).0,
            values: self.values.device_ptr(stream).0,
            gradients: self.gradients.device_ptr(stream).0,
            nodes: self.nodes.device_ptr(stream).0,
            room: self.room as i32,
            unused: 0,
        }
    }
}

impl CudaNetworks {
    pub(super) fn new(
        fields: [&Field; 2],
        context: &Arc<CudaContext>,
        module: &Arc<CudaModule>,
        stream: &Arc<CudaStream>,
    ) -> Result<Self, GpuError> {
        let refuse = |what| GpuError::Unsupported { what, scene: "detection".into(), remedy: super::ON_CPU };
        let ranges = [FieldRanges::of(fields[0]), FieldRanges::of(fields[1])];
        let [moving, fixed] = ranges.map(|own| own.map_err(refuse));
        Ok(Self {
            list_points: module.load_function("list_points")?,
            network_contacts: module.load_function("network_contacts")?,
            networks: [
                GpuNetwork::beside(fields[0].network(), context)?,
                GpuNetwork::beside(fields[1].network(), context)?,
            ],
            ranges: stream.clone_htod(bytemuck::cast_slice(&[moving?, fixed?]))?,
            columns: [Columns::new(stream, 1)?, Columns::new(stream, 1)?],
            records: stream.alloc_zeros(2 * size_of::<NetworkColumns>())?,
            taken: stream.alloc_zeros(2)?,
            places: stream.alloc_zeros(1)?,
            stream: Arc::clone(stream),
        })
    }

    /// Finds the contacts of all poses; every kernel runs with `config`.
    pub(super) fn detect(
        &mut self,
        own: &mut PoseSlices,
        config: LaunchConfig,
        margin: f64,
        room: usize,
    ) -> Result<(), GpuError> {
        let wanted = 2 * own.count * size_of::<PoseRange>();
        if self.places.len() < wanted {
            self.places = self.stream.alloc_zeros(wanted)?;
        }
        self.make_room([own.count * USUAL_POINTS; 2])?;
        let taken = loop {
            let taken = self.list(own, config, margin)?;
            if self.columns.iter().zip(taken).all(|(columns, count)| count <= columns.room) {
                break taken;
            }
            self.make_room(taken)?;
        };
        for (side, columns) in self.columns.iter().enumerate() {
            let Columns { inputs, values, gradients, .. } = columns;
            // the network is that of the other part
            self.networks[1 - side].evaluate_columns(
                [inputs, values, gradients],
                taken[side],
                columns.room,
            )?;
        }
        let (count, places) = (own.count as i32, room as i32);
        let mut launch = self.stream.launch_builder(&self.network_contacts);
        launch.arg(own.common).arg(own.shapes).arg(own.poses).arg(&count).arg(&margin).arg(&self.ranges);
        launch.arg(&self.records).arg(&mut *own.memory).arg(&self.places).arg(&places);
        launch.arg(&mut *own.contacts).arg(&mut *own.summaries);
        // SAFETY: the arguments are those of the kernel; the ranges of the poses lie within the columns, and there are `room`
        // contacts and one summary for every pose.
        unsafe { launch.launch(config) }?;
        Ok(())
    }

    /// Lists the points of all poses; how many there are of either side.
    fn list(
        &mut self,
        own: &mut PoseSlices,
        config: LaunchConfig,
        margin: f64,
    ) -> Result<[usize; 2], GpuError> {
        self.stream.memcpy_htod(&[0_i32, 0], &mut self.taken)?;
        let count = own.count as i32;
        let mut launch = self.stream.launch_builder(&self.list_points);
        launch.arg(own.common).arg(own.shapes).arg(own.poses).arg(&count).arg(&margin).arg(&self.ranges);
        launch.arg(&self.records).arg(&mut *own.memory).arg(&mut self.taken).arg(&mut self.places);
        // SAFETY: the arguments are those of the kernel; nothing is written beyond the room of the columns.
        unsafe { launch.launch(config) }?;
        let taken = self.stream.clone_dtoh(&self.taken)?;
        Ok([taken[0] as usize, taken[1] as usize])
    }

    /// Makes room for the points of both sides.
    fn make_room(&mut self, wanted: [usize; 2]) -> Result<(), GpuError> {
        for (columns, wanted) in self.columns.iter_mut().zip(wanted) {
            if columns.room < wanted {
                *columns = Columns::new(&self.stream, wanted)?;
            }
        }
        let records = self.columns.each_ref().map(|columns| columns.record(&self.stream));
        self.stream.memcpy_htod(bytemuck::cast_slice(&records), &mut self.records)?;
        Ok(())
    }
}
