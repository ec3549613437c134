//! Energy, order, friction and limits of an arm that moves alone.

use std::f64::consts::PI;

use nalgebra::Vector3;
use tightfit_spatial::SplitMix;

use super::*;
use crate::{Chain, JointVector};

const STEP: f64 = 0.01;
const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

fn ready(chain: &Chain) -> JointVector {
    chain.joints_from(&[0.0, -PI / 4.0, 0.0, -3.0 * PI / 4.0, 0.0, PI / 2.0, PI / 4.0])
}

/// Random speeds of about 1 rad/s in all joints.
fn thrown(chain: &Chain, seed: u64) -> ArmState {
    let mut random = SplitMix::stream(seed);
    let speeds: Vec<f64> = (0..chain.count()).map(|_| 1.7 * random.signed()).collect();
    ArmState { angles: ready(chain), speeds: chain.joints_from(&speeds) }
}

/// Without joint friction and joint limits.
fn unhindered(chain: Chain) -> Chain {
    chain.without_friction().without_limits()
}

fn go(
    chain: &Chain,
    mut state: ArmState,
    command: &ArmCommand,
    gravity: Vector3<f64>,
    [step, time]: [f64; 2],
    rule: ArmRule,
) -> ArmState {
    for _ in 0..(time / step).round() as usize {
        let free = chain.free_step(&state, command, &Expected::nothing(), gravity, step, rule).unwrap();
        state = chain.finish(&free, &JointVector::zeros()).unwrap().0;
    }
    state
}

/// The paper's rule loses 1 % and more in the same two seconds.
#[test]
fn a_free_arm_keeps_its_energy() {
    for chain in [Chain::panda().unwrap(), Chain::panda_turning_gripper().unwrap()].map(unhindered) {
        for seed in 0..10 {
            let energy = |state: &ArmState| chain.kinetic_energy(&state.angles, &state.speeds);
            let start = thrown(&chain, seed);
            let mut worst = [0.0_f64; 2];
            for (worst, rule) in worst.iter_mut().zip([ArmRule::QuasiVelocity, ArmRule::PaperJointSpace]) {
                let mut state = start;
                for _ in 0..200 {
                    state = go(&chain, state, &ArmCommand::none(), Vector3::zeros(), [STEP, STEP], rule);
                    *worst = worst.max((energy(&state) / energy(&start) - 1.0).abs());
                }
            }
            println!("{} seed {seed}: quasi-velocity {:.1e}, paper {:.1e}", chain.name(), worst[0], worst[1]);
            assert!(worst[0] <= 1e-12, "{worst:?}");
            assert!(worst[1] > 1e-4, "{worst:?}");
        }
    }
}

#[test]
fn the_quasi_velocity_rule_is_second_order_and_the_paper_rule_first_order() {
    let chain = unhindered(Chain::panda().unwrap());
    let start = thrown(&chain, 3);
    let end = |step: f64, rule| go(&chain, start, &ArmCommand::none(), GRAVITY, [step, 0.4], rule).angles;
    let truth = end(0.000_25, ArmRule::QuasiVelocity);
    let gain = |rule| (end(0.01, rule) - truth).norm() / (end(0.005, rule) - truth).norm();
    let (ours, papers) = (gain(ArmRule::QuasiVelocity), gain(ArmRule::PaperJointSpace));
    assert!(ours > 3.6 && ours < 4.4, "{ours}");
    assert!(papers > 1.6 && papers < 2.5, "{papers}");
}

#[test]
fn energy_gain_equals_the_total_work() {
    let chain = Chain::panda().unwrap();
    let mut state = thrown(&chain, 1);
    let mut random = SplitMix::stream(9);
    for _ in 0..200 {
        let efforts: Vec<f64> = (0..7).map(|_| 5.0 * random.signed()).collect();
        let mut command = ArmCommand::of_effort(chain.joints_from(&efforts));
        command.back = (ready(&chain) - state.angles) * 50.0;
        command.stiffness.fill_diagonal(50.0);
        command.damping.fill_diagonal(2.0);
        let outer = chain.joints_from(&efforts).map(|effort| effort * -0.3);
        let free = chain
            .free_step(&state, &command, &Expected::effort(outer), GRAVITY, STEP, ArmRule::QuasiVelocity)
            .unwrap();
        let (next, report) = chain.finish(&free, &outer).unwrap();
        assert!(report.unexplained().abs() < 1e-12, "{report:?}");
        assert!(report.friction_work <= 0.0);
        state = next;
    }
}

#[test]
fn friction_holds_a_joint_below_its_level_and_slows_it_above() {
    let panda = Chain::panda().unwrap();
    let level = panda.joints()[0].friction;
    let push = |effort: f64| {
        let command = ArmCommand::of_effort(panda.joints_from(&[effort]));
        let end = go(
            &panda,
            ArmState::at_rest(ready(&panda)),
            &command,
            Vector3::zeros(),
            [STEP, 1.0],
            ArmRule::QuasiVelocity,
        );
        end.angles - ready(&panda)
    };
    assert!(push(0.98 * level).amax() < 2e-6);
    let moved = push(level + 0.1)[0];
    // 0.1 N·m on 0.46 kg m² over one second; friction holds the other joints.
    assert!((moved - 0.5 * 0.1 / 0.461).abs() < 0.2 * moved, "{moved}");

    let thrown = thrown(&panda, 2);
    let mut state = thrown;
    let mut energy = panda.kinetic_energy(&state.angles, &state.speeds);
    for _ in 0..2000 {
        state =
            go(&panda, state, &ArmCommand::none(), Vector3::zeros(), [STEP, STEP], ArmRule::QuasiVelocity);
        let next = panda.kinetic_energy(&state.angles, &state.speeds);
        // 1e-13 J: creep of joints held by friction.
        assert!(next <= energy + 1e-13);
        energy = next;
    }
    assert!(state.speeds.amax() < 2e-6, "{}", state.speeds);
}

#[test]
fn stops_and_effort_limits_hold_and_are_reported() {
    let panda = Chain::panda().unwrap().without_friction();
    let mut state = ArmState::at_rest(ready(&panda));
    let start = panda.potential_energy(&panda.posture(&state.angles), GRAVITY);
    let mut stopped = false;
    for _ in 0..300 {
        let free = panda
            .free_step(
                &state,
                &ArmCommand::none(),
                &Expected::nothing(),
                GRAVITY,
                STEP,
                ArmRule::QuasiVelocity,
            )
            .unwrap();
        let (next, report) = panda.finish(&free, &JointVector::zeros()).unwrap();
        stopped |= !report.position_limited.is_empty();
        state = next;
        let posture = panda.posture(&state.angles);
        let energy =
            panda.kinetic_energy(&state.angles, &state.speeds) + panda.potential_energy(&posture, GRAVITY);
        assert!(energy < start + 0.05, "{energy} from {start}");
        for (index, joint) in panda.joints().iter().enumerate() {
            let beyond =
                (state.angles[index] - joint.limits.upper).max(joint.limits.lower - state.angles[index]);
            assert!(beyond < 0.15, "joint {} is {beyond} rad beyond its range", index + 1);
        }
    }
    assert!(stopped);

    let mut command = ArmCommand::none();
    command.back = panda.joints_from(&[500.0, 0.0, 0.0, 0.0, 0.0, 0.0, -300.0]);
    command.damping.fill_diagonal(1.0);
    let free = panda
        .free_step(
            &ArmState::at_rest(ready(&panda)),
            &command,
            &Expected::nothing(),
            Vector3::zeros(),
            STEP,
            ArmRule::QuasiVelocity,
        )
        .unwrap();
    let (_, report) = panda.finish(&free, &JointVector::zeros()).unwrap();
    assert!(report.effort_limited.contains(6) && report.feedback_share < 0.1, "{report:?}");
    let efforts = free.drive_effort(&free.free_speeds);
    for (index, joint) in panda.joints().iter().enumerate() {
        assert!(efforts[index].abs() <= joint.limits.effort * 1.001, "{efforts}");
    }
}

#[test]
fn non_finite_input_is_rejected() {
    let panda = Chain::panda().unwrap();
    let good = ArmState::at_rest(ready(&panda));
    let mut bad = good;
    bad.speeds[2] = f64::NAN;
    let step = |state: &ArmState, command: &ArmCommand, step: f64| {
        panda
            .free_step(state, command, &Expected::nothing(), GRAVITY, step, ArmRule::QuasiVelocity)
            .map(|_| ())
    };
    assert_eq!(step(&bad, &ArmCommand::none(), STEP), Err(ArmError::NotFinite("the state")));
    let mut command = ArmCommand::none();
    command.stiffness[(0, 0)] = f64::INFINITY;
    assert_eq!(step(&good, &command, STEP), Err(ArmError::NotFinite("the command")));
    assert_eq!(step(&good, &ArmCommand::none(), 0.0), Err(ArmError::Step));
    let free = panda
        .free_step(&good, &ArmCommand::none(), &Expected::nothing(), GRAVITY, STEP, ArmRule::QuasiVelocity)
        .unwrap();
    assert!(panda.finish(&free, &JointVector::from_element(f64::NAN)).is_err());
}

#[test]
fn an_expected_effort_is_resisted_by_dry_friction_alone() {
    let chain = Chain::panda().unwrap();
    let state = ArmState::at_rest(ready(&chain));
    let levels = chain.of_joints(|joint| joint.friction);
    assert!(levels.amax() > 0.0);
    for pushed in 0..chain.count() {
        let mut outer = JointVector::zeros();
        outer[pushed] = 30.0 * levels[pushed].max(0.1);
        let excess = |expected: &JointVector| {
            let command = ArmCommand::none();
            let rule = ArmRule::QuasiVelocity;
            let free = chain
                .free_step(&state, &command, &Expected::effort(*expected), Vector3::zeros(), STEP, rule)
                .unwrap();
            free.friction_excess(&chain, &free.speeds_under(&outer))
        };
        // Frozen without an expected effort, a joint at rest would resist any effort.
        assert!(excess(&JointVector::zeros()) > 5.0, "joint {pushed}");
        assert!(excess(&outer) < 1.05, "joint {pushed}: {}", excess(&outer));
    }
}
