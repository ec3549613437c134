//! Compares mass matrix, Coriolis forces and gravity with Pinocchio, an independent implementation.
//!
//! `experiments/robot/pinocchio_reference.py` writes the numbers; `tests/data/pinocchio.json` holds a subset. The
//! environment variable `TIGHTFIT_PINOCCHIO_REFERENCE` names a longer file.

use serde_json::Value;
use tightfit_robot::Chain;
use tightfit_spatial::Vector3;

#[test]
fn mass_coriolis_and_gravity_agree_with_pinocchio() {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/pinocchio.json");
    let path = std::env::var("TIGHTFIT_PINOCCHIO_REFERENCE").unwrap_or_else(|_| beside.into());
    let reference: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let robots = reference["robots"].as_array().unwrap();
    assert_eq!(robots.len(), 2);
    for robot in robots {
        let chain = match robot["robot"].as_str().unwrap() {
            "panda" => Chain::panda(),
            _ => Chain::panda_turning_gripper(),
        };
        let chain = chain.unwrap();
        let mut worst = [0.0_f64; 3];
        let cases = robot["cases"].as_array().unwrap();
        for case in cases {
            let numbers = |name: &str| -> Vec<f64> {
                case[name].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
            };
            let speeds = chain.joints_from(&numbers("speeds"));
            let posture = chain.posture(&chain.joints_from(&numbers("angles")));
            let ours = chain.dynamics(&posture, &speeds, Vector3::new(0.0, 0.0, -9.81));
            let mut upper = numbers("mass").into_iter();
            for row in 0..chain.count() {
                for column in row..chain.count() {
                    let theirs = upper.next().unwrap();
                    for entry in [(row, column), (column, row)] {
                        worst[0] = worst[0].max((ours.mass[entry] - theirs).abs());
                    }
                }
            }
            let forces = ours.coriolis * speeds;
            worst[1] = worst[1].max((forces - chain.joints_from(&numbers("coriolis"))).amax());
            worst[2] = worst[2].max((ours.gravity - chain.joints_from(&numbers("gravity"))).amax());
        }
        eprintln!("{}, {} configurations: M, C v, g differ by {worst:?}", chain.name(), cases.len());
        assert!(worst.iter().all(|difference| *difference < 1e-9), "{}: {worst:?}", chain.name());
    }
}
