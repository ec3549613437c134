//! A ball on a slab that accelerates sideways.
//!
//! ```text
//! rolls iff a ≤ 7/2 μ g:   a_ball = 2/7 a                       ω̇ = 5/7 a/R
//! slips otherwise:         a_ball = μ g                         ω̇ = 5 μ g/2R
//! always                   Δ(½mv² + ½Jω² + mgz) = work of contact + work of the slab's drive + projection
//! ```
//!
//! a acceleration of the slab [m/s²], R radius [m], J = 2/5 m R²; friction at the contact accelerates the ball and
//! spins it backwards. Contact only dissipates; all energy of the ball comes from the drive of the slab.

use super::trial::Trial;
use super::{GRAVITY, Verdict};
use crate::SceneError;

const RADIUS: f64 = 0.02;
const FRICTION: f64 = 0.2;

pub(super) fn run(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let mut verdicts = Vec::new();
    for (name, slab) in [("rolling", 2.0), ("slipping", 10.0)] {
        let (truth, spin_truth) = match slab <= 3.5 * FRICTION * GRAVITY {
            true => (2.0 / 7.0 * slab, 5.0 / 7.0 * slab / RADIUS),
            false => (FRICTION * GRAVITY, 2.5 * FRICTION * GRAVITY / RADIUS),
        };
        let mut trial = ball_on_slab()?;
        let mut totals = Totals::default();
        // The ball follows the slab's mean velocity over a step, half a step late, so differences are compared.
        let early = totals.accelerate(&mut trial, slab, 0.2);
        let late = totals.accelerate(&mut trial, slab, 0.7);
        let rate = |axis: usize| (late[axis] - early[axis]) / 0.5;
        let mut part = |what: &str, unit, truth, value, part| {
            verdicts.push(Verdict::within_part(format!("{case}.{name}.{what}"), unit, truth, value, part));
        };
        part("acceleration", "m/s2", truth, rate(0), 1e-6);
        // The ball spins about y against its direction of motion.
        part("spin-up", "rad/s2", -spin_truth, rate(4), 1e-6);
        let moment = 0.4 * RADIUS * RADIUS;
        let kinetic = (late[0] * late[0] + late[2] * late[2] + moment * late[4] * late[4]) / 2.0;
        let gained = kinetic + GRAVITY * (trial.body().center.z - RADIUS);
        part("energy", "J", gained, totals.work, 1e-9);
        let mut within = |what: &str, unit, value, tolerance| {
            verdicts.push(Verdict::within(format!("{case}.{name}.{what}"), unit, 0.0, value, tolerance));
        };
        within("injected", "J", totals.injected, 1e-12);
        within("lift", "m", totals.lift, 100e-9);
    }
    Ok(verdicts)
}

/// Totals over the run.
#[derive(Default)]
struct Totals {
    /// Work of contact, of the slab, and of the projection [J].
    work: f64,
    /// Energy added by contact [J].
    injected: f64,
    /// Largest distance of the ball from the slab, above or below [m].
    lift: f64,
}

impl Totals {
    /// Accelerates the slab from rest at time zero until `time` [s]; returns the ball's velocity.
    fn accelerate(&mut self, trial: &mut Trial, acceleration: f64, time: f64) -> [f64; 6] {
        while (trial.state.step_count as f64) * trial.scene.dt < time - 1e-9 {
            let next = (trial.state.step_count + 1) as f64 * trial.scene.dt;
            trial.input.kinematic[0].translation.x = acceleration * next * next / 2.0;
            let certificate = trial.step();
            self.work += certificate.contact_work + certificate.kinematic_work + certificate.projection_work;
            self.injected += certificate.energy_injected;
            self.lift = self.lift.max((trial.body().center.z - RADIUS).abs());
        }
        trial.body().world_velocity()
    }
}

fn ball_on_slab() -> Result<Trial, SceneError> {
    Trial::from_toml(&format!(
        r#"
        name = "ball-on-slab"
        gravity_m_s2 = [0, 0, -{GRAVITY}]
        friction = {FRICTION}
        [parts.ball]
        shape = {{ kind = "sphere", diameter_mm = {} }}
        mass_kg = 1
        position_mm = [0, 0, {}]
        [parts.slab]
        shape = {{ kind = "block", size_mm = [9000, 200, 20] }}
        motion = "kinematic"
        position_mm = [0, 0, -10]
        nodes = {{ face_spacing_mm = 1000, edge_spacing_mm = 1000 }}
        "#,
        2e3 * RADIUS,
        1e3 * RADIUS
    ))
}
