//! Sums and worst values of a run, and the channels of its frames.

use tightfit_simulation::{BodyMotion, Limit, Record, Simulation};
use tightfit_spatial::Inertia;

use crate::channels::Values;

/// Sums and worst values since the start.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    energy_injected: f64,
    contact_work: f64,
    projection_work: f64,
    penetration: f64,
    coulomb: f64,
    complementarity: f64,
    cone: f64,
    unconverged: u32,
    limited: u32,
    step_seconds: f64,
}

impl Totals {
    /// Adds a step.
    pub(crate) fn follow(&mut self, record: &Record) {
        let own = &record.certificate;
        self.energy_injected += own.energy_injected;
        self.contact_work += own.contact_work;
        self.projection_work += own.projection_work;
        self.penetration = self.penetration.max(own.penetration);
        self.coulomb = self.coulomb.max(own.coulomb);
        self.complementarity = self.complementarity.max(own.complementarity);
        self.cone = self.cone.max(own.cone);
        self.unconverged += u32::from(!own.converged);
        self.limited += u32::from(own.limits.iter().any(Limit::voids_certificate));
        self.step_seconds += record.step_seconds;
    }

    /// The channels after the last step, those of a hand aside.
    pub(crate) fn values(&self, simulation: &Simulation, last: Option<&Record>) -> Values {
        let mut values = Values {
            depth: f64::NAN,
            energy_injected: self.energy_injected,
            contact_work: self.contact_work,
            projection_work: self.projection_work,
            kinetic_energy: kinetic_energy(simulation),
            tank: simulation.state.tank,
            worst_penetration: self.penetration,
            worst_coulomb: self.coulomb,
            worst_complementarity: self.complementarity,
            worst_cone: self.cone,
            unconverged: f64::from(self.unconverged),
            limited: f64::from(self.limited),
            ..Values::default()
        };
        if self.step_seconds > 0.0 {
            values.real_time_factor = simulation.time() / self.step_seconds;
        }
        let Some(record) = last else { return values };
        let own = &record.certificate;
        values.depth = record.depth.unwrap_or(f64::NAN);
        values.angle = record.angle;
        [values.force_x, values.force_y, values.force_z] = record.force.into();
        [values.torque_x, values.torque_y, values.torque_z] = record.torque.into();
        (values.penetration, values.coulomb) = (own.penetration, own.coulomb);
        (values.complementarity, values.cone) = (own.complementarity, own.cone);
        (values.candidates, values.active) = (own.candidates as f64, own.active as f64);
        values.iterations = f64::from(own.iterations);
        [values.detection_time, values.clustering_time, values.solving_time, values.integration_time] =
            own.stage_seconds.in_order();
        values
    }
}

/// Kinetic energy of the free bodies [J].
fn kinetic_energy(simulation: &Simulation) -> f64 {
    let inertia = simulation.parameters.bodies.iter().filter_map(|body| body.inertia);
    let energy = |(motion, inertia): (&BodyMotion, Inertia)| {
        let (v, w) = (motion.twist.linear_in_world, motion.twist.angular_in_body);
        0.5 * (inertia.mass * v.norm_squared() + w.dot(&(inertia.moment * w)))
    };
    simulation.state.motions.iter().zip(inertia).map(energy).sum()
}
