//! Times the parts of an arm's step: `cargo run --release -p tightfit-robot --example time_arm`.
#![allow(clippy::print_stdout, reason = "an example prints its results")]
#![allow(clippy::unwrap_used, reason = "an example may panic")]

use std::hint::black_box;
use std::time::Instant;

use nalgebra::{Matrix3, Vector3, Vector6};
use tightfit_pipeline::integration::{BodyMotion, IntegrationMethod};
use tightfit_robot::arm::{ArmRule, ArmState, Expected};
use tightfit_robot::control::{Admittance, AdmittanceGains, JointController, Posed};
use tightfit_robot::grasp::{Grasp, Held, RigidGrasp};
use tightfit_robot::{Chain, JointVector};
use tightfit_spatial::{Inertia, Pose, Twist, Wrench};

const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);
const STEP: f64 = 0.01;

/// Median time of 2001 calls [us].
fn median(mut call: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..2001)
        .map(|_| {
            let clock = Instant::now();
            call();
            clock.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[1000]
}

fn main() {
    let moment = Matrix3::from_diagonal(&Vector3::new(1.82e-4, 1.82e-4, 1.06e-4));
    let inertia = Inertia::new(0.364, Vector3::zeros(), moment).unwrap();
    for chain in [Chain::panda().unwrap(), Chain::panda_turning_gripper().unwrap()] {
        let angles = chain.joints_from(&[0.1, -0.785, 0.2, -2.356, 0.1, 1.571, 0.785, 0.3]);
        let state = ArmState { angles, speeds: chain.of_joints(|_| 0.1) };
        let posture = chain.posture(&angles);
        let held = Held::at(&Pose::from_translation(Vector3::new(0.0, 0.0, 0.074)), &inertia);
        let place = posture.world_from_tip * held.tip_from_center;
        let body = BodyMotion { center: place.translation, rotation: place.rotation, twist: Twist::zero() };
        let gains = AdmittanceGains::critical(
            Vector6::new(12.0, 12.0, 12.0, 0.8, 0.8, 0.8),
            Vector6::new(5000.0, 5000.0, 1000.0, 50.0, 50.0, 50.0),
        );
        let controller = Admittance::new(gains, JointController::new(40.0, 1.0).unwrap(), None).unwrap();
        let memory = controller.start(&chain, &state);
        let mut target = Posed::still(posture.world_from_tip);
        target.world_from_tip.translation.z -= 0.01;
        let command = || {
            let wrench = Vector6::new(1.0, 2.0, 30.0, 0.1, 0.2, 0.0);
            controller.command(&chain, &memory, &state, &wrench, &target, GRAVITY, STEP).unwrap().command
        };
        let drives = command();
        let alone = IntegrationMethod::Midpoint.free_step(&body, &inertia, &Wrench::zero(), None, STEP);
        let free = || {
            chain
                .free_step(&state, &drives, &Expected::nothing(), GRAVITY, STEP, ArmRule::QuasiVelocity)
                .unwrap()
        };
        let arm = free();
        let grasp = Grasp::Rigid(RigidGrasp::default());
        println!("{}, medians [us]", chain.name());
        println!(
            "  dynamics     {:6.2}",
            median(|| _ = black_box(chain.dynamics(&posture, &state.speeds, GRAVITY)))
        );
        println!("  controller   {:6.2}", median(|| _ = black_box(command())));
        println!("  free step    {:6.2}", median(|| _ = black_box(free())));
        println!(
            "  condensation {:6.2}",
            median(|| _ = black_box(grasp.condense(&chain, &held, &arm, &body, &alone, STEP)))
        );
        println!(
            "  finish       {:6.2}",
            median(|| _ = black_box(chain.finish(&arm, &JointVector::zeros())))
        );
    }
}
