//! Trials of a scene with an arm: its own controller moves the part, no person does.
//!
//! The arm's encoders report the pose of the part; friction varies over time and between trials, as for a person's trials.
//! The complete simulation is compared with such a recording, from its start to its end (paper 5.4).

use tightfit_learning::recordings::{Recording, Sample};
use tightfit_network::Random;
use tightfit_simulation::{Preset, Record, Scene, Simulation};
use tightfit_spatial::{Pose, UnitQuaternion, Vector3};

use super::VirtualOptions;
use super::human_motion::Wander;
use super::options::SAMPLED;
use super::pose_error::PoseError;
use crate::LearningError;

/// Generates one trial of a scene with an arm.
pub(super) fn generate_arm_trial(
    scene: &Scene,
    options: &VirtualOptions,
    number: u64,
) -> Result<Recording, LearningError> {
    let per_sample = options.steps_per_sample()?;
    let mut random = Random::stream(options.seed, number);
    let between = (1.0 + options.friction[1] * random.normal()).max(0.1);
    let over_time = Wander::new(&mut random, 0.08, 0.8);
    let error = PoseError::new(&mut random, options.pose_error);
    let mut scene = scene.clone();
    scene.dt = options.step;
    let body = scene.led_body();
    let center = scene.bodies[body].inertia.map_or_else(Vector3::zeros, |own| own.center_of_mass);
    let Some(free) = scene.free_index(body) else {
        return Err(LearningError::Option {
            option: "scene of a virtual experiment",
            value: scene.name.clone(),
            allowed: "one with a free part that its arm holds",
        });
    };
    let pairs: Vec<f64> = scene.contacts.iter().map(|pair| pair.friction).collect();
    let mut run = Simulation::new(scene, options.seed);
    run.parameters.methods = Preset::Tight.into();
    let mut samples = Vec::new();
    for sample in 0..(options.seconds / SAMPLED).round() as usize {
        let time = sample as f64 * SAMPLED;
        let varied = (between * (1.0 + options.friction[0] * over_time.at(time))).max(0.1);
        for (own, pair) in run.parameters.friction.iter_mut().zip(&pairs) {
            *own = pair * varied;
        }
        let records: Vec<Record> = (0..per_sample).map(|_| run.advance()).collect();
        let middle = &records[(per_sample - 1) / 2].bodies[free];
        let mut noise = |sigma: f64| Vector3::from_fn(|_, _| sigma * random.normal());
        let mean = |of: &dyn Fn(&Record) -> Vector3<f64>| {
            records.iter().map(of).sum::<Vector3<f64>>() / per_sample as f64
        };
        let [shift, turn] = error.at(time);
        let shift = shift + noise(options.pose_noise[0]);
        let turn = UnitQuaternion::from_scaled_axis(turn + noise(options.pose_noise[1]));
        let rotation = turn * middle.motion.rotation;
        samples.push(Sample {
            time,
            world_from_part: Pose::new(middle.motion.center + shift - rotation * center, rotation),
            twist: middle.motion.twist,
            force: mean(&|own| own.bodies[free].force) + noise(options.sensor_noise[0]),
            torque: mean(&|own| own.bodies[free].torque) + noise(options.sensor_noise[1]),
            load: None,
        });
    }
    Ok(Recording { name: format!("trial-{number:03}"), samples })
}
