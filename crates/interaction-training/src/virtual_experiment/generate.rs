//! Trials of a virtual experiment.

use nalgebra::{UnitQuaternion, Vector3};
use rayon::prelude::*;
use tightfit_learning::recordings::{MeasuredLoad, Recording, Sample};
use tightfit_network::Random;
use tightfit_simulation::{
    BodyId, Coupling, Drive, Input, Methods, Parameters, Preset, Scene, State, Workspace, step,
};
use tightfit_spatial::{Inertia, Pose, Twist, Wrench};

use super::VirtualOptions;
use super::human_motion::HumanMotion;
use super::options::SAMPLED;
use super::pose_error::PoseError;
use super::wavy_bolt::WavyBolt;
use super::with_arm::generate_arm_trial;
use crate::LearningError;

/// Generates trials; `done` is called after each, in any order.
///
/// # Errors
/// When the options are invalid, or the scene has neither an arm nor a drive of a single free part.
pub fn generate(
    scene: &Scene,
    options: &VirtualOptions,
    trials: usize,
    done: impl Fn() + Sync,
) -> Result<Vec<Recording>, LearningError> {
    let trial = |number: usize| {
        let recording = generate_trial(scene, options, number as u64);
        done();
        recording
    };
    (0..trials).into_par_iter().map(trial).collect()
}

/// Generates one trial, independently of the others.
///
/// # Errors
/// As [`generate`].
pub fn generate_trial(
    scene: &Scene,
    options: &VirtualOptions,
    number: u64,
) -> Result<Recording, LearningError> {
    if scene.arm.is_some() {
        return generate_arm_trial(scene, options, number);
    }
    let per_sample = options.steps_per_sample()?;
    let mut scene = scene.clone();
    scene.dt = options.step;
    let mut random = Random::stream(options.seed, number);
    let mut trial = Trial::new(&scene, options, &mut random)?;
    let samples = (options.seconds / SAMPLED).round() as usize;
    let mut moments = Vec::with_capacity(samples);
    for _ in 0..samples {
        trial.renew_parts()?;
        // One moment per sample: pose at its middle, loads averaged over it.
        let mut moment = Moment::default();
        for index in 0..per_sample {
            trial.advance(&mut moment);
            if index == (per_sample - 1) / 2 {
                (moment.pose, moment.time) = (trial.world_from_part(), trial.time());
            }
        }
        moments.push(moment.mean(per_sample));
    }
    // A stream apart: without the error every other number stays the same.
    let error = PoseError::new(&mut Random::stream(options.seed ^ 0x0e44_c0de, number), options.pose_error);
    Ok(Recording {
        name: format!("trial-{number:03}"),
        samples: recorded(&moments, &trial.inertia, options, &error, &mut random),
    })
}

/// State and loads of one sample (10 ms).
#[derive(Clone, Copy)]
struct Moment {
    time: f64,
    pose: Pose,
    /// Contact force and torque on the part, world axes [N, N·m].
    contact: [Vector3<f64>; 2],
    /// Load of the grasp on the part, world axes [N, N·m].
    load: [Vector3<f64>; 2],
}

impl Default for Moment {
    fn default() -> Self {
        let zero = [Vector3::zeros(); 2];
        Self { time: 0.0, pose: Pose::identity(), contact: zero, load: zero }
    }
}

impl Moment {
    fn mean(mut self, count: usize) -> Self {
        let sums = self.contact.iter_mut().chain(&mut self.load);
        sums.for_each(|sum| *sum /= count as f64);
        self
    }
}

/// Sensor readings of the moments.
fn recorded(
    moments: &[Moment],
    inertia: &Inertia,
    options: &VirtualOptions,
    error: &PoseError,
    random: &mut Random,
) -> Vec<Sample> {
    let mut noise = |sigma: f64| Vector3::from_fn(|_, _| sigma * random.normal());
    let first = moments.first().map_or(0.0, |moment| moment.time);
    let hand = |moment: &Moment, shift: Vector3<f64>, turn: Vector3<f64>| {
        // The grasp deflects: the hand is ahead of the part by load over stiffness.
        let center =
            moment.pose.transform_point(inertia.center_of_mass) + moment.load[0] / options.grasp[0] + shift;
        let rotation =
            UnitQuaternion::from_scaled_axis(moment.load[1] / options.grasp[1] + turn) * moment.pose.rotation;
        Pose::new(center - rotation * inertia.center_of_mass, rotation)
    };
    let mut poses = Vec::with_capacity(moments.len());
    let mut samples = Vec::with_capacity(moments.len());
    for moment in moments {
        let [shift, turn] = error.at(moment.time);
        poses.push(hand(moment, shift + noise(options.pose_noise[0]), turn + noise(options.pose_noise[1])));
    }
    for (index, moment) in moments.iter().enumerate() {
        // As for any log: differences over two samples to either side.
        let (before, after) = (index.saturating_sub(2), (index + 2).min(moments.len() - 1));
        let passed = moments[after].time - moments[before].time;
        let twist = if passed > 0.0 {
            let center = |at: usize| poses[at].transform_point(inertia.center_of_mass);
            let turn = poses[before].rotation.inverse() * poses[after].rotation;
            Twist::new((center(after) - center(before)) / passed, turn.scaled_axis() / passed)
        } else {
            Twist::zero()
        };
        samples.push(Sample {
            time: moment.time - first,
            world_from_part: poses[index],
            twist,
            force: moment.contact[0] + noise(options.sensor_noise[0]),
            torque: moment.contact[1] + noise(options.sensor_noise[1]),
            load: None,
        });
    }
    // The sensor at the wrist draws last: the other readings are those of an experiment without it.
    for (sample, moment) in samples.iter_mut().zip(moments) {
        let [force, torque] = moment.load;
        sample.load = Some(MeasuredLoad {
            force: force + noise(options.sensor_noise[0]),
            torque: torque + noise(options.sensor_noise[1]),
        });
    }
    samples
}

/// A running trial.
struct Trial<'a> {
    scene: &'a Scene,
    options: &'a VirtualOptions,
    drive: &'a Drive,
    inertia: Inertia,
    human: HumanMotion,
    /// The bolt among the bodies.
    wavy: Option<(BodyId, WavyBolt)>,
    friction: f64,
    parameters: Parameters,
    state: State,
    input: Input,
    workspace: Workspace,
    /// Time along the drive's trajectory [s].
    along: f64,
}

impl<'a> Trial<'a> {
    fn new(
        scene: &'a Scene,
        options: &'a VirtualOptions,
        random: &mut Random,
    ) -> Result<Self, LearningError> {
        let mut parameters = Parameters::of(scene);
        parameters.methods = Methods::from(Preset::Tight);
        let state = State::start(scene, &parameters);
        let drive = scene.drives.first().filter(|_| scene.arm.is_none() && state.motions.len() == 1);
        let inertia = drive.and_then(|drive| parameters.bodies[drive.body].inertia);
        let (Some(drive), Some(inertia)) = (drive, inertia) else {
            return Err(LearningError::Option {
                option: "scene of a virtual experiment",
                value: scene.name.clone(),
                allowed: "one with an arm, or with a drive for its only free part",
            });
        };
        let human = HumanMotion::new(random);
        let is_bolt = |body: &BodyId| matches!(scene.bodies[*body].part, tightfit_shape::Part::Bolt(_));
        let bolt = scene.body_ids().find(is_bolt);
        let wavy = bolt.and_then(|bolt| {
            Some((bolt, WavyBolt::new(&scene.bodies[bolt].part, options.waviness, random)?))
        });
        let friction = (1.0 + options.friction[1] * random.normal()).max(0.1);
        let input = Input::none(&state);
        let workspace = Workspace::default();
        Ok(Self {
            scene,
            options,
            drive,
            inertia,
            human,
            wavy,
            friction,
            parameters,
            state,
            input,
            workspace,
            along: 0.0,
        })
    }

    fn time(&self) -> f64 {
        self.state.step_count as f64 * self.scene.dt
    }

    fn world_from_part(&self) -> Pose {
        self.state.motions[0].world_from_part(self.inertia.center_of_mass)
    }

    /// Updates bolt and friction for the next sample.
    fn renew_parts(&mut self) -> Result<(), LearningError> {
        let varied = self.friction * (1.0 + self.options.friction[0] * self.human.friction.at(self.time()));
        for (own, pair) in self.parameters.friction.iter_mut().zip(&self.scene.contacts) {
            *own = pair.friction * varied.max(0.1);
        }
        if let Some((bolt, wavy)) = &self.wavy {
            self.parameters.bodies[*bolt].part = wavy.under(self.state.spins[0])?;
            self.workspace.clear();
        }
        Ok(())
    }

    /// Target of the person at a time, `along` the drive's trajectory.
    fn target(&self, time: f64, along: f64) -> Pose {
        let nominal = self.drive.target(along);
        let [sideways, tilt] = self.options.wander;
        let [x, y] = self.human.sideways.map(|wander| sideways * wander.at(time));
        let [about_x, about_y] = self.human.tilt.map(|wander| tilt * wander.at(time));
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(about_x, about_y, 0.0));
        Pose::new(nominal.translation + Vector3::new(x, y, 0.0), turn * nominal.rotation)
    }

    fn advance(&mut self, moment: &mut Moment) {
        let (time, dt) = (self.time(), self.scene.dt);
        let from = self.along;
        self.along = (from + dt * self.human.speed(time)).clamp(0.0, self.drive.duration());
        let center = |pose: Pose| Pose::new(pose.transform_point(self.inertia.center_of_mass), pose.rotation);
        let coupling = Coupling {
            stiffness: self.drive.stiffness,
            damping: Vector3::from_element(self.drive.damping * self.inertia.mass),
            turning_stiffness: self.drive.turning_stiffness,
            turning_damping: self.inertia.moment.diagonal() * self.drive.damping,
            target: center(self.target(time, from)),
            next_target: center(self.target(time + dt, self.along)),
            twist: self.state.spins[0] - self.drive.angle(from),
        };
        let push = Vector3::new(0.0, 0.0, self.options.push * self.human.push.at(time));
        self.input.couplings[0] = Some(coupling);
        self.input.wrenches[0] = Wrench::new(self.drive.force + push, Vector3::zeros());
        let before = self.state.motions[0].world_velocity();
        let _ = step(self.scene, &self.parameters, &mut self.state, &self.input, &mut self.workspace);
        let motion = self.state.motions[0];
        let after = motion.world_velocity();
        let impulses = [self.workspace.generalised_impulse(), self.workspace.impact_impulse()];
        let part = |numbers: &[f64], first: usize| {
            let at = |axis: usize| numbers.get(first + axis).copied().unwrap_or(0.0);
            Vector3::new(at(0), at(1), at(2))
        };
        // The sensor measures impacts; they do not load the grasp.
        let contact = [0, 3].map(|first| (part(impulses[0], first) + part(impulses[1], first)) / dt);
        // Newton and Euler: the grasp supplies what contact and weight do not. Gyroscopic terms are far below the
        // noise.
        let change = |first: usize| (part(&after, first) - part(&before, first)) / dt;
        let moment_in_world =
            motion.rotation * (self.inertia.moment * (motion.rotation.inverse() * change(3)));
        let load = [
            change(0) * self.inertia.mass - contact[0] - self.scene.gravity * self.inertia.mass,
            moment_in_world - contact[1],
        ];
        for axis in 0..2 {
            moment.contact[axis] += contact[axis];
            moment.load[axis] += load[axis];
        }
    }
}
