//! Rods that are lowered onto a plate with a hole: direction of the first contact force.
//!
//! ```text
//! e = p_xy − c_h − δ_h            tip relative to the hole's middle; δ_h: correction of the middle by the first forces
//! o = reach of e beyond the air on each side               overlap of tip and plate at the first contact
//! n = √(1 − s²) ẑ + s inward,  s = clamp((ρ − o)/ρ, 0, 0.95)   normal of an edge that is rounded by ρ
//! f ∝ S (n − μ v_t/|v_t|)         friction against the slip; S: tilt by the arm's compliance
//! min Σ loss(f̂ − f_measured) + Σ loss(0.15 δ_h/σ)         over the training trials; σ: scatter of rods in their holes
//!
//! p     rod's tip (tool point), world        v_t   velocity of the tip along the plate's surface
//! c_h   middle of the hole (`holes`)
//! ```
//!
//! A rod in its hole leans on one side and is tilted in its fingers: its middle there differs from its middle at the
//! first contact by δ_h, which the scatter of rods in holes keeps near zero.
//!
//! The prediction for a trial (foresight) uses its pose and motion at the contact, the hole and ρ, μ, S, δ of the other
//! trials. Its wrench only gives the time of the contact and the force for comparison.

use nalgebra::Vector2;
use tightfit_learning::identification::least_squares::{Parameter, Problem, Solution};
use tightfit_learning::identification::{Answer, Outline, median, quantile};
use tightfit_learning::recordings::{Split, Trial};
use tightfit_spatial::{UnitQuaternion, Vector3};

use crate::first_touch::{FirstTouch, first_touch, unbiased};
use crate::holes::{Holes, holes, inside_friction};
use crate::struck_arm::{FOLDS, Kick, LEADS, Strike, identify_struck_arm};

/// First contacts farther below the plate are with something else [m].
const PLATE: f64 = 2.5e-3;
/// Rows for the velocity before a contact.
const APPROACH: usize = 15;
/// Rows for the velocity of the undisturbed arm: more than two periods of its sway.
const UNDISTURBED: usize = 40;
/// Larger differences of a direction's components count linearly.
const LOSS: f64 = 0.15;
/// Number of unknowns before the shifts of the holes.
const COMMON: usize = 4;

/// A rod and its clearance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rod {
    /// Its outline, x along the tool's x.
    pub outline: Outline,
    /// Clearance on each side [m].
    pub clearance: f64,
}

/// A first contact with the plate.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstContact {
    /// Index of the trial.
    pub trial: usize,
    /// Whether the trial trains.
    pub trains: bool,
    /// Index of the hole, in the order of names.
    pub hole: usize,
    /// Rod and hole.
    pub rod: Rod,
    /// p_xy − c [m], world.
    pub offset: Vector2<f64>,
    /// Horizontal components of the tool's x and y, world.
    pub tool_axes: [Vector2<f64>; 2],
    /// Velocity of the tip just before [m/s], world.
    pub velocity: Vector3<f64>,
    /// Change of the tool's mean velocity from before the contact to its window, for each lead of `struck_arm`.
    pub kicks: [Kick; LEADS.len()],
    /// The measured force.
    pub touch: FirstTouch,
    /// Direction of the predicted force, world; zero before the fit.
    pub predicted: Vector3<f64>,
    /// o after the fit [m].
    pub overlap: f64,
    /// Angle between measured and predicted force [rad].
    pub angle: f64,
    /// The same for the prediction from the arm's motion (`struck_arm`) [rad].
    pub motion_angle: f64,
}

/// Finds holes and first contacts and fits both predictions.
#[must_use]
pub fn identify_first_contact(trials: &[Trial], split: &Split) -> (Vec<FirstContact>, Answer) {
    let rods: Option<Vec<Rod>> = trials.iter().map(|trial| Rod::of_session(&trial.session)).collect();
    let Some(rods) = rods else {
        let reason = "the trials' names do not state their rod and hole (small_rod_t0.1__…)";
        return (Vec::new(), Answer::refused("first contact", reason));
    };
    let forces: Vec<Vec<Vector3<f64>>> = trials.iter().map(|trial| unbiased(trial, &trial.force)).collect();
    let touches: Vec<Option<FirstTouch>> =
        trials.iter().zip(&forces).map(|(trial, force)| first_touch(trial, force)).collect();
    let plate = plate_height(trials, &touches, split);
    if !plate.is_finite() {
        let reason = "no training trial has a force above the noise and 4 N";
        return (Vec::new(), Answer::refused("first contact", reason));
    }
    let mut names: Vec<&str> = trials.iter().map(|trial| trial.session.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut found = holes(trials, split, plate, &names);
    let mut answer = std::mem::take(&mut found.answer);
    answer.add("height of the tool point on the plate", "m", plate, 0.0);
    answer.extend(inside_friction(trials, &forces, split, plate));
    let mut contacts = Vec::new();
    for (index, trial) in trials.iter().enumerate() {
        let hole = names.iter().position(|name| *name == trial.session).unwrap_or_default();
        let (Some(touch), Some(middle)) = (touches[index], found.middles[hole]) else { continue };
        let pose = &trial.world_from_tool[touch.row];
        if touch.row < APPROACH || pose.translation.z < plate - PLATE {
            continue;
        }
        contacts.push(FirstContact {
            trial: index,
            trains: split.train.contains(&index),
            hole,
            rod: rods[index],
            offset: pose.translation.xy() - middle,
            tool_axes: [Vector3::x(), Vector3::y()].map(|axis| (pose.rotation * axis).xy()),
            velocity: mean_motion(trial, touch.row - APPROACH, touch.row)[0],
            kicks: LEADS.map(|lead| kick(trial, &touch, lead)),
            touch,
            predicted: Vector3::zeros(),
            overlap: f64::NAN,
            angle: f64::NAN,
            motion_angle: f64::NAN,
        });
    }
    answer.extend(directions(&mut contacts, &found, &names));
    (contacts, answer)
}

/// Height of the tool point on the plate [m], from the first contacts of the trials that train; NaN where there is none.
pub(crate) fn plate_height(trials: &[Trial], touches: &[Option<FirstTouch>], split: &Split) -> f64 {
    let heights = split
        .train
        .iter()
        .filter_map(|index| Some(trials[*index].world_from_tool[touches[*index]?.row].translation.z));
    quantile(heights.collect(), 0.75)
}

/// Mean velocity [m/s] and turning [rad/s] of the tool between two rows, world.
fn mean_motion(trial: &Trial, from: usize, to: usize) -> [Vector3<f64>; 2] {
    let [start, end] = [from, to].map(|row| &trial.world_from_tool[row]);
    let duration = (trial.time[to] - trial.time[from]).max(f64::MIN_POSITIVE);
    let turned = (end.rotation * start.rotation.inverse()).scaled_axis();
    [(end.translation - start.translation) / duration, turned / duration]
}

/// Change of the tool's mean velocity at a contact that is older than its force by `lead` [s].
fn kick(trial: &Trial, touch: &FirstTouch, lead: f64) -> Kick {
    let start = trial.time[..=touch.row].partition_point(|time| *time < trial.time[touch.row] - lead - 1e-4);
    let before = mean_motion(trial, start.saturating_sub(UNDISTURBED), start);
    let after = mean_motion(trial, start, touch.last);
    Kick { linear: after[0] - before[0], angular: after[1] - before[1] }
}

/// Overlap [m] and direction towards the middle, world, with the hole's middle shifted.
fn overlap(contact: &FirstContact, shift: Vector2<f64>) -> (f64, Vector3<f64>) {
    let offset = contact.offset - shift;
    let (reach, inward) = match contact.rod.outline {
        Outline::Round { .. } => {
            let length = offset.norm().max(1e-9);
            (length, -offset / length)
        }
        Outline::Rectangle { .. } => {
            let along = contact.tool_axes.map(|axis| axis.dot(&offset));
            let farther = usize::from(along[1].abs() > along[0].abs());
            (along[farther].abs(), -contact.tool_axes[farther] * along[farther].signum())
        }
    };
    (reach - contact.rod.clearance, Vector3::new(inward.x, inward.y, 0.0))
}

/// Overlap [m] and predicted direction at (lean x, lean y [rad], μ, ρ [m], shifts of the holes [m]).
fn predicted(contact: &FirstContact, values: &[f64]) -> (f64, Vector3<f64>) {
    let at = COMMON + 2 * contact.hole;
    let (overlap, inward) = overlap(contact, Vector2::new(values[at], values[at + 1]));
    let radius = values[3].abs().max(1e-6);
    let sideways = ((radius - overlap) / radius).clamp(0.0, 0.95);
    let normal = (Vector3::z() * (1.0 - sideways * sideways).sqrt() + inward * sideways).normalize();
    let slip = contact.velocity - normal * contact.velocity.dot(&normal);
    let friction = slip.try_normalize(1e-9).unwrap_or_default() * values[2];
    // A rotation that tilts ẑ towards (lean x, lean y).
    let lean = UnitQuaternion::from_scaled_axis(Vector3::new(-values[1], values[0], 0.0));
    (overlap, lean * (normal - friction).normalize())
}

/// Fits lean, friction, rounding and middles on training contacts.
fn fit(train: &[FirstContact], scatter: f64, names: &[&str], radius: f64) -> Solution {
    let mut parameters = vec![
        Parameter::new("lean of the first force towards x", "rad", 0.1, 0.1),
        Parameter::new("lean of the first force towards y", "rad", 0.0, 0.1),
        Parameter::new("friction at the first contact", "-", 0.1, 0.1),
        Parameter::new("rounding of the holes' edges", "m", radius, 0.5e-3),
    ];
    for name in names {
        for letter in ["x", "y"] {
            let name = format!("hole {name} for the first force, shift {letter}");
            parameters.push(Parameter::new(name, "m", 0.0, 0.2e-3));
        }
    }
    let residuals = |values: &[f64], trial: usize, out: &mut Vec<f64>| {
        if let Some(contact) = train.get(trial) {
            let miss = predicted(contact, values).1 - contact.touch.force.normalize();
            out.extend(miss.iter());
        } else {
            out.extend(values[COMMON..].iter().map(|shift| LOSS * shift / scatter));
        }
    };
    let trials = train.len() + 1;
    Problem { parameters, trials, residuals: &residuals, loss: LOSS, noise: 0.05, iterations: 60 }.solve()
}

/// Fits on training contacts and evaluates all.
fn directions(contacts: &mut [FirstContact], holes: &Holes, names: &[&str]) -> Answer {
    let train: Vec<FirstContact> = contacts.iter().filter(|contact| contact.trains).cloned().collect();
    if train.len() < 10 {
        let reason = format!("{} first contacts with the plate train; 10 are needed", train.len());
        return Answer::refused("direction of the first force", reason);
    }
    let scatter = holes.scatter.max(1e-5);
    let foresight = |train: &[FirstContact]| {
        let [fine, coarse] = [0.3e-3, 1e-3].map(|radius| fit(train, scatter, names, radius));
        if fine.cost < coarse.cost { fine } else { coarse }
    };
    let solution = foresight(&train);
    let mut answer = solution.answer(solution.values.len());
    for contact in contacts.iter_mut() {
        (contact.overlap, contact.predicted) = predicted(contact, &solution.values);
        contact.angle = contact.predicted.angle(&contact.touch.force);
    }
    let strike = |contact: &FirstContact, foreseen: Vector3<f64>| Strike {
        kicks: contact.kicks,
        foreseen,
        force: contact.touch.force,
    };
    // Each training contact is predicted by a fit without its fold.
    let mut strikes = Vec::new();
    for fold in 0..FOLDS {
        let in_fold =
            |is_own: bool| train.iter().enumerate().filter(move |(k, _)| (k % FOLDS == fold) == is_own);
        let others: Vec<FirstContact> = in_fold(false).map(|(_, contact)| contact.clone()).collect();
        let values = foresight(&others).values;
        strikes.extend(in_fold(true).map(|(_, contact)| strike(contact, predicted(contact, &values).1)));
    }
    let (arm, found) = identify_struck_arm(&strikes);
    answer.extend(found);
    for contact in contacts.iter_mut() {
        let told = arm.force(&strike(contact, contact.predicted));
        contact.motion_angle = told.angle(&contact.touch.force);
    }
    for (trains, name) in [(true, "train"), (false, "test")] {
        let of = |angle: &dyn Fn(&FirstContact) -> f64| -> Vec<f64> {
            let own = contacts.iter().filter(|contact| contact.trains == trains);
            own.map(|contact| angle(contact).to_degrees()).collect()
        };
        let (foreseen, by_motion) = (of(&|contact| contact.angle), of(&|contact| contact.motion_angle));
        answer.add(format!("first contacts, {name}"), "-", foreseen.len() as f64, 0.0);
        let kinds = [
            ("angle to the predicted force", foreseen),
            ("angle to the force by the arm's motion", by_motion),
        ];
        for (what, angles) in kinds {
            for (share, which) in [(0.25, "lower quartile"), (0.5, "median"), (0.75, "upper quartile")] {
                let what = format!("{what}, {name}, {which}");
                answer.add(what, "deg", quantile(angles.clone(), share), 0.0);
            }
        }
        let mut middle = |what: &str, angle: &dyn Fn(&FirstContact) -> f64| {
            answer.add(format!("{what}, {name}, median"), "deg", median(of(angle)), 0.0);
        };
        middle("angle to the vertical", &|contact| contact.touch.force.angle(&Vector3::z()));
        middle("angle between the halves of a first force", &|contact| contact.touch.halves);
        middle("angle of the wrist's noise", &|contact| contact.touch.noise);
    }
    answer
}
