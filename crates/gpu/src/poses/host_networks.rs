//! Depth networks in the detection by the kernels compiled for the host: the CPU's own inference evaluates them.

use bytemuck::Zeroable;
use tightfit_network::{Field, Inference, InferenceScratch};

use super::host::Parts;
use super::records::{FieldRanges, NetworkColumns, PartPose, PoseContact, PoseRange, PoseSummary};
use crate::records::{Common, Shape};

pub(super) type ListPoints = unsafe extern "C" fn(
    *const Common,
    *const Shape,
    *const PartPose,
    i32,
    f64,
    *const FieldRanges,
    *const NetworkColumns,
    *mut i32,
    *mut PoseRange,
);
pub(super) type NetworkContacts = unsafe extern "C" fn(
    *const Common,
    *const Shape,
    *const PartPose,
    i32,
    f64,
    *const FieldRanges,
    *const NetworkColumns,
    *const PoseRange,
    i32,
    *mut PoseContact,
    *mut PoseSummary,
);

/// Networks of the two parts, and the columns of the two sides.
pub(super) struct HostNetworks {
    ranges: [FieldRanges; 2],
    inferences: [Inference; 2],
    columns: [Columns; 2],
    /// Two for each pose.
    places: Vec<PoseRange>,
}

#[derive(Default)]
struct Columns {
    inputs: Vec<f32>,
    values: Vec<f32>,
    gradients: Vec<f32>,
    nodes: Vec<u32>,
}

impl Columns {
    fn resize(&mut self, room: usize) {
        self.inputs.resize(3 * room, 0.0);
        self.values.resize(room, 0.0);
        self.gradients.resize(3 * room, 0.0);
        self.nodes.resize(room, 0);
    }

    fn record(&mut self) -> NetworkColumns {
        NetworkColumns {
            inputs: self.inputs.as_mut_ptr() as u64,
            values: self.values.as_mut_ptr() as u64,
            gradients: self.gradients.as_mut_ptr() as u64,
            nodes: self.nodes.as_mut_ptr() as u64,
            room: self.nodes.len() as i32,
            unused: 0,
        }
    }
}

impl HostNetworks {
    pub(super) fn new(fields: [&Field; 2]) -> Result<Self, String> {
        Ok(Self {
            ranges: [FieldRanges::of(fields[0])?, FieldRanges::of(fields[1])?],
            inferences: fields.map(|field| Inference::new(field.network())),
            columns: Default::default(),
            places: Vec::new(),
        })
    }

    /// Lists the points of all poses and evaluates the networks there.
    pub(super) fn evaluate(&mut self, parts: &Parts, list_points: ListPoints, margin: f64) {
        self.places.resize(2 * parts.poses.len(), PoseRange::zeroed());
        // the first time counts; there is exactly as much room as points, as the inference takes whole columns
        for _ in 0..2 {
            let mut taken = [0_i32; 2];
            let columns = self.columns.each_mut().map(Columns::record);
            // SAFETY: shapes, ranges, columns and counts are two, places two for each pose; nothing is written beyond the room of
            // the columns.
            unsafe {
                list_points(
                    parts.common,
                    parts.shapes.as_ptr(),
                    parts.poses.as_ptr(),
                    parts.poses.len() as i32,
                    margin,
                    self.ranges.as_ptr(),
                    columns.as_ptr(),
                    taken.as_mut_ptr(),
                    self.places.as_mut_ptr(),
                );
            }
            self.columns.iter_mut().zip(taken).for_each(|(own, count)| own.resize(count as usize));
        }
        let mut scratch = InferenceScratch::default();
        for (side, own) in self.columns.iter_mut().enumerate() {
            // the network is that of the other part; a valid network and columns of one length cannot fail
            let done = self.inferences[1 - side].values_and_gradients(
                &own.inputs,
                &mut own.values,
                &mut own.gradients,
                &mut scratch,
            );
            debug_assert!(done.is_ok());
        }
    }

    /// Writes the contacts of all poses.
    pub(super) fn contacts(
        &mut self,
        parts: &Parts,
        network_contacts: NetworkContacts,
        margin: f64,
        room: usize,
        contacts: &mut [PoseContact],
        summaries: &mut [PoseSummary],
    ) {
        let columns = self.columns.each_mut().map(Columns::record);
        // SAFETY: as above; there are `room` contacts and one summary for every pose.
        unsafe {
            network_contacts(
                parts.common,
                parts.shapes.as_ptr(),
                parts.poses.as_ptr(),
                parts.poses.len() as i32,
                margin,
                self.ranges.as_ptr(),
                columns.as_ptr(),
                self.places.as_ptr(),
                room as i32,
                contacts.as_mut_ptr(),
                summaries.as_mut_ptr(),
            );
        }
    }
}
