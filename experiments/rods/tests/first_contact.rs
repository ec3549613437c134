//! Synthetic rods beside their holes: the parameters of the first forces are recovered.

use std::f64::consts::{PI, TAU};

use nalgebra::Vector2;
use rods::identify_first_contact;
use tightfit_learning::recordings::{Split, Trial, split_trials};
use tightfit_spatial::{Pose, Twist, UnitQuaternion, Vector3};

const PLATE: f64 = 0.04;
const TURN_HEIGHT: f64 = 0.042;
const ROUNDING: f64 = 1.2e-3;
const FRICTION: f64 = 0.2;
const CLEARANCE: f64 = 0.1e-3;
const HOLES: [(&str, [f64; 2]); 2] = [("small_rod_t0.2", [0.3, -0.2]), ("big_rod_t0.2", [0.35, -0.1])];

/// Normal of a rounded edge and friction against the slip.
fn first_force(offset: Vector2<f64>, velocity: Vector3<f64>) -> Vector3<f64> {
    let reach = offset.norm();
    let sideways = ((ROUNDING - reach + CLEARANCE) / ROUNDING).clamp(0.0, 0.95);
    let inward = -offset / reach * sideways;
    let normal = Vector3::new(inward.x, inward.y, (1.0 - sideways * sideways).sqrt());
    let slip = velocity - normal * velocity.dot(&normal);
    (normal - slip.normalize() * FRICTION).normalize()
}

/// A rod that is lowered beside its hole at 30 mm/s, is pushed for 50 ms, and slides in.
fn trial(number: usize, name: &str, middle: Vector2<f64>, misled: Vector2<f64>) -> Trial {
    let mut trial = Trial::new(format!("{name}__{number}"));
    trial.session = name.to_string();
    trial.wrench_from = 0.1;
    let turn = number as f64 * 2.4;
    let reach = 0.2e-3 + 0.9e-3 * (number as f64 * 0.618).fract();
    let offset = Vector2::new(turn.cos(), turn.sin()) * reach;
    let velocity = Vector3::new((turn * 1.7).sin() * 8e-3, (turn * 2.9).cos() * 8e-3, -0.03);
    let lean = Vector3::new(0.02 * (turn * 0.7).sin(), 0.02 * (turn * 1.1).cos(), 0.0);
    let attitude =
        UnitQuaternion::from_scaled_axis(lean) * UnitQuaternion::from_scaled_axis(Vector3::x() * PI);
    let axis = attitude * Vector3::z();
    let (touch, force) = (170, first_force(offset, velocity) * 12.0);
    for row in 0..700_i32 {
        let since = f64::from(row - touch) * 2e-3;
        let height = PLATE + velocity.z * since;
        let place = if row <= touch {
            middle + misled + offset + velocity.xy() * since
        } else {
            let play = Vector2::new((3.0 * turn).cos(), (3.0 * turn).sin()) * misled.norm();
            middle + play + axis.xy() * ((height - TURN_HEIGHT) / axis.z)
        };
        // A swaying wrist.
        let sway = Vector3::new(0.2, 0.1, 0.15) * (TAU * 40.0 * since).sin();
        let push = if (0..25).contains(&(row - touch)) { force } else { Vector3::zeros() };
        trial.time.push(f64::from(row) * 2e-3);
        trial.world_from_tool.push(Pose::new(Vector3::new(place.x, place.y, height), attitude));
        trial.attitude_defect.push(0.0);
        trial.twist.push(Twist::new(velocity, Vector3::zeros()));
        trial.force.push(attitude.inverse() * (push + sway));
        trial.torque.push(Vector3::zeros());
    }
    trial
}

fn trials(misled: Vector2<f64>) -> (Vec<Trial>, Split) {
    let all: Vec<Trial> = HOLES
        .iter()
        .flat_map(|(name, middle)| (0..14).map(|number| trial(number, name, Vector2::from(*middle), misled)))
        .collect();
    let groups: Vec<&str> = all.iter().map(|trial| trial.session.as_str()).collect();
    let split = split_trials(&groups, 1);
    (all, split)
}

#[test]
fn the_parameters_of_the_first_forces_are_recovered() {
    let (all, split) = trials(Vector2::zeros());
    let (contacts, answer) = identify_first_contact(&all, &split);
    assert_eq!(contacts.len(), all.len());
    assert!(contacts.iter().all(|contact| contact.touch.row.abs_diff(170) <= 1));
    assert!(contacts.iter().all(|contact| contact.touch.noise.to_degrees() < 1.5));
    let value = |name: &str| answer.get(name).map(|estimate| estimate.value);
    let near = |name: &str, truth: f64, within: f64| {
        let found = value(name).unwrap_or(f64::NAN);
        assert!((found - truth).abs() < within, "{name}: {found} instead of {truth}");
    };
    near("rounding of the holes' edges", ROUNDING, 0.05e-3);
    near("friction at the first contact", FRICTION, 0.03);
    near("middle of hole big_rod_t0.2 x", 0.35, 1e-5);
    near("angle to the predicted force, test, median", 0.0, 2.0);
}

/// Rods that are tilted in their fingers until the hole aligns them: inserted rods indicate one middle, first forces
/// another.
#[test]
fn first_forces_correct_the_middle_of_inserted_rods() {
    let (all, split) = trials(Vector2::new(0.1e-3, -0.05e-3));
    let (_, answer) = identify_first_contact(&all, &split);
    let median = answer.get("angle to the predicted force, test, median").map(|estimate| estimate.value);
    assert!(median.is_some_and(|degrees| degrees < 8.0), "{median:?}");
}

#[test]
fn unknown_rods_are_rejected() {
    let (mut all, split) = trials(Vector2::zeros());
    all[0].session = "unknown".into();
    let (contacts, answer) = identify_first_contact(&all, &split);
    assert!(contacts.is_empty());
    assert_eq!(answer.refusals.len(), 1);
}
