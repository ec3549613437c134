//! The tip on the plane around the hole's mouth: outline of the tip, its distance from sensor and tool point, height of
//! the plane.
//!
//! ```text
//! M = x × F,  x = (c_x, c_y, s)          one contact: a force through x; s: sensor's origin to tip plane
//! c ∈ o + Q(ψ) boundary of the outline   a tip touches with its edge, or lies on the rim of the hole
//! n · (p + R (c, l)) = h                 both in the plane of the mouth
//!
//! R, p   world from tool                 o, ψ  position and rotation of the outline about the tool's axis
//! l      tool point to tip plane [m]     h, n  height [m] and normal of the plane, (n_x, n_y, 1)
//! ```
//!
//! Used rows have a nearly vertical force and no couple along it. Some are contacts within the tip's face; the robust
//! loss rejects them. The sensor's axis is assumed to pass through the tool point. Upright landings cannot separate l
//! from h; l can be given where the robot's set-up states it.

use nalgebra::{Rotation2, Vector2};
use tightfit_spatial::{Pose, Vector3};

use super::least_squares::{Parameter, Problem, Solution};
use super::statistics::quantile;
use super::{Answer, Outline, SensorLoad};
use crate::recordings::Trial;

/// Least force of a used row [N].
const LEAST_FORCE: f64 = 8.0;
/// Least share of the force along the vertical [-].
const UPRIGHT: f64 = 0.85;
/// Largest couple along the force, per force [m].
const COUPLE: f64 = 2e-3;
/// Range of used heights below and above the most frequent one [m]: a tilted tip has a higher centre.
const WINDOW: [f64; 2] = [1.0e-3, 4.0e-3];
/// Start values of the distance from sensor to tip [m].
const LEVERS: [f64; 6] = [0.02, 0.05, 0.08, 0.12, 0.17, 0.25];
/// Penalty on the size of the outline, per row and millimetre [-].
const SMALLEST: f64 = 0.015;
/// Maximum number of rows of a trial.
const ROWS: usize = 400;
/// Fewest rows in total.
const FEWEST: usize = 60;

/// A row with one contact on the plane.
#[derive(Clone, Copy, Debug)]
pub struct Landing {
    /// Index of the row.
    pub row: usize,
    /// F [N], tool axes.
    pub force: Vector3<f64>,
    /// M about the sensor's origin [N·m], tool axes.
    pub torque: Vector3<f64>,
    /// Downward direction, tool axes.
    pub down: Vector3<f64>,
}

impl Landing {
    /// Intersection of the line of force with the plane at `lever` from the sensor's origin [m].
    #[must_use]
    pub fn point_at(&self, lever: f64) -> Vector2<f64> {
        let (f, m) = (self.force, self.torque);
        Vector2::new((lever * f.x - m.y) / f.z, (m.x + lever * f.y) / f.z)
    }
}

/// Result of the landings.
#[derive(Clone, Debug, PartialEq)]
pub struct Mouth {
    /// Outline of the tip.
    pub outline: Outline,
    /// o [m], tool axes.
    pub offset: Vector2<f64>,
    /// ψ [rad] about the tool's z.
    pub turn: f64,
    /// s [m].
    pub sensor_to_tip: f64,
    /// l [m].
    pub tool_to_tip: f64,
    /// h [m] above `middle`.
    pub height: f64,
    /// n_x, n_y.
    pub slope: Vector2<f64>,
    /// Reference point of h [m], world.
    pub middle: Vector2<f64>,
}

/// The rows with one contact on the plane, by trial.
#[must_use]
pub fn landings(trials: &[Trial], load: &SensorLoad) -> Vec<Vec<Landing>> {
    let mut all: Vec<Vec<(f64, Landing)>> = Vec::new();
    for (index, trial) in trials.iter().enumerate() {
        let of = |row: usize| {
            let [force, torque] = load.contact(trial, index, row);
            let pose = &trial.world_from_tool[row];
            let size = force.norm();
            let lift = (pose.rotation * force).z;
            let is_one = size > LEAST_FORCE
                && lift > UPRIGHT * size
                && force.dot(&torque).abs() < COUPLE * size * size
                && trial.has_wrench(row);
            let down = pose.rotation.inverse() * -Vector3::z();
            is_one.then_some((pose.translation.z, Landing { row, force, torque, down }))
        };
        all.push((0..trial.len()).filter_map(of).collect());
    }
    // The plane is at the most frequent height.
    let mut heights: Vec<f64> = all.iter().flatten().map(|(height, _)| *height).collect();
    heights.sort_by(f64::total_cmp);
    let within =
        |from: f64| heights.partition_point(|h| *h <= from + 1e-3) - heights.partition_point(|h| *h < from);
    let Some(plane) = heights.iter().copied().max_by_key(|height| within(*height)) else {
        return vec![Vec::new(); trials.len()];
    };
    let is_near = |height: f64| height > plane - WINDOW[0] && height < plane + WINDOW[1];
    let thin = |rows: Vec<(f64, Landing)>| {
        let near: Vec<Landing> =
            rows.into_iter().filter(|(height, _)| is_near(*height)).map(|(_, l)| l).collect();
        let every = near.len().div_ceil(ROWS).max(1);
        near.into_iter().step_by(every).collect()
    };
    all.into_iter().map(thin).collect()
}

/// Finds outline and plane, or the reason why not.
pub fn identify_mouth(
    trials: &[Trial],
    landings: &[Vec<Landing>],
    known_tool_to_tip: Option<f64>,
) -> (Option<Mouth>, Answer) {
    let count: usize = landings.iter().map(Vec::len).sum();
    if count < FEWEST {
        let reason = format!(
            "{count} rows have one contact with a nearly vertical force above {LEAST_FORCE} N; {FEWEST} are needed: press the tilted tip on the plane around the mouth"
        );
        return (None, Answer::refused("outline of the tip", reason));
    }
    let pose = |trial: usize, landing: &Landing| trials[trial].world_from_tool[landing.row];
    let places = landings
        .iter()
        .enumerate()
        .flat_map(|(trial, rows)| rows.iter().map(move |row| pose(trial, row).translation));
    let middle = places.fold(Vector3::zeros(), |sum: Vector3<f64>, place| sum + place) / count as f64;
    let mut best: Option<(Solution, Mouth)> = None;
    let mut costs = [f64::INFINITY; 2];
    for is_round in [true, false] {
        for lever in LEVERS {
            let points: Vec<Vector2<f64>> = landings.iter().flatten().map(|l| l.point_at(lever)).collect();
            let ends = [0, 1].map(|axis| {
                [0.04, 0.96].map(|share| quantile(points.iter().map(|point| point[axis]).collect(), share))
            });
            let half = ends.map(|[low, high]| (high - low) / 2.0);
            let kind = match is_round {
                true => Outline::Round { radius: f64::midpoint(half[0], half[1]) },
                false => Outline::Rectangle { half },
            };
            let start = Mouth {
                outline: kind,
                offset: Vector2::from(ends.map(|[low, high]| f64::midpoint(low, high))),
                turn: 0.0,
                sensor_to_tip: lever,
                tool_to_tip: known_tool_to_tip.unwrap_or(0.0),
                height: middle.z,
                slope: Vector2::zeros(),
                middle: middle.xy(),
            };
            let residuals = |values: &[f64], trial: usize, out: &mut Vec<f64>| {
                let mouth = start.with_values(values, known_tool_to_tip);
                for landing in &landings[trial] {
                    mouth.residuals(&pose(trial, landing), landing, out);
                }
                // Corners alone also lie on the edges of longer rectangles: prefer the smallest.
                out.push(SMALLEST * landings[trial].len() as f64 * mouth.outline.size() * 1e3);
            };
            let parameters = start.parameters(known_tool_to_tip);
            let solution = Problem {
                parameters,
                trials: trials.len(),
                residuals: &residuals,
                loss: 0.5,
                noise: 1e-3,
                iterations: 80,
            }
            .solve();
            let cost = &mut costs[usize::from(!is_round)];
            *cost = cost.min(solution.cost);
            if best.as_ref().is_none_or(|(known, _)| solution.cost < known.cost) {
                let mouth = start.with_values(&solution.values, known_tool_to_tip);
                best = Some((solution, mouth));
            }
        }
    }
    let Some((solution, mouth)) = best else { return (None, Answer::default()) };
    let mut answer = solution.answer(solution.values.len());
    answer.add("landing rows used", "-", count as f64, 0.0);
    answer.add("cost of a rectangle over that of a circle", "-", costs[1] / costs[0], 0.0);
    answer.add("distance left on landings", "m", solution.spread * 1e-3, 0.0);
    (Some(mouth), answer)
}

impl Mouth {
    fn parameters(&self, known_tool_to_tip: Option<f64>) -> Vec<Parameter> {
        let mut all = match self.outline {
            Outline::Round { radius } => vec![Parameter::new("radius of the tip", "m", radius, 1e-3)],
            Outline::Rectangle { half } => vec![
                Parameter::new("half width of the tip along x", "m", half[0], 1e-3),
                Parameter::new("half width of the tip along y", "m", half[1], 1e-3),
                Parameter::new("turn of the tip about the tool", "rad", self.turn, 0.15),
            ],
        };
        all.extend([
            Parameter::new("offset of the tip x", "m", self.offset.x, 1e-3),
            Parameter::new("offset of the tip y", "m", self.offset.y, 1e-3),
            Parameter::new("sensor to tip", "m", self.sensor_to_tip, 10e-3),
            Parameter::new("height of the mouth", "m", self.height, 1e-3),
            Parameter::new("slope of the mouth along x", "-", self.slope.x, 0.05),
            Parameter::new("slope of the mouth along y", "-", self.slope.y, 0.05),
        ]);
        if known_tool_to_tip.is_none() {
            all.push(Parameter::new("tool point to tip", "m", self.tool_to_tip, 10e-3));
        }
        all
    }

    fn with_values(&self, values: &[f64], known_tool_to_tip: Option<f64>) -> Self {
        let (outline, turn, rest) = match self.outline {
            Outline::Round { .. } => (Outline::Round { radius: values[0] }, 0.0, &values[1..]),
            Outline::Rectangle { .. } => {
                (Outline::Rectangle { half: [values[0], values[1]] }, values[2], &values[3..])
            }
        };
        Self {
            outline,
            turn,
            offset: Vector2::new(rest[0], rest[1]),
            sensor_to_tip: rest[2],
            height: rest[3],
            slope: Vector2::new(rest[4], rest[5]),
            tool_to_tip: known_tool_to_tip.unwrap_or_else(|| rest[6]),
            middle: self.middle,
        }
    }

    /// Distance from the outline's edge and from the plane [mm].
    fn residuals(&self, world_from_tool: &Pose, landing: &Landing, out: &mut Vec<f64>) {
        let point = landing.point_at(self.sensor_to_tip);
        let own = Rotation2::new(-self.turn) * (point - self.offset);
        out.push(self.outline.distance(own) * 1e3);
        let touch = world_from_tool.transform_point(Vector3::new(point.x, point.y, self.tool_to_tip));
        let height = touch.z + self.slope.dot(&(touch.xy() - self.middle)) - self.height;
        out.push(height * 1e3);
    }
}
