//! Touches that tell most about what is unknown.
//!
//! ```text
//! I = P + Σ_k j_kᵀ j_k / s²          information of the prior and of the touches so far
//! next touch: largest  det(I + jᵀj/s²)/det I        (D-optimal, greedy)
//! ```
//!
//! j slopes of the wrench at a touch, s noise of the sensor with a floor for the model. Candidates are poses around the start of
//! the scene's drive and along it, moved sideways, pushed and tilted until the hold carries a few newtons. The determinant counts
//! every unknown alike, whatever its unit; a touch that repeats another gains little.
//!
//! V. Fedorov, "Theory of optimal experiments", Academic Press, 1972.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use tightfit_learning::recordings::{Recording, Sample};
use tightfit_simulation::Drive;
use tightfit_spatial::{Pose, SplitMix, Twist, UnitQuaternion, Vector3};

use crate::sensitivity::sensitivity;
use crate::{CalibrationError, Experiment, Follower, Setup, Unknown, WearChart};

/// Options of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TouchOptions {
    /// Touches to propose.
    pub count: usize,
    /// Candidates to choose from.
    pub candidates: usize,
    /// Largest force of a touch [N].
    pub force: f64,
    /// Noise of the sensor, with what the model leaves [N].
    pub noise: f64,
    /// Seed of the candidates.
    pub seed: u64,
}

impl Default for TouchOptions {
    fn default() -> Self {
        Self { count: 8, candidates: 600, force: 20.0, noise: 0.3, seed: 1 }
    }
}

/// A pose to touch.
#[derive(Clone, Debug, PartialEq)]
pub struct Touch {
    /// Pose of the hand: of the part's frame, were it unloaded.
    pub world_from_part: Pose,
    /// Wrench that is expected there [N, N·m].
    pub wrench: [f64; 6],
    /// Information gained: log det [-].
    pub gain: f64,
    /// Standard deviation of every unknown after this touch and those before, relative to its prior [-].
    pub left: Vec<f64>,
}

/// Proposes touches, the one that tells most first.
///
/// # Errors
/// When the scene cannot be set up, or no candidate touches anything.
pub fn plan_touches(
    experiment: &Experiment,
    drive: Option<&Drive>,
    unknowns: &[Unknown],
    wear: Option<WearChart>,
    options: &TouchOptions,
    done: impl Fn() + Sync,
) -> Result<Vec<Touch>, CalibrationError> {
    let setup = Setup::new(experiment, unknowns, wear, &vec![0.0; unknowns.len()], true)?;
    let units: Vec<f64> = unknowns.iter().map(|own| own.prior).collect();
    let candidate = |number: usize| {
        let found = approach(experiment, &setup, drive, options, number);
        done();
        let (pose, prediction) = found?;
        let own = sensitivity(experiment, &setup, unknowns, wear, 0, &prediction);
        let rows = DMatrix::from_fn(6, unknowns.len(), |axis, k| {
            let unit = if axis < 3 { 1.0 } else { 1.0 / experiment.lever };
            own.rows[(axis, k)] * unit * units[k] / options.noise
        });
        Some((pose, prediction.wrench, rows))
    };
    let all: Vec<(Pose, [f64; 6], DMatrix<f64>)> =
        (0..options.candidates).into_par_iter().filter_map(candidate).collect();
    if all.is_empty() {
        return Err(CalibrationError::Data {
            problem: "no candidate pose touches anything".into(),
            remedy: "start the scene's drive near the other part".into(),
        });
    }
    let mut covariance = DMatrix::<f64>::identity(unknowns.len(), unknowns.len());
    let mut chosen = Vec::new();
    for _ in 0..options.count {
        // det(I + J C Jᵀ), six by six
        let gain = |rows: &DMatrix<f64>| {
            let inner = DMatrix::<f64>::identity(6, 6) + rows * &covariance * rows.transpose();
            libm::log(inner.determinant().max(1.0))
        };
        let is_new = |own: &&(Pose, [f64; 6], DMatrix<f64>)| {
            chosen.iter().all(|touch: &Touch| touch.world_from_part != own.0)
        };
        let best =
            all.iter().filter(is_new).map(|own| (gain(&own.2), own)).max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((gain, (pose, wrench, rows))) = best else { break };
        let inner = DMatrix::<f64>::identity(6, 6) + rows * &covariance * rows.transpose();
        let Some(inverse) = inner.try_inverse() else { break };
        let spread = &covariance * rows.transpose();
        covariance -= &spread * inverse * spread.transpose();
        let left = DVector::from_fn(unknowns.len(), |k, _| covariance[(k, k)].max(0.0).sqrt());
        chosen.push(Touch {
            world_from_part: *pose,
            wrench: *wrench,
            gain,
            left: left.iter().copied().collect(),
        });
    }
    Ok(chosen)
}

/// Moves a hand from a free pose towards a random direction until it carries force; the last pose within the limit.
fn approach(
    experiment: &Experiment,
    setup: &Setup,
    drive: Option<&Drive>,
    options: &TouchOptions,
    number: usize,
) -> Option<(Pose, crate::Prediction)> {
    /// Steps from the free pose to the farthest, and its distance [m] and angle [rad].
    const STEPS: usize = 60;
    const FARTHEST: [f64; 2] = [1.5e-3, 0.04];
    let mut random = SplitMix::stream(options.seed.wrapping_mul(0x9e37_79b9).wrapping_add(number as u64));
    let start = match drive {
        Some(drive) => drive.target(random.unit() * drive.duration()),
        None => experiment.scene.bodies[experiment.moving].world_from_part,
    };
    let mut vector = || Vector3::new(random.signed(), random.signed(), random.signed());
    let (along, about) = (vector(), vector());
    let along = along / along.norm().max(1e-9) * FARTHEST[0];
    let about = about * FARTHEST[1];
    let pose = |share: f64| {
        let turn = UnitQuaternion::from_scaled_axis(about * share);
        Pose::new(start.translation + along * share, turn * start.rotation)
    };
    let sample = |k: usize| Sample {
        time: k as f64 * experiment.scene.dt,
        world_from_part: pose(k as f64 / STEPS as f64),
        twist: Twist::zero(),
        force: Vector3::zeros(),
        torque: Vector3::zeros(),
        load: None,
    };
    let path = Recording { name: String::new(), samples: (0..=STEPS).map(sample).collect() };
    let predictions = Follower::default().follow(experiment, setup, 0, &path);
    let force = |wrench: &[f64; 6]| Vector3::new(wrench[0], wrench[1], wrench[2]).norm();
    let within = predictions.into_iter().take_while(|own| force(&own.wrench) <= options.force);
    let last = within.filter(|own| !own.contacts.is_empty()).last()?;
    let share = last.time / (STEPS as f64 * experiment.scene.dt);
    Some((pose(share), last))
}
