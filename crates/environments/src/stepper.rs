//! What steps the environments: a batch on the processor, or one on a graphics device.

use rayon::prelude::*;
use tightfit_gpu::GpuBatch;
use tightfit_simulation::batch::{AdvanceSummary, Batch, Fault, Setup};
use tightfit_simulation::{BodyId, Scene, Waypoint};

use crate::EnvironmentError;

/// A batch.
#[allow(clippy::large_enum_variant, reason = "environments have one")]
pub(crate) enum Stepper {
    Processor(Batch),
    Device(Box<GpuBatch>),
}

/// What an environment is now.
pub(crate) struct Now<'a> {
    pub(crate) setup: &'a Setup,
    pub(crate) summary: &'a AdvanceSummary,
    pub(crate) is_frozen: bool,
}

impl Stepper {
    pub(crate) fn scene(&self) -> &Scene {
        match self {
            Self::Processor(batch) => batch.scene(),
            Self::Device(batch) => batch.scene(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Processor(batch) => batch.len(),
            Self::Device(batch) => batch.len(),
        }
    }

    pub(crate) fn reset_many(&mut self, setups: Vec<(usize, Setup)>) -> Result<(), EnvironmentError> {
        match self {
            Self::Processor(batch) => {
                for (index, setup) in setups {
                    batch.reset(index, setup)?;
                }
            }
            Self::Device(batch) => batch.reset_many(setups)?,
        }
        Ok(())
    }

    /// Audits every step of an environment until its next reset. A device has no audit; the options have been checked.
    pub(crate) fn audit(&mut self, index: usize) -> Result<(), EnvironmentError> {
        if let Self::Processor(batch) = self {
            batch.audit(index)?;
        }
        Ok(())
    }

    pub(crate) fn setup(&self, index: usize) -> Result<&Setup, EnvironmentError> {
        Ok(match self {
            Self::Processor(batch) => batch.setup(index)?,
            Self::Device(batch) => batch.setup(index)?,
        })
    }

    pub(crate) fn fault(&self, index: usize) -> Result<Option<&Fault>, EnvironmentError> {
        Ok(match self {
            Self::Processor(batch) => batch.fault(index)?,
            Self::Device(batch) => batch.fault(index)?,
        })
    }

    /// Memory of an environment that no other one shares [bytes].
    pub(crate) fn bytes(&self, index: usize) -> Result<usize, EnvironmentError> {
        Ok(match self {
            Self::Processor(batch) => batch.environment_bytes(index)?,
            Self::Device(batch) => batch.environment_bytes(),
        })
    }

    pub(crate) fn now(&self, index: usize) -> Result<Now<'_>, EnvironmentError> {
        let summary = match self {
            Self::Processor(batch) => batch.advance_summary(index)?,
            Self::Device(batch) => batch.advance_summary(index)?,
        };
        Ok(Now { setup: self.setup(index)?, summary, is_frozen: self.fault(index)?.is_some() })
    }

    /// Gives the drives of a part their set-points for the next policy step.
    pub(crate) fn set_waypoints(
        &mut self,
        part: BodyId,
        points: Vec<(usize, [Waypoint; 2])>,
    ) -> Result<(), EnvironmentError> {
        let batch = match self {
            Self::Processor(batch) => batch,
            Self::Device(batch) => return Ok(batch.set_waypoints(points)?),
        };
        for (index, points) in points {
            if let Some(drive) = batch.drives_mut(index)?.iter_mut().find(|drive| drive.body == part) {
                drive.waypoints.clear();
                drive.waypoints.extend(points);
            }
        }
        Ok(())
    }

    pub(crate) fn advance_where(
        &mut self,
        steps: usize,
        is_chosen: impl Fn(usize) -> bool + Sync,
    ) -> Result<(), EnvironmentError> {
        match self {
            Self::Processor(batch) => batch.advance_where(steps, is_chosen),
            Self::Device(batch) => batch.advance_where(steps, is_chosen)?,
        }
        Ok(())
    }

    /// Maps what is chosen, in order. Beside a device there are tens of thousands of environments, and all cores are free.
    pub(crate) fn map<T: Send, R: Send>(
        &self,
        chosen: Vec<T>,
        one: impl Fn(T) -> Result<R, EnvironmentError> + Sync + Send,
    ) -> Result<Vec<R>, EnvironmentError> {
        match self {
            Self::Processor(_) => chosen.into_iter().map(one).collect(),
            Self::Device(_) => chosen.into_par_iter().with_min_len(64).map(one).collect(),
        }
    }
}
