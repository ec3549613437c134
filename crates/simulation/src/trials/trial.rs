//! One trial: a run of a strategy from one start error to its end.

use tightfit_robot::strategy::Phase;

use super::{StartError, Trials};
use crate::{ArmFailure, Assessment, Limit, Outcome, Record, Scene, Simulation, Summary};

/// Result of a trial.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Its number, from 0.
    pub number: u64,
    /// Start error of the part in the hand.
    pub error: StartError,
    /// Outcome by the true poses.
    pub outcome: Outcome,
    /// How far the outcome may be relied on.
    pub assessment: Assessment,
    /// Phase of the strategy at the end.
    pub end: Option<Phase>,
    /// The phase before the end.
    pub last_phase: Option<Phase>,
    /// Time at the end [s].
    pub time: f64,
    /// Largest contact force [N] and torque about the centre of mass [N·m], means over a step.
    pub peaks: [f64; 2],
    /// Deepest penetration by the certificates, and by the audit if it ran [m].
    pub penetration: [Option<f64>; 2],
    /// Largest drift of the grasp [m].
    pub grasp_drift: f64,
    /// Number of steps, and of unconverged steps.
    pub steps: [usize; 2],
    /// Number of steps that reached each limit, in the order of [`Limit::ALL`].
    pub limits: [usize; Limit::ALL.len()],
    /// Failure of the arm, if any.
    pub failure: Option<ArmFailure>,
}

impl Trial {
    /// Whether the task is completed, certified or not.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.assessment.is_completed()
    }

    /// The run of a trial at its start, and its start error.
    #[must_use]
    pub fn start(scene: &Scene, trials: &Trials, number: u64) -> (StartError, Simulation) {
        let mut run = Simulation::new(scene.clone(), trials.seed);
        let error = StartError::draw(trials.seed, number, trials.shift, trials.tilt, run.has_phase());
        run.misplace(&error, trials.seed, number);
        (error, run)
    }

    /// Runs a trial of a scene; returns its run and records too.
    #[must_use]
    pub fn make(scene: &Scene, trials: &Trials, number: u64, audit: bool) -> (Self, Simulation, Vec<Record>) {
        let (error, mut run) = Self::start(scene, trials, number);
        if audit {
            run.with_audit();
        }
        let steps = (scene.duration() / scene.dt).round() as usize;
        let mut records = Vec::with_capacity(steps);
        let mut failure = None;
        while records.len() < steps && !run.is_over() && failure.is_none() {
            let record = run.advance();
            failure = record.certificate.arm_failure;
            records.push(record);
        }
        let outcome = Outcome::of(&run, &records);
        let summary = Summary::of(&records);
        let assessment = Assessment::from_parts(&run, &outcome, &summary);
        let largest = |of: &dyn Fn(&Record) -> f64| records.iter().map(of).fold(0.0, f64::max);
        let before = records.iter().rev().filter_map(|record| record.arm?.phase);
        let trial = Self {
            number,
            error,
            outcome,
            assessment,
            end: run.phase(),
            last_phase: before.into_iter().find(|phase| !phase.is_over()),
            time: run.time(),
            peaks: [largest(&|record| record.force.norm()), largest(&|record| record.torque.norm())],
            penetration: [Some(summary.penetration[0]), summary.audited.map(|[deepest, ..]| deepest)],
            grasp_drift: summary.grasp_drift.unwrap_or(0.0),
            steps: [records.len(), summary.unconverged],
            limits: summary.limit_steps,
            failure,
        };
        (trial, run, records)
    }
}
