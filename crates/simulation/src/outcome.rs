//! The result of a run.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use crate::{ArmFailure, AuditedPlace, Limit, Record, Simulation, Task};

/// How a thread ended up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadState {
    /// On the thread, advancing by its pitch, upright.
    Engaged,
    /// On the bolt, but tilted or not advancing by the pitch.
    CrossThreaded,
    /// Not on the bolt.
    NotEngaged,
}

impl ThreadState {
    /// Name in reports and JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Engaged => "engaged",
            Self::CrossThreaded => "cross-threaded",
            Self::NotEngaged => "not-engaged",
        }
    }
}

/// Result of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Whether the task is completed; true without a task. Whether that may be relied on is for
    /// [`Assessment`](crate::Assessment) to say.
    pub completed: bool,
    /// [`Record::depth`] at the end of the task [m]: depth of a peg, or overlap of nut and bolt.
    pub depth: Option<f64>,
    /// Turns since the start, positive when a nut goes on.
    pub turns: Option<f64>,
    /// Advance over the last turn, or most of the way where it turned less, per actual turn [m]; over the last half turn where the nut
    /// found its thread in the half before.
    pub lead: Option<f64>,
    /// How a thread ended up.
    pub state: Option<ThreadState>,
    /// Largest contact torque about the axis of a nut that is to be tightened, mean over a step [N·m].
    pub torque: Option<f64>,
}

/// Certificate of a whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Deepest penetration of any step, mean over the steps, deepest while engaged [m].
    pub penetration: [f64; 3],
    /// The same by the audit.
    pub audited: Option<[f64; 3]>,
    /// When [s] and where the audit found the deepest penetration.
    pub audited_place: Option<(f64, AuditedPlace)>,
    /// Largest relative violation of the friction cone [-].
    pub cone: f64,
    /// Largest complementarity residual [m/s].
    pub complementarity: f64,
    /// Largest Coulomb residual [m/s].
    pub coulomb: f64,
    /// Fastest approach beyond what is allowed where clustering left contacts out [m/s].
    pub left_out: f64,
    /// Energy that contact impulses put into the bodies over the run [J].
    pub energy_injected: f64,
    /// Work of the pose projection over the run [J].
    pub projection_work: f64,
    /// Work that kinematic parts did through contact [J].
    pub kinematic_work: f64,
    /// Largest drift of an arm's grasp [m], where there is an arm.
    pub grasp_drift: Option<f64>,
    /// Work of contact impulses, sum of the magnitudes of all steps [J].
    pub contact_work: f64,
    /// Work of kinematic parts through contact, sum of the magnitudes of all steps [J].
    pub kinematic_work_magnitude: f64,
    /// Work of an arm's drives and weight, sum of the magnitudes of all steps [J]; 0 without an arm.
    pub arm_work: f64,
    /// Why the arm could not take a step, the first time.
    pub arm_failure: Option<ArmFailure>,
    /// Steps.
    pub steps: usize,
    /// Steps that did not converge.
    pub unconverged: usize,
    /// Limits that were hit: steps times limits, unconverged steps aside.
    pub limits: usize,
    /// Steps that hit each limit, in the order of [`Limit::ALL`].
    pub limit_steps: [usize; Limit::ALL.len()],
}

impl Summary {
    /// Gathers the certificates of a run.
    #[must_use]
    pub fn of(records: &[Record]) -> Self {
        let mut summary = Self::default();
        for certificate in records.iter().map(|record| &record.certificate) {
            summary.cone = summary.cone.max(certificate.cone);
            summary.complementarity = summary.complementarity.max(certificate.complementarity);
            summary.coulomb = summary.coulomb.max(certificate.coulomb);
            summary.left_out = summary.left_out.max(certificate.left_out);
            summary.energy_injected += certificate.energy_injected;
            summary.projection_work += certificate.projection_work;
            summary.kinematic_work += certificate.kinematic_work;
            summary.contact_work += certificate.contact_work.abs();
            summary.kinematic_work_magnitude += certificate.kinematic_work.abs();
            summary.arm_failure = summary.arm_failure.or(certificate.arm_failure);
            if let Some(arm) = &certificate.arm {
                summary.arm_work += arm.report.drive_work.abs() + arm.report.weight_work.abs();
                summary.grasp_drift = Some(summary.grasp_drift.unwrap_or(0.0).max(arm.drift));
            }
            summary.unconverged += usize::from(!certificate.converged);
            for (steps, limit) in summary.limit_steps.iter_mut().zip(Limit::ALL) {
                *steps += usize::from(certificate.limits.contains(limit));
            }
        }
        summary.steps = records.len();
        let others = Limit::ALL.into_iter().zip(&summary.limit_steps);
        summary.limits =
            others.filter(|(limit, _)| *limit != Limit::NotConverged).map(|(_, steps)| steps).sum();
        summary.penetration =
            three(records, |record| Some(record.certificate.penetration)).unwrap_or_default();
        summary.audited = three(records, |record| record.audited);
        let places = records.iter().filter_map(|record| Some((record.time, record.audited_place?)));
        summary.audited_place = places.max_by(|(_, a), (_, b)| a.depth.total_cmp(&b.depth));
        summary
    }
}

/// Largest, mean, and largest while engaged.
fn three(records: &[Record], depth: impl Fn(&Record) -> Option<f64>) -> Option<[f64; 3]> {
    let depths: Option<Vec<f64>> = records.iter().map(&depth).collect();
    let depths = depths.filter(|depths| !depths.is_empty())?;
    let engaged = records.iter().zip(&depths).filter(|(record, _)| record.engaged);
    Some([
        depths.iter().copied().fold(0.0, f64::max),
        depths.iter().sum::<f64>() / depths.len() as f64,
        engaged.map(|(_, depth)| *depth).fold(0.0, f64::max),
    ])
}

impl Outcome {
    /// Result at the last record of the task; a disturbance begins after the task and does not count.
    #[must_use]
    pub fn of(run: &Simulation, records: &[Record]) -> Self {
        let undisturbed = match (&run.disturbance, run.scene.drives.first()) {
            (Some(_), Some(drive)) => records.partition_point(|record| record.time <= drive.duration()),
            _ => records.len(),
        };
        let records = &records[..undisturbed];
        let none = Self { completed: true, depth: None, turns: None, lead: None, state: None, torque: None };
        let (Some(first), Some(last)) = (records.first(), records.last()) else { return none };
        match run.scene.task {
            None => none,
            Some(Task::Insert { depth, .. }) => {
                let reached = last.depth.unwrap_or_default();
                Self { completed: reached >= depth, depth: Some(reached), ..none }
            }
            Some(Task::Thread { onto, turns, engaged, torque }) => {
                let part = &run.parameters.bodies[onto].part;
                let pitch = match part.symmetry() {
                    tightfit_shape::Symmetry::Screw { pitch } => pitch,
                    _ => 0.0,
                };
                // a right-hand nut goes on by turning clockwise seen from its outer side
                let turned = -(last.angle - first.angle) / TAU * pitch.signum();
                // A nut touches its seat with one side first, then turns on by its axial play.
                let near_seat = engaged - pitch.abs() / 2.0;
                let is_near = |record: &Record| record.depth.is_some_and(|overlap| overlap >= near_seat);
                let on_thread = torque.and_then(|_| records.iter().position(is_near));
                let on_thread = &records[..on_thread.unwrap_or(records.len())];
                let is_pitch = |lead: f64| (lead / pitch - 1.0).abs() < SAME_LEAD;
                // a nut may still find its thread within its last turn
                let lead = lead(on_thread, TAU).map(|whole| {
                    lead(on_thread, PI)
                        .filter(|_| !is_pitch(whole))
                        .filter(|half| is_pitch(*half))
                        .unwrap_or(whole)
                });
                let tilt = (last.pose.rotation * tightfit_spatial::Vector3::z()).z.clamp(-1.0, 1.0).acos();
                let overlap = last.depth.unwrap_or_default();
                // a nut that hardly turned is judged by its tilt alone: out of phase it would be tilted
                let advances = lead.is_none_or(is_pitch);
                let state = if overlap < engaged.min(pitch.abs()) {
                    ThreadState::NotEngaged
                } else if advances && tilt < 1_f64.to_radians() {
                    ThreadState::Engaged
                } else {
                    ThreadState::CrossThreaded
                };
                let reached = torque.map(|_| peak_torque(run, records));
                // A nut that jams before its seat is not tight, whatever the torque.
                let is_tight = match (torque, reached) {
                    (Some(wanted), Some(reached)) => {
                        (TIGHT[0] * wanted..=TIGHT[1] * wanted).contains(&reached) && overlap >= engaged
                    }
                    _ => true,
                };
                Self {
                    completed: state == ThreadState::Engaged && turned > turns - 0.05 && is_tight,
                    torque: reached,
                    depth: Some(overlap),
                    turns: Some(turned),
                    lead,
                    state: Some(state),
                }
            }
        }
    }
}

/// A nut is tight within these shares of the required torque [-].
const TIGHT: [f64; 2] = [0.95, 1.1];

/// Largest contact torque about the axis of the driven part [N·m].
fn peak_torque(run: &Simulation, records: &[Record]) -> f64 {
    let index = run.scene.free_index(run.scene.led_body());
    let about_axis = |record: &Record| {
        let body = index.and_then(|index| record.bodies.get(index));
        body.map_or(0.0, |body| {
            record.torque.dot(&(body.motion.rotation * tightfit_spatial::Vector3::z())).abs()
        })
    };
    records.iter().map(about_axis).fold(0.0, f64::max)
}

/// Share of the pitch by which the lead of an engaged nut may differ from it [-].
const SAME_LEAD: f64 = 0.02;
/// Least turn over which a lead is told [rad].
const LEAST_TURN: f64 = FRAC_PI_2;
/// Share of a shorter turn than a whole one that counts [-]: while it begins the nut takes up its play.
const SETTLED: f64 = 0.8;

/// Advance over the last `angle` [rad], per actual turn [m]; over most of the way where the nut turned less.
fn lead(records: &[Record], angle: f64) -> Option<f64> {
    let (first, last) = (records.first()?, records.last()?);
    let whole = angle.min(SETTLED * (last.angle - first.angle).abs());
    let is_before = |record: &&Record| (last.angle - record.angle).abs() >= whole;
    let before = records.iter().rev().find(is_before).filter(|_| whole >= LEAST_TURN)?;
    let turns = (last.angle - before.angle) / TAU;
    Some((last.pose.translation.z - before.pose.translation.z) / turns)
}
