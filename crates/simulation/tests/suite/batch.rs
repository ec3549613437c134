//! A batch is many runs, each as if it were alone.
//!
//! A naive version fails where a lane's workspace carries contacts, nodes or a warm start from one environment to the
//! next, which happens first when neighbours stand at the same step with other dimensions, or when one of them is bad.

use tightfit_shape::Part;
use tightfit_shape::fit::{FitSection, HoleDimensions};
use tightfit_simulation::batch::{Batch, BatchError, Control, Fault, Observations, Setup};
use tightfit_simulation::{Input, Scene, Simulation};
use tightfit_spatial::{Pose, Twist, Vector3};

const STEPS: usize = 90;

fn scene() -> Scene {
    // 50 mm/s: at the end the peg is 2 mm in the hole
    Scene::find_with("peg-in-hole", &["speed_factor=4".into()]).unwrap()
}

fn hole(diameter: f64) -> Part {
    let dimensions = HoleDimensions {
        section: FitSection::Round,
        diameter,
        depth: 50e-3,
        floor: None,
        chamfer: 1e-3,
        outer_diameter: 76e-3,
    };
    Part::Sectioned(dimensions.build().unwrap())
}

/// Environments that differ in friction, offset, clearance and start.
fn setup(scene: &Scene, index: usize) -> Setup {
    let mut drive = scene.drives[0].clone();
    drive.offset = 0.1e-3 * index as f64;
    let setup = Setup::of(scene).with_friction(0.05 + 0.05 * index as f64).with_drive(scene, drive).unwrap();
    match index {
        2 => setup.with_part(scene, "hole", hole(50.2e-3)).unwrap(),
        4 => {
            let pose = Pose::from_translation(Vector3::new(0.2e-3, -0.1e-3, 2e-3));
            setup
                .with_motion(scene, "peg", pose, Twist::new(Vector3::new(0.0, 0.0, -0.02), Vector3::z()))
                .unwrap()
        }
        _ => setup,
    }
}

/// The hash after every step of one environment alone.
fn alone(index: usize) -> Vec<u64> {
    let scene = scene();
    let Setup { parameters, state, drives } = setup(&scene, index);
    let mut run = Simulation::new(Scene { drives, ..scene }, 1);
    (run.parameters, run.state) = (parameters, state);
    let hashes: Vec<u64> = (0..STEPS).map(|_| run.advance().hash).collect();
    assert!(!run.contact_points().is_empty(), "environment {index} touches nothing");
    hashes
}

#[test]
fn every_environment_is_bit_identical_to_running_alone_beside_a_bad_one() {
    let count = 6;
    let bad = 3;
    let expected: Vec<_> = (0..count).map(alone).collect();
    assert!(expected.windows(2).all(|pair| pair[0].last() != pair[1].last()), "they do not differ");
    for threads in [1, 2] {
        let mut batch = Batch::new(scene(), count, threads).unwrap();
        for index in 0..count {
            let setup = setup(batch.scene(), index);
            batch.reset(index, setup).unwrap();
        }
        for step in 0..STEPS {
            if step == 30 {
                let mut input = batch.drive_input(bad).unwrap();
                input.wrenches[0].force_in_world.x = f64::NAN;
                batch.control(bad, Control::Given(input)).unwrap();
            }
            batch.step();
            for (index, expected) in expected.iter().enumerate() {
                let (own, last) =
                    (batch.state(index).unwrap(), if index == bad { step.min(29) } else { step });
                assert_eq!(own.hash(), expected[last], "{threads} threads, environment {index}, step {step}");
            }
        }
        let faults: Vec<_> = batch.faults().collect();
        let [(index, Fault::Input { step: 31, name, .. })] = faults[..] else { panic!("{faults:?}") };
        assert_eq!((index, name.as_str()), (bad, "wrench on free body 0"));

        // taken in one go they are the same, and a reset thaws the frozen one
        for index in 0..count {
            let setup = setup(batch.scene(), index);
            batch.reset(index, setup).unwrap();
        }
        batch.advance(STEPS);
        assert_eq!(batch.faults().count(), 0);
        for (index, expected) in expected.iter().enumerate() {
            assert_eq!(Some(&batch.state(index).unwrap().hash()), expected.last(), "environment {index}");
        }
    }
}

#[test]
fn what_is_wrong_is_named_and_freezes_the_one_environment() {
    let mut batch = Batch::new(scene(), 8, 2).unwrap();
    let usual = Setup::of(batch.scene());
    let fault = |batch: &mut Batch, index: usize, setup: Setup| {
        batch.reset(index, setup).unwrap();
        batch.step();
        let found = batch.faults().find(|(frozen, _)| *frozen == index).map(|(_, fault)| fault.to_string());
        found.unwrap_or_else(|| panic!("environment {index} goes on"))
    };
    let mut setup = usual.clone();
    setup.state.motions[0].center.y = f64::NAN;
    assert!(fault(&mut batch, 0, setup).starts_with("step 1: pose of free body 0 of the state is"));

    let text = fault(&mut batch, 1, usual.clone().with_friction(f64::NAN));
    assert_eq!(text, "parameter friction of hole and peg is NaN; allowed: 0 to 10");

    let mut setup = usual.clone();
    setup.parameters.bodies[batch.scene().body("peg").unwrap()].inertia.as_mut().unwrap().mass = -1.0;
    assert!(fault(&mut batch, 2, setup).contains("inertia of peg is mass is -1 kg"));

    let mut setup = usual.clone();
    setup.drives[0].stiffness.z = f64::INFINITY;
    assert!(fault(&mut batch, 3, setup).contains("coupling of free body 0"));

    // a step that errs: a finite force that is beyond reason
    let mut input = batch.drive_input(4).unwrap();
    input.wrenches[0].force_in_world.z = 1e308;
    batch.control(4, Control::Given(input)).unwrap();
    let before = batch.state(4).unwrap().hash();
    batch.step();
    let found = batch.faults().find(|(index, _)| *index == 4).map(|(_, fault)| fault.clone());
    assert!(matches!(found, Some(Fault::NotFinite { .. })), "{found:?}");
    assert_eq!(batch.state(4).unwrap().hash(), before, "the state before the step stands");

    let other = Scene::find("block-on-table").unwrap();
    assert!(
        fault(&mut batch, 5, Setup { parameters: Setup::of(&other).parameters, ..usual.clone() })
            .contains("part of")
    );
    let short = Input::default();
    batch.control(6, Control::Given(short)).unwrap();
    batch.step();
    assert_eq!(batch.faults().map(|(index, _)| index).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6]);
    let mut seen = Observations::default();
    batch.observe("peg", &mut seen).unwrap();
    assert_eq!(seen.frozen, [true, true, true, true, true, true, true, false]);
    assert_eq!(seen.time.len(), 8);

    assert!(matches!(batch.reset(8, usual), Err(BatchError::NoEnvironment { index: 8, count: 8 })));
    let error = batch.observe("hole", &mut seen).unwrap_err().to_string();
    assert_eq!(error, "body `hole` cannot be used here; choose one of: peg");
    let nut = tightfit_shape::preset::preset("m48x5-nut").unwrap();
    assert!(Setup::of(batch.scene()).with_part(batch.scene(), "hole", nut).is_err());
}

#[test]
fn columns_say_what_the_runs_records_say() {
    let mut batch = Batch::new(scene(), 3, 1).unwrap();
    let mut run = Simulation::new(scene(), 1);
    let mut record = None;
    for _ in 0..STEPS {
        batch.step();
        record = Some(run.advance());
    }
    let record = record.unwrap();
    let mut seen = Observations::default();
    batch.observe("peg", &mut seen).unwrap();
    for index in 0..3 {
        assert_eq!(seen.time[index], record.time);
        assert_eq!(seen.position.get(index), run.world_from_part(run.scene.body("peg").unwrap()).translation);
        assert_eq!(seen.quaternion[3][index], record.bodies[0].motion.rotation.w);
        assert_eq!(seen.velocity.get(index), record.bodies[0].motion.twist.linear_in_world);
        assert_eq!(seen.contact_force.get(index), record.force);
        assert_eq!(seen.contact_torque.get(index), record.torque);
        assert_eq!(seen.penetration[index], record.certificate.penetration);
    }
    assert!(record.force.norm() > 0.0, "nothing touched");
}
