//! Quantities recovered from synthetic trials with known truth, and refusals where the data do not determine them.

use nalgebra::Vector2;
use tightfit_learning::identification::{
    Known, Outline, Question, SensorLoad, identify_fit, identify_fixed_pose, identify_inertia,
    identify_sensor, identify_time_offset,
};
use tightfit_learning::recordings::{FindingKind, Trial, examine};
use tightfit_simulation::{Record, Scene, Simulation};
use tightfit_spatial::{Pose, SplitMix, UnitQuaternion, Vector3};

const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

/// Approximately normal, standard deviation one.
fn noise(random: &mut SplitMix) -> f64 {
    (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
}

fn noises(random: &mut SplitMix, size: f64) -> Vector3<f64> {
    Vector3::from_fn(|_, _| noise(random) * size)
}

/// A tool that points down, tilted about x and y.
fn tilted(x: f64, y: f64, heading: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::z_axis(), heading)
        * UnitQuaternion::from_scaled_axis(Vector3::new(x, y, 0.0))
        * UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
}

fn push(trial: &mut Trial, time: f64, pose: Pose, force: Vector3<f64>, torque: Vector3<f64>) {
    trial.time.push(time);
    trial.world_from_tool.push(pose);
    trial.attitude_defect.push(0.0);
    trial.force.push(force);
    trial.torque.push(torque);
}

/// Swings in free air with a body on the sensor; the wrench lags by `lag`.
fn swings(seed: u64, amplitude: f64, lag: f64) -> Trial {
    let mut random = SplitMix::stream(seed);
    let mut trial = Trial::new(format!("swing {seed}"));
    let phase: Vec<f64> = (0..6).map(|_| random.unit() * 6.0).collect();
    let (mass, first) = (0.4, Vector3::new(0.004, -0.002, 0.02));
    let inertia = nalgebra::Matrix3::new(2.4e-3, 1e-4, 0.0, 1e-4, 2.2e-3, -1e-4, 0.0, -1e-4, 0.9e-3);
    let pose = |t: f64| {
        let s = |index: usize, rate: f64| amplitude * (rate * t + phase[index]).sin();
        Pose::new(
            Vector3::new(0.5, 0.0, 0.3) + Vector3::new(s(0, 5.0), s(1, 6.0), s(2, 4.0)) * 0.03,
            tilted(0.5 * s(3, 4.0), 0.5 * s(4, 5.5), 0.6 * s(5, 4.5)),
        )
    };
    let step = 1e-4;
    let reading = |t: f64| {
        let [before, now, after] = [t - step, t, t + step].map(pose);
        let acceleration = (before.translation + after.translation - now.translation * 2.0) / (step * step);
        let turning = |a: &Pose, b: &Pose| (a.rotation.inverse() * b.rotation).scaled_axis() / step;
        let (slow, fast) = (turning(&before, &now), turning(&now, &after));
        let (w, alpha) = ((slow + fast) / 2.0, (fast - slow) / step);
        let felt = now.rotation.inverse() * (GRAVITY - acceleration);
        let force = felt * mass - alpha.cross(&first) - w.cross(&w.cross(&first));
        let torque = first.cross(&felt) - inertia * alpha - w.cross(&(inertia * w));
        [force, torque]
    };
    for row in 0..1200 {
        let time = f64::from(row) * 0.005;
        let [force, torque] = reading(time - lag);
        let bias = Vector3::new(0.3, -0.2, 0.1);
        push(
            &mut trial,
            time,
            pose(time),
            force + bias + noises(&mut random, 0.01),
            torque + bias * 0.1 + noises(&mut random, 5e-4),
        );
    }
    trial
}

#[test]
fn ten_inertial_parameters_are_recovered_within_their_uncertainty() {
    let trials: Vec<Trial> = (0..4).map(|seed| swings(seed, 1.0, 0.0)).collect();
    // Swings exceed a static load: start from the bias of the first rows and a mass.
    let mut load = SensorLoad::of_first_rows(&trials);
    load.mass = 0.4;
    load.center = Vector3::new(0.01, -0.005, 0.05);
    for (trial, bias) in trials.iter().zip(&mut load.bias) {
        let weight = trial.world_from_tool[0].rotation.inverse() * GRAVITY * load.mass;
        bias[0] = Vector3::new(0.3, -0.2, 0.1);
        bias[1] = bias[0] * 0.1;
        assert!(weight.norm() > 3.9);
    }
    let answer = identify_inertia(&trials, &load, Vector3::zeros());
    let truth = [
        ("mass", 0.4),
        ("first moment x", 0.004),
        ("first moment y", -0.002),
        ("first moment z", 0.02),
        ("moment of inertia xx", 2.4e-3),
        ("moment of inertia yy", 2.2e-3),
        ("moment of inertia zz", 0.9e-3),
        ("product of inertia xy", 1e-4),
    ];
    for (name, value) in truth {
        let found = answer.get(name).unwrap_or_else(|| panic!("{name}: {:?}", answer.refusals));
        let miss = (found.value - value).abs();
        assert!(
            miss < 4.0 * found.sigma + 0.02 * value.abs(),
            "{name}: {} ± {}, truth {value}",
            found.value,
            found.sigma
        );
    }
}

#[test]
fn a_tool_that_hardly_moves_leaves_moments_of_inertia_undetermined() {
    let trials: Vec<Trial> = (0..3).map(|seed| swings(seed, 0.01, 0.0)).collect();
    let (load, sensor) = identify_sensor(&trials);
    assert!(sensor.refusals.iter().any(|refusal| refusal.name.contains("turn of the sensor")), "{sensor:?}");
    let answer = identify_inertia(&trials, &load, Vector3::zeros());
    assert!(answer.refusals.iter().any(|refusal| refusal.name.contains("inertia")), "{answer:?}");
    // A tool at rest shows no lag.
    let still: Vec<Trial> = (0..3).map(|seed| swings(seed, 1e-5, 0.0)).collect();
    let (load, _) = identify_sensor(&still);
    let lag = identify_time_offset(&still, &load);
    assert!(lag.get("lag of the wrench").is_none(), "{lag:?}");
}

#[test]
fn the_lag_of_a_wrench_is_found() {
    let trials: Vec<Trial> = (0..4).map(|seed| swings(seed, 0.25, 0.03)).collect();
    let mut load = SensorLoad::of_first_rows(&trials);
    load.mass = 0.4;
    load.center = Vector3::new(0.01, -0.005, 0.05);
    for bias in &mut load.bias {
        *bias = [Vector3::new(0.3, -0.2, 0.1), Vector3::new(0.03, -0.02, 0.01)];
    }
    let answer = identify_time_offset(&trials, &load);
    let lag = answer.get("lag of the wrench").unwrap_or_else(|| panic!("{answer:?}"));
    assert!((lag.value - 0.03).abs() < 3.0 * lag.sigma + 1e-3, "{lag:?}");
}

/// Truth of the synthetic fit.
struct Fit {
    outline: Outline,
    clearance: f64,
    mouth: Vector3<f64>,
    friction: f64,
    /// Sensor's origin above the tip [m].
    lever: f64,
    /// [rad/(N·m)] about x and y.
    compliance: f64,
    /// [m/N] along z.
    compliance_along: f64,
    /// Depth of the floor [m].
    depth: f64,
}

/// Free air, tilted landings with sliding on the plane, then pushes to all sides at several depths.
fn exploration(seed: u64, fit: &Fit) -> Trial {
    let mut random = SplitMix::stream(100 + seed);
    let mut trial = Trial::new(format!("exploration {seed}"));
    let bias = [noises(&mut random, 0.5), noises(&mut random, 0.05)];
    let mut time = 0.0;
    let mut put = |pose: Pose, force: Vector3<f64>, torque_at_tip: Vector3<f64>, random: &mut SplitMix| {
        // Wrench in tool axes; torque moved from the tip to the sensor's origin.
        let force = pose.rotation.inverse() * force;
        let torque =
            pose.rotation.inverse() * torque_at_tip + Vector3::new(0.0, 0.0, fit.lever).cross(&force);
        push(
            &mut trial,
            time,
            pose,
            force + bias[0] + noises(random, 0.02),
            torque + bias[1] + noises(random, 1e-3),
        );
        time += 0.01;
    };
    for row in 0..150 {
        let swing = (f64::from(row) * 0.05).sin();
        let pose =
            Pose::new(fit.mouth + Vector3::new(0.02, 0.0, 0.05), tilted(0.3 * swing, 0.2 * swing, 0.0));
        put(pose, Vector3::zeros(), Vector3::zeros(), &mut random);
    }
    for _ in 0..25 {
        let (tilt, heading) = (0.05 + 0.25 * random.unit(), random.unit() * std::f64::consts::TAU);
        let attitude = tilted(tilt * heading.cos(), tilt * heading.sin(), 0.1 * random.signed());
        let down = attitude.inverse() * -Vector3::z();
        let corner = match fit.outline {
            Outline::Round { radius } => down.xy().normalize() * radius,
            Outline::Rectangle { half } => Vector2::new(half[0].copysign(down.x), half[1].copysign(down.y)),
        };
        let arm = attitude * Vector3::new(corner.x, corner.y, 0.0);
        let way = random.unit() * std::f64::consts::TAU;
        let slip = Vector3::new(way.cos(), way.sin(), 0.0) * 0.03;
        let start = fit.mouth + Vector3::new(0.04 * random.signed(), 0.04 * random.signed(), 0.0);
        let lift = 10.0 + 15.0 * random.unit();
        for row in 0..10 {
            // The tool is lower than the part by the deflection of the grasp.
            let given = Vector3::z() * (fit.compliance_along * lift);
            let touch = start + slip * (f64::from(row) * 0.01) - given;
            let force = Vector3::z() * lift - slip.normalize() * (fit.friction * lift);
            put(Pose::new(touch - arm, attitude), force, arm.cross(&force), &mut random);
        }
    }
    for press in 0..30 {
        let lift = 4.0 + f64::from(press);
        let low = fit.mouth - Vector3::z() * (fit.depth + fit.compliance_along * lift);
        put(Pose::new(low, tilted(0.0, 0.0, 0.0)), Vector3::z() * lift, Vector3::zeros(), &mut random);
    }
    for push in 0..40 {
        // Pressed in one direction: the tip against one wall, the mouth against the other.
        let depth = 0.012 + 0.03 * random.unit();
        let along_x = push % 2 == 0;
        let side = if push % 4 < 2 { 1.0 } else { -1.0 };
        let outward = if along_x { Vector3::x() } else { Vector3::y() } * side;
        let tilt = 2.0 * fit.clearance / depth;
        let load = 5.0 + 15.0 * random.unit();
        // The axis is tilted so that the tip is at +outward and the mouth level at -outward.
        let axis = (Vector3::z() - outward * tilt).normalize();
        let lean = UnitQuaternion::rotation_between(&Vector3::z(), &axis).unwrap_or_default();
        let tip = fit.mouth + outward * fit.clearance - Vector3::z() * depth;
        let force = Vector3::zeros();
        let torque = (Vector3::z() * depth).cross(&(outward * load));
        // The tool is tilted more than the part by the deflection of the grasp.
        let held = UnitQuaternion::from_scaled_axis(torque * -fit.compliance) * lean;
        let down = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
        for _ in 0..6 {
            put(Pose::new(tip, held * down), force, torque, &mut random);
        }
    }
    trial
}

#[test]
fn outline_clearance_friction_and_hole_are_recovered() {
    for outline in [Outline::Rectangle { half: [4e-3, 9e-3] }, Outline::Round { radius: 7e-3 }] {
        let fit = Fit {
            outline,
            clearance: 0.4e-3,
            mouth: Vector3::new(0.5, 0.03, 0.15),
            friction: 0.2,
            lever: 0.07,
            compliance: 5e-3,
            compliance_along: 3e-6,
            depth: 0.046,
        };
        let trials: Vec<Trial> = (0..4).map(|seed| exploration(seed, &fit)).collect();
        let known = Known { tool_to_tip: Some(0.0), friction: None };
        let found = identify_fit(&trials, &Question::ALL, known, |_| {});
        let mouth = found.mouth.as_ref().unwrap_or_else(|| panic!("{:?}", found.answers));
        assert_eq!(mouth.outline.name(), outline.name());
        match (mouth.outline, outline) {
            (Outline::Rectangle { half }, Outline::Rectangle { half: truth }) => {
                assert!((half[0] - truth[0]).abs() < 2e-4 && (half[1] - truth[1]).abs() < 2e-4, "{half:?}");
            }
            (Outline::Round { radius }, Outline::Round { radius: truth }) => {
                assert!((radius - truth).abs() < 2e-4, "{radius}");
            }
            _ => {}
        }
        assert!((mouth.sensor_to_tip - 0.07).abs() < 1e-3, "{}", mouth.sensor_to_tip);
        assert!((mouth.height - 0.15).abs() < 2e-4, "{}", mouth.height);
        let friction = found.answers.iter().find_map(|(_, answer)| answer.get("friction"));
        assert!(friction.is_some_and(|f| (f.value - 0.2).abs() < 0.02), "{friction:?}");
        let play = found.play.as_ref().unwrap_or_else(|| panic!("{:?}", found.answers));
        assert!((play.clearance[0] - 0.4e-3).abs() < 0.1e-3, "{:?}", play.clearance);
        assert!((play.compliance[(4, 4)] - 5e-3).abs() < 2.5e-3, "{}", play.compliance);
        for place in play.mouths.iter().flatten() {
            assert!((place - fit.mouth).norm() < 0.15e-3, "{place}");
        }
        assert!(
            (play.compliance[(2, 2)] - fit.compliance_along).abs() < 0.1 * fit.compliance_along,
            "{}",
            play.compliance
        );
        assert!((play.depth - fit.depth).abs() < 0.05e-3, "{}", play.depth);
        // A further trial with the hole elsewhere: only its position and the bias are fitted.
        let moved = Fit { mouth: fit.mouth + Vector3::new(0.4e-3, -2e-3, 0.6e-3), ..fit };
        let other = exploration(9, &moved);
        let with = found.calibration_with(std::slice::from_ref(&other)).expect("a calibration");
        let [before, placed] = [&with.trials[..4], &with.trials[4..]];
        assert!(before.iter().all(|own| own.trains) && !placed[0].trains && placed.len() == 1);
        let place = placed[0].mouth_mm.map(Vector3::from).expect("a place");
        assert!((place - moved.mouth * 1e3).norm() < 0.15, "{place}");
        let (own, all) = (&with.recording(&other), found.calibration.as_ref());
        assert!(own.is_ok() && all.is_some_and(|all| all.grasp_compliance == with.grasp_compliance));
        let calibration = found.calibration.as_ref().unwrap_or_else(|| panic!("no calibration"));
        let recording = calibration.recording(&trials[0]).expect("a known trial");
        // Pressed rows: the measured wrench at the part, in the hole's frame.
        let last = recording.samples[recording.samples.len() - 1];
        assert!(last.force.norm() < 0.5 && last.torque.norm() > 0.04, "{last:?}");
        assert!(last.world_from_part.translation.z > -0.05);
    }
}

#[test]
fn landings_without_a_tilted_tip_are_rejected() {
    let mut trial = Trial::new("air");
    for row in 0..500 {
        let pose = Pose::new(Vector3::new(0.5, 0.0, 0.3), tilted(0.0, 0.0, 0.0));
        push(&mut trial, f64::from(row) * 0.01, pose, Vector3::zeros(), Vector3::zeros());
    }
    let found = identify_fit(&[trial], &Question::ALL, Known::default(), |_| {});
    let refused: Vec<&str> = found
        .answers
        .iter()
        .flat_map(|(_, answer)| &answer.refusals)
        .map(|refusal| refusal.name.as_str())
        .collect();
    assert!(refused.contains(&"outline of the tip"), "{refused:?}");
    assert!(found.calibration.is_none());
}

#[test]
fn an_inspection_reports_faults() {
    let good = swings(1, 1.0, 0.0);
    assert!(examine(&good).is_empty(), "{:?}", examine(&good));
    let kinds = |change: fn(&mut Trial)| {
        let mut trial = good.clone();
        change(&mut trial);
        examine(&trial).iter().map(|finding| finding.kind).collect::<Vec<_>>()
    };
    assert!(kinds(|t| t.force[7].x = f64::NAN).contains(&FindingKind::NotANumber));
    assert!(kinds(|t| t.time[50] = t.time[49]).contains(&FindingKind::TimeNotAscending));
    assert!(kinds(|t| t.time.iter_mut().skip(100).for_each(|time| *time += 0.1)).contains(&FindingKind::Gap));
    assert!(kinds(|t| t.attitude_defect[3] = 0.1).contains(&FindingKind::NotARotation));
    assert!(
        kinds(|t| t.torque.iter_mut().for_each(|torque| torque.z = 0.0)).contains(&FindingKind::Constant)
    );
    assert!(
        kinds(|t| t.force.iter_mut().for_each(|force| force.z = force.z.min(3.7)))
            .contains(&FindingKind::Saturated)
    );
    assert!(kinds(|t| t.torque.iter_mut().for_each(|torque| *torque *= 1e3)).contains(&FindingKind::Unit));
    assert!(
        kinds(|t| t.world_from_tool.iter_mut().for_each(|pose| pose.translation *= 1e3))
            .contains(&FindingKind::Unit)
    );
    let repeat = |t: &mut Trial| {
        (t.world_from_tool[9], t.force[9], t.torque[9]) = (t.world_from_tool[8], t.force[8], t.torque[8]);
    };
    assert!(kinds(repeat).contains(&FindingKind::RepeatedRow));
}

#[test]
fn a_simulated_insertion_determines_the_pose_of_the_hole() {
    let scene = Scene::find("peg-in-hole").expect("a built-in scene");
    let [hole, peg] =
        ["hole", "peg"].map(|name| scene.bodies.iter().find(|body| body.name == name).expect("its parts"));
    let center = peg.inertia.expect("a free part").center_of_mass;
    let mut run = Simulation::new(scene.clone(), 1);
    let records: Vec<_> = (0..400).map(|_| run.advance()).collect();
    let pose = |record: &Record| {
        let motion = &record.bodies[0].motion;
        Pose::new(motion.center - motion.rotation * center, motion.rotation)
    };
    let truth = hole.world_from_part;
    let inside: Vec<Pose> = records
        .iter()
        .map(pose)
        .filter(|pose| (truth.inverse() * *pose).translation.z < -0.02)
        .step_by(4)
        .collect();
    assert!(inside.len() > 10, "{}", inside.len());
    let wrong = Pose::from_translation(Vector3::new(0.2e-3, -0.15e-3, 0.0)) * truth;
    let (found, answer) = identify_fixed_pose(&hole.part, &peg.part, &inside, wrong, 5e-6);
    let miss = (truth.inverse() * found).transform_point(Vector3::new(0.0, 0.0, -0.02))
        - Vector3::new(0.0, 0.0, -0.02);
    // The clearance is 32.5 um on every side.
    assert!(miss.xy().norm() < 33e-6, "{miss} {answer:?}");
    assert!(answer.refusals.iter().any(|refusal| refusal.name == "turn about z"), "{answer:?}");
    assert!(answer.get("shift along x").is_some_and(|estimate| estimate.sigma < 50e-6), "{answer:?}");
}
