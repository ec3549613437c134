//! What detection at many poses exchanges with the kernels, laid out as `kernels/poses.h` has it. SI units.

use bytemuck::{Pod, Zeroable};
use tightfit_network::{Features, Field, Range};
use tightfit_spatial::Pose;

/// Memory of a pose while it is in hand [bytes], at least what the kernel takes.
pub(crate) const POSE_MEMORY_BYTES: usize = 20 << 10;

/// Moving part in the fixed part's frame.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct PartPose {
    pub(crate) position: [f64; 3],
    /// x y z w.
    pub(crate) rotation: [f64; 4],
}

impl From<&Pose> for PartPose {
    fn from(pose: &Pose) -> Self {
        Self { position: pose.translation.into(), rotation: pose.rotation.coords.into() }
    }
}

/// A contact at a pose.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct PoseContact {
    /// Its place from the origin of the moving part, in the axes of the fixed part [m].
    pub arm: [f64; 3],
    /// Unit normal in the same axes, out of the fixed part.
    pub normal: [f64; 3],
    /// Negative where the parts overlap [m].
    pub gap: f64,
    /// Identity as in the CPU's record: [`tightfit_shape::Part::MOST_PIECES`] numbers for each node, those of the moving part first.
    pub id: u32,
    pub(crate) unused: u32,
}

impl PoseContact {
    /// A contact from its numbers.
    #[must_use]
    pub fn new(arm: [f64; 3], normal: [f64; 3], gap: f64, id: u32) -> Self {
        Self { arm, normal, gap, id, unused: 0 }
    }
}

/// What was found at a pose.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct PoseSummary {
    /// Infinite without contacts [m].
    pub smallest_gap: f64,
    pub(crate) count: i32,
    pub(crate) unused: i32,
}

impl PoseSummary {
    /// Number of contacts.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count as usize
    }
}

/// Ranges of the network of one part: middle and half width.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct FieldRanges {
    pub(crate) middle: [f64; 3],
    pub(crate) half: [f64; 3],
    pub(crate) output_middle: f64,
    pub(crate) output_half: f64,
}

impl FieldRanges {
    /// Of a field; the name of what is not supported otherwise.
    pub(crate) fn of(field: &Field) -> Result<Self, String> {
        let [x, y, z] = field.input_ranges() else {
            return Err(format!("a depth network of {:?} coordinates", field.features()));
        };
        if field.features() != Features::Cartesian || field.residual().is_some() {
            return Err(
                "a depth network that corrects another shape, or of other coordinates than x, y, z".into()
            );
        }
        let middle = |range: &Range| f64::midpoint(range.low, range.high);
        let (output, inputs) = (field.output_range(), [x, y, z]);
        Ok(Self {
            middle: inputs.map(middle),
            half: inputs.map(|range| range.half_width()),
            output_middle: middle(&output),
            output_half: output.half_width(),
        })
    }
}

/// Addresses of the columns of one side.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct NetworkColumns {
    pub(crate) inputs: u64,
    pub(crate) values: u64,
    pub(crate) gradients: u64,
    pub(crate) nodes: u64,
    pub(crate) room: i32,
    pub(crate) unused: i32,
}

/// Where the points of one pose and side stand in the columns.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct PoseRange {
    pub(crate) first: i32,
    pub(crate) count: i32,
}
