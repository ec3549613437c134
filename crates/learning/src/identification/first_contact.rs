//! Rods that come down on a plate with a hole: where the holes are, and which way the first force points.
//!
//! ```text
//! c = p_xy + u_xy (p_z − h_t)/(−u_z)                     inside the hole a rod turns about one height h_t: c is the hole's middle
//! o = reach beyond the wall of the tip, e = p_xy − c       overlap of tip and plate at the first contact
//! n = √(1 − s²) ẑ + s inward,  s = clamp((ρ − o)/ρ, 0, 0.95)   normal of an edge that is rounded by ρ
//! f ∝ S (n − μ v_t/|v_t|)                                 friction against the slip; S: lean of the sensor
//!
//! p, u   rod's tip and axis (tool point and tool's z), world      v_t   velocity of the tip along the plate's surface
//! ```
//!
//! The prediction for a trial takes its pose and motion just before the contact, the hole and ρ, μ, S of the other trials; its wrench
//! is only compared with. S, μ, ρ are fitted on the trials that train.

use nalgebra::Vector2;
use tightfit_spatial::{UnitQuaternion, Vector3};

use super::least_squares::{Parameter, Problem};
use super::sliding::{median, quantile};
use super::{Answer, Outline};
use crate::recordings::{Split, Trial};

/// Force that counts as contact [N].
const TOUCH: f64 = 8.0;
/// Time after the sensor was zeroed that gives its bias [s].
const QUIET: f64 = 0.12;
/// A rod is inside from this far below the plate [m], and this far above the lowest place.
const INSIDE: [f64; 2] = [4e-3, 1.5e-3];
/// First contacts farther below the plate than this are with something else [m].
const PLATE: f64 = 2.5e-3;

/// A rod and the air around it in its hole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rod {
    /// Its outline, x along the tool's x.
    pub outline: Outline,
    /// Air on each side [m].
    pub clearance: f64,
}

impl Rod {
    /// The rod of a session's name: `small_rod_t0.1`, `big_rod_t0.3`, `rect_rod_t0.2` of the UR5e data set.
    #[must_use]
    pub fn of_session(session: &str) -> Option<Self> {
        let (rod, tolerance) = session.split_once("_rod_t")?;
        let clearance = tolerance.parse::<f64>().ok()? * 0.5e-3;
        let outline = match rod {
            "small" => Outline::Round { radius: 4.35e-3 },
            "big" => Outline::Round { radius: 8.35e-3 },
            "rect" => Outline::Rectangle { half: [6e-3, 4e-3] },
            _ => return None,
        };
        Some(Self { outline, clearance })
    }
}

/// A first contact with the plate.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstContact {
    /// Index of the trial.
    pub trial: usize,
    /// Whether the trial trains.
    pub trains: bool,
    /// o [m].
    pub overlap: f64,
    /// Towards the middle of the hole, world.
    pub inward: Vector3<f64>,
    /// Velocity of the tip just before [m/s], world.
    pub velocity: Vector3<f64>,
    /// Direction of the measured force, world.
    pub measured: Vector3<f64>,
    /// Angle between it and the prediction [rad].
    pub angle: f64,
}

/// Holes, first contacts and what predicts them.
#[must_use]
pub fn identify_first_contact(trials: &[Trial], split: &Split) -> (Vec<FirstContact>, Answer) {
    let rods: Option<Vec<Rod>> = trials.iter().map(|trial| Rod::of_session(&trial.session)).collect();
    let Some(rods) = rods else {
        let reason = "the trials' names do not say which rod and hole they have (small_rod_t0.1__…)";
        return (Vec::new(), Answer::refused("first contact", reason));
    };
    let forces: Vec<Vec<Vector3<f64>>> = trials.iter().map(contact_force).collect();
    let touches: Vec<Option<usize>> =
        trials.iter().zip(&forces).map(|(trial, force)| touch(trial, force)).collect();
    let heights = split
        .train
        .iter()
        .filter_map(|index| Some(trials[*index].world_from_tool[touches[*index]?].translation.z));
    let plate = quantile(heights.collect(), 0.75);
    if !plate.is_finite() {
        return (
            Vec::new(),
            Answer::refused("first contact", format!("no trial that trains has a force above {TOUCH} N")),
        );
    }
    let mut names: Vec<&str> = trials.iter().map(|trial| trial.session.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let (middles, mut answer) = holes(trials, split, plate, &names);
    answer.give("height of the tool point on the plate", "m", plate, 0.0);
    answer.extend(inside_friction(trials, &forces, split, plate));
    let mut contacts: Vec<FirstContact> = Vec::new();
    for (index, trial) in trials.iter().enumerate() {
        let (Some(row), Some(hole)) = (touches[index], names.iter().position(|name| *name == trial.session))
        else {
            continue;
        };
        if trial.world_from_tool[row].translation.z > plate - PLATE {
            contacts.push(contact(trial, index, row, &forces[index], &rods[index], middles[hole], split));
        }
    }
    answer.extend(directions(&mut contacts));
    (contacts, answer)
}

/// Force less the bias of the quiet start, world axes.
fn contact_force(trial: &Trial) -> Vec<Vector3<f64>> {
    let world = |row: usize| trial.world_from_tool[row].rotation * trial.force[row];
    let quiet: Vec<usize> = (0..trial.len())
        .filter(|row| trial.has_wrench(*row) && trial.time[*row] < trial.wrench_from + QUIET)
        .collect();
    let bias = Vector3::from_fn(|axis, _| median(quiet.iter().map(|row| world(*row)[axis]).collect()));
    (0..trial.len()).map(|row| world(row) - bias).collect()
}

/// First row of a contact: three rows' mean above the threshold.
fn touch(trial: &Trial, force: &[Vector3<f64>]) -> Option<usize> {
    let mean = |row: usize| (force[row - 1] + force[row] + force[row + 1]).norm() / 3.0;
    (1..trial.len().saturating_sub(4))
        .find(|row| trial.time[*row] > trial.wrench_from + QUIET && *row > 60 && mean(*row) > TOUCH)
}

/// Tip [m] and axis of a rod in the hole of this number.
type RodInside = (Vector3<f64>, Vector3<f64>, usize);

/// Middles of the holes [m], from rods that are in them.
fn holes(trials: &[Trial], split: &Split, plate: f64, names: &[&str]) -> (Vec<Vector2<f64>>, Answer) {
    let lowest = trials
        .iter()
        .flat_map(|trial| &trial.world_from_tool)
        .map(|pose| pose.translation.z)
        .fold(plate, f64::min);
    let rows = |index: usize| -> Vec<RodInside> {
        let trial = &trials[index];
        let hole = names.iter().position(|name| *name == trial.session).unwrap_or(0);
        let inside = trial
            .world_from_tool
            .iter()
            .filter(|pose| pose.translation.z < plate - INSIDE[0] && pose.translation.z > lowest + INSIDE[1]);
        inside.step_by(20).map(|pose| (pose.translation, pose.rotation * Vector3::z(), hole)).collect()
    };
    let all: Vec<Vec<RodInside>> = split.train.iter().map(|index| rows(*index)).collect();
    let mut parameters =
        vec![Parameter::new("height about which rods turn in their holes", "m", plate, 5e-3)];
    for (hole, name) in names.iter().enumerate() {
        let own: Vec<Vector3<f64>> =
            all.iter().flatten().filter(|row| row.2 == hole).map(|row| row.0).collect();
        for (axis, letter) in ["x", "y"].into_iter().enumerate() {
            let start = median(own.iter().map(|place| place[axis]).collect());
            let start = if start.is_finite() { start } else { 0.0 };
            parameters.push(Parameter::new(format!("middle of hole {name} {letter}"), "m", start, 0.5e-3));
        }
    }
    let residuals = |values: &[f64], trial: usize, out: &mut Vec<f64>| {
        for (place, axis, hole) in &all[trial] {
            let crossing = place.xy() - axis.xy() * ((place.z - values[0]) / axis.z);
            out.extend((0..2).map(|k| (crossing[k] - values[1 + 2 * hole + k]) * 1e3));
        }
    };
    let solution = Problem {
        parameters,
        trials: all.len(),
        residuals: &residuals,
        loss: 0.1,
        noise: 0.05,
        iterations: 30,
    }
    .solve();
    let middles = (0..names.len())
        .map(|hole| Vector2::new(solution.values[1 + 2 * hole], solution.values[2 + 2 * hole]));
    let mut answer = solution.answer(solution.values.len());
    answer.give("scatter of rods in their holes", "m", solution.spread * 1e-3, 0.0);
    (middles.collect(), answer)
}

/// Force along over force across a rod that slides down its hole: at most μ where one side carries, more where two do.
fn inside_friction(trials: &[Trial], forces: &[Vec<Vector3<f64>>], split: &Split, plate: f64) -> Answer {
    let mut medians = Vec::new();
    for index in &split.train {
        let trial = &trials[*index];
        let ratio = |row: usize| {
            let pose = &trial.world_from_tool[row];
            let axis = pose.rotation * Vector3::z();
            let force = forces[*index][row];
            let along = -force.dot(&axis);
            let across = (force + axis * along).norm();
            let is_sliding = trial.has_wrench(row)
                && pose.translation.z < plate - INSIDE[0]
                && trial.twist_at(row, 2).linear_in_world.z < -0.015
                && across > 6.0;
            is_sliding.then(|| along / across)
        };
        let ratios: Vec<f64> = (0..trial.len()).filter_map(ratio).collect();
        if ratios.len() >= 25 {
            medians.push(median(ratios));
        }
    }
    if medians.len() < 4 {
        let reason =
            format!("{} trials slide down a hole with 6 N across the rod; 4 are needed", medians.len());
        return Answer::refused("friction in the hole", reason);
    }
    let value = median(medians.clone());
    let scatter = 1.4826 * median(medians.iter().map(|own| (own - value).abs()).collect());
    let mut answer = Answer::default();
    answer.give("friction in the hole", "-", value, scatter / (medians.len() as f64).sqrt());
    answer.give("scatter of that friction between trials", "-", scatter, 0.0);
    answer
}

fn contact(
    trial: &Trial,
    index: usize,
    row: usize,
    force: &[Vector3<f64>],
    rod: &Rod,
    middle: Vector2<f64>,
    split: &Split,
) -> FirstContact {
    let before = &trial.world_from_tool[row - 4];
    let offset = before.translation.xy() - middle;
    let (reach, inward) = match rod.outline {
        Outline::Round { .. } => {
            let length = offset.norm().max(1e-9);
            (length, Vector3::new(-offset.x / length, -offset.y / length, 0.0))
        }
        Outline::Rectangle { .. } => {
            let axes = [before.rotation * Vector3::x(), before.rotation * Vector3::y()];
            let along = axes.map(|axis| axis.xy().dot(&offset));
            let farther = usize::from(along[1].abs() > along[0].abs());
            (along[farther].abs(), -axes[farther] * along[farther].signum())
        }
    };
    let mean = |from: usize, to: usize| force[from..to].iter().sum::<Vector3<f64>>() / (to - from) as f64;
    let measured = mean(row, row + 4) - mean(row - 60, row - 15);
    let passed = trial.time[row] - trial.time[row - 15];
    FirstContact {
        trial: index,
        trains: split.train.contains(&index),
        overlap: reach - rod.clearance,
        inward,
        velocity: (trial.world_from_tool[row].translation - trial.world_from_tool[row - 15].translation)
            / passed,
        measured: measured.normalize(),
        angle: f64::NAN,
    }
}

/// The predicted direction at (lean x, lean y [rad], μ, ρ [m]).
fn predicted(contact: &FirstContact, values: &[f64]) -> Vector3<f64> {
    let radius = values[3].abs().max(1e-6);
    let sideways = ((radius - contact.overlap) / radius).clamp(0.0, 0.95);
    let normal = (Vector3::z() * (1.0 - sideways * sideways).sqrt() + contact.inward * sideways).normalize();
    let slip = contact.velocity - normal * contact.velocity.dot(&normal);
    let force = normal - slip.normalize() * values[2];
    // a turn that takes ẑ towards (lean x, lean y)
    UnitQuaternion::from_scaled_axis(Vector3::new(-values[1], values[0], 0.0)) * force.normalize()
}

/// Fits lean, friction and rounding on the contacts that train, and measures all.
fn directions(contacts: &mut [FirstContact]) -> Answer {
    let train: Vec<FirstContact> = contacts.iter().filter(|contact| contact.trains).cloned().collect();
    if train.len() < 10 {
        let reason = format!("{} first contacts with the plate train; 10 are needed", train.len());
        return Answer::refused("direction of the first force", reason);
    }
    let residuals = |values: &[f64], trial: usize, out: &mut Vec<f64>| {
        let miss = predicted(&train[trial], values) - train[trial].measured;
        out.extend(miss.iter());
    };
    let solve = |radius: f64| {
        let parameters = vec![
            Parameter::new("lean of the sensor towards x", "rad", 0.2, 0.1),
            Parameter::new("lean of the sensor towards y", "rad", 0.1, 0.1),
            Parameter::new("friction at the first contact", "-", 0.1, 0.1),
            Parameter::new("rounding of the holes' edges", "m", radius, 0.5e-3),
        ];
        Problem {
            parameters,
            trials: train.len(),
            residuals: &residuals,
            loss: 0.2,
            noise: 0.05,
            iterations: 60,
        }
        .solve()
    };
    let [fine, coarse] = [0.3e-3, 1e-3].map(solve);
    let solution = if fine.cost < coarse.cost { fine } else { coarse };
    let mut answer = solution.answer(4);
    for contact in contacts.iter_mut() {
        contact.angle = predicted(contact, &solution.values).angle(&contact.measured);
    }
    for (trains, name) in [(true, "train"), (false, "test")] {
        let own = || contacts.iter().filter(|contact| contact.trains == trains);
        let angles: Vec<f64> = own().map(|contact| contact.angle.to_degrees()).collect();
        let upright: Vec<f64> =
            own().map(|contact| contact.measured.angle(&Vector3::z()).to_degrees()).collect();
        answer.give(format!("first contacts, {name}"), "-", angles.len() as f64, 0.0);
        for (share, which) in [(0.25, "lower quartile"), (0.5, "median"), (0.75, "upper quartile")] {
            answer.give(
                format!("angle to the predicted force, {name}, {which}"),
                "deg",
                quantile(angles.clone(), share),
                0.0,
            );
        }
        answer.give(format!("angle to the vertical, {name}, median"), "deg", median(upright), 0.0);
    }
    answer
}
