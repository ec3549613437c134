//! The goal of a scene under construction.

use tightfit_spatial::Vector3;

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
    along: Vector3<f64>,
    from: f64,
}

impl Task {
    /// A peg whose frame must come this deep below the frame of the named hole [m].
    pub fn insert(into: &str, depth: f64) -> TaskBuilder {
        TaskBuilder::new(into, depth, false)
    }

    /// A nut that must be turned on the named bolt by this many turns.
    pub fn thread(onto: &str, turns: f64) -> TaskBuilder {
        TaskBuilder::new(onto, turns, true)
    }
}

impl TaskBuilder {
    fn new(other: &str, goal: f64, is_thread: bool) -> Self {
        let along = -Vector3::z();
        Self { other: other.to_string(), is_thread, goal, engaged: 0.0, torque: None, along, from: 0.0 }
    }

    /// Depth of the peg, or overlap of nut and bolt, from which the parts count as engaged [m]; 0 by default.
    pub fn engaged(mut self, depth: f64) -> Self {
        self.engaged = depth;
        self
    }

    /// The way of a peg into its hole, in the hole's frame, and the position of the peg's frame along it where the depth is
    /// zero [m]; −z and 0 by default. The length of the vector does not matter.
    pub fn along(mut self, way: Vector3<f64>, from: f64) -> Self {
        (self.along, self.from) = (way, from);
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
        for (key, value) in [(goal, self.goal), ("task.engaged", self.engaged), ("task.from", self.from)] {
            if !value.is_finite() {
                problems.add(key, "must be finite".into());
            }
        }
        let length = self.along.norm();
        if !(length > 0.0 && length.is_finite()) {
            problems.add("task.along", "must be a direction; leave it out for [0, 0, -1]".into());
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
            false => {
                let along = self.along.normalize();
                Task::Insert { into: other, depth: self.goal, engaged: self.engaged, along, from: self.from }
            }
        }
    }
}
