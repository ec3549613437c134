//! Predicts the wrenches of a trial: the part follows the recorded poses through the compliant hold, by the simulator's step.
//!
//! ```text
//! hand: recorded pose ∘ in-hand pose ─► spring K ─► part ─► contacts, all nodes, rigid law with friction
//! w(t) = contact wrench + R bias + load     compared with the sample at t + delay
//! ```
//!
//! A step holds the part at the end by a spring that settles: its force is that of the step's end. Between samples, forces are
//! interpolated in time.
//!
//! A part that is lost (2 mm or 0.2 rad from the hand) is put back to the recorded pose. Only recorded poses enter.

use tightfit_learning::recordings::Recording;
use tightfit_simulation::{BodyMotion, Input, State, Workspace, step};
use tightfit_spatial::{Pose, UnitQuaternion, Vector3};

use crate::{Experiment, Setup};

/// Distance [m] and angle [rad] from the hand beyond which a part has lost it.
const LOST: [f64; 2] = [2e-3, 0.2];
/// Time after the start of a trial that is not compared [s]: the part begins without load.
const SETTLING: f64 = 0.1;
/// Predictions after which a trial may be given up.
const STRETCH: usize = 32;

/// A contact that carries load at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carrying {
    /// Unit normal into the moving part, world axes.
    pub normal: Vector3<f64>,
    /// Point less centre of mass, world axes [m].
    pub arm: Vector3<f64>,
    /// Force on the moving part, world axes [N].
    pub force: Vector3<f64>,
    /// Whether friction is at its limit.
    pub slides: bool,
}

/// The part at one compared sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Time [s].
    pub time: f64,
    /// Predicted wrench on the part about its centre of mass, world axes [N, N·m].
    pub wrench: [f64; 6],
    /// Measured one.
    pub measured: [f64; 6],
    /// Centre of mass and attitude of the part.
    pub part: Pose,
    /// The same of the hand's target.
    pub hand: Pose,
    /// Change of the predicted wrench over time [N/s, N·m/s].
    pub rate: [f64; 6],
    /// Contacts that carry load.
    pub contacts: Vec<Carrying>,
}

/// Follows trials; buffers are kept between them.
#[derive(Debug, Default)]
pub struct Follower {
    workspace: Workspace,
}

impl Follower {
    /// Predictions at all samples of a trial after its first tenth of a second.
    pub fn follow(
        &mut self,
        experiment: &Experiment,
        setup: &Setup,
        trial: usize,
        recording: &Recording,
    ) -> Vec<Prediction> {
        self.follow_while(experiment, setup, trial, recording, |_| true)
    }

    /// The same, up to the first [`STRETCH`] of predictions that `goes_on` does not want to follow.
    pub(crate) fn follow_while(
        &mut self,
        experiment: &Experiment,
        setup: &Setup,
        trial: usize,
        recording: &Recording,
        mut goes_on: impl FnMut(&[Prediction]) -> bool,
    ) -> Vec<Prediction> {
        let (dt, pieces) = (experiment.scene.dt, experiment.substeps.max(1));
        // the mean over several steps is that of an earlier moment than the end of the last
        let late = setup.delay - 0.5 * dt * (pieces - 1) as f64;
        let begin = recording.samples.first().map_or(0.0, |sample| sample.time) + SETTLING - 1e-9;
        let held = |pose: &Pose| experiment.center(&setup.held(trial, pose));
        let mut state: Option<State> = None;
        let mut out = Vec::with_capacity(recording.samples.len());
        self.workspace.clear();
        for pair in recording.samples.windows(2) {
            let targets = [held(&pair[0].world_from_part), held(&pair[1].world_from_part)];
            let Pose { translation: center, rotation } = targets[0];
            let recorded = BodyMotion { center, rotation, twist: pair[0].twist };
            // a gap in time is a new start
            let follows = pair[1].time - pair[0].time < 3.0 * dt * pieces as f64;
            let serves =
                |state: &State| follows && is_near(&state.motions[0], &recorded) && state.is_finite();
            let mut now = state.take().filter(serves).unwrap_or_else(|| {
                self.workspace.clear();
                let mut state = State::start(&setup.scene, &setup.parameters);
                state.motions[0] = recorded;
                state
            });
            let mut input = Input::none(&now);
            let mut wrench = [0.0; 6];
            for piece in 0..pieces {
                let at = |piece: usize| targets[0].towards(&targets[1], piece as f64 / pieces as f64);
                input.couplings[0] = Some(setup.spring.coupling(at(piece), at(piece + 1)));
                let _ = step(&setup.scene, &setup.parameters, &mut now, &input, &mut self.workspace);
                let own = self.sensed(setup, &now.motions[0].rotation, dt);
                wrench.iter_mut().zip(own).for_each(|(sum, own)| *sum += own / pieces as f64);
            }
            if pair[1].time >= begin {
                let sample = &pair[1];
                let motion = now.motions[0];
                out.push(Prediction {
                    time: sample.time,
                    wrench,
                    rate: [0.0; 6],
                    measured: [
                        sample.force.x,
                        sample.force.y,
                        sample.force.z,
                        sample.torque.x,
                        sample.torque.y,
                        sample.torque.z,
                    ],
                    part: Pose::new(motion.center, motion.rotation),
                    hand: targets[1],
                    contacts: self.carrying(&now, dt),
                });
                if out.len().is_multiple_of(STRETCH) {
                    let mut stretch = out[out.len() - STRETCH..].to_vec();
                    delay(&mut stretch, late);
                    if !goes_on(&stretch) {
                        break;
                    }
                }
            }
            state = Some(now);
        }
        delay(&mut out, late);
        out
    }

    /// What the sensor would read over the last step.
    fn sensed(&self, setup: &Setup, rotation: &UnitQuaternion<f64>, dt: f64) -> [f64; 6] {
        let both = [self.workspace.generalised_impulse(), self.workspace.impact_impulse()];
        let contact = |axis: usize| {
            both.map(|impulse| impulse.get(axis).copied().unwrap_or(0.0)).iter().sum::<f64>() / dt
        };
        let [force, torque] = extra(setup, rotation);
        std::array::from_fn(|axis| contact(axis) + if axis < 3 { force[axis] } else { torque[axis - 3] })
    }

    fn carrying(&self, state: &State, dt: f64) -> Vec<Carrying> {
        let contacts = self.workspace.contacts();
        let all = state.warm.ids.iter().zip(&state.warm.impulses);
        let found = all.filter_map(|(id, impulse)| {
            let index = contacts.id.iter().position(|own| own == id)?;
            let (normal, force) = (contacts.normal.get(index), impulse / dt);
            let pressed = force.dot(&normal);
            let rubbed = (force - normal * pressed).norm();
            (pressed > 1e-6).then(|| Carrying {
                normal,
                arm: contacts.arm_a.get(index),
                force,
                slides: rubbed > 0.99 * contacts.friction[index] * pressed,
            })
        });
        found.collect()
    }
}

/// Replaces every wrench by that of `delay` earlier, and sets the rates: straight lines between samples.
fn delay(all: &mut [Prediction], delay: f64) {
    let wrenches: Vec<(f64, [f64; 6])> = all.iter().map(|own| (own.time, own.wrench)).collect();
    for own in all {
        let time = own.time - delay;
        let after = wrenches.partition_point(|(own, _)| *own < time).clamp(1, wrenches.len().max(2) - 1);
        let Some([(begin, before), (end, after)]) = wrenches.get(after - 1..=after) else { return };
        let share = ((time - begin) / (end - begin)).clamp(0.0, 1.0);
        if delay != 0.0 {
            own.wrench = std::array::from_fn(|axis| before[axis] + share * (after[axis] - before[axis]));
        }
        own.rate = std::array::from_fn(|axis| (after[axis] - before[axis]) / (end - begin));
    }
}

/// Bias and load of the sensor at an attitude of the part, world axes.
fn extra(setup: &Setup, rotation: &UnitQuaternion<f64>) -> [Vector3<f64>; 2] {
    let b = &setup.bias;
    let [mass, x, y, z] = setup.load;
    let weight = setup.scene.gravity;
    [
        rotation * Vector3::new(b[0], b[1], b[2]) + weight * mass,
        rotation * Vector3::new(b[3], b[4], b[5]) + (rotation * Vector3::new(x, y, z)).cross(&weight),
    ]
}

fn is_near(part: &BodyMotion, hand: &BodyMotion) -> bool {
    (part.center - hand.center).norm() < LOST[0] && part.rotation.angle_to(&hand.rotation) < LOST[1]
}
