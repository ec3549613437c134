//! A held peg pressed on a table: contacts are solved for the six velocities of the peg, with the arm condensed into
//! them.

use nalgebra::{Matrix3, Vector3, Vector6};
use tightfit_pipeline::integration::{BodyMotion, IntegrationMethod, advance_pose, inverse_mass};
use tightfit_pipeline::records::{Contacts, NOT_FREE};
use tightfit_pipeline::solving::{
    SolverMethod, SolverOptions, SolverWorkspace, SweepWorkspace, VelocityProblem, WarmStart,
};
use tightfit_robot::Chain;
use tightfit_robot::arm::{ArmRule, ArmState, Expected};
use tightfit_robot::control::{CartesianImpedance, ImpedanceGains, Posed};
use tightfit_robot::grasp::{Grasp, Held, ImpactCondensation, RigidGrasp};
use tightfit_robot::sensing::{ForceSensor, Load, SensorFilter, SensorMemory};
use tightfit_spatial::{Inertia, Pose, Twist, Wrench};

const STEP: f64 = 0.01;
const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

/// Rim of the peg's lower face in the peg's frame, at its centre of mass, z down.
fn rim() -> impl Iterator<Item = Vector3<f64>> {
    (0..12).map(|index| {
        let angle = f64::from(index) * std::f64::consts::TAU / 12.0;
        Vector3::new(0.025 * angle.cos(), 0.025 * angle.sin(), 0.032_69)
    })
}

/// Contacts of the rim with the table z = `height`.
fn contacts(body: &BodyMotion, height: f64) -> Contacts {
    let mut found = Contacts::default();
    for (index, node) in rim().enumerate() {
        let arm = body.rotation * node;
        found.id.push(index as u32);
        found.body_a.push(0);
        found.body_b.push(NOT_FREE);
        found.arm_a.push(arm);
        found.normal.push(Vector3::z());
        found.gap.push((body.center + arm).z - height);
        found.friction.push(0.3);
        found.restitution.push(0.0);
    }
    found
}

#[test]
fn a_held_peg_presses_with_the_force_of_its_spring_and_does_not_sink() {
    let chain = Chain::panda().unwrap();
    let moment = Matrix3::from_diagonal(&Vector3::new(1.82e-4, 1.82e-4, 1.06e-4));
    let inertia = Inertia::new(0.364, Vector3::zeros(), moment).unwrap();
    let tip_from_peg = Pose::from_translation(Vector3::new(0.0, 0.0, 0.074));
    let knows = chain.clone().with_payload(&tip_from_peg, &inertia);
    let mut state = ArmState::at_rest(chain.joints_from(&[0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]));
    let preferred = state.angles;
    let start = chain.posture(&state.angles).world_from_tip;
    let mut held = Held::at(&tip_from_peg, &inertia);
    let place = start * tip_from_peg;
    let mut body = BodyMotion { center: place.translation, rotation: place.rotation, twist: Twist::zero() };
    let height = (place * Pose::from_translation(Vector3::new(0.0, 0.0, 0.032_69))).translation.z - 2e-3;
    let controller = CartesianImpedance::new(ImpedanceGains {
        stiffness: Vector6::new(2000.0, 2000.0, 1000.0, 60.0, 60.0, 60.0),
        damping: Vector6::new(250.0, 250.0, 150.0, 5.0, 5.0, 5.0),
        posture_stiffness: 10.0,
        posture_damping: 5.0,
    })
    .unwrap();
    // 22 mm down at 20 mm/s: 20 mm into the table.
    let wanted = |time: f64| {
        let depth = (0.02 * time).min(0.022);
        Pose::new(start.translation - Vector3::new(0.0, 0.0, depth), start.rotation)
    };
    let grasp = Grasp::Rigid(RigidGrasp::default());
    let sensor =
        ForceSensor::new(Pose::identity(), Vector6::zeros(), [0.0; 2], SensorFilter::Mean { samples: 10 });
    let (sensor, mut sensor_memory) = (sensor.unwrap(), SensorMemory::new(0));
    let (mut solver, mut sweeps, mut warm) =
        (SolverWorkspace::default(), SweepWorkspace::default(), WarmStart::default());
    let (mut deepest, mut drift, mut force, mut felt, mut hits) = (0.0_f64, 0.0_f64, 0.0, 0.0, 0);
    for index in 0..400 {
        let time = f64::from(index) * STEP;
        let target = Posed::between(&wanted(time), &wanted(time + STEP), STEP);
        let command = controller.command(&knows, &state, &target, &preferred, GRAVITY).unwrap();
        let contacts = contacts(&body, height);
        let options = SolverOptions::default();
        // The impact stops peg and arm together.
        let begin = body.world_velocity();
        let closing: Vec<f64> = contacts.gap.iter().map(|gap| gap.max(0.0) / STEP).collect();
        let is_hit = (0..contacts.len())
            .any(|contact| contacts.relative_velocity(contact, &begin).z < -closing[contact] - 1e-5);
        if is_hit {
            let posture = chain.posture(&state.angles);
            let inverse = inverse_mass(&body, &inertia);
            let both = ImpactCondensation::new(&chain, &posture, &held.jacobian(&posture), &inverse).unwrap();
            let problem = VelocityProblem {
                contacts: &contacts,
                approach: &closing,
                free_velocity: &begin,
                response: &[both.response],
                rows: &[],
            };
            let mut cold = WarmStart::default();
            SolverMethod::Ladder.solve(&problem, &begin, &options, &mut cold, &mut solver, &mut sweeps);
            let impulse = Vector6::from_column_slice(&solver.generalised);
            let after = Vector6::from(begin) + both.response * impulse;
            body = body.with_world_velocity(after.as_slice());
            state.speeds += both.speed_change(&impulse);
            hits += 1;
        }
        let expected = held.expected_effort(&chain.posture(&state.angles));
        let arm = chain
            .free_step(&state, &command, &Expected::effort(expected), GRAVITY, STEP, ArmRule::QuasiVelocity)
            .unwrap();
        let weight = Wrench::new(GRAVITY * inertia.mass, Vector3::zeros());
        let alone = IntegrationMethod::Midpoint.free_step(&body, &inertia, &weight, None, STEP);
        let pair = grasp.condense(&chain, &held, &arm, &body, &alone, STEP).unwrap();

        let begin = body.world_velocity();
        let approach: Vec<f64> = (0..contacts.len())
            .map(|contact| {
                let speed = contacts.relative_velocity(contact, &begin).z;
                (2.0 * contacts.gap[contact].max(0.0) / STEP + speed).max(0.0)
            })
            .collect();
        let problem = VelocityProblem {
            contacts: &contacts,
            approach: &approach,
            free_velocity: &pair.free.velocity,
            response: &[pair.free.response],
            rows: &[],
        };
        let report =
            SolverMethod::Ladder.solve(&problem, &begin, &options, &mut warm, &mut solver, &mut sweeps);
        assert!(report.converged, "step {index}: {report:?}");
        let impulse = Vector6::from_column_slice(&solver.generalised);

        let end = Vector6::from(pair.free.velocity) + pair.free.response * impulse;
        let middle = (Vector6::from(begin) + end) / 2.0;
        let twist = body.with_world_velocity(end.as_slice()).twist;
        advance_pose(&mut body, middle.as_slice(), STEP);
        body.twist = twist;
        let load = pair.load(&impulse);
        state = chain.finish(&arm, &pair.effort(&load)).unwrap().0;
        (held.load, held.impulse) = (load, impulse);

        let posture = chain.posture(&state.angles);
        drift = drift.max(held.error(&posture, &body).fixed_rows::<3>(0).norm());
        force = impulse.z / STEP;
        // A wrist sensor at the flange measures contact force and weight of the peg.
        let on_peg =
            Load { force: -load.fixed_rows::<3>(0), torque: -load.fixed_rows::<3>(3), point: body.center };
        let shown = sensor.measure(&mut sensor_memory, &posture.world_from_tip, &on_peg, STEP);
        felt = sensor.in_world(&shown, &posture.world_from_tip).force.z;
        let lowest = self::contacts(&body, height).gap.into_iter().fold(0.0, f64::min);
        deepest = deepest.max(-lowest);
    }
    eprintln!(
        "{force:.3} N, deepest {:.3} um, drift of the grasp {:.3} um, {hits} touches",
        deepest * 1e6,
        drift * 1e6
    );
    // The set-point is 20 mm inside the table; dry friction of the joints takes part of the force.
    assert!((force - 20.0).abs() < 3.0, "{force}");
    assert!((felt - (force - 9.81 * inertia.mass)).abs() < 0.05, "{felt}");
    assert!(drift < 1e-6, "{drift}");
    assert!(deepest < 1e-6, "{deepest}");
}
