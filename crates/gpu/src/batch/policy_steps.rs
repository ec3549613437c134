//! What a policy needs between its steps: waypoints in; motion, summaries and arrays on the device out.

use rayon::prelude::*;
use tightfit_simulation::Waypoint;
use tightfit_simulation::batch::AdvanceSummary;

use super::{GpuBatch, pick, unsupported_setup};
use crate::backend::Backend;
use crate::device_array::DeviceArray;
use crate::error::GpuError;
use crate::records::{MotionRecord, WaypointPair};
use crate::setup_record::{read_motion, waypoint_record};

impl GpuBatch {
    /// Several steps of the environments that `is_chosen` names by their index. [`Self::setup`] has their motion then, and
    /// [`Self::advance_summary`] what the steps came to together.
    ///
    /// # Errors
    /// When the device fails.
    pub fn advance_where(&mut self, steps: usize, is_chosen: impl Fn(usize) -> bool) -> Result<(), GpuError> {
        let list: Vec<i32> =
            (0..self.len()).filter(|index| is_chosen(*index)).map(|index| index as i32).collect();
        if list.is_empty() {
            return Ok(());
        }
        self.advance_list(Some(&list), steps)?;
        let motions = self.backend.read_motions(&list)?;
        pick(&mut self.known, &list).into_par_iter().zip(&motions).for_each(|(known, motion)| {
            let has_stepped = known.fault.is_none() || motion.summary.steps > 0;
            read_motion(motion, &mut known.setup.state);
            known.summary = if has_stepped { summary(motion) } else { AdvanceSummary::default() };
        });
        Ok(())
    }

    /// Gives the drives of some environments two set-points each, in the place of all that they had.
    ///
    /// # Errors
    /// When there is no such environment, or it has no drive.
    pub fn set_waypoints(&mut self, points: Vec<(usize, [Waypoint; 2])>) -> Result<(), GpuError> {
        let mut list = Vec::with_capacity(points.len());
        let mut records = Vec::with_capacity(points.len());
        for (index, points) in points {
            self.check_index(index)?;
            let drive = self.known[index].setup.drives.first_mut();
            let drive = drive.ok_or_else(|| unsupported_setup(index, "set-points without a drive".into()))?;
            records.push(WaypointPair { at: points.each_ref().map(waypoint_record) });
            list.push(index as i32);
            drive.waypoints.clear();
            drive.waypoints.extend(points);
        }
        self.backend.set_waypoints(&list, &records)
    }

    /// Numbers in the memory of the batch's device; `None` where the kernels run on the host.
    ///
    /// # Errors
    /// When the device fails.
    pub fn upload(&self, numbers: &[f32]) -> Result<Option<DeviceArray>, GpuError> {
        match &self.backend {
            Backend::Cuda(cuda) => Ok(Some(cuda.upload(numbers)?)),
            Backend::Host(_) => Ok(None),
        }
    }

    /// What the steps of an environment's last [`Self::advance_where`] came to together.
    ///
    /// # Errors
    /// When there is no such environment.
    pub fn advance_summary(&self, index: usize) -> Result<&AdvanceSummary, GpuError> {
        self.check_index(index)?;
        Ok(&self.known[index].summary)
    }
}

/// The summary of a record. The kernels write no step that hits a limit; the host counts those that did not converge.
fn summary(motion: &MotionRecord) -> AdvanceSummary {
    let own = &motion.summary;
    AdvanceSummary {
        steps: own.steps as usize,
        unconverged: own.unconverged as usize,
        penetration: own.penetration,
        coulomb: own.coulomb,
        impulse: own.impulse.to_vec(),
        peak_force: vec![own.peak_force],
        ..AdvanceSummary::default()
    }
}
