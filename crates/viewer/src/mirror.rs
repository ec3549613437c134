//! A session that shows a simulation that runs elsewhere, and passes the set-point of its hand on.
//!
//! ```text
//! simulation elsewhere ── MirrorEnd::show ──► Session ──► page
//!          ▲                                     │
//!          └───────── MirrorEnd::set_point ◄─────┘  hand
//! ```

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use tightfit_simulation::{ContactPoint, Record, State};
use tightfit_spatial::Pose;

/// States that may wait; more are not shown.
const WAITING: usize = 64;

/// A state that is shown.
pub(crate) struct Shown {
    pub(crate) state: State,
    pub(crate) record: Record,
    pub(crate) contacts: Vec<ContactPoint>,
}

/// The session's end.
pub(crate) struct Mirror {
    shown: Receiver<Shown>,
    set_point: Arc<Mutex<Option<Pose>>>,
}

/// The simulation's end of a mirror.
#[derive(Clone)]
pub struct MirrorEnd {
    shown: SyncSender<Shown>,
    set_point: Arc<Mutex<Option<Pose>>>,
}

/// Both ends.
pub(crate) fn mirror() -> (Mirror, MirrorEnd) {
    let (sender, shown) = sync_channel(WAITING);
    let set_point = Arc::new(Mutex::new(None));
    (Mirror { shown, set_point: set_point.clone() }, MirrorEnd { shown: sender, set_point })
}

impl Mirror {
    /// The next state that waits.
    pub(crate) fn next(&self) -> Option<Shown> {
        self.shown.try_recv().ok()
    }

    /// Passes a set-point on; `None` where nobody holds the part.
    pub(crate) fn pass(&self, set_point: Option<Pose>) {
        *self.set_point.lock().unwrap_or_else(PoisonError::into_inner) = set_point;
    }
}

impl MirrorEnd {
    /// Shows a state after its step. It never waits: a session that is slow skips states.
    pub fn show(&self, state: &State, record: &Record, contacts: Vec<ContactPoint>) {
        let _ = self.shown.try_send(Shown { state: state.clone(), record: record.clone(), contacts });
    }

    /// Where the hand wants the part's frame, `None` where nobody holds it.
    #[must_use]
    pub fn set_point(&self) -> Option<Pose> {
        *self.set_point.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
