//! How the contact wrenches of two sets of methods differ.
//!
//! Either along two runs, each on its own way, or at the same states: before every step of the one, the other takes
//! the same step from where the first stands. The second leaves out what the runs' ways make of the difference.

use tightfit_spatial::Vector3;

use crate::{Disturbance, Methods, Record, Scene, Simulation, SnapshotError};

/// Difference of the contact wrench on the driven part, over the steps of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WrenchDifference {
    /// Root of the mean square of |ΔF| [N].
    pub force: f64,
    /// Root of the mean square of |Δτ| [N·m].
    pub torque: f64,
    /// Root of the mean square of each component of ΔF [N] and then of Δτ [N·m], world axes.
    pub per_axis: [f64; 6],
    /// Root of the mean square of the reference's own |F| [N] and |τ| [N·m]: what the differences are to be seen
    /// against.
    pub reference: [f64; 2],
}

impl WrenchDifference {
    /// Between the records of two runs, as far as the shorter goes.
    #[must_use]
    pub fn between(reference: &[Record], other: &[Record]) -> Self {
        let mut sums = Sums::default();
        for (reference, other) in reference.iter().zip(other) {
            sums.add(reference, other);
        }
        sums.difference()
    }

    /// Of a scene's own methods and others at the same states, over so many steps. `follow` is told the number of each
    /// step from 0, and the record that either makes of it.
    ///
    /// # Errors
    /// Never for a scene that is its own reference; the states always fit.
    pub fn at_the_same_states(
        scene: &Scene,
        others: Methods,
        seed: u64,
        disturbance: Option<Disturbance>,
        steps: usize,
        mut follow: impl FnMut(usize, &Record, &Record),
    ) -> Result<Self, SnapshotError> {
        let mut reference = Simulation::new(scene.clone(), seed);
        reference.disturbance = disturbance;
        let mut other = Simulation::new(scene.clone(), seed);
        other.disturbance = disturbance;
        other.parameters.methods = others;
        let mut sums = Sums::default();
        for index in 0..steps {
            other.restore(&reference.snapshot())?;
            let (own, others) = (reference.advance(), other.advance());
            sums.add(&own, &others);
            follow(index, &own, &others);
        }
        Ok(sums.difference())
    }
}

/// Sums of squares.
#[derive(Default)]
struct Sums {
    difference: [f64; 2],
    per_axis: [f64; 6],
    reference: [f64; 2],
    steps: usize,
}

impl Sums {
    fn add(&mut self, reference: &Record, other: &Record) {
        let square = |v: Vector3<f64>| v.norm_squared();
        let [force, torque] = [other.force - reference.force, other.torque - reference.torque];
        self.difference[0] += square(force);
        self.difference[1] += square(torque);
        for (sum, component) in self.per_axis.iter_mut().zip(force.iter().chain(torque.iter())) {
            *sum += component * component;
        }
        self.reference[0] += square(reference.force);
        self.reference[1] += square(reference.torque);
        self.steps += 1;
    }

    fn difference(&self) -> WrenchDifference {
        let root = |sum: f64| (sum / self.steps.max(1) as f64).sqrt();
        let [force, torque] = self.difference.map(root);
        let per_axis = self.per_axis.map(root);
        WrenchDifference { force, torque, per_axis, reference: self.reference.map(root) }
    }
}
