//! Boxes of configurations for C-space networks, one per phase of a task.
//!
//! | task | box | point | across, along, tilt |
//! |---|---|---|---|
//! | insert | `workspace` | tip | path of the drive ± 2 mm, ± 3° |
//! | | `mouth` | tip | 1.5 times the drive's error, from 1 mm above to 4 mm below the mouth, 2 times its tilt |
//! | | `inserted` | middle of the engaged length | 5 times the play, 0.25 to 1.75 of the depth, 5 times the play |
//! | thread | `workspace` | middle of the nut | path of the drive ± 2 mm, ± 3° |
//! | | `engaged` | middle of the nut | 2 times the play, path along the axis plus a pitch, 2 times the play |
//!
//! The play is found by bisection from the nominal pose along each coordinate, with the exact gap. For an engaged nut
//! the last coordinate is its phase error, so one box covers all angles.

use std::array::from_fn;
use std::f64::consts::PI;

use tightfit_network::{COORDINATES, ChartSymmetry, CspaceChart, LocalChart, Range};
use tightfit_shape::{Part, Symmetry};
use tightfit_simulation::{BodyId, Drive, Scene, Task};
use tightfit_spatial::Vector3;

use super::{Offenders, PairGap};
use crate::LearningError;

/// Margin around the whole path [m], and its tilt [rad].
const AROUND: f64 = 2e-3;
const TILT: f64 = 0.05;
/// Half-widths of local boxes relative to the play.
const PLAYS_OF_A_PEG: f64 = 5.0;
const PLAYS_OF_A_NUT: f64 = 2.0;
/// Start and end of the search for play [m, rad].
const LEAST_PLAY: f64 = 1e-6;
const MOST_PLAY: f64 = 5e-3;
const HALVINGS: usize = 20;

/// A box of configurations.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigurationBox {
    /// Phase of the task.
    pub name: &'static str,
    /// Coordinates and nominal pose.
    pub chart: CspaceChart,
    /// Range of every coordinate [m, rad].
    pub ranges: [Range; COORDINATES],
    /// Coordinates of a free configuration, where sampling starts [m, rad].
    pub start: [f64; COORDINATES],
}

impl ConfigurationBox {
    /// Whether a coordinate is used: a symmetry may remove the last one.
    #[must_use]
    pub fn uses(&self, coordinate: usize) -> bool {
        let is_revolved =
            matches!(self.chart, CspaceChart::Local(LocalChart { symmetry: ChartSymmetry::Revolved, .. }));
        !(is_revolved && coordinate == COORDINATES - 1)
    }

    /// The same configurations in the paper's coordinates: centre of mass and x-y-z angles, with a whole turn about the
    /// axis, whatever the symmetry of the parts.
    ///
    /// # Errors
    /// Never for a valid box.
    pub fn in_euler_angles(&self, pair: &PairGap) -> Result<Self, LearningError> {
        let CspaceChart::Local(local) = self.chart else { return Ok(self.clone()) };
        let center = pair.center_in_part();
        let nominal = self.chart.fixed_from_part(self.start, center);
        let (start, _) = CspaceChart::Euler.coordinates(&nominal, center);
        let lever = (center - Vector3::from(local.point_in_part)).norm();
        let bounds = from_fn(|k| {
            let Range { low, high } = self.ranges[k];
            match k {
                // the centre of mass moves across by tilts about the point of the box
                0 | 1 => {
                    let tilted = lever * self.ranges[3].high.abs().max(self.ranges[4].high.abs());
                    [start[k] + low - tilted, start[k] + high + tilted]
                }
                YAW => [-PI, PI],
                _ => [start[k] + low, start[k] + high],
            }
        });
        Ok(Self { start, ..made(self.name, CspaceChart::Euler, bounds)? })
    }
}

/// The last coordinate: rotation about the axis.
const YAW: usize = COORDINATES - 1;

/// The moving and fixed body of a scene's task, and the boxes of its phases from the widest to the narrowest.
///
/// # Errors
/// When the scene has no drive or no task, or its parts collide where the task ends.
pub fn task_boxes(scene: &Scene) -> Result<([BodyId; 2], Vec<ConfigurationBox>), LearningError> {
    let missing = |option, allowed| LearningError::Option { option, value: "missing".into(), allowed };
    let drive = scene.drives.first().ok_or(missing("[drive] of the scene", "a drive of a free part"))?;
    let task = scene.task.ok_or(missing("[task] of the scene", "what counts as done"))?;
    let fixed = match task {
        Task::Insert { into, .. } => into,
        Task::Thread { onto, .. } => onto,
    };
    if matches!(task, Task::Insert { along, from, .. } if along.z > -0.999_999 || from != 0.0) {
        let value = "another direction".into();
        return Err(LearningError::Option {
            option: "along of the task",
            value,
            allowed: "[0, 0, -1] from 0",
        });
    }
    let pair = PairGap::of(scene, drive.body, fixed);
    let symmetry = symmetry([&scene.bodies[drive.body].part, &scene.bodies[fixed].part]);
    let boxes = match task {
        Task::Insert { depth, .. } => insertion(&pair, drive, depth, symmetry)?,
        Task::Thread { .. } => threading(&pair, drive, symmetry)?,
    };
    Ok(([drive.body, fixed], boxes))
}

fn symmetry(parts: [&Part; 2]) -> ChartSymmetry {
    match parts.map(Part::symmetry) {
        [Symmetry::Revolved, _] => ChartSymmetry::Revolved,
        [Symmetry::Screw { pitch }, Symmetry::Screw { .. }] => ChartSymmetry::Screw { pitch },
        _ => ChartSymmetry::None,
    }
}

/// Range of a coordinate that a symmetry removes.
const UNUSED: [f64; 2] = [-1.0, 1.0];

fn insertion(
    pair: &PairGap,
    drive: &Drive,
    depth: f64,
    symmetry: ChartSymmetry,
) -> Result<Vec<ConfigurationBox>, LearningError> {
    let turn = |tilt: f64| if symmetry == ChartSymmetry::None { [-tilt, tilt] } else { UNUSED };
    let at = |height: f64, point: f64| local([0.0, 0.0, point], [0.0, 0.0, height], symmetry);
    let [low, high] = way(drive);
    let across = drive.offset.abs() + AROUND;
    let workspace = [
        [-across, across],
        [-across, across],
        [low - AROUND, high + AROUND],
        [-TILT, TILT],
        [-TILT, TILT],
        turn(TILT),
    ];
    let (error, tilt) = (1.5 * drive.offset.abs().max(1e-4), 2.0 * drive.tilt.abs().max(1e-3));
    let mouth = [[-error, error], [-error, error], [-4e-3, 1e-3], [-tilt, tilt], [-tilt, tilt], turn(tilt)];
    // At the middle of the engaged length, shift and tilt are coupled least.
    let chart = at(-depth / 2.0, depth / 2.0);
    let play = |k: usize| play(pair, &chart, k).map(|play| PLAYS_OF_A_PEG * play);
    let (shift, tilt) = (play(0)?, play(3)?);
    let along = 0.75 * depth;
    let twist = if symmetry == ChartSymmetry::None { play(5)? } else { 1.0 };
    let inserted =
        [[-shift, shift], [-shift, shift], [-along, along], [-tilt, tilt], [-tilt, tilt], [-twist, twist]];
    Ok(vec![
        made("workspace", at(0.0, 0.0), workspace)?,
        made("mouth", at(0.0, 0.0), mouth)?,
        made("inserted", chart, inserted)?,
    ])
}

fn threading(
    pair: &PairGap,
    drive: &Drive,
    symmetry: ChartSymmetry,
) -> Result<Vec<ConfigurationBox>, LearningError> {
    let ChartSymmetry::Screw { pitch } = symmetry else {
        return Err(LearningError::Option {
            option: "symmetry of the scene's parts",
            value: format!("{symmetry:?}"),
            allowed: "two threads for a task of the kind `thread`",
        });
    };
    // A nut is in phase where z = P·yaw/2π plus whole pitches; here yaw is zero.
    let turns = drive.waypoints.iter().map(|waypoint| waypoint.angle / std::f64::consts::TAU);
    let ways = drive.waypoints.iter().zip(turns).map(|(waypoint, turns)| {
        let first = drive.waypoints.first().map_or(0.0, |first| first.angle / std::f64::consts::TAU);
        waypoint.position.z.min(drive.waypoints[0].position.z) + pitch * (turns - first)
    });
    let low = ways.fold(f64::INFINITY, f64::min);
    let high = way(drive)[1];
    let middle = pitch * ((low + high) / 2.0 / pitch).round();
    let chart = local([0.0; 3], [0.0, 0.0, middle], symmetry);
    let across = drive.offset.abs() + AROUND;
    let along = [low - middle - pitch.abs(), high - middle + pitch.abs()];
    let workspace = [
        [-across, across],
        [-across, across],
        along,
        [-TILT, TILT],
        [-TILT, TILT],
        [-0.5 * pitch.abs(), 0.5 * pitch.abs()],
    ];
    let play = |k: usize| play(pair, &chart, k).map(|play| PLAYS_OF_A_NUT * play);
    let (shift, tilt, phase) = (play(0)?, play(3)?, play(5)?);
    let engaged = [[-shift, shift], [-shift, shift], along, [-tilt, tilt], [-tilt, tilt], [-phase, phase]];
    Ok(vec![made("workspace", chart, workspace)?, made("engaged", chart, engaged)?])
}

/// Lowest and highest set-point [m].
fn way(drive: &Drive) -> [f64; 2] {
    let heights = drive.waypoints.iter().map(|waypoint| waypoint.position.z);
    [heights.clone().fold(f64::INFINITY, f64::min), heights.fold(f64::NEG_INFINITY, f64::max)]
}

fn local(point_in_part: [f64; 3], nominal_point: [f64; 3], symmetry: ChartSymmetry) -> CspaceChart {
    CspaceChart::Local(LocalChart {
        point_in_part,
        nominal_point,
        nominal_rotation: [0.0, 0.0, 0.0, 1.0],
        symmetry,
    })
}

fn made(
    name: &'static str,
    chart: CspaceChart,
    bounds: [[f64; 2]; 6],
) -> Result<ConfigurationBox, LearningError> {
    let mut ranges = [Range { low: -1.0, high: 1.0 }; COORDINATES];
    for (range, [low, high]) in ranges.iter_mut().zip(bounds) {
        *range = Range::new(name, low, high)?;
    }
    Ok(ConfigurationBox { name, chart, ranges, start: [0.0; COORDINATES] })
}

/// Play of a coordinate: distance from the nominal pose to collision, the smaller of both directions [m, rad].
fn play(pair: &PairGap, chart: &CspaceChart, coordinate: usize) -> Result<f64, LearningError> {
    let mut offenders = Offenders::default();
    let mut collides = |value: f64| {
        let mut q = [0.0; COORDINATES];
        q[coordinate] = value;
        pair.collides(&chart.fixed_from_part(q, pair.center_in_part()), &mut offenders)
    };
    if collides(0.0) {
        return Err(LearningError::Option {
            option: "nominal pose of the scene's task",
            value: format!("{chart:?}"),
            allowed: "one where the parts are free",
        });
    }
    let mut nearest = MOST_PLAY;
    for sign in [-1.0, 1.0] {
        // By doubling: free space behind a wall must not count as play.
        let (mut free, mut colliding) = (0.0, LEAST_PLAY);
        while colliding < nearest && !collides(sign * colliding) {
            (free, colliding) = (colliding, 2.0 * colliding);
        }
        if colliding < nearest {
            for _ in 0..HALVINGS {
                let middle = f64::midpoint(free, colliding);
                *(if collides(sign * middle) { &mut colliding } else { &mut free }) = middle;
            }
            nearest = free;
        }
    }
    Ok(nearest)
}
