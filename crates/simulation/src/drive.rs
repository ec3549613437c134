//! Guides one part along set-points: a free part by a spring and damper, a kinematic part exactly.

use std::sync::Arc;

use tightfit_pipeline::integration::{Coupling, twist_angle};
use tightfit_robot::control::SetPoints;
use tightfit_spatial::{Inertia, Pose, Quaternion, UnitQuaternion, Vector3, Wrench};

use crate::BodyId;
use crate::state::unwrapped;

/// Set-points and springs of a driven part.
#[derive(Clone, Debug, PartialEq)]
pub struct Drive {
    /// The driven body.
    pub body: BodyId,
    /// Stiffness along the world's axes [N/m].
    pub stiffness: Vector3<f64>,
    /// Stiffness about the part's axes [N·m/rad].
    pub turning_stiffness: Vector3<f64>,
    /// Damping relative to mass and inertia [1/s].
    pub damping: f64,
    /// Constant force, world axes [N].
    pub force: Vector3<f64>,
    /// Error of all set-points along x [m].
    pub offset: f64,
    /// Error of all set-points about y [rad].
    pub tilt: f64,
    /// Set-points by time.
    pub waypoints: Vec<Waypoint>,
    /// Set-points by time from a table, in place of `waypoints`.
    pub stream: Option<Arc<SetPoints>>,
    /// Attitude of the part's frame in the frame whose poses the table holds.
    pub stream_from_part: UnitQuaternion<f64>,
    /// Factor on the speed of the table's set-points [-].
    pub speed: f64,
    /// Time for which the last set-point is held [s].
    pub hold: f64,
    /// A swing on top of the set-points.
    pub wiggle: Option<Wiggle>,
}

/// A set-point of the part's frame: its attitude is `rotation` after a turn by `angle` about z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waypoint {
    /// When it is reached [s].
    pub time: f64,
    /// Position of the part's frame [m].
    pub position: Vector3<f64>,
    /// Angle about the part's z axis [rad], not limited to a turn.
    pub angle: f64,
    /// Attitude in the world before that. Between two waypoints it turns about one axis, the shorter way.
    pub rotation: UnitQuaternion<f64>,
}

impl Waypoint {
    /// A position at a time [s, m], without rotation.
    #[must_use]
    pub fn at(time: f64, position: Vector3<f64>) -> Self {
        Self { time, position, angle: 0.0, rotation: UnitQuaternion::identity() }
    }
}

/// A swing along x and about y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wiggle {
    /// Begin and end [s].
    pub span: [f64; 2],
    /// Amplitude along x [m] and its frequency [Hz].
    pub shift: [f64; 2],
    /// Amplitude about y [rad] and its frequency [Hz].
    pub tilt: [f64; 2],
}

impl Drive {
    /// A set-point that stays at a pose of the part's frame, without springs, dampers or force: a start for one's own.
    #[must_use]
    pub fn still(body: BodyId, world_from_part: Pose) -> Self {
        let Pose { translation: position, rotation } = world_from_part;
        Self {
            body,
            stiffness: Vector3::zeros(),
            turning_stiffness: Vector3::zeros(),
            damping: 0.0,
            force: Vector3::zeros(),
            offset: 0.0,
            tilt: 0.0,
            waypoints: vec![Waypoint { time: 0.0, position, angle: 0.0, rotation }],
            stream: None,
            stream_from_part: UnitQuaternion::identity(),
            speed: 1.0,
            hold: 0.0,
            wiggle: None,
        }
    }

    /// When the last set-point has been reached and the swing has ended [s].
    #[must_use]
    pub fn duration(&self) -> f64 {
        let last = self.arrival() + self.hold;
        self.wiggle.map_or(last, |wiggle| last.max(wiggle.span[1]))
    }

    /// When the last set-point has been reached [s].
    #[must_use]
    pub fn arrival(&self) -> f64 {
        if let Some(stream) = &self.stream {
            return stream.duration() / self.speed;
        }
        self.waypoints.last().map_or(0.0, |waypoint| waypoint.time)
    }

    /// Angle of the set-point about the part's z axis [rad]: counted over whole turns for waypoints, within half a
    /// turn for a table.
    #[must_use]
    pub fn angle(&self, time: f64) -> f64 {
        if let Some(stream) = &self.stream {
            return twist_angle(&(stream.at(time * self.speed).rotation * self.stream_from_part));
        }
        let (_, angle, rotation) = self.between(time);
        if !self.has_rotations() {
            return angle;
        }
        // the twist of the rotations, followed from waypoint to waypoint
        let passed = self.waypoints.iter().take_while(|waypoint| waypoint.time <= time);
        let twist = passed.fold(0.0, |twist, waypoint| unwrapped(twist_angle(&waypoint.rotation), twist));
        angle + unwrapped(twist_angle(&rotation), twist)
    }

    /// Whether a waypoint has a rotation other than a turn about z.
    fn has_rotations(&self) -> bool {
        self.waypoints.iter().any(|waypoint| waypoint.rotation != UnitQuaternion::identity())
    }

    /// How far a body that has turned by `spin` is ahead of its set-point about z, to within half a turn [rad].
    fn twist(&self, time: f64, spin: f64) -> f64 {
        // A part that is tilted over has no angle about z that could be counted. Without turns the nearest one is
        // meant.
        let has_turns = self.waypoints.iter().any(|waypoint| waypoint.angle != 0.0);
        if self.has_rotations() && !has_turns { 0.0 } else { spin - self.angle(time) }
    }

    /// Set-point of the part's frame at a time [s].
    #[must_use]
    pub fn target(&self, time: f64) -> Pose {
        let (mut position, rotation) = match &self.stream {
            Some(stream) => {
                let pose = stream.at(time * self.speed);
                (pose.translation, pose.rotation * self.stream_from_part)
            }
            None => {
                let (position, angle, rotation) = self.between(time);
                let turn = about(Vector3::z(), angle);
                // a product with the identity would change the sign of zeros
                (position, if self.has_rotations() { rotation * turn } else { turn })
            }
        };
        let mut tilt = self.tilt;
        position.x += self.offset;
        if let Some(wiggle) = self.wiggle.filter(|wiggle| (wiggle.span[0]..wiggle.span[1]).contains(&time)) {
            let wave = |[amplitude, frequency]: [f64; 2]| {
                amplitude * libm::sin(std::f64::consts::TAU * frequency * (time - wiggle.span[0]))
            };
            position.x += wave(wiggle.shift);
            tilt += wave(wiggle.tilt);
        }
        Pose::new(position, about(Vector3::y(), tilt) * rotation)
    }

    /// Spring and damper over one step that begins at `time` [s], on a body that has turned by `spin` [rad].
    #[must_use]
    pub fn coupling(&self, time: f64, step: f64, inertia: &Inertia, spin: f64) -> Coupling {
        let center =
            |target: Pose| Pose::new(target.transform_point(inertia.center_of_mass), target.rotation);
        Coupling {
            stiffness: self.stiffness,
            damping: Vector3::from_element(self.damping * inertia.mass),
            turning_stiffness: self.turning_stiffness,
            turning_damping: inertia.moment.diagonal() * self.damping,
            target: center(self.target(time)),
            next_target: center(self.target(time + step)),
            twist: self.twist(time, spin),
        }
    }

    /// The constant force.
    #[must_use]
    pub fn wrench(&self) -> Wrench {
        Wrench::new(self.force, Vector3::zeros())
    }

    /// Position, angle and rotation between the waypoints.
    fn between(&self, time: f64) -> (Vector3<f64>, f64, UnitQuaternion<f64>) {
        let after = self.waypoints.partition_point(|waypoint| waypoint.time <= time);
        match (after.checked_sub(1).and_then(|before| self.waypoints.get(before)), self.waypoints.get(after))
        {
            (Some(a), Some(b)) => {
                let t = (time - a.time) / (b.time - a.time);
                let pose = |waypoint: &Waypoint| Pose::new(waypoint.position, waypoint.rotation);
                let rotation = pose(a).towards(&pose(b), t).rotation;
                (a.position + (b.position - a.position) * t, a.angle + (b.angle - a.angle) * t, rotation)
            }
            (Some(only), None) | (None, Some(only)) => (only.position, only.angle, only.rotation),
            (None, None) => (Vector3::zeros(), 0.0, UnitQuaternion::identity()),
        }
    }
}

/// Rotation about an axis by an angle [rad].
pub(crate) fn about(axis: Vector3<f64>, angle: f64) -> UnitQuaternion<f64> {
    let (sin, cos) = libm::sincos(angle / 2.0);
    UnitQuaternion::new_normalize(Quaternion::from_parts(cos, axis * sin))
}
