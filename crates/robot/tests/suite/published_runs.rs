//! Compares the Panda with the published runs of the paper's authors: joint angles and part poses must agree.

use std::path::Path;

use nalgebra::Vector6;
use tightfit_robot::arm::ArmState;
use tightfit_robot::control::{Admittance, AdmittanceGains, JointController, Posed};
use tightfit_robot::{Chain, JointVector, rotation_vector};
use tightfit_spatial::{Pose, Quaternion, UnitQuaternion, Vector3};

const RUNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/inrol/reference_runs");

/// Recording of one run.
struct Recording {
    rows: Vec<Vec<f64>>,
    header: Vec<String>,
}

impl Recording {
    /// `None`, with a message, if the runs are not installed.
    fn load(file: &str) -> Option<Self> {
        let path = Path::new(RUNS).join(file);
        if !Path::new(RUNS).exists() {
            eprintln!("skipped: {RUNS} does not exist");
            return None;
        }
        let text = std::fs::read_to_string(path).unwrap();
        let mut lines = text.lines();
        let header = lines.next().unwrap().split(',').map(String::from).collect();
        let rows = lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
        Some(Self { rows, header })
    }

    fn cells<const N: usize>(&self, row: usize, names: [&str; N]) -> [f64; N] {
        names.map(|name| self.rows[row][self.header.iter().position(|found| found == name).unwrap()])
    }

    fn world_from_part(&self, row: usize) -> Pose {
        let [x, y, z, qx, qy, qz, qw] = self.cells(row, ["x", "y", "z", "qx", "qy", "qz", "qw"]);
        let rotation = UnitQuaternion::new_normalize(Quaternion::new(qw, qx, qy, qz));
        Pose::new(Vector3::new(x, y, z), rotation)
    }

    fn angles(&self, row: usize, chain: &Chain) -> JointVector {
        let [a1, a2, a3, a4, a5, a6, a7] = self.cells(row, ["a1", "a2", "a3", "a4", "a5", "a6", "a7"]);
        let gripper = if chain.count() == 8 { self.cells(row, ["a8"])[0] } else { 0.0 };
        chain.joints_from(&[a1, a2, a3, a4, a5, a6, a7, gripper])
    }
}

/// Before contact the part has a constant pose in front of the flange, and turns with the eighth joint if there is
/// one.
#[test]
fn the_part_pose_agrees_with_the_joint_angles() {
    let arms = [
        ("peg.csv", Chain::panda().unwrap(), 0.074_11),
        ("bolt.csv", Chain::panda_turning_gripper().unwrap(), 0.096_15),
    ];
    for (file, chain, distance) in arms {
        let Some(run) = Recording::load(file) else { return };
        let mut worst = [0.0_f64; 2];
        // Contact begins at step 532; the first 100 steps are transient.
        for row in 100..500 {
            let tip = chain.posture(&run.angles(row, &chain)).world_from_tip;
            let tip_from_part = tip.inverse() * run.world_from_part(row);
            let shift = (tip_from_part.translation - Vector3::new(0.0, 0.0, distance)).norm();
            worst = [worst[0].max(shift), worst[1].max(rotation_vector(&tip_from_part.rotation).norm())];
        }
        eprintln!(
            "{file}: the part is within {:.2e} m and {:.2e} rad of its nominal pose",
            worst[0], worst[1]
        );
        // The authors' grasp is a spring; it deflects by micrometres while the arm moves.
        assert!(worst[0] < 20e-6 && worst[1] < 1e-4, "{file}: {worst:?}");
    }
}

/// In free air the virtual mass follows the authors' set-points as their parts do. Damping relative to the
/// set-point's velocity, the other reading of the paper, would be off by 5 and 13 mm.
#[test]
fn the_admittance_lags_its_set_points_as_in_the_authors_runs() {
    // distance from the flange to the controlled point, stiffness along x, y and z
    let runs = [
        ("peg.csv", Chain::panda().unwrap(), 0.074_11 + 0.032_69, [5000.0, 5000.0, 1000.0]),
        ("bolt.csv", Chain::panda_turning_gripper().unwrap(), 0.096_15, [500.0, 500.0, 300.0]),
    ];
    for (file, chain, distance, [kx, ky, kz]) in runs {
        let Some(run) = Recording::load(file) else { return };
        let chain = chain.with_tip(Pose::from_translation(Vector3::new(0.0, 0.0, distance)));
        let mass = Vector6::new(12.0, 12.0, 12.0, 0.8, 0.8, 0.8);
        let gains = AdmittanceGains::critical(mass, Vector6::new(kx, ky, kz, 50.0, 50.0, 50.0));
        let controller = Admittance::new(gains, JointController::new(40.0, 1.0).unwrap(), None).unwrap();
        let set_point = |row: usize| {
            let [x, y, z] = run.cells(row, ["pd_x", "pd_y", "pd_z"]);
            Pose::new(Vector3::new(x, y, z), run.world_from_part(row).rotation)
        };
        let mut memory = controller.start(&chain, &ArmState::at_rest(run.angles(0, &chain)));
        let mut squares = 0.0;
        for row in 1..520 {
            // The authors hold the set-point constant over a step.
            let target = Posed::still(set_point(row));
            let state = ArmState { angles: memory.angles, speeds: memory.speeds };
            let output = controller.command(
                &chain,
                &memory,
                &state,
                &Vector6::zeros(),
                &target,
                Vector3::zeros(),
                0.01,
            );
            memory = output.unwrap().memory;
            let theirs = chain.posture(&run.angles(row, &chain)).world_from_tip.translation;
            squares += (memory.world_from_command.translation - theirs).norm_squared();
        }
        let travel = (set_point(0).translation - set_point(519).translation).norm();
        let difference = (squares / 519.0).sqrt();
        eprintln!("{file}: {:.3} mm root mean square over {:.1} mm", difference * 1e3, travel * 1e3);
        assert!(difference < 0.15e-3, "{file}: {difference}");
    }
}
