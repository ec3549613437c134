//! The goal of a scene under construction.

use super::problem::Problems;
use super::{BodyId, Task};

/// What counts as done, for [`SceneBuilder::task`]. [`Task::insert`] and [`Task::thread`] begin one.
#[derive(Clone, Debug)]
#[must_use]
pub struct TaskBuilder {
    /// Name of the hole or bolt.
    pub(super) other: String,
    pub(super) is_thread: bool,
    goal: f64,
    engaged: f64,
    torque: Option<f64>,
}

impl Task {
    /// A peg whose frame must come this deep below the frame of the named hole [m].
    pub fn insert(into: &str, depth: f64) -> TaskBuilder {
        TaskBuilder { other: into.to_string(), is_thread: false, goal: depth, engaged: 0.0, torque: None }
    }

    /// A nut that must be turned on the named bolt by this many turns.
    pub fn thread(onto: &str, turns: f64) -> TaskBuilder {
        TaskBuilder { other: onto.to_string(), is_thread: true, goal: turns, engaged: 0.0, torque: None }
    }
}

impl TaskBuilder {
    /// Depth of the peg, or overlap of nut and bolt, from which the parts count as engaged [m]; 0 by default.
    pub fn engaged(mut self, depth: f64) -> Self {
        self.engaged = depth;
        self
    }

    /// Torque about its axis to which a nut must be tightened [N·m].
    pub fn torque(mut self, torque: f64) -> Self {
        self.torque = Some(torque);
        self
    }

    /// Key of the other part's name.
    pub(super) fn key(&self) -> &'static str {
        if self.is_thread { "task.onto" } else { "task.into" }
    }

    pub(super) fn check(&self, problems: &mut Problems) {
        let goal = if self.is_thread { "task.turns" } else { "task.depth" };
        for (key, value) in [(goal, self.goal), ("task.engaged", self.engaged)] {
            if !value.is_finite() {
                problems.add(key, "must be finite".into());
            }
        }
        match self.torque {
            Some(_) if !self.is_thread => problems.add("task.torque", "is for threads; leave it out".into()),
            Some(torque) => problems.positive("task.torque", torque, 1e6, "N·m"),
            None => {}
        }
    }

    pub(super) fn task(&self, other: BodyId) -> Task {
        match self.is_thread {
            true => {
                Task::Thread { onto: other, turns: self.goal, engaged: self.engaged, torque: self.torque }
            }
            false => Task::Insert { into: other, depth: self.goal, engaged: self.engaged },
        }
    }
}
