//! An arm with a held part: condensed problem, energy, drift, slip.

use nalgebra::{DMatrix, DVector, Matrix3, Matrix6, UnitQuaternion, Vector3, Vector6};
use tightfit_pipeline::integration::{
    BodyMotion, FreeStep, IntegrationMethod, advance_pose, inverse_mass, mass_matrix,
};
use tightfit_robot::arm::{ArmCommand, ArmReport, ArmRule, ArmState, ArmStep, Expected};
use tightfit_robot::control::{JointController, JointTarget};
use tightfit_robot::grasp::{
    CompliantGrasp, Condensation, Grasp, Held, ImpactCondensation, RigidGrasp, SlipLimit, Tie,
};
use tightfit_robot::{Chain, JointVector, MAX_JOINTS, rotation_about};
use tightfit_spatial::{Inertia, Pose, SplitMix, Twist, Wrench};

const STEP: f64 = 0.01;
const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);
const READY: [f64; 7] = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];

/// A peg of 0.36 kg, 74 mm in front of the flange.
fn peg() -> (Inertia, Pose) {
    let moment = Matrix3::from_diagonal(&Vector3::new(1.82e-4, 1.82e-4, 1.06e-4));
    let inertia = Inertia::new(0.364, Vector3::zeros(), moment).unwrap();
    (inertia, Pose::new(Vector3::new(0.0, 0.0, 0.074), rotation_about(Vector3::z(), 0.3)))
}

/// An arm, a part and the grasp between them.
struct Scene {
    chain: Chain,
    state: ArmState,
    body: BodyMotion,
    inertia: Inertia,
    held: Held,
}

/// Energy balance of one step.
struct Passed {
    report: ArmReport,
    /// Kinetic energy gained by the part, work of gravity and of the contact impulse, energy dissipated in the tie
    /// [J].
    part_gain: f64,
    part_work: f64,
    tie_loss: f64,
}

impl Scene {
    fn new(chain: Chain, angles: &[f64]) -> Self {
        let (inertia, tip_from_part) = peg();
        let state = ArmState::at_rest(chain.joints_from(angles));
        let held = Held::at(&tip_from_part, &inertia);
        let world_from_center = chain.posture(&state.angles).world_from_tip * held.tip_from_center;
        let body = BodyMotion {
            center: world_from_center.translation,
            rotation: world_from_center.rotation,
            twist: Twist::zero(),
        };
        Self { chain, state, body, inertia, held }
    }

    fn alone(&self) -> FreeStep {
        let weight = Wrench::new(GRAVITY * self.inertia.mass, Vector3::zeros());
        IntegrationMethod::Midpoint.free_step(&self.body, &self.inertia, &weight, None, STEP)
    }

    fn arm(&self, command: &ArmCommand) -> ArmStep {
        let expected = self.held.expected_effort(&self.chain.posture(&self.state.angles));
        self.chain
            .free_step(
                &self.state,
                command,
                &Expected::effort(expected),
                GRAVITY,
                STEP,
                ArmRule::QuasiVelocity,
            )
            .unwrap()
    }

    /// Advances by a step under an impulse of contacts on the part.
    fn step(&mut self, command: &ArmCommand, grip: &Grasp, impulse: Vector6<f64>) -> Passed {
        let (arm, alone) = (self.arm(command), self.alone());
        let jacobian = self.held.jacobian(&arm.posture);
        let condensed = grip.condense(&self.chain, &self.held, &arm, &self.body, &alone, STEP).unwrap();
        let load = condensed.load(&impulse);
        let outer = condensed.effort(&load);
        let start = Vector6::from(self.body.world_velocity());
        let end = Vector6::from(condensed.free.velocity) + condensed.free.response * impulse;
        let middle = (start + end) / 2.0;
        let kinetic = |body: &BodyMotion, velocity: &Vector6<f64>| {
            velocity.dot(&(mass_matrix(body, &self.inertia) * velocity)) / 2.0
        };
        // Relative velocity of arm and part in the tie.
        let parting = jacobian * arm.speeds_under(&outer) - middle;
        let passed = Passed {
            part_gain: kinetic(&self.body, &end) - kinetic(&self.body, &start),
            part_work: STEP * self.inertia.mass * GRAVITY.dot(&middle.fixed_rows::<3>(0))
                + impulse.dot(&middle),
            tie_loss: STEP * load.dot(&parting),
            report: ArmReport::default(),
        };
        let twist = self.body.with_world_velocity(end.as_slice()).twist;
        advance_pose(&mut self.body, middle.as_slice(), STEP);
        self.body.twist = twist;
        let (state, report) = self.chain.finish(&arm, &outer).unwrap();
        self.state = state;
        self.held.load = load;
        self.held.impulse = impulse;
        Passed { report, ..passed }
    }

    fn error(&self) -> [f64; 2] {
        let error = self.held.error(&self.chain.posture(&self.state.angles), &self.body);
        [error.fixed_rows::<3>(0).norm(), error.fixed_rows::<3>(3).norm()]
    }

    /// The arm with its payload, as its controller models it.
    fn loaded(&self) -> Chain {
        let (inertia, tip_from_part) = peg();
        self.chain.clone().with_payload(&tip_from_part, &inertia)
    }

    /// Effort that holds arm and part against gravity.
    fn holding(&self) -> JointVector {
        let loaded = self.loaded();
        loaded.dynamics(&loaded.posture(&self.state.angles), &self.state.speeds, GRAVITY).gravity
    }
}

/// All joints swing by 0.3 rad, each at a different frequency, at up to 1 rad/s.
fn swinging(chain: &Chain, middle: &JointVector, time: f64) -> JointTarget {
    let mut target = JointTarget::still(*middle);
    for joint in 0..chain.count() {
        let frequency = 2.0 + 0.2 * joint as f64;
        let (sin, cos) = (frequency * time).sin_cos();
        // Starts at rest: 0.3 (1 − cos).
        target.angles[joint] += 0.3 * (1.0 - cos);
        target.speeds[joint] = 0.3 * frequency * sin;
        target.accelerations[joint] = 0.3 * frequency * frequency * cos;
    }
    target
}

#[test]
fn the_condensed_block_is_the_schur_complement_of_the_whole_system() {
    let mut random = SplitMix::stream(11);
    for chain in [Chain::panda().unwrap(), Chain::panda_turning_gripper().unwrap()] {
        let mut scene = Scene::new(chain, &READY);
        let speeds: Vec<f64> = (0..8).map(|_| random.signed()).collect();
        scene.state.speeds = scene.chain.joints_from(&speeds);
        scene.body.twist = Twist::new(random.centered_cube(), random.centered_cube() * 3.0);
        scene.body.center += random.centered_cube() * 1e-4;
        let spring = CompliantGrasp::new(Vector6::repeat(1e4), Vector6::repeat(100.0), None).unwrap();
        for is_rigid in [true, false] {
            let (arm, alone) = (scene.arm(&ArmCommand::none()), scene.alone());
            let jacobian = scene.held.jacobian(&arm.posture);
            let posture = scene.chain.posture(&scene.state.angles);
            let error = scene.held.error(&posture, &scene.body);
            let bend = scene.held.bend(&scene.chain, &posture, &arm, &jacobian, STEP);
            let (tie, grasp) = match is_rigid {
                true => {
                    let grasp = RigidGrasp::default();
                    (grasp.tie(&error, &bend, &alone, STEP), Grasp::Rigid(grasp))
                }
                false => (spring.tie(&error, &posture, STEP), Grasp::Compliant(spring)),
            };
            let condensed =
                grasp.condense(&scene.chain, &scene.held, &arm, &scene.body, &alone, STEP).unwrap();
            let impulse = Vector6::from_fn(|_, _| 0.1 * random.signed());

            // unknowns q̄̇, V̄, λ:  H⁻¹q̄̇ + Jᵀλ = H⁻¹q̄̇_f,  G V̄ − λ = G V̄_f + p/T,  J q̄̇ − V̄ − S λ = −b
            let arm_matrix = arm.response.try_inverse().unwrap();
            let part_matrix = alone.response.try_inverse().unwrap() * (2.0 / STEP);
            let n = MAX_JOINTS;
            let mut matrix = DMatrix::zeros(n + 12, n + 12);
            matrix.view_mut((0, 0), (n, n)).copy_from(&arm_matrix);
            matrix.view_mut((0, n + 6), (n, 6)).copy_from(&jacobian.transpose());
            matrix.view_mut((n, n), (6, 6)).copy_from(&part_matrix);
            matrix.view_mut((n, n + 6), (6, 6)).copy_from(&-Matrix6::identity());
            matrix.view_mut((n + 6, 0), (6, n)).copy_from(&jacobian);
            matrix.view_mut((n + 6, n), (6, 6)).copy_from(&-Matrix6::identity());
            matrix.view_mut((n + 6, n + 6), (6, 6)).copy_from(&-tie.compliance);
            let start = Vector6::from(scene.body.world_velocity());
            let free_middle = (start + Vector6::from(alone.velocity)) / 2.0;
            let mut right = DVector::zeros(n + 12);
            right.rows_mut(0, n).copy_from(&(arm_matrix * arm.free_speeds));
            right.rows_mut(n, 6).copy_from(&(part_matrix * free_middle + impulse / STEP));
            right.rows_mut(n + 6, 6).copy_from(&-tie.catch_up);
            let whole = matrix.full_piv_lu().solve(&right).unwrap();

            let end = Vector6::from(condensed.free.velocity) + condensed.free.response * impulse;
            let load = condensed.load(&impulse);
            let joints = arm.speeds_under(&condensed.effort(&load));
            let scale = whole.amax();
            assert!((whole.rows(n, 6) - (start + end) / 2.0).amax() < 1e-12 * scale);
            assert!((whole.rows(n + 6, 6) - load).amax() < 1e-11 * scale);
            assert!((whole.rows(0, n) - joints).amax() < 1e-12 * scale);
        }
    }
}

#[test]
fn the_work_of_the_arm_equals_the_energy_gain_of_the_part() {
    let mut scene = Scene::new(Chain::panda().unwrap(), &READY);
    let grip = Grasp::Rigid(RigidGrasp { feedback: 0.0, softness: 0.0, follows_bend: false });
    let mut random = SplitMix::stream(4);
    for _ in 0..100 {
        let efforts: Vec<f64> = (0..7).map(|_| 4.0 * random.signed()).collect();
        let command = ArmCommand::of_effort(scene.holding() + scene.chain.joints_from(&efforts));
        let impulse = Vector6::from_fn(|_, _| 0.02 * random.signed());
        let passed = scene.step(&command, &grip, impulse);
        assert!(passed.report.unexplained().abs() < 1e-12, "{}", passed.report.unexplained());
        assert!(passed.tie_loss.abs() < 1e-13, "{}", passed.tie_loss);
        // The part gains the work of gravity, contacts and arm.
        let from_arm = -passed.report.outer_work;
        assert!((passed.part_gain - passed.part_work - from_arm).abs() < 1e-12);
    }
}

#[test]
fn an_arm_that_knows_its_payload_stays_at_rest() {
    let mut scene = Scene::new(Chain::panda().unwrap().without_friction(), &READY);
    let start = scene.state.angles;
    let grip = Grasp::Rigid(RigidGrasp::default());
    scene.held.load.z = 9.81 * scene.inertia.mass;
    for _ in 0..100 {
        let command = ArmCommand::of_effort(scene.holding());
        scene.step(&command, &grip, Vector6::zeros());
    }
    assert!((scene.state.angles - start).amax() < 1e-9, "{}", scene.state.angles - start);
    let weight = 9.81 * scene.inertia.mass;
    let load = scene.held.load;
    assert!((load - Vector6::new(0.0, 0.0, weight, 0.0, 0.0, 0.0)).norm() < 1e-6, "{load}");
}

#[test]
fn a_rigid_grasp_drifts_by_less_than_a_micrometre_in_five_seconds_of_swinging() {
    for chain in [Chain::panda().unwrap(), Chain::panda_turning_gripper().unwrap()] {
        let mut scene = Scene::new(chain, &[0.2, -0.9, 0.1, -2.2, -0.2, 1.4, 0.5]);
        let grip = Grasp::Rigid(RigidGrasp::default());
        let controller = JointController::new(30.0, 1.0).unwrap();
        let middle = scene.state.angles;
        let loaded = scene.loaded();
        let (mut worst, mut fastest, mut heaviest) = ([0.0_f64; 2], 0.0_f64, 0.0_f64);
        for index in 0..500 {
            let target = swinging(&scene.chain, &middle, f64::from(index) * STEP);
            let command = controller.command(&loaded, &scene.state, &target, GRAVITY).unwrap();
            scene.step(&command, &grip, Vector6::zeros());
            let error = scene.error();
            worst = [worst[0].max(error[0]), worst[1].max(error[1])];
            fastest = fastest.max(scene.state.speeds.amax());
            heaviest = heaviest.max(scene.held.load.fixed_rows::<3>(0).norm());
        }
        eprintln!(
            "{}: drift {:.2e} m, {:.2e} rad, up to {fastest:.2} rad/s and {heaviest:.1} N",
            scene.chain.name(),
            worst[0],
            worst[1]
        );
        assert!(fastest > 0.8, "{fastest}");
        assert!(worst[0] < 1e-6 && worst[1] < 1e-5, "{worst:?}");
    }
}

#[test]
fn an_arm_with_two_joints_moves_the_part_in_its_free_directions_only() {
    let urdf = r#"<robot name="two"><link name="base"/>
        <link name="a"><inertial><origin xyz="0.2 0 0"/><mass value="3"/><inertia ixx="0.01" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <link name="b"><inertial><origin xyz="0.2 0 0"/><mass value="2"/><inertia ixx="0.01" iyy="0.04" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="j1" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/></joint>
        <joint name="j2" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0.4 0 0"/><axis xyz="0 0 1"/></joint></robot>"#;
    // Stretched out at 0.0: singular, it cannot move along its length.
    for elbow in [0.7, 0.0] {
        let mut scene = Scene::new(Chain::from_urdf(urdf, None).unwrap(), &[0.1, elbow]);
        let grip = Grasp::Rigid(RigidGrasp::default());
        for _ in 0..100 {
            scene.step(&ArmCommand::none(), &grip, Vector6::new(0.01, 0.01, 0.01, 0.0, 0.0, 0.0));
        }
        assert!(scene.state.is_finite() && scene.state.speeds.norm() > 0.1);
        assert!(scene.error()[0] < 1e-5, "{:?}", scene.error());
        // The bearings hold the height.
        assert!((scene.body.center.z - 0.074).abs() < 1e-6, "{}", scene.body.center);
    }
}

#[test]
fn an_impact_on_a_held_part_acts_on_the_inertia_of_part_and_arm() {
    let scene = Scene::new(Chain::panda().unwrap(), &READY);
    let posture = scene.chain.posture(&scene.state.angles);
    let jacobian = scene.held.jacobian(&posture);
    let inverse = inverse_mass(&scene.body, &scene.inertia);
    let impact = ImpactCondensation::new(&scene.chain, &posture, &jacobian, &inverse).unwrap();
    let task = (jacobian * scene.chain.mass_matrix(&posture).try_inverse().unwrap() * jacobian.transpose())
        .try_inverse()
        .unwrap();
    let both = (task + mass_matrix(&scene.body, &scene.inertia)).try_inverse().unwrap();
    assert!((impact.response - both).amax() < 1e-9 * both.amax());
    let impulse = Vector6::new(0.3, -0.2, 0.5, 0.01, 0.02, -0.01);
    let together = jacobian * impact.speed_change(&impulse) - impact.response * impulse;
    assert!(together.amax() < 1e-12);
}

fn fingers(limit: Option<SlipLimit>) -> CompliantGrasp {
    let stiffness = Vector6::new(2e4, 2e4, 2e4, 100.0, 100.0, 100.0);
    CompliantGrasp::new(stiffness, Vector6::new(100.0, 100.0, 100.0, 0.5, 0.5, 0.5), limit).unwrap()
}

#[test]
fn soft_fingers_deflect_by_load_over_stiffness() {
    let mut scene = Scene::new(Chain::panda().unwrap(), &READY);
    let grip = Grasp::Compliant(fingers(None));
    let controller = JointController::new(60.0, 1.0).unwrap();
    let target = JointTarget::still(scene.state.angles);
    for _ in 0..300 {
        let command = controller.command(&scene.chain, &scene.state, &target, GRAVITY).unwrap();
        // 5 N along x
        scene.step(&command, &grip, Vector6::new(5.0 * STEP, 0.0, 0.0, 0.0, 0.0, 0.0));
    }
    let error = scene.held.error(&scene.chain.posture(&scene.state.angles), &scene.body);
    let expected = Vector3::new(-5.0, 0.0, 9.81 * scene.inertia.mass) / 2e4;
    assert!((error.fixed_rows::<3>(0) - expected).norm() < 1e-7, "{error}");
}

#[test]
fn a_part_slips_in_the_hand_above_its_limit_and_only_there() {
    for (pull, slips) in [(6.0, false), (14.0, true)] {
        let mut scene = Scene::new(Chain::panda().unwrap(), &READY);
        let grasp = Grasp::Compliant(fingers(Some(SlipLimit { force: 12.0, torque: 0.5 })));
        let controller = JointController::new(60.0, 1.0).unwrap();
        let target = JointTarget::still(scene.state.angles);
        let place = scene.held.tip_from_center;
        let (mut dissipated, mut ratio) = (0.0, 0.0_f64);
        for _ in 0..60 {
            let command = controller.command(&scene.chain, &scene.state, &target, GRAVITY).unwrap();
            scene.step(&command, &grasp, Vector6::new(pull * STEP, 0.0, 0.0, 0.0, 0.0, 0.0));
            let posture = scene.chain.posture(&scene.state.angles);
            let slip = grasp.slip(&mut scene.held, &posture, &scene.body);
            assert!(slip.dissipated >= 0.0);
            dissipated += slip.dissipated;
            ratio = ratio.max(slip.ratio);
        }
        let slipped = (scene.held.tip_from_center.translation - place.translation).norm();
        if slips {
            // 2.45 N beyond the limit accelerate 0.364 kg for 0.6 s.
            let expected = 0.5 * 2.45 / 0.364 * 0.36;
            assert!((slipped / expected - 1.0).abs() < 0.1, "{slipped} {expected}");
            // Sliding friction of 12 N dissipates over the displacement.
            assert!((dissipated / (12.0 * slipped) - 1.0).abs() < 0.02, "{dissipated}");
            assert!(ratio > 1.0);
        } else {
            assert!(slipped == 0.0 && dissipated == 0.0 && ratio < 1.0, "{slipped} {ratio}");
        }
    }
}

#[test]
fn invalid_grasps_are_rejected() {
    let zero = CompliantGrasp::new(Vector6::repeat(1e4), Vector6::zeros(), None).unwrap_err();
    assert!(zero.to_string().contains("damping of the grasp is 0"), "{zero}");
    let bad = CompliantGrasp::new(Vector6::repeat(f64::NAN), Vector6::repeat(1.0), None).unwrap_err();
    assert!(bad.to_string().contains("NaN"), "{bad}");
    let mut scene = Scene::new(Chain::panda().unwrap(), &READY);
    scene.body.rotation = UnitQuaternion::identity();
    let (arm, alone) = (scene.arm(&ArmCommand::none()), scene.alone());
    let tie = Tie { compliance: Matrix6::zeros(), catch_up: Vector6::repeat(f64::NAN) };
    let jacobian = scene.held.jacobian(&arm.posture);
    assert!(Condensation::new(&scene.body, &alone, &arm, &jacobian, &tie, STEP).is_none());
}
