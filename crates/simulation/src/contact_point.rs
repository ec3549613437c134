//! Contacts as people look at them: where, which way, how hard.

use tightfit_pipeline::records::Contacts;
use tightfit_spatial::Vector3;

use crate::State;

/// A candidate contact of a state, with the force that its node carried in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Place, world axes [m].
    pub position: Vector3<f64>,
    /// Unit normal, world axes, from the second body into the first.
    pub normal: Vector3<f64>,
    /// Gap after the step [m], positive separated.
    pub gap: f64,
    /// Force on the first body, mean over the step, world axes [N]; zero where the contact carried none.
    pub force: Vector3<f64>,
}

impl ContactPoint {
    /// The contacts of a detection at this state. Forces are found by the identity of the node: the contacts
    /// are those of the new pose, the impulses those that led to it.
    pub(crate) fn all(contacts: &Contacts, state: &State, step: f64) -> Vec<Self> {
        let point = |index: usize| {
            let center =
                state.motions.get(contacts.body_a[index] as usize).map_or(Vector3::zeros(), |m| m.center);
            let impulse = state.warm.impulse(contacts.id[index]).unwrap_or_else(Vector3::zeros);
            Self {
                position: center + contacts.arm_a.get(index),
                normal: contacts.normal.get(index),
                gap: contacts.gap[index],
                force: impulse / step,
            }
        };
        (0..contacts.len()).map(point).collect()
    }
}
