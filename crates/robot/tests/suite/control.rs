//! Controllers on a Panda: accuracy, and behaviour under absurd settings.

use nalgebra::{Vector3, Vector6};
use tightfit_robot::arm::{ArmCommand, ArmReport, ArmRule, ArmState, Expected};
use tightfit_robot::control::{
    Admittance, AdmittanceGains, CartesianImpedance, ControlError, ImpedanceGains, JointController,
    JointTarget, Posed, SetPoints,
};
use tightfit_robot::{Chain, JointVector, rotation_about, rotation_vector};
use tightfit_spatial::Pose;

const STEP: f64 = 0.01;
const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

fn panda() -> (Chain, ArmState) {
    let chain = Chain::panda().unwrap();
    let state = ArmState::at_rest(chain.joints_from(&[0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]));
    (chain, state)
}

/// One step of the arm with a wrench on its tip.
fn go(chain: &Chain, state: &ArmState, command: &ArmCommand, wrench: &Vector6<f64>) -> (ArmState, ArmReport) {
    let outer = chain.posture(&state.angles).tip_jacobian().tr_mul(wrench);
    let free = chain
        .free_step(state, command, &Expected::effort(outer), GRAVITY, STEP, ArmRule::QuasiVelocity)
        .unwrap();
    chain.finish(&free, &outer).unwrap()
}

fn tip(chain: &Chain, state: &ArmState) -> Pose {
    chain.posture(&state.angles).world_from_tip
}

/// Roughly critical damping for the task inertia of the ready Panda.
fn gains(stiffness: f64, times: f64) -> ImpedanceGains {
    let turning = 30.0;
    ImpedanceGains {
        stiffness: Vector6::new(stiffness, stiffness, stiffness, turning, turning, turning) * times,
        damping: Vector6::new(120.0, 120.0, 120.0, 3.0, 3.0, 3.0),
        posture_stiffness: 10.0,
        posture_damping: 5.0,
    }
}

/// The authors' peg: 12 kg, 0.8 kg m², critically damped.
fn papers_gains(times: f64) -> AdmittanceGains {
    let mass = Vector6::new(12.0, 12.0, 12.0, 0.8, 0.8, 0.8);
    let stiffness = Vector6::new(5000.0, 5000.0, 1000.0, 50.0, 50.0, 50.0);
    let critical = AdmittanceGains::critical(mass, stiffness);
    AdmittanceGains { stiffness: stiffness * times, ..critical }
}

#[test]
fn the_papers_damping_is_critical() {
    let expected = [489.9, 489.9, 219.1, 12.65, 12.65, 12.65];
    for (value, expected) in papers_gains(1.0).damping.iter().zip(expected) {
        assert!((value - expected).abs() < 0.05, "{value}");
    }
}

#[test]
fn joints_follow_a_moving_target() {
    let (chain, mut state) = panda();
    let start = state.angles;
    let controller = JointController::new(40.0, 1.0).unwrap();
    for index in 0..300 {
        let time = f64::from(index) * STEP;
        let mut target = JointTarget::still(start);
        for joint in 0..7 {
            target.angles[joint] += 0.2 * (1.0 - (2.0 * time).cos());
            target.speeds[joint] = 0.4 * (2.0 * (time + STEP / 2.0)).sin();
            target.accelerations[joint] = 0.8 * (2.0 * (time + STEP / 2.0)).cos();
        }
        if index > 50 {
            // Friction of 0.15 to 0.64 N·m is not compensated; it affects the small inertias of the wrist most.
            let dry = chain.of_joints(|joint| joint.friction);
            let mass = chain.mass_matrix(&chain.posture(&state.angles));
            let allowed = (mass * 1600.0).try_inverse().unwrap() * dry;
            let allowed = allowed.map(f64::abs).amax().max(1e-3) * 4.0;
            assert!((state.angles - target.angles).amax() < allowed, "{}", state.angles - target.angles);
        }
        let command = controller.command(&chain, &state, &target, GRAVITY).unwrap();
        state = go(&chain, &state, &command, &Vector6::zeros()).0;
    }
}

#[test]
fn an_impedance_deflects_by_force_over_stiffness() {
    let (chain, mut state) = panda();
    let chain = chain.without_friction();
    let preferred = state.angles;
    let target = Posed::still(tip(&chain, &state));
    let controller = CartesianImpedance::new(gains(1000.0, 1.0)).unwrap();
    let wrench = Vector6::new(8.0, -4.0, 6.0, 0.0, 0.3, 0.2);
    for _ in 0..600 {
        let command = controller.command(&chain, &state, &target, &preferred, GRAVITY).unwrap();
        state = go(&chain, &state, &command, &wrench).0;
    }
    let moved = tip(&chain, &state).translation - target.world_from_tip.translation;
    assert!((moved - Vector3::new(8e-3, -4e-3, 6e-3)).norm() < 2e-5, "{moved}");
    assert!(state.speeds.amax() < 1e-4);
}

#[test]
fn the_posture_spring_does_not_move_the_tip() {
    let (chain, start) = panda();
    let chain = chain.without_friction();
    let target = Posed::still(tip(&chain, &start));
    let controller = CartesianImpedance::new(gains(2000.0, 1.0)).unwrap();
    let mut preferred = start.angles;
    preferred[0] += 0.5;
    preferred[2] -= 0.5;
    let (mut state, mut farthest) = (start, 0.0_f64);
    for _ in 0..500 {
        let command = controller.command(&chain, &state, &target, &preferred, GRAVITY).unwrap();
        state = go(&chain, &state, &command, &Vector6::zeros()).0;
        farthest = farthest.max((tip(&chain, &state).translation - target.world_from_tip.translation).norm());
    }
    assert!((state.angles - start.angles).amax() > 0.1, "{}", state.angles);
    assert!(farthest < 1e-3, "{farthest}");
}

#[test]
fn an_admittance_lags_a_moving_set_point_by_damping_over_stiffness() {
    let (chain, mut state) = panda();
    let chain = chain.without_friction();
    let start = tip(&chain, &state);
    let controller =
        Admittance::new(papers_gains(1.0), JointController::new(40.0, 1.0).unwrap(), None).unwrap();
    let mut memory = controller.start(&chain, &state);
    let speed = 0.02;
    let at = |time: f64| {
        Pose::new(start.translation + Vector3::new(speed * time, 0.0, -speed * time), start.rotation)
    };
    let mut now = 0.0;
    for _ in 0..400 {
        let target = Posed::between(&at(now), &at(now + STEP), STEP);
        let output =
            controller.command(&chain, &memory, &state, &Vector6::zeros(), &target, GRAVITY, STEP).unwrap();
        assert!(output.speed_limited.is_empty() && output.out_of_reach == 0.0);
        memory = output.memory;
        state = go(&chain, &state, &output.command, &Vector6::zeros()).0;
        now += STEP;
    }
    let lag = at(now).translation - tip(&chain, &state).translation;
    assert!((lag.x - speed * 489.9 / 5000.0).abs() < 1e-5, "{lag}");
    assert!((lag.z + speed * 219.1 / 1000.0).abs() < 1e-5, "{lag}");
}

#[test]
fn an_admittance_deflects_by_measured_force_over_stiffness() {
    let (chain, mut state) = panda();
    let start = tip(&chain, &state);
    let inner = JointController::new(100.0, 1.0).unwrap();
    let controller = Admittance::new(papers_gains(1.0), inner, Some(state.angles)).unwrap();
    let mut memory = controller.start(&chain, &state);
    let wrench = Vector6::new(10.0, 0.0, 20.0, 0.0, 0.0, 0.0);
    for _ in 0..600 {
        let output = controller
            .command(&chain, &memory, &state, &wrench, &Posed::still(start), GRAVITY, STEP)
            .unwrap();
        memory = output.memory;
        state = go(&chain, &state, &output.command, &Vector6::zeros()).0;
    }
    let commanded = memory.world_from_command.translation - start.translation;
    assert!((commanded - Vector3::new(2e-3, 0.0, 20e-3)).norm() < 1e-8, "{commanded}");
    // Dry friction leaves a small error of the arm.
    let moved = tip(&chain, &state).translation - start.translation;
    assert!((moved - commanded).norm() < 1e-3, "{moved}");
}

#[test]
fn a_turning_gripper_follows_more_than_a_turn() {
    let chain = Chain::panda_turning_gripper().unwrap().without_friction();
    let mut state = ArmState::at_rest(chain.joints_from(&[0.0, 0.114, 0.0, -2.308, 0.0, 2.422, 0.0, 0.0]));
    let start = tip(&chain, &state);
    let inner = JointController::new(40.0, 1.0).unwrap();
    let controller = Admittance::new(papers_gains(1.0), inner, None).unwrap();
    let mut memory = controller.start(&chain, &state);
    // Two turns in 20 s, as in the paper's bolting.
    let at =
        |time: f64| Pose::new(start.translation, rotation_about(Vector3::z(), -0.63 * time) * start.rotation);
    for index in 0..2000 {
        let now = f64::from(index) * STEP;
        let target = Posed::between(&at(now), &at(now + STEP), STEP);
        let output =
            controller.command(&chain, &memory, &state, &Vector6::zeros(), &target, GRAVITY, STEP).unwrap();
        memory = output.memory;
        state = go(&chain, &state, &output.command, &Vector6::zeros()).0;
    }
    // The gripper's z axis points down, so its joint turns in the positive sense; joint 7 helps within its range.
    assert!(state.angles[7] > 7.0, "{}", state.angles);
    let lag = rotation_vector(&(at(20.0).rotation * tip(&chain, &state).rotation.inverse()));
    assert!((lag - Vector3::new(0.0, 0.0, -0.63 * 12.65 / 50.0)).norm() < 1e-3, "{lag}");
    assert!((tip(&chain, &state).translation - start.translation).norm() < 1e-4);
}

/// The set-point jumps by 0.25 m, with a hundred times the stiffness at the same damping, a tenth of critical.
/// The arm may oscillate for seconds, but must not gain energy.
#[test]
fn absurd_stiffness_ends_at_reported_limits_and_stays_bounded() {
    let (chain, start) = panda();
    let far = Pose::new(
        tip(&chain, &start).translation + Vector3::new(0.2, 0.1, -0.1),
        tip(&chain, &start).rotation,
    );
    let joints = JointTarget::still(start.angles + chain.of_joints(|_| 0.3));
    let stiff_joints = JointController::new(400.0, 0.1).unwrap();
    let impedance = CartesianImpedance::new(gains(1000.0, 100.0)).unwrap();
    let admittance = Admittance::new(papers_gains(100.0), stiff_joints, None).unwrap();
    for kind in 0..3 {
        let mut state = start;
        let mut memory = admittance.start(&chain, &state);
        let (mut limited, mut most, mut left) = (false, 0.0_f64, 0.0_f64);
        for index in 0..1000 {
            let command = match kind {
                0 => stiff_joints.command(&chain, &state, &joints, GRAVITY).unwrap(),
                1 => impedance.command(&chain, &state, &Posed::still(far), &start.angles, GRAVITY).unwrap(),
                _ => {
                    let output = admittance
                        .command(
                            &chain,
                            &memory,
                            &state,
                            &Vector6::zeros(),
                            &Posed::still(far),
                            GRAVITY,
                            STEP,
                        )
                        .unwrap();
                    limited |= !output.speed_limited.is_empty();
                    memory = output.memory;
                    output.command
                }
            };
            let (next, report) = go(&chain, &state, &command, &Vector6::zeros());
            limited |= report.is_limited();
            state = next;
            let energy = chain.kinetic_energy(&state.angles, &state.speeds);
            most = most.max(energy);
            if index >= 900 {
                left = left.max(energy);
            }
        }
        assert!(limited, "controller {kind}");
        println!("controller {kind}: at most {most:.1} J, {left:.1e} J in the tenth second");
        assert!(most < 40.0 && state.is_finite(), "controller {kind}: {most} J");
    }
}

#[test]
fn non_finite_numbers_and_underdamped_gains_are_rejected() {
    let (chain, state) = panda();
    let inner = JointController::new(40.0, 1.0).unwrap();
    let message = |error: ControlError| error.to_string();

    let undamped = AdmittanceGains { damping: Vector6::zeros(), ..papers_gains(1.0) };
    let text = message(Admittance::new(undamped, inner, None).unwrap_err());
    assert!(text.contains("damping of the admittance is 0") && text.contains("489.89"), "{text}");
    let text = message(JointController::new(40.0, 0.0).unwrap_err());
    assert!(text.contains("damping ratio"), "{text}");
    let text = message(JointController::new(f64::NAN, 1.0).unwrap_err());
    assert!(text.contains("NaN"), "{text}");
    let text = message(
        CartesianImpedance::new(ImpedanceGains { damping: Vector6::zeros(), ..gains(1000.0, 1.0) })
            .unwrap_err(),
    );
    assert!(text.contains("damping of the impedance is 0"), "{text}");

    let mut nowhere = Posed::still(tip(&chain, &state));
    nowhere.world_from_tip.translation.y = f64::NAN;
    let impedance = CartesianImpedance::new(gains(1000.0, 1.0)).unwrap();
    let refused = impedance.command(&chain, &state, &nowhere, &state.angles, GRAVITY);
    assert_eq!(refused, Err(ControlError::NotFinite("the set-point")));
    let admittance = Admittance::new(papers_gains(1.0), inner, None).unwrap();
    let memory = admittance.start(&chain, &state);
    let ask = |wrench: Vector6<f64>, target: &Posed| {
        admittance.command(&chain, &memory, &state, &wrench, target, GRAVITY, STEP).map(|_| ())
    };
    assert_eq!(ask(Vector6::zeros(), &nowhere), Err(ControlError::NotFinite("the set-point")));
    let still = Posed::still(tip(&chain, &state));
    assert_eq!(
        ask(Vector6::repeat(f64::INFINITY), &still),
        Err(ControlError::NotFinite("the measured wrench"))
    );
    let target = JointTarget::still(JointVector::repeat(f64::NAN));
    let refused = inner.command(&chain, &state, &target, GRAVITY);
    assert_eq!(refused, Err(ControlError::NotFinite("the joint target")));
}

#[test]
fn an_unreachable_set_point_is_reported_and_the_arm_stops() {
    let (chain, mut state) = panda();
    let controller =
        Admittance::new(papers_gains(1.0), JointController::new(40.0, 1.0).unwrap(), None).unwrap();
    let mut memory = controller.start(&chain, &state);
    let far = Posed::still(Pose::new(Vector3::new(3.0, 0.0, 0.5), tip(&chain, &state).rotation));
    let mut reported = false;
    for _ in 0..600 {
        let output =
            controller.command(&chain, &memory, &state, &Vector6::zeros(), &far, GRAVITY, STEP).unwrap();
        reported |= output.out_of_reach > 0.0 || !output.speed_limited.is_empty();
        memory = output.memory;
        state = go(&chain, &state, &output.command, &Vector6::zeros()).0;
    }
    assert!(reported);
    assert!(chain.kinetic_energy(&state.angles, &state.speeds) < 20.0 && state.is_finite());
}

#[test]
fn set_points_are_interpolated_and_errors_in_tables_are_named() {
    let text = "t_s,label,x_m,y_m,z_m,qx,qy,qz,qw\n0,a,0.5,0,0.2,1,0,0,0\n2,b,0.6,0,0.1,1,0,0,0\n";
    let points = SetPoints::from_csv(text, "way.csv").unwrap();
    assert_eq!(points.duration(), 2.0);
    assert!((points.at(1.0).translation - Vector3::new(0.55, 0.0, 0.15)).norm() < 1e-15);
    assert_eq!(points.at(-1.0), points.at(0.0));
    assert_eq!(points.at(9.0).translation.x, 0.6);
    let moving = points.during(1.0, STEP);
    assert!((moving.velocity - Vector6::new(0.05, 0.0, -0.05, 0.0, 0.0, 0.0)).norm() < 1e-12);

    for (from, to, wanted) in [
        ("x_m", "x", vec!["no column `x_m`"]),
        ("0.6", "nan", vec!["line 3", "`x_m`", "`nan`"]),
        ("0.1,1", "0.1,7", vec!["line 3", "length 7"]),
        ("2,b", "0,b", vec!["line 3", "0 s after 0 s"]),
        (",1,0,0,0\n2", "\n2", vec!["line 2", "`qx`"]),
    ] {
        let error = SetPoints::from_csv(&text.replacen(from, to, 1), "way.csv").unwrap_err().to_string();
        assert!(error.contains("way.csv") && wanted.iter().all(|word| error.contains(word)), "{error}");
    }
    let header = text.lines().next().unwrap();
    assert!(SetPoints::from_csv(header, "way.csv").unwrap_err().to_string().contains("no set-point"));
    assert!(
        SetPoints::from_file(std::path::Path::new("/nowhere.csv"))
            .unwrap_err()
            .to_string()
            .contains("/nowhere")
    );
}
