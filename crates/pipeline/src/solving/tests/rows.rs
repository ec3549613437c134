//! Rows over whole bodies in the sweeping solvers: Signorini's law, passivity, and no effect without rows.

use nalgebra::Vector6;

use super::scenes::{Random, wedged_peg};
use crate::records::WrenchRow;
use crate::solving::passivity_filter::{passive_scale, work};
use crate::solving::{
    SlipRule, SolverMethod, SolverOptions, SolverWorkspace, SweepOptions, SweepWorkspace, VelocityProblem,
    WarmStart,
};

const SWEEPERS: [SolverMethod; 3] = [
    SolverMethod::Sor(SweepOptions::SOR, SlipRule::Dissipation),
    SolverMethod::Sor(SweepOptions { relaxation: 0.7, ..SweepOptions::SOR }, SlipRule::Dissipation),
    SolverMethod::Pgs(SweepOptions::PGS),
];

struct Answer {
    workspace: SolverWorkspace,
    multipliers: Vec<f64>,
}

fn solve(method: SolverMethod, problem: &VelocityProblem<'_>, start: &[f64]) -> Answer {
    let (mut workspace, mut sweeps) = (SolverWorkspace::default(), SweepWorkspace::default());
    let mut warm = WarmStart::default();
    method.solve(problem, start, &SolverOptions::default(), &mut warm, &mut workspace, &mut sweeps);
    Answer { workspace, multipliers: sweeps.multipliers().to_vec() }
}

/// A direction that no contact at a point has: its torque has a component along its force.
fn row(random: &mut Random, approach: f64) -> WrenchRow {
    let direction = Vector6::from_fn(|k, _| random.between(-1.0, 1.0) * if k < 3 { 1.0 } else { 0.03 });
    WrenchRow { body: 0, direction, approach }
}

#[test]
fn a_row_keeps_its_speed_by_pushing_only() {
    let mut random = Random(9);
    for _ in 0..60 {
        let scene = wedged_peg(&mut random, 0.1);
        let start: Vec<f64> = (0..6).map(|_| random.between(-0.05, 0.05)).collect();
        let rows = [row(&mut random, 0.001)];
        let problem = VelocityProblem { rows: &rows, ..scene.problem() };
        for method in SWEEPERS {
            let Answer { workspace, multipliers } = solve(method, &problem, &start);
            assert_eq!(multipliers.len(), 1);
            assert!(multipliers[0] >= 0.0);
            // The row is last in a sweep: it holds exactly unless it is under-relaxed.
            let SolverMethod::Sor(SweepOptions { relaxation: 0.7, .. }, _) = method else {
                let beyond = -(rows[0].speed(&workspace.velocity) + rows[0].approach);
                assert!(beyond < 1e-12, "{method:?}: {beyond:e} m/s");
                if multipliers[0] > 0.0 {
                    assert!(beyond.abs() < 1e-12, "{method:?}: pushes at a distance");
                }
                continue;
            };
        }
    }
}

#[test]
fn impulses_of_rows_are_part_of_the_solution_and_pass_the_filter() {
    let mut random = Random(21);
    let mut loaded = 0;
    for _ in 0..60 {
        let scene = wedged_peg(&mut random, 0.1);
        let start: Vec<f64> = (0..6).map(|_| random.between(-0.05, 0.05)).collect();
        let mut own = row(&mut random, 0.0);
        own.approach = own.speed(&start).max(0.0);
        let rows = [own];
        let problem = VelocityProblem { rows: &rows, ..scene.problem() };
        for method in SWEEPERS {
            let Answer { workspace, multipliers } = solve(method, &problem, &start);
            loaded += usize::from(multipliers[0] > 0.0);
            let mut sum = vec![0.0; 6];
            for entry in &workspace.impulses {
                problem.contacts.add_impulse(entry.contact, entry.impulse, &mut sum);
            }
            for ((own, direction), whole) in sum.iter().zip(&rows[0].direction).zip(&workspace.generalised) {
                assert!((own + direction * multipliers[0] - whole).abs() < 1e-12);
            }
            let scale = passive_scale(&problem, &start, &workspace.impulses, &workspace.generalised);
            let scaled: Vec<f64> = workspace.generalised.iter().map(|p| p * scale).collect();
            let (linear, square) = work(&problem, &start, &[], &scaled);
            assert!(linear + square <= 1e-12, "{method:?}: {} J", linear + square);
        }
    }
    assert!(loaded > 30, "{loaded}");
}

#[test]
fn rows_out_of_reach_change_no_bit() {
    let mut random = Random(4);
    let scene = wedged_peg(&mut random, 0.15);
    let start = vec![0.01; 6];
    let rows = [row(&mut random, 1e9)];
    for method in SWEEPERS {
        let plain = solve(method, &scene.problem(), &start).workspace;
        let far = solve(method, &VelocityProblem { rows: &rows, ..scene.problem() }, &start).workspace;
        assert_eq!((plain.velocity, plain.impulses), (far.velocity, far.impulses));
    }
}
