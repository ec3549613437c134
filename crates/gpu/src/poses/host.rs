//! Detection at many poses by the kernels compiled for the host: for tests.

use std::path::Path;

use bytemuck::Zeroable;
use libloading::Library;
use tightfit_network::Field;

use super::host_networks::{HostNetworks, ListPoints, NetworkContacts};
use super::records::{FieldRanges, NetworkColumns, PartPose, PoseContact, PoseRange, PoseSummary};
use crate::error::GpuError;
use crate::node_table::NodeTable;
use crate::records::{Common, Shape};

type DetectPoses = unsafe extern "C" fn(
    *const Common,
    *const Shape,
    *const PartPose,
    i32,
    f64,
    i32,
    *mut PoseContact,
    *mut PoseSummary,
);

/// What all calls read.
pub(super) struct Parts<'a> {
    pub(super) common: &'a Common,
    pub(super) shapes: &'a [Shape; 2],
    pub(super) poses: &'a [PartPose],
}

/// A library made from `kernels/host.cpp`, and what was found last.
pub(crate) struct HostPoses {
    detect_poses: DetectPoses,
    list_points: ListPoints,
    network_contacts: NetworkContacts,
    common: Box<Common>,
    shapes: [Shape; 2],
    poses: Vec<PartPose>,
    contacts: Vec<PoseContact>,
    networks: Option<HostNetworks>,
    /// `common` points to them.
    _tables: Box<[NodeTable; 2]>,
    /// Keeps the function above.
    _library: Library,
}

impl HostPoses {
    pub(crate) fn open(
        path: &Path,
        mut common: Common,
        shapes: [Shape; 2],
        tables: [NodeTable; 2],
        fields: Option<[&Field; 2]>,
    ) -> Result<Self, GpuError> {
        let wrong = |reason: String| GpuError::HostKernels { path: path.display().to_string(), reason };
        // SAFETY: the library is built from our own source; loading it runs no code of its own.
        let library = unsafe { Library::new(path) }.map_err(|error| wrong(error.to_string()))?;
        let mut sizes = [0_u64; 8];
        // SAFETY: `tightfit_pose_sizes` writes eight numbers.
        unsafe {
            let tell = library.get::<unsafe extern "C" fn(*mut u64)>(b"tightfit_pose_sizes\0");
            tell.map_err(|error| wrong(error.to_string()))?(sizes.as_mut_ptr());
        }
        let expected = [
            size_of::<Shape>(),
            size_of::<Common>(),
            size_of::<PartPose>(),
            size_of::<PoseContact>(),
            size_of::<PoseSummary>(),
            size_of::<FieldRanges>(),
            size_of::<NetworkColumns>(),
            size_of::<PoseRange>(),
        ];
        if sizes != expected.map(|size| size as u64) {
            return Err(wrong(format!("records of {sizes:?} bytes, but {expected:?} are expected")));
        }
        let missing = |error: libloading::Error| wrong(error.to_string());
        // SAFETY: the types are those of the functions in host.cpp; the library lives as long as the copies of them.
        let (detect_poses, list_points, network_contacts) = unsafe {
            (
                *library.get::<DetectPoses>(b"tightfit_detect_poses\0").map_err(missing)?,
                *library.get::<ListPoints>(b"tightfit_list_points\0").map_err(missing)?,
                *library.get::<NetworkContacts>(b"tightfit_network_contacts\0").map_err(missing)?,
            )
        };
        let tables = Box::new(tables);
        for (nodes, table) in common.nodes.iter_mut().zip(tables.iter()) {
            nodes.node = table.blocked.as_ptr() as u64;
            nodes.boxes = table.boxes.as_ptr() as u64;
            nodes.box_slopes = table.box_slopes.as_ptr() as u64;
            nodes.left = table.left.as_ptr() as u64;
        }
        Ok(Self {
            detect_poses,
            list_points,
            network_contacts,
            networks: fields.map(HostNetworks::new).transpose().map_err(wrong)?,
            common: Box::new(common),
            shapes,
            poses: Vec::new(),
            contacts: Vec::new(),
            _tables: tables,
            _library: library,
        })
    }

    pub(crate) fn put(&mut self, poses: &[PartPose]) {
        self.poses = poses.to_vec();
    }

    pub(crate) fn detect(&mut self, margin: f64, room: usize) -> Vec<PoseSummary> {
        self.contacts.resize(self.poses.len() * room, PoseContact::zeroed());
        let mut summaries = vec![PoseSummary::zeroed(); self.poses.len()];
        if let Some(networks) = &mut self.networks {
            let parts = Parts { common: &self.common, shapes: &self.shapes, poses: &self.poses };
            networks.evaluate(&parts, self.list_points, margin);
            networks.contacts(
                &parts,
                self.network_contacts,
                margin,
                room,
                &mut self.contacts,
                &mut summaries,
            );
            return summaries;
        }
        // SAFETY: the shapes are two, summaries as many as poses, and the contacts have `room` places for each; the tables that
        // `common` points to live in `self`.
        unsafe {
            (self.detect_poses)(
                &raw const *self.common,
                self.shapes.as_ptr(),
                self.poses.as_ptr(),
                self.poses.len() as i32,
                margin,
                room as i32,
                self.contacts.as_mut_ptr(),
                summaries.as_mut_ptr(),
            );
        }
        summaries
    }

    pub(crate) fn contacts(&self, first: usize, count: usize) -> Vec<PoseContact> {
        self.contacts[first..first + count].to_vec()
    }
}
