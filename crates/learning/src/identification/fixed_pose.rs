//! Pose of the fixed part: the pose at which a recorded motion of the other part penetrates it least (paper 5.1).
//!
//! ```text
//! min over world_from_fixed of Σ_k Σ_g min(d_g(q_k), 0)²
//!
//! q_k   recorded poses of the moving part, those well inside
//! d_g   least distance of a group of nodes from the other part
//! ```
//!
//! The nodes of both parts are grouped by octants, so that opposite walls count separately. Any pair of parts will do.
//! With play the minimum is not a point: the pose is known to about half the play in the directions that the motion
//! covered. The standard deviation assumes residuals of `noise`.
//!
//! A direction is determined only where penetration grows both ways along it. A hole that is moved off its peg penetrates
//! less and less: along such a direction, and along one that no penetration limits (rotation about a round hole's axis), the
//! part stays at its start and the direction is refused. A weak prior of twice the limit of a refusal keeps the first solution near
//! the start, where this is decided.

use tightfit_shape::Part;
use tightfit_shape::node::NodeSpacing;
use tightfit_spatial::{Columns3, Pose, UnitQuaternion, Vector3};

use super::Answer;
use super::least_squares::{Parameter, Problem};

/// Maximum number of nodes of a part.
const NODES: usize = 600;
/// Sections of the motion that count as trials in the covariance.
const TRIALS: usize = 8;
/// Shift that must be determined better [m]; turns by the part's reach.
const LIMIT: f64 = 0.5e-3;
/// Growth of the sum of squares, in squares of the noise, that limits a direction [-].
const GROWTH: f64 = 9.0;

/// Finds the pose of `fixed` from poses of `moving`; `noise` is the standard deviation of the poses [m].
#[must_use]
pub fn identify_fixed_pose(
    fixed: &Part,
    moving: &Part,
    world_from_moving: &[Pose],
    start: Pose,
    noise: f64,
) -> (Pose, Answer) {
    if world_from_moving.len() < TRIALS {
        let reason = format!("{} poses; at least {TRIALS} are needed", world_from_moving.len());
        return (start, Answer::refused("pose of the fixed part", reason));
    }
    let nodes = [fixed, moving].map(nodes);
    let reach = nodes[1].iter().map(Vector3::norm).fold(1e-3, f64::max);
    // Rotations are about the mean position, where they do not displace the part.
    let middle = world_from_moving.iter().map(|pose| pose.translation).sum::<Vector3<f64>>()
        / world_from_moving.len() as f64;
    let pose_of = |values: &[f64; 6]| {
        let shift = Vector3::new(values[0], values[1], values[2]);
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(values[3], values[4], values[5]));
        Pose::new(middle + shift, turn) * Pose::from_translation(-middle) * start
    };
    let per_trial = world_from_moving.len().div_ceil(TRIALS);
    let depths = |values: &[f64; 6], trial: usize, out: &mut Vec<f64>| {
        let fixed_from_world = pose_of(values).inverse();
        for pose in world_from_moving.iter().skip(trial * per_trial).take(per_trial) {
            let fixed_from_moving = fixed_from_world * *pose;
            let moving_from_fixed = fixed_from_moving.inverse();
            let into_fixed = deepest(&nodes[1], &fixed_from_moving, fixed);
            let into_moving = deepest(&nodes[0], &moving_from_fixed, moving);
            out.extend(into_fixed.into_iter().chain(into_moving).map(|depth| depth * 1e3));
        }
    };
    let sum_of_squares = |values: &[f64; 6]| {
        let mut all = Vec::new();
        (0..TRIALS).for_each(|trial| depths(values, trial, &mut all));
        all.iter().map(|depth| depth * depth).sum::<f64>()
    };
    let limits = [LIMIT, LIMIT, LIMIT, LIMIT / reach, LIMIT / reach, LIMIT / reach];
    let noise = noise * 1e3;
    let mut free: Vec<usize> = (0..6).collect();
    let mut refusals = Answer::default();
    loop {
        let merged = |own: &[f64]| {
            let mut values = [0.0; 6];
            free.iter().zip(own).for_each(|(axis, value)| values[*axis] = *value);
            values
        };
        let residuals = |own: &[f64], trial: usize, out: &mut Vec<f64>| {
            let values = merged(own);
            depths(&values, trial, out);
            if trial == 0 {
                out.extend(values.iter().zip(limits).map(|(value, limit)| noise * value / (2.0 * limit)));
            }
        };
        let parameter = |axis: &usize| {
            let unit = if *axis < 3 { "m" } else { "rad" };
            Parameter::new(NAMES[*axis], unit, 0.0, limits[*axis])
        };
        let solution = Problem {
            parameters: free.iter().map(parameter).collect(),
            trials: TRIALS,
            residuals: &residuals,
            loss: 1.0,
            noise,
            iterations: 25,
        }
        .solve();
        let values = merged(&solution.values);
        let here = sum_of_squares(&values);
        let is_limited = |axis: usize| {
            [-1.0, 1.0].into_iter().all(|sign| {
                let mut moved = values;
                moved[axis] += sign * limits[axis];
                sum_of_squares(&moved) > here + GROWTH * noise * noise
            })
        };
        let reason = |place: usize, axis: usize| match &solution.open[place] {
            Some(reason) => Some(reason.clone()),
            None if is_limited(axis) => None,
            None => Some("penetration does not grow both ways along it".to_string()),
        };
        let open: Vec<(usize, String)> = free
            .iter()
            .enumerate()
            .filter_map(|(place, axis)| Some((*axis, reason(place, *axis)?)))
            .collect();
        open.iter().for_each(|(axis, reason)| refusals.refuse(NAMES[*axis], reason));
        if open.len() == free.len() {
            return (start, refusals);
        }
        if open.is_empty() {
            let mut answer = solution.answer(free.len());
            answer.extend(refusals);
            let left = (here / world_from_moving.len() as f64).sqrt() * 1e-3;
            answer.add("penetration left", "m", left, 0.0);
            return (pose_of(&values), answer);
        }
        free.retain(|axis| open.iter().all(|(other, _)| other != axis));
    }
}

/// Directions in the order of the parameters.
const NAMES: [&str; 6] =
    ["shift along x", "shift along y", "shift along z", "turn about x", "turn about y", "turn about z"];

fn nodes(part: &Part) -> Vec<Vector3<f64>> {
    let mut places = Columns3::default();
    part.place(&part.nodes(&NodeSpacing::default()), &mut places);
    let every = places.len().div_ceil(NODES).max(1);
    (0..places.len()).step_by(every).map(|index| places.get(index)).collect()
}

/// Deepest penetration in each octant around the nodes' centre [m], zero or negative.
fn deepest(nodes: &[Vector3<f64>], other_from_own: &Pose, other: &Part) -> [f64; 8] {
    let middle = nodes.iter().sum::<Vector3<f64>>() / nodes.len().max(1) as f64;
    let mut depths = [0.0_f64; 8];
    for node in nodes {
        let [x, y, z] = (node - middle).into();
        let octant = usize::from(x > 0.0) + 2 * usize::from(y > 0.0) + 4 * usize::from(z > 0.0);
        let distance = other.sample(other_from_own.transform_point(*node)).distance;
        depths[octant] = depths[octant].min(distance);
    }
    depths
}
