//! A drive under construction, and what must fit the part that it drives.

use std::sync::Arc;

use tightfit_robot::control::SetPoints;
use tightfit_spatial::{Pose, UnitQuaternion, Vector3};

use super::problem::Problems;
use super::{BodyId, Motion};
use crate::drive::{Drive, Waypoint, Wiggle};

/// Stiffest spring [N/m] or [N·m/rad].
const STIFFEST: f64 = 1e15;
/// Tilt of a part's axis beyond which its turns cannot be counted [rad].
const UPSIDE_DOWN: f64 = 170.0 / 180.0 * std::f64::consts::PI;

/// A drive for [`SceneBuilder::drive`](super::SceneBuilder::drive), in SI units. [`Drive::springs`] and
/// [`Drive::path`] begin one.
#[derive(Clone, Debug)]
#[must_use]
pub struct DriveBuilder {
    pub(super) part: String,
    pub(super) stiffness: Option<Vector3<f64>>,
    pub(super) turning_stiffness: Option<Vector3<f64>>,
    pub(super) damping: Option<f64>,
    force: Vector3<f64>,
    offset: f64,
    tilt: f64,
    waypoints: Vec<Waypoint>,
    stream: Option<Arc<SetPoints>>,
    stream_from_part: UnitQuaternion<f64>,
    speed: f64,
    hold: f64,
    wiggle: Option<Wiggle>,
    /// Whether the file of set-points could not be read: the drive then needs no waypoints.
    is_stream_unknown: bool,
}

impl Drive {
    /// A spring and damper that pulls a free part along set-points. Give both stiffnesses, the damping and at least one
    /// waypoint.
    pub fn springs(part: &str) -> DriveBuilder {
        DriveBuilder::new(part)
    }

    /// Set-points that a kinematic part follows exactly, or that the arm which holds the part follows.
    pub fn path(part: &str) -> DriveBuilder {
        DriveBuilder::new(part)
    }
}

impl DriveBuilder {
    fn new(part: &str) -> Self {
        Self {
            part: part.to_string(),
            stiffness: None,
            turning_stiffness: None,
            damping: None,
            force: Vector3::zeros(),
            offset: 0.0,
            tilt: 0.0,
            waypoints: Vec::new(),
            stream: None,
            stream_from_part: UnitQuaternion::identity(),
            speed: 1.0,
            hold: 0.0,
            wiggle: None,
            is_stream_unknown: false,
        }
    }

    /// Stiffness along the world's axes [N/m].
    pub fn stiffness(mut self, stiffness: Vector3<f64>) -> Self {
        self.stiffness = Some(stiffness);
        self
    }

    /// Stiffness about the part's axes [N·m/rad].
    pub fn turning_stiffness(mut self, stiffness: Vector3<f64>) -> Self {
        self.turning_stiffness = Some(stiffness);
        self
    }

    /// Damping relative to mass and inertia [1/s].
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = Some(damping);
        self
    }

    /// Constant force on the part, world axes [N].
    pub fn force(mut self, force: Vector3<f64>) -> Self {
        self.force = force;
        self
    }

    /// Error of all set-points along x [m].
    pub fn offset(mut self, offset: f64) -> Self {
        self.offset = offset;
        self
    }

    /// Error of all set-points about y [rad].
    pub fn tilt(mut self, tilt: f64) -> Self {
        self.tilt = tilt;
        self
    }

    /// The part's frame reaches this position at this time [m, s], without rotation.
    pub fn waypoint(self, time: f64, position: Vector3<f64>) -> Self {
        self.push(Waypoint::at(time, position))
    }

    /// The part's frame reaches this pose at this time [s]. Between two waypoints it turns the shorter way.
    pub fn waypoint_pose(self, time: f64, world_from_part: Pose) -> Self {
        self.push(Waypoint {
            rotation: world_from_part.rotation,
            ..Waypoint::at(time, world_from_part.translation)
        })
    }

    /// The part's frame reaches this position at this time [m, s], turned by this angle about z [rad], which may
    /// exceed a turn.
    pub fn waypoint_turned(self, time: f64, position: Vector3<f64>, angle: f64) -> Self {
        self.push(Waypoint { angle, ..Waypoint::at(time, position) })
    }

    /// A waypoint with all its fields.
    pub fn push(mut self, waypoint: Waypoint) -> Self {
        self.waypoints.push(waypoint);
        self
    }

    /// Set-points of a table in place of waypoints; for a kinematic part or one in an arm. `stream_from_part` is the
    /// attitude of the part's frame in the frame whose poses the table holds, `speed` a factor on its speed [-].
    pub fn set_points(
        mut self,
        stream: Arc<SetPoints>,
        stream_from_part: UnitQuaternion<f64>,
        speed: f64,
    ) -> Self {
        (self.stream, self.stream_from_part, self.speed) = (Some(stream), stream_from_part, speed);
        self
    }

    /// Time for which the last set-point is held [s].
    pub fn hold(mut self, seconds: f64) -> Self {
        self.hold = seconds;
        self
    }

    /// A swing along x and about y, on top of the set-points.
    pub fn wiggle(mut self, wiggle: Wiggle) -> Self {
        self.wiggle = Some(wiggle);
        self
    }

    /// Marks a file of set-points that could not be read.
    pub(super) fn with_unknown_stream(mut self) -> Self {
        self.is_stream_unknown = true;
        self
    }

    /// What does not fit: `motion` of the driven part, and whether an arm holds it.
    pub(super) fn check(&self, key: &str, motion: Motion, is_held: bool, problems: &mut Problems) {
        let at = |name: &str| format!("{key}.{name}");
        if motion == Motion::Fixed {
            return problems.add(&at("part"), "names a fixed part; make it free or kinematic".into());
        }
        let needs_springs = motion == Motion::Free && !is_held;
        let springs = [
            ("stiffness", self.stiffness.is_some()),
            ("turning_stiffness", self.turning_stiffness.is_some()),
            ("damping", self.damping.is_some()),
        ];
        if let Some((name, _)) = springs.iter().find(|(_, is_given)| *is_given != needs_springs) {
            let remedy = match needs_springs {
                true => "is missing; a free part is driven by a spring and damper",
                false if is_held => {
                    "is given, but the part is led by the arm, whose controller has the springs; leave it out"
                }
                false => {
                    "is given, but a kinematic part follows its set-points exactly; leave springs and damping out"
                }
            };
            return problems.add(&at(name), remedy.into());
        }
        for (name, spring) in [("stiffness", self.stiffness), ("turning_stiffness", self.turning_stiffness)] {
            for value in spring.iter().flat_map(|spring| spring.iter()) {
                problems.range(&at(name), *value, [0.0, STIFFEST], "");
            }
        }
        problems.range(&at("damping"), self.damping.unwrap_or_default(), [0.0, 1e6], "1/s");
        self.force.iter().for_each(|value| problems.range(&at("force"), *value, [-1e6, 1e6], "N"));
        problems.range(&at("offset"), self.offset, [-0.1, 0.1], "m");
        problems.range(
            &at("tilt"),
            self.tilt,
            [-std::f64::consts::FRAC_PI_4, std::f64::consts::FRAC_PI_4],
            "rad",
        );
        problems.range(&at("hold"), self.hold, [0.0, 1e6], "s");
        self.check_set_points(key, needs_springs, problems);
    }

    fn check_set_points(&self, key: &str, needs_springs: bool, problems: &mut Problems) {
        let file = format!("{key}.file");
        if self.stream.is_some() || self.is_stream_unknown {
            if !self.waypoints.is_empty() {
                problems.add(&file, "is given beside waypoints; keep one of the two".into());
            } else if needs_springs {
                problems.add(&file, "is for a part in an arm or a kinematic one; give waypoints".into());
            }
            return;
        }
        let key = format!("{key}.waypoints");
        let times = || self.waypoints.iter().map(|waypoint| waypoint.time);
        let is_rising = times().zip(times().skip(1)).all(|(before, after)| after > before);
        if self.waypoints.is_empty() || !is_rising || !times().all(f64::is_finite) {
            return problems.add(&key, "give at least one set-point, with rising times".into());
        }
        for waypoint in &self.waypoints {
            problems.position(&key, waypoint.position);
            if !waypoint.angle.is_finite() || !waypoint.rotation.coords.iter().all(|x| x.is_finite()) {
                problems.add(&key, "has a rotation that is not finite".into());
            }
        }
        let turns = self.waypoints.iter().any(|waypoint| waypoint.angle != 0.0);
        let tilt = |waypoint: &Waypoint| {
            let axis = waypoint.rotation * Vector3::z();
            libm::acos(axis.z.clamp(-1.0, 1.0))
        };
        if turns && self.waypoints.iter().any(|waypoint| tilt(waypoint) > UPSIDE_DOWN) {
            let remedy = "tilts the part upside down, where its turns cannot be counted; use the rotation alone, or another frame \
                          of the part";
            problems.add(&key, remedy.into());
        }
    }

    /// The drive of a body.
    pub(super) fn drive(self, body: BodyId) -> Drive {
        Drive {
            body,
            stiffness: self.stiffness.unwrap_or_default(),
            turning_stiffness: self.turning_stiffness.unwrap_or_default(),
            damping: self.damping.unwrap_or_default(),
            force: self.force,
            offset: self.offset,
            tilt: self.tilt,
            waypoints: self.waypoints,
            stream: self.stream,
            stream_from_part: self.stream_from_part,
            speed: self.speed,
            hold: self.hold,
            wiggle: self.wiggle,
        }
    }
}
