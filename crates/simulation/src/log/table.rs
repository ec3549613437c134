//! The columns of a log: names with units, one value per step.

use tightfit_robot::chain::JointKind;
use tightfit_spatial::Vector3;

use crate::{
    Arm, ArmCertificate, ArmRecord, BodyRecord, Certificate, KinematicRecord, Limit, Motion, Record, Scene,
};

/// A column of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name, with its unit.
    pub name: String,
    /// One value per step.
    pub values: Values,
}

/// Values of one kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Real numbers.
    Real(Vec<f64>),
    /// Real numbers that were not measured in every step.
    Measured(Vec<Option<f64>>),
    /// Counts and fingerprints.
    Whole(Vec<u64>),
    /// Yes or no.
    Flag(Vec<bool>),
}

impl Values {
    /// Number of steps.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Real(values) => values.len(),
            Self::Measured(values) => values.len(),
            Self::Whole(values) => values.len(),
            Self::Flag(values) => values.len(),
        }
    }

    /// Letter of the kind, as CSV files list it.
    pub(super) fn letter(&self) -> char {
        match self {
            Self::Real(_) => 'r',
            Self::Measured(_) => 'm',
            Self::Whole(_) => 'w',
            Self::Flag(_) => 'f',
        }
    }

    /// No values of the kind with a letter.
    pub(super) fn with_letter(letter: char) -> Option<Self> {
        match letter {
            'r' => Some(Self::Real(Vec::new())),
            'm' => Some(Self::Measured(Vec::new())),
            'w' => Some(Self::Whole(Vec::new())),
            'f' => Some(Self::Flag(Vec::new())),
            _ => None,
        }
    }

    /// Whether there are no steps.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Columns that a replay does not reproduce: clock times, and depths that only an audited run measures.
const UNREPEATED: [&str; 5] =
    ["detection_s", "clustering_s", "solving_s", "integration_s", "audited_penetration_m"];

/// Columns of format 1 that meant something else: forces without impacts, for threads the height instead of the overlap.
const CHANGED_SINCE_1: [&str; 3] = [".contact_force_", ".contact_torque_", "task_depth_m"];

impl Column {
    /// Whether a replay of a log of this format must give the same values.
    pub(super) fn is_repeated(&self, format: u32) -> bool {
        let has_changed = format < 2 && CHANGED_SINCE_1.iter().any(|part| self.name.contains(part));
        !UNREPEATED.contains(&self.name.as_str()) && !has_changed
    }

    /// The first step, from 0, whose value is another here, with both values as text; another kind differs at once.
    pub(super) fn first_difference(&self, other: &Self) -> Option<(usize, [String; 2])> {
        let is_same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
        fn find<T: Copy + std::fmt::Debug>(
            a: &[T],
            b: &[T],
            is_same: impl Fn(T, T) -> bool,
        ) -> Option<(usize, [String; 2])> {
            let mut pairs = a.iter().zip(b).enumerate();
            let (step, (a, b)) = pairs.find(|(_, (a, b))| !is_same(**a, **b))?;
            Some((step, [format!("{a:?}"), format!("{b:?}")]))
        }
        match (&self.values, &other.values) {
            (Values::Real(a), Values::Real(b)) => find(a, b, is_same),
            (Values::Whole(a), Values::Whole(b)) => find(a, b, |a, b| a == b),
            (Values::Flag(a), Values::Flag(b)) => find(a, b, |a, b| a == b),
            (Values::Measured(a), Values::Measured(b)) => find(a, b, |a, b| a == b),
            (a, b) => Some((0, [a.letter().to_string(), b.letter().to_string()])),
        }
    }
}

/// Name of the fingerprint's column.
pub(super) const HASH: &str = "state_hash";

/// The columns of a run: time, every free and kinematic body, arm, task, certificate, fingerprint.
pub(super) fn columns(scene: &Scene, records: &[Record]) -> Vec<Column> {
    let mut table = Table { records, columns: Vec::new() };
    table.real("time_s", |record| record.time);
    let free = scene.bodies.iter().filter(|body| body.motion == Motion::Free);
    for (index, body) in free.enumerate() {
        table.body(index, &plain(&body.name));
    }
    let kinematic = scene.bodies.iter().filter(|body| body.motion == Motion::Kinematic);
    for (index, body) in kinematic.enumerate() {
        table.kinematic_body(index, &plain(&body.name));
    }
    if let Some(arm) = &scene.arm {
        table.arm(arm);
    }
    table.real("task_depth_m", |record| record.depth.unwrap_or(-record.pose.translation.z));
    table.real("task_angle_rad", |record| record.angle);
    table.flag("engaged", |record| record.engaged);
    table.certificate(scene.arm.is_some());
    table.push("audited_penetration_m", Values::Measured(records.iter().map(|r| r.audited).collect()));
    table.whole(HASH, |record| record.hash);
    table.columns
}

/// A name that breaks no line of CSV.
fn plain(name: &str) -> String {
    name.replace([',', '"', '#', '\n', '\r'], "_")
}

/// A column of the certificate.
type Field<T> = (&'static str, fn(&Certificate) -> T);

struct Table<'a> {
    records: &'a [Record],
    columns: Vec<Column>,
}

impl Table<'_> {
    fn push(&mut self, name: &str, values: Values) {
        self.columns.push(Column { name: name.to_string(), values });
    }

    fn real(&mut self, name: &str, of: impl Fn(&Record) -> f64) {
        self.push(name, Values::Real(self.records.iter().map(of).collect()));
    }

    fn whole(&mut self, name: &str, of: impl Fn(&Record) -> u64) {
        self.push(name, Values::Whole(self.records.iter().map(of).collect()));
    }

    fn flag(&mut self, name: &str, of: impl Fn(&Record) -> bool) {
        self.push(name, Values::Flag(self.records.iter().map(of).collect()));
    }

    /// Pose of the centre of mass, twist and contact wrench of one free body.
    fn body(&mut self, index: usize, name: &str) {
        let mut real = |what: &str, of: &dyn Fn(&BodyRecord) -> f64| {
            self.real(&format!("{name}.{what}"), |record| record.bodies.get(index).map_or(f64::NAN, of));
        };
        type Vector = fn(&BodyRecord) -> Vector3<f64>;
        let mut vector = |what: &str, unit: &str, of: Vector| {
            for (axis, letter) in ["x", "y", "z"].into_iter().enumerate() {
                real(&format!("{what}_{letter}{unit}"), &|body| of(body)[axis]);
            }
        };
        vector("center", "_m", |body| body.motion.center);
        vector("quaternion", "", |body| body.motion.rotation.imag());
        vector("velocity", "_m_s", |body| body.motion.twist.linear_in_world);
        vector("turning_in_body", "_rad_s", |body| body.motion.twist.angular_in_body);
        vector("contact_force", "_n", |body| body.force);
        vector("contact_torque", "_nm", |body| body.torque);
        real("quaternion_w", &|body| body.motion.rotation.w);
    }

    /// Pose of the part's frame, and contact wrench about its origin, of one kinematic body. Their names differ from those of
    /// free bodies, whose wrench is about the centre of mass.
    fn kinematic_body(&mut self, index: usize, name: &str) {
        let mut real = |what: &str, of: &dyn Fn(&KinematicRecord) -> f64| {
            self.real(&format!("{name}.{what}"), |record| record.kinematic.get(index).map_or(f64::NAN, of));
        };
        let axes = || ["x", "y", "z"].into_iter().enumerate();
        for (axis, letter) in axes() {
            real(&format!("position_{letter}_m"), &|body| body.world_from_part.translation[axis]);
        }
        for (axis, letter) in ["x", "y", "z", "w"].into_iter().enumerate() {
            real(&format!("quaternion_{letter}"), &|body| body.world_from_part.rotation.coords[axis]);
        }
        for (axis, letter) in axes() {
            real(&format!("force_on_frame_{letter}_n"), &|body| body.force[axis]);
        }
        for (axis, letter) in axes() {
            real(&format!("torque_on_frame_{letter}_nm"), &|body| body.torque[axis]);
        }
    }

    /// Joints, sensor readings and drift of the grasp.
    fn arm(&mut self, arm: &Arm) {
        let mut real = |name: String, of: &dyn Fn(&ArmRecord) -> f64| {
            self.real(&name, |record| record.arm.as_ref().map_or(f64::NAN, of));
        };
        for (index, joint) in arm.chain.joints().iter().enumerate() {
            let unit = match joint.kind {
                JointKind::Turning => "rad",
                JointKind::Sliding => "m",
            };
            let name = plain(&joint.name);
            real(format!("arm.{name}_{unit}"), &|record| record.joints.angles[index]);
            real(format!("arm.{name}_{unit}_s"), &|record| record.joints.speeds[index]);
        }
        let axes = ["force_x_n", "force_y_n", "force_z_n", "torque_x_nm", "torque_y_nm", "torque_z_nm"];
        for (axis, name) in axes.into_iter().enumerate() {
            real(format!("arm.sensor_{name}"), &|record| record.measured[axis]);
        }
        if arm.strategy.is_some() {
            let phase = |record: &Record| record.arm.as_ref().and_then(|arm| arm.phase);
            self.whole("arm.phase", |record| phase(record).map_or(u64::MAX, |phase| phase.code().into()));
        }
        let drift = |of: fn(&ArmCertificate) -> f64| {
            move |record: &Record| record.certificate.arm.as_ref().map_or(f64::NAN, of)
        };
        self.real("arm.grasp_drift_m", drift(|arm| arm.drift));
        self.real("arm.grasp_drift_rad", drift(|arm| arm.turning_drift));
    }

    fn certificate(&mut self, has_arm: bool) {
        let reals: [Field<f64>; 13] = [
            ("penetration_m", |c| c.penetration),
            ("coulomb_residual_m_s", |c| c.coulomb),
            ("complementarity_m_s", |c| c.complementarity),
            ("cone_violation", |c| c.cone),
            ("left_out_m_s", |c| c.left_out),
            ("energy_injected_j", |c| c.energy_injected),
            ("contact_work_j", |c| c.contact_work),
            ("kinematic_work_j", |c| c.kinematic_work),
            ("projection_work_j", |c| c.projection_work),
            ("detection_s", |c| c.stage_seconds.detection),
            ("clustering_s", |c| c.stage_seconds.clustering),
            ("solving_s", |c| c.stage_seconds.solving),
            ("integration_s", |c| c.stage_seconds.integration),
        ];
        for (name, of) in reals {
            self.real(name, |record| of(&record.certificate));
        }
        let wholes: [Field<u64>; 4] = [
            ("candidates", |c| c.candidates as u64),
            ("active_contacts", |c| c.active as u64),
            ("solver_level", |c| c.level.into()),
            ("solver_iterations", |c| c.iterations.into()),
        ];
        for (name, of) in wholes {
            self.whole(name, |record| of(&record.certificate));
        }
        self.flag("converged", |record| record.certificate.converged);
        for limit in Limit::ALL.into_iter().filter(|limit| has_arm || !limit.is_of_arm()) {
            self.flag(&format!("limit_{}", limit.name()), |r| r.certificate.limits.contains(limit));
        }
    }
}
