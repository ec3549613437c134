//! A trial as logged: the tool's pose and the sensor's wrench, in SI units and one set of axes.
//!
//! Readers convert units, signs and axes and change nothing else: bias, tool weight and the sensor's position are still
//! to be identified. Faulty rows are kept, so that [`super::examine`] can report them.

use tightfit_spatial::{Pose, Twist, Vector3};

/// A trial as logged.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// File, or file and session.
    pub name: String,
    /// Trials of one session were recorded without changes to the set-up in between.
    pub session: String,
    /// Time [s] of each row, as logged.
    pub time: Vec<f64>,
    /// Pose of the tool's frame in the world.
    pub world_from_tool: Vec<Pose>,
    /// Deviation of each logged attitude from a rotation [-]: | |q| - 1 |, or the largest entry of |RᵀR - I|.
    pub attitude_defect: Vec<f64>,
    /// Velocity of the tool frame's origin, world axes, and angular velocity, tool axes; empty where the log has none.
    pub twist: Vec<Twist>,
    /// Force on the held part as the sensor reports it, tool axes [N].
    pub force: Vec<Vector3<f64>>,
    /// Torque on the held part about the sensor's origin, tool axes [N·m].
    pub torque: Vec<Vector3<f64>>,
    /// Time [s] from which the wrench counts; before it the sensor had not been zeroed.
    pub wrench_from: f64,
}

impl Trial {
    /// A trial without rows. Its session is what precedes `__` in its name, if anything does.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        let session = name.split_once("__").map_or_else(String::new, |(session, _)| session.to_string());
        Self {
            name,
            session,
            time: Vec::new(),
            world_from_tool: Vec::new(),
            attitude_defect: Vec::new(),
            twist: Vec::new(),
            force: Vec::new(),
            torque: Vec::new(),
            wrench_from: f64::NEG_INFINITY,
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.time.len()
    }

    /// Whether the trial has no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.time.is_empty()
    }

    /// Whether the wrench of a row counts.
    #[must_use]
    pub fn has_wrench(&self, row: usize) -> bool {
        self.time[row] >= self.wrench_from
    }

    /// Median time between two rows [s]; zero where there are fewer than two.
    #[must_use]
    pub fn period(&self) -> f64 {
        let mut steps: Vec<f64> = self.time.windows(2).map(|pair| pair[1] - pair[0]).collect();
        steps.sort_by(f64::total_cmp);
        steps.get(steps.len() / 2).copied().unwrap_or(0.0)
    }

    /// The twist of a row: as logged, or from the poses `reach` rows before and after it.
    #[must_use]
    pub fn twist_at(&self, row: usize, reach: usize) -> Twist {
        if let Some(twist) = self.twist.get(row) {
            return *twist;
        }
        let (before, after) = (row.saturating_sub(reach), (row + reach).min(self.len() - 1));
        let passed = self.time[after] - self.time[before];
        if passed <= 0.0 {
            return Twist::zero();
        }
        let [from, to] = [before, after].map(|at| self.world_from_tool[at]);
        let turn = (from.rotation.inverse() * to.rotation).scaled_axis();
        Twist::new((to.translation - from.translation) / passed, turn / passed)
    }
}
