//! The Panda against the runs that the paper's authors published: joint angles and part poses belong together.

#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::print_stderr, reason = "a skipped test says why")]

use std::path::Path;

use tightfit_robot::{Chain, rotation_vector};
use tightfit_spatial::{Pose, Quaternion, UnitQuaternion, Vector3};

const RUNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/inrol/reference_runs");

/// Before contact the part sits at one place in front of the flange, and turns with the eighth joint if there is one.
#[test]
fn the_part_sits_where_the_joint_angles_say() {
    if !Path::new(RUNS).exists() {
        eprintln!("skipped: {RUNS} is not there");
        return;
    }
    let arms = [
        ("peg.csv", Chain::panda().unwrap(), 0.074_11),
        ("bolt.csv", Chain::panda_turning_gripper().unwrap(), 0.096_15),
    ];
    for (file, chain, distance) in arms {
        let text = std::fs::read_to_string(Path::new(RUNS).join(file)).unwrap();
        let mut lines = text.lines();
        let header: Vec<&str> = lines.next().unwrap().split(',').collect();
        let column = |name: &str| header.iter().position(|found| *found == name).unwrap();
        let place = ["x", "y", "z", "qx", "qy", "qz", "qw"].map(column);
        let joints: Vec<usize> = (1..=chain.count()).map(|joint| column(&format!("a{joint}"))).collect();
        let mut worst = [0.0_f64; 2];
        // contact begins at step 532; the first steps settle
        for line in lines.skip(100).take(400) {
            let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            let [x, y, z, qx, qy, qz, qw] = place.map(|index| cells[index]);
            let rotation = UnitQuaternion::new_normalize(Quaternion::new(qw, qx, qy, qz));
            let world_from_part = Pose::new(Vector3::new(x, y, z), rotation);
            let angles: Vec<f64> = joints.iter().map(|&index| cells[index]).collect();
            let tip = chain.posture(&chain.joints_from(&angles)).world_from_tip;
            let tip_from_part = tip.inverse() * world_from_part;
            let shift = (tip_from_part.translation - Vector3::new(0.0, 0.0, distance)).norm();
            worst = [worst[0].max(shift), worst[1].max(rotation_vector(&tip_from_part.rotation).norm())];
        }
        eprintln!("{file}: the part is within {:.2e} m and {:.2e} rad of its place", worst[0], worst[1]);
        // their grasp is a spring; it gives way by micrometres while the arm moves
        assert!(worst[0] < 20e-6 && worst[1] < 1e-4, "{file}: {worst:?}");
    }
}
