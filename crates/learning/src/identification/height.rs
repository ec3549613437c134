//! Height of the hole in each trial, its depth, and compliance of the grasp along its axis.
//!
//! ```text
//! z_i + c F_i = h_t          rows with one contact on the plane of the mouth, z_i: contact point
//! z_i + c F_i = h_t − D      rows on the floor, z_i: the lowest corner of the tip
//! c                          median over the trials of their slope of −z over F on the floor
//! D                          median over the trials that touch both
//! h_t                        mean of the values from mouth and floor, each a median over rows; F along the hole's axis
//! ```
//!
//! The slope is that of z over F, not of F over z: the force is known to a few per cent, the height only to about the
//! deflection. Positions include the deflection under the measured load, so that a tilted tip touches with the right
//! corner.

use tightfit_spatial::{Pose, UnitQuaternion, Vector3};

use super::statistics::median;
use super::{Answer, Landing, Mouth, Outline, Play, SensorLoad, tool_from_tip, wrench_at_tip};
use crate::recordings::Trial;

/// Distance from the deepest row within which the tip is on the floor [m].
const FLOOR: f64 = 0.4e-3;
/// Tolerance of a trial's deepest row against the deepest of all trials, to count as on the floor [m].
const HIGHER: f64 = 2.5e-3;
/// Least force on the floor [N].
const LEAST_FORCE: f64 = 3.0;
/// Largest distance of a line of force from the tip's outline [m].
const MISS: f64 = 1e-3;
/// Fewest rows of a used trial.
const FEWEST: usize = 20;
/// Least range of forces for a slope [N].
const RANGE: f64 = 8.0;
/// Default compliance along the axis: that of a stiff hand [m/N].
const STIFF: f64 = 1e-5;

/// Rows of a trial in contact with a plane across the hole's axis: height above the assumed mouth [m], and force [N].
#[derive(Default)]
struct Touches {
    mouth: Vec<[f64; 2]>,
    floor: Vec<[f64; 2]>,
}

/// Sets the height of every mouth, the depth, and the compliance along z.
pub fn identify_height(
    trials: &[Trial],
    landings: &[Vec<Landing>],
    load: &SensorLoad,
    mouth: &Mouth,
    play: &mut Play,
) -> Answer {
    let all = touches(trials, landings, load, mouth, play);
    let mut answer = Answer::default();
    let slopes: Vec<f64> = all.iter().filter_map(|own| slope(&own.floor)).collect();
    let compliance = match slopes.len() {
        0 => {
            answer
                .refuse("compliance along z", "no trial presses on the floor with forces that differ enough");
            STIFF
        }
        count => {
            let middle = median(slopes.clone()).max(1e-7);
            let scatter = 1.4826 * median(slopes.iter().map(|own| (own - middle).abs()).collect());
            answer.add("compliance along z", "m/N", middle, scatter / (count as f64).sqrt());
            middle
        }
    };
    play.compliance[(2, 2)] = compliance;
    let depths: Vec<f64> = all
        .iter()
        .filter_map(|own| Some(unloaded(&own.mouth, compliance)? - unloaded(&own.floor, compliance)?))
        .collect();
    if depths.is_empty() {
        answer.refuse("depth", "no trial touches both mouth and floor; the deepest row is used instead");
    } else {
        let middle = median(depths.clone());
        let scatter = 1.4826 * median(depths.iter().map(|own| (own - middle).abs()).collect());
        answer.add("depth", "m", middle, scatter / (depths.len() as f64).sqrt());
        answer.add("scatter of the depth between trials", "m", scatter, 0.0);
        play.depth = middle;
    }
    let raised = raise(&all, play);
    answer.add("scatter of the hole's height between trials", "m", spread(&raised), 0.0);
    answer
}

/// Sets only the heights of further trials.
pub fn place_height(
    trials: &[Trial],
    landings: &[Vec<Landing>],
    load: &SensorLoad,
    mouth: &Mouth,
    play: &mut Play,
) {
    let all = touches(trials, landings, load, mouth, play);
    let _ = raise(&all, play);
}

/// Moves the mouths to the contacts of their trials; returns the displacements [m].
fn raise(all: &[Touches], play: &mut Play) -> Vec<f64> {
    let compliance = play.compliance[(2, 2)];
    let mut raised = Vec::new();
    for (own, place) in all.iter().zip(&mut play.mouths) {
        let Some(place) = place else { continue };
        let said = [
            unloaded(&own.mouth, compliance),
            unloaded(&own.floor, compliance).map(|floor| floor + play.depth),
        ];
        let count = said.iter().flatten().count();
        if count > 0 {
            let height = said.iter().flatten().sum::<f64>() / count as f64;
            // Along the hole's axis, which is nearly vertical.
            *place += play.world_from_hole * Vector3::z() * height;
            raised.push(height);
        }
    }
    raised
}

fn spread(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = median(values.to_vec());
    1.4826 * median(values.iter().map(|own| (own - middle).abs()).collect())
}

/// Height of the unloaded plane [m].
fn unloaded(touches: &[[f64; 2]], compliance: f64) -> Option<f64> {
    (touches.len() >= FEWEST)
        .then(|| median(touches.iter().map(|[z, force]| z + compliance * force).collect()))
}

/// −dz/dF by least squares [m/N], where the forces differ.
fn slope(touches: &[[f64; 2]]) -> Option<f64> {
    let count = touches.len() as f64;
    let mean = |of: usize| touches.iter().map(|own| own[of]).sum::<f64>() / count;
    let forces = touches.iter().map(|own| own[1]);
    let range = forces.clone().fold(0.0, f64::max) - forces.fold(f64::INFINITY, f64::min);
    if touches.len() < FEWEST || range < RANGE {
        return None;
    }
    let [z, force] = [mean(0), mean(1)];
    let (both, square) = touches.iter().fold((0.0, 0.0), |(both, square), own| {
        (both + (own[0] - z) * (own[1] - force), square + (own[1] - force).powi(2))
    });
    Some(-both / square)
}

fn touches(
    trials: &[Trial],
    landings: &[Vec<Landing>],
    load: &SensorLoad,
    mouth: &Mouth,
    play: &Play,
) -> Vec<Touches> {
    let tip = tool_from_tip(mouth);
    let corners: Vec<Vector3<f64>> =
        mouth.outline.wall_contacts().iter().map(|own| Vector3::new(own.point.x, own.point.y, 0.0)).collect();
    let wide = match mouth.outline {
        Outline::Round { radius } => Outline::Round { radius: radius + play.clearance[0] },
        Outline::Rectangle { half } => {
            Outline::Rectangle { half: [half[0] + play.clearance[0], half[1] + play.clearance[1]] }
        }
    };
    let mut all = Vec::new();
    for (index, trial) in trials.iter().enumerate() {
        let mut own = Touches::default();
        let Some(place) = play.mouths[index] else {
            all.push(own);
            continue;
        };
        let hole_from_world = Pose::new(place, play.world_from_hole).inverse();
        // Pose of the loaded tip, and the wrench on it, part axes.
        let loaded = |row: usize| {
            let [force, torque] = wrench_at_tip(trial, index, row, load, mouth);
            let deflection = play.compliance
                * nalgebra::Vector6::from_iterator(force.iter().chain(torque.iter()).copied());
            let mut shift = deflection.fixed_rows::<3>(0).clone_owned();
            // The compliance along the axis is the unknown.
            shift.z = 0.0;
            let turn = UnitQuaternion::from_scaled_axis(deflection.fixed_rows::<3>(3).clone_owned());
            let held = hole_from_world * trial.world_from_tool[row] * tip;
            (held * Pose::new(shift, turn), held.rotation * force, force, torque)
        };
        for landing in &landings[index] {
            let (hole_from_tip, force, own_force, torque) = loaded(landing.row);
            let point = Vector3::new(-torque.y / own_force.z, torque.x / own_force.z, 0.0);
            let touch = hole_from_tip.transform_point(point);
            if mouth.outline.distance(point.xy()) < MISS
                && wide.distance(touch.xy()) > -play.clearance[0] / 2.0
            {
                own.mouth.push([touch.z, force.z]);
            }
        }
        let depth = |row: usize| -(hole_from_world * trial.world_from_tool[row] * tip).translation.z;
        let deepest = (0..trial.len()).map(depth).fold(0.0, f64::max);
        // A trial that stays above the floor of the others has no floor rows.
        let from = (deepest - FLOOR).max(play.depth - HIGHER);
        for row in (0..trial.len()).filter(|row| depth(*row) > from && trial.has_wrench(*row)) {
            let (hole_from_tip, force, ..) = loaded(row);
            if force.z > LEAST_FORCE {
                let low = corners.iter().map(|corner| hole_from_tip.transform_point(*corner).z);
                own.floor.push([low.fold(f64::INFINITY, f64::min), force.z]);
            }
        }
        all.push(own);
    }
    all
}
