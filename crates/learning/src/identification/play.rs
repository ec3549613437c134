//! A peg inside its hole: pose of the hole, clearance, and compliance of the grasp.
//!
//! ```text
//! part   = tool ∘ tip ∘ (C w)   w: contact wrench on the tip, part axes; C: compliance of the grasp (symmetric)
//! gap_k  = wall − d_k · q_k     q_k: outline's corners at the tip and at the mouth; d_k: towards the wall
//! r_k    = gap_k                where contact k carries a load (weight λ/(λ + 3 N))
//!          min(gap_k, 0)        elsewhere: penetration-minimising, paper 5.1
//! ```
//!
//! The loaded contacts follow from the measured wrench (`cone_loads`) and are updated a few times. Only the fit uses
//! the measured wrench: predictions use the tool's pose, C and the clearance. The position of the hole may differ
//! between trials (it was seen to creep under the hand's push); its attitude does not. Peg and tool are assumed
//! coaxial: a tilted peg in an upright hole and an upright peg in a tilted hole cannot be distinguished.

use nalgebra::{Matrix6, Quaternion, Vector6};
use rayon::prelude::*;
use tightfit_spatial::{Pose, UnitQuaternion, Vector3};

use super::cone_loads::{Candidate, cone_loads};
use super::least_squares::{Parameter, Problem, Solution};
use super::{Answer, Mouth, Outline, SensorLoad};
use crate::recordings::Trial;

/// Depth from which a row counts as inside [m], and distance from the floor.
const INSIDE: [f64; 2] = [8e-3, 1.5e-3];
/// A contact with less load may be open [N].
const LEAST_LOAD: f64 = 2.0;
/// Load at which a contact has half the weight [N].
const HALF_LOAD: f64 = 3.0;
/// Number of alternations of loads and fit.
const ROUNDS: usize = 6;
/// Maximum number of rows of a trial, and fewest rows in total.
const ROWS: [usize; 2] = [220, 100];
/// Names of the compliance's entries, their indices in C, start values and units.
const COMPLIANCES: [(&str, usize, usize, f64, &str); 7] = [
    ("compliance along x", 0, 0, 2e-5, "m/N"),
    ("compliance about y", 4, 4, 2e-2, "rad/(N·m)"),
    ("compliance along x by torque about y", 0, 4, 0.0, "m/(N·m)"),
    ("compliance along y", 1, 1, 2e-5, "m/N"),
    ("compliance about x", 3, 3, 2e-2, "rad/(N·m)"),
    ("compliance along y by torque about x", 1, 3, 0.0, "m/(N·m)"),
    ("compliance about z", 5, 5, 2e-2, "rad/(N·m)"),
];
/// Limits of the compliance's standard deviations by kind.
const COMPLIANCES_LIMITS: [f64; 3] = [3e-5, 2e-2, 1e-3];

/// Hole and grasp.
#[derive(Clone, Debug, PartialEq)]
pub struct Play {
    /// Attitude of the hole, +z out of it.
    pub world_from_hole: UnitQuaternion<f64>,
    /// Middle of the mouth in each trial [m]; `None` for trials without insertion.
    pub mouths: Vec<Option<Vector3<f64>>>,
    /// Air on each side [m], along x and y; equal for a round hole.
    pub clearance: [f64; 2],
    /// C: compliance under a wrench at the tip, part axes: [m, rad] per [N, N·m].
    pub compliance: Matrix6<f64>,
    /// Largest depth of the tip below the mouth [m].
    pub depth: f64,
    /// Residual gap at loaded contacts, one standard deviation [m]: combined uncertainty of poses, hole and compliance.
    pub scatter: f64,
}

/// A row inside the hole.
struct Inside {
    world_from_tip: Pose,
    /// Wrench on the part at its tip, part axes.
    wrench: Vector6<f64>,
}

/// Pose of the tip's frame in the tool's: origin at the tip, +z towards the tail, x along the outline.
#[must_use]
pub fn tool_from_tip(mouth: &Mouth) -> Pose {
    let flip = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), mouth.turn);
    Pose::new(Vector3::new(mouth.offset.x, mouth.offset.y, mouth.tool_to_tip), turn * flip)
}

/// Contact force and torque at the tip, part axes, of a row.
#[must_use]
pub fn wrench_at_tip(
    trial: &Trial,
    index: usize,
    row: usize,
    load: &SensorLoad,
    mouth: &Mouth,
) -> [Vector3<f64>; 2] {
    let [force, torque] = load.contact(trial, index, row);
    let arm = Vector3::new(mouth.offset.x, mouth.offset.y, mouth.sensor_to_tip);
    let tip_from_tool = tool_from_tip(mouth).rotation.inverse();
    [tip_from_tool * force, tip_from_tool * (torque - arm.cross(&force))]
}

/// Finds hole and grasp, or the reason why not. `tell` receives the finished share after every round.
pub fn identify_play(
    trials: &[Trial],
    load: &SensorLoad,
    mouth: &Mouth,
    friction: f64,
    tell: impl FnMut(f64),
) -> (Option<Play>, Answer) {
    let (rows, depth) = inside(trials, load, mouth);
    let count: usize = rows.iter().map(Vec::len).sum();
    if count < ROWS[1] {
        let reason = format!(
            "{count} rows have the tip {:.0} mm or more below the mouth; {} are needed",
            INSIDE[0] * 1e3,
            ROWS[1]
        );
        return (None, Answer::refused("pose of the hole", reason));
    }
    let all = || rows.iter().flatten();
    let heading = all().map(|row| row.world_from_tip.rotation * Vector3::x()).sum::<Vector3<f64>>();
    let upright = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), heading.y.atan2(heading.x));
    let mut play = Play {
        world_from_hole: upright,
        mouths: rows.iter().map(|own| middle(own, mouth)).collect(),
        clearance: [0.5e-3; 2],
        compliance: Matrix6::zeros(),
        depth,
        scatter: 0.0,
    };
    for (_, i, j, value, _) in COMPLIANCES {
        play.compliance[(i, j)] = value;
        play.compliance[(j, i)] = value;
    }
    let mut left = [0.0; 2];
    let solution = play.fit(&rows, mouth, friction, upright, Unknowns::All, tell);
    for (trial, own) in rows.iter().enumerate() {
        for row in own {
            let (_, [force, torque]) = play.loads(mouth, row, trial, friction);
            left[0] += force.norm_squared() / count as f64;
            left[1] += torque.norm_squared() / count as f64;
        }
    }
    let Some(solution) = solution else { return (None, Answer::default()) };
    play.scatter = solution.spread * 1e-3;
    let mut answer = solution.answer(solution.values.len());
    answer.add("depth reached", "m", depth, 0.0);
    answer.add("rows inside used", "-", count as f64, 0.0);
    answer.add("gap left at loaded contacts", "m", play.scatter, 0.0);
    answer.add("force that no contact explains", "N", left[0].sqrt(), 0.0);
    answer.add("torque that no contact explains", "N·m", left[1].sqrt(), 0.0);
    answer.refuse(
        "tilt of the peg in the grasp",
        "inside the hole it cannot be distinguished from a tilt of the hole; peg and tool are assumed coaxial",
    );
    (Some(play), answer)
}

/// The same hole and grasp in other trials: finds only the position of the hole.
#[must_use]
pub fn place_play(trials: &[Trial], load: &SensorLoad, mouth: &Mouth, friction: f64, known: &Play) -> Play {
    let (rows, _) = inside(trials, load, mouth);
    let mouths = rows.iter().map(|own| middle(own, mouth)).collect();
    let mut play = Play { mouths, ..known.clone() };
    let _ = play.fit(&rows, mouth, friction, known.world_from_hole, Unknowns::Mouths, |_| {});
    play
}

/// Median position of the tip, at the height of the mouth.
fn middle(own: &[Inside], mouth: &Mouth) -> Option<Vector3<f64>> {
    let sum = own.iter().map(|row| row.world_from_tip.translation).sum::<Vector3<f64>>();
    (!own.is_empty()).then(|| Vector3::new(sum.x / own.len() as f64, sum.y / own.len() as f64, mouth.height))
}

/// Free parameters of a fit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Unknowns {
    /// Hole, grasp and positions.
    All,
    /// Positions only.
    Mouths,
}

/// Rows inside the hole by trial, subsampled, and the largest depth.
fn inside(trials: &[Trial], load: &SensorLoad, mouth: &Mouth) -> (Vec<Vec<Inside>>, f64) {
    let tip = tool_from_tip(mouth);
    let depth_of = |pose: &Pose| mouth.height - (*pose * tip).translation.z;
    let deepest = trials.iter().flat_map(|trial| &trial.world_from_tool).map(depth_of).fold(0.0, f64::max);
    let rows = trials.iter().enumerate().map(|(index, trial)| {
        let is_inside = |row: &usize| {
            let depth = depth_of(&trial.world_from_tool[*row]);
            depth > INSIDE[0] && depth < deepest - INSIDE[1] && trial.has_wrench(*row)
        };
        let all: Vec<usize> = (0..trial.len()).filter(is_inside).collect();
        let every = all.len().div_ceil(ROWS[0]).max(1);
        let take = |row: usize| {
            let [force, torque] = wrench_at_tip(trial, index, row, load, mouth);
            let wrench = Vector6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z);
            Inside { world_from_tip: trial.world_from_tool[row] * tip, wrench }
        };
        all.into_iter().step_by(every).map(take).collect()
    });
    (rows.collect(), deepest)
}

impl Play {
    /// Alternates between loads and positions.
    fn fit(
        &mut self,
        rows: &[Vec<Inside>],
        mouth: &Mouth,
        friction: f64,
        upright: UnitQuaternion<f64>,
        unknowns: Unknowns,
        mut tell: impl FnMut(f64),
    ) -> Option<Solution> {
        let mut solution: Option<Solution> = None;
        for round in 0..ROUNDS {
            let play = self.clone();
            let carried: Vec<Vec<Vec<f64>>> = rows
                .par_iter()
                .enumerate()
                .map(|(trial, own)| own.iter().map(|row| play.loads(mouth, row, trial, friction).0).collect())
                .collect();
            let residuals = |values: &[f64], trial: usize, out: &mut Vec<f64>| {
                let play = play.with_values(values, upright, mouth, unknowns);
                for (row, loads) in rows[trial].iter().zip(&carried[trial]) {
                    let gaps = play.candidates(mouth, row, trial);
                    out.extend(gaps.iter().zip(loads).map(|(candidate, load)| match *load > LEAST_LOAD {
                        true => candidate.gap * 1e3 * load / (load + HALF_LOAD),
                        false => candidate.gap.min(0.0) * 1e3,
                    }));
                }
            };
            let found = Problem {
                parameters: play.parameters(upright, mouth, unknowns),
                trials: rows.len(),
                residuals: &residuals,
                loss: 0.1,
                noise: 1e-2,
                iterations: 15,
            }
            .solve();
            *self = play.with_values(&found.values, upright, mouth, unknowns);
            solution = Some(found);
            tell((round + 1) as f64 / ROUNDS as f64);
        }
        solution
    }

    fn parameters(&self, upright: UnitQuaternion<f64>, mouth: &Mouth, unknowns: Unknowns) -> Vec<Parameter> {
        let mut all = match unknowns {
            Unknowns::All => self.shared_parameters(upright, mouth),
            Unknowns::Mouths => Vec::new(),
        };
        for (trial, place) in self.mouths.iter().enumerate() {
            if let Some(place) = place {
                let name = |axis: &str| format!("middle of the mouth {axis}, trial {trial}");
                all.push(Parameter::new(name("x"), "m", place.x, 0.5e-3).of_trial(trial));
                all.push(Parameter::new(name("y"), "m", place.y, 0.5e-3).of_trial(trial));
            }
        }
        all
    }

    fn shared_parameters(&self, upright: UnitQuaternion<f64>, mouth: &Mouth) -> Vec<Parameter> {
        let tilt = (upright.inverse() * self.world_from_hole).scaled_axis();
        let mut all = vec![
            Parameter::new("tilt of the hole about x", "rad", tilt.x, 0.02),
            Parameter::new("tilt of the hole about y", "rad", tilt.y, 0.02),
        ];
        match mouth.outline {
            Outline::Round { .. } => {
                all.push(Parameter::new("clearance on each side", "m", self.clearance[0], 0.3e-3));
            }
            Outline::Rectangle { .. } => {
                all.push(Parameter::new("turn of the hole about z", "rad", tilt.z, 0.04));
                all.push(Parameter::new("clearance on each side along x", "m", self.clearance[0], 0.3e-3));
                all.push(Parameter::new("clearance on each side along y", "m", self.clearance[1], 0.3e-3));
            }
        }
        for (name, i, j, _, unit) in COMPLIANCES.into_iter().take(determined_compliances(mouth)) {
            let limit = COMPLIANCES_LIMITS[match (i < 3, j < 3) {
                (true, true) => 0,
                (false, false) => 1,
                _ => 2,
            }];
            all.push(Parameter::new(name, unit, self.compliance[(i, j)], limit));
        }
        all
    }

    fn with_values(
        &self,
        values: &[f64],
        upright: UnitQuaternion<f64>,
        mouth: &Mouth,
        unknowns: Unknowns,
    ) -> Self {
        let mut play = self.clone();
        let mut rest = match unknowns {
            Unknowns::All => play.take_shared(values, upright, mouth),
            Unknowns::Mouths => values,
        };
        for place in play.mouths.iter_mut().flatten() {
            (place.x, place.y) = (rest[0], rest[1]);
            rest = &rest[2..];
        }
        play
    }

    /// Sets the shared parameters; returns the remaining values.
    fn take_shared<'v>(
        &mut self,
        values: &'v [f64],
        upright: UnitQuaternion<f64>,
        mouth: &Mouth,
    ) -> &'v [f64] {
        let play = self;
        let (turn, clearance, rest) = match mouth.outline {
            Outline::Round { .. } => (0.0, [values[2]; 2], &values[3..]),
            Outline::Rectangle { .. } => (values[2], [values[3], values[4]], &values[5..]),
        };
        play.world_from_hole =
            upright * UnitQuaternion::from_scaled_axis(Vector3::new(values[0], values[1], turn));
        play.clearance = clearance;
        for (value, (_, i, j, _, _)) in
            rest.iter().zip(COMPLIANCES.into_iter().take(determined_compliances(mouth)))
        {
            play.compliance[(i, j)] = *value;
            play.compliance[(j, i)] = *value;
        }
        &rest[determined_compliances(mouth)..]
    }

    /// All contacts with their gaps, relative to the unloaded tip, hole axes.
    fn candidates(&self, mouth: &Mouth, row: &Inside, trial: usize) -> Vec<Candidate> {
        let Some(place) = self.mouths[trial] else { return Vec::new() };
        let deflection = self.compliance * row.wrench;
        let shift = Pose::new(
            deflection.fixed_rows::<3>(0).into(),
            UnitQuaternion::from_scaled_axis(deflection.fixed_rows::<3>(3).clone_owned()),
        );
        let hole_from_world = Pose::new(place, self.world_from_hole).inverse();
        let held = hole_from_world.transform_point(row.world_from_tip.translation);
        let mut hole_from_tip = hole_from_world * row.world_from_tip * shift;
        // A round peg touches with the points towards the wall, independent of its rotation.
        if let Outline::Round { .. } = mouth.outline {
            let turn = hole_from_tip.rotation.quaternion();
            let about_axis = UnitQuaternion::new_normalize(Quaternion::new(turn.w, 0.0, 0.0, turn.k));
            hole_from_tip.rotation *= about_axis.inverse();
        }
        let axis = hole_from_tip.transform_vector(Vector3::z());
        let contacts = mouth.outline.wall_contacts();
        let mut all = Vec::with_capacity(2 * contacts.len());
        for at_mouth in [false, true] {
            for contact in &contacts {
                let mut point =
                    hole_from_tip.transform_point(Vector3::new(contact.point.x, contact.point.y, 0.0));
                if at_mouth {
                    point -= axis * (point.z / axis.z);
                }
                let wall = mouth.outline.reach(contact) + self.clearance[contact.clearance];
                all.push(Candidate {
                    arm: point - held,
                    normal: Vector3::new(-contact.outward.x, -contact.outward.y, 0.0),
                    gap: wall - point.xy().dot(&contact.outward),
                });
            }
        }
        all
    }

    fn loads(
        &self,
        mouth: &Mouth,
        row: &Inside,
        trial: usize,
        friction: f64,
    ) -> (Vec<f64>, [Vector3<f64>; 2]) {
        let candidates = self.candidates(mouth, row, trial);
        let hole_from_tip = self.world_from_hole.inverse() * row.world_from_tip.rotation;
        let force = hole_from_tip * row.wrench.fixed_rows::<3>(0);
        let torque = hole_from_tip * row.wrench.fixed_rows::<3>(3);
        cone_loads(&candidates, friction, force, torque)
    }
}

/// Compliance entries that a hole of this outline determines: a round hole none about its axis.
fn determined_compliances(mouth: &Mouth) -> usize {
    match mouth.outline {
        Outline::Round { .. } => COMPLIANCES.len() - 1,
        Outline::Rectangle { .. } => COMPLIANCES.len(),
    }
}
