//! The story of a task: approach, touch, search, engaged, seated.
//!
//! A strategy names its phase. Without one the phase follows from contact and depth; without a task a part is free or
//! in contact.

use tightfit_robot::strategy::Phase;
use tightfit_simulation::{Record, Simulation, Task};

/// Names of the phases by code: those of tasks without a strategy, then those of strategies.
pub const PHASES: [&str; 25] = [
    "approach",
    "touch",
    "search",
    "engaged",
    "seated",
    "approach",
    "touch",
    "search",
    "lift",
    "align",
    "insert",
    "back-turn",
    "settle",
    "engage",
    "tighten",
    "done",
    "no contact",
    "not found",
    "stalled",
    "no seat",
    "force limit",
    "torque limit",
    "time out",
    "free",
    "contact",
];

/// Codes of strategies begin here.
const STRATEGY: u16 = 5;
/// Codes of scenes without a task begin here.
const NO_TASK: u16 = 23;
/// Time after the first touch that counts as touching, then the part searches [s].
const TOUCHING: f64 = 0.15;

/// Follows a run and names the phase of each step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Story {
    touched: Option<f64>,
    first_angle: Option<f64>,
}

impl Story {
    /// Code of the phase after a step, an index of [`PHASES`].
    pub(crate) fn follow(&mut self, simulation: &Simulation, record: &Record) -> u16 {
        let first_angle = *self.first_angle.get_or_insert(record.angle);
        if let Some(phase) = simulation.phase() {
            return STRATEGY + u16::from(phase.code()).min(Phase::ALL.len() as u16 - 1);
        }
        if simulation.scene.task.is_none() {
            return NO_TASK + u16::from(record.certificate.active > 0);
        }
        if record.certificate.active > 0 {
            self.touched.get_or_insert(record.time);
        }
        let done = match (simulation.scene.task, record.depth) {
            (Some(Task::Insert { depth: wanted, .. }), Some(depth)) => depth >= wanted,
            (Some(Task::Thread { turns, .. }), Some(_)) => {
                let turned = (record.angle - first_angle).abs() / std::f64::consts::TAU;
                record.engaged && turned > turns - 0.05
            }
            _ => false,
        };
        match self.touched {
            _ if done => 4,
            Some(_) if record.engaged => 3,
            Some(since) if record.time - since < TOUCHING => 1,
            Some(_) => 2,
            None => 0,
        }
    }
}
