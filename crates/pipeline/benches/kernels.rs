//! The kernels of a step, one by one: `cargo bench -p tightfit-pipeline`.
//!
//! All work on the contacts of a peg that leans in its hole: a block of 32 nodes against the hole, all nodes against it, K-means,
//! the pass that asks every contact what it allows, Newton's solution, and sweeps over the twelve that K-means leaves.
#![allow(missing_docs, reason = "criterion's macros make functions without any")]
#![allow(clippy::unwrap_used, reason = "a bench may fail")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::{Matrix6, UnitQuaternion, Vector3, Vector6};
use tightfit_pipeline::clustering::{ClusteringMethod, ClusteringWorkspace};
use tightfit_pipeline::detection::{
    Clearances, DetectionOptions, DetectionScratch, NodeBlocks, PairBody, detect_pair,
};
use tightfit_pipeline::records::{Contacts, NOT_FREE};
use tightfit_pipeline::solving::{
    ApproachSpeeds, SlipRule, SolverMethod, SolverOptions, SolverWorkspace, SweepOptions, SweepWorkspace,
    VelocityProblem, WarmStart, solve,
};
use tightfit_shape::Part;
use tightfit_shape::block::{BLOCK, FaceBlock, PointBlock};
use tightfit_shape::node::NodeSpacing;
use tightfit_shape::preset::preset;
use tightfit_spatial::{Columns3, Pose, Vectorise, vectorised};

const STEP: f64 = 10e-3;
const OPTIONS: DetectionOptions =
    DetectionOptions { margin: 0.1e-3, crossings: true, horizon: STEP, friction: 0.15, restitution: 0.0 };

/// A peg 20 mm deep in its hole, leaning and pushed down and aside.
struct Fit {
    parts: [Part; 2],
    nodes: [NodeBlocks; 2],
    world_from_peg: Pose,
    velocity: [f64; 6],
    response: Vec<Matrix6<f64>>,
}

impl Fit {
    fn new() -> Self {
        let parts = ["hole-50", "peg-50"].map(|name| preset(name).unwrap());
        let nodes = parts.each_ref().map(|part| {
            let mut positions = Columns3::default();
            part.place(&part.nodes(&NodeSpacing::default()), &mut positions);
            NodeBlocks::new(positions)
        });
        let lean = UnitQuaternion::from_scaled_axis(Vector3::new(0.0, 0.9e-3, 0.0));
        let answers = Vector6::new(0.5, 0.5, 0.5, 6e-4, 6e-4, 2e-4).map(|inertia| 1.0 / inertia);
        Self {
            parts,
            nodes,
            world_from_peg: Pose::new(Vector3::new(4e-6, 0.0, -20e-3), lean),
            velocity: [5e-3, 0.0, -12e-3, 0.0, 20e-3, 0.0],
            response: vec![Matrix6::from_diagonal(&answers)],
        }
    }

    fn detect(&self, clearances: &mut [Clearances; 2], contacts: &mut Contacts) {
        contacts.clear();
        let side = |place: usize, body: u32, pose: Pose, first_id: u32| PairBody {
            part: &self.parts[place],
            network: None,
            mesh: None,
            polyhedron: None,
            nodes: &self.nodes[place],
            world_from_part: pose,
            center: pose.transform_point(Vector3::new(0.0, 0.0, 30e-3)),
            body,
            linear: Vector3::new(0.0, 0.0, if body == 0 { -12e-3 } else { 0.0 }),
            angular: Vector3::zeros(),
            first_id,
            worn: 0.0,
        };
        let hole = side(0, NOT_FREE, Pose::identity(), 0);
        let peg = side(1, 0, self.world_from_peg, self.nodes[0].len() as u32);
        detect_pair([&hole, &peg], &OPTIONS, clearances, &mut DetectionScratch::default(), contacts);
    }

    fn contacts(&self) -> Contacts {
        let mut contacts = Contacts::default();
        self.detect(&mut Default::default(), &mut contacts);
        assert!(contacts.len() > 500, "{} contacts", contacts.len());
        contacts
    }

    fn problem<'a>(&'a self, contacts: &'a Contacts, approach: &'a [f64]) -> VelocityProblem<'a> {
        VelocityProblem {
            contacts,
            approach,
            free_velocity: &self.velocity,
            response: &self.response,
            rows: &[],
        }
    }
}

/// A block of points against the hole.
struct OneBlock<'a>(&'a Part, &'a PointBlock, &'a mut FaceBlock);

impl Vectorise for OneBlock<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.0.face_block(self.1, 0.1e-3, 5e-6, self.2);
    }
}

fn detection(criterion: &mut Criterion) {
    let fit = Fit::new();
    let (mut points, mut faces) = (PointBlock::default(), FaceBlock::default());
    for lane in 0..BLOCK {
        let (sin, cos) = (0.01 * lane as f64).sin_cos();
        for (axis, value) in points.axes.iter_mut().zip([25e-3 * cos, 25e-3 * sin, -10e-3]) {
            axis[lane] = value;
        }
    }
    criterion.bench_function("block of 32 nodes", |bencher| {
        bencher.iter(|| vectorised(OneBlock(&fit.parts[0], black_box(&points), &mut faces)));
    });
    let mut contacts = Contacts::default();
    criterion.bench_function("all nodes, nothing known", |bencher| {
        bencher.iter(|| fit.detect(&mut Default::default(), black_box(&mut contacts)));
    });
    let mut clearances = Default::default();
    criterion.bench_function("all nodes, as in a run", |bencher| {
        bencher.iter(|| fit.detect(&mut clearances, black_box(&mut contacts)));
    });
}

fn k_means(criterion: &mut Criterion) {
    let contacts = Fit::new().contacts();
    let mut workspace = ClusteringWorkspace::default();
    criterion.bench_function("k-means to 12", |bencher| {
        bencher.iter(|| {
            workspace.chosen.clear();
            let all = 0..contacts.len();
            ClusteringMethod::KMeans { clusters: 12 }.choose(black_box(&contacts), all, &mut workspace);
        });
    });
}

fn solving(criterion: &mut Criterion) {
    let fit = Fit::new();
    let contacts = fit.contacts();
    let mut approach = ApproachSpeeds::default();
    criterion.bench_function("pass over all contacts", |bencher| {
        bencher.iter(|| approach.fill(black_box(&contacts), STEP, &fit.velocity, 0.0));
    });
    let mut workspace = SolverWorkspace::default();
    let problem = fit.problem(&contacts, &approach.smooth);
    criterion.bench_function("newton, cold", |bencher| {
        bencher.iter(|| {
            solve(&problem, &SolverOptions::default(), &mut WarmStart::default(), black_box(&mut workspace))
        });
    });

    let mut clusters = ClusteringWorkspace::default();
    ClusteringMethod::KMeans { clusters: 12 }.choose(&contacts, 0..contacts.len(), &mut clusters);
    let mut few = Contacts::default();
    clusters.chosen.iter().for_each(|index| few.push_from(&contacts, *index as usize));
    approach.fill(&few, STEP, &fit.velocity, 0.0);
    let problem = fit.problem(&few, &approach.smooth);
    // a tolerance that no sweep meets: all 200
    let options = SweepOptions { tolerance: -1.0, ..SweepOptions::SOR };
    let mut sweeps = SweepWorkspace::default();
    for (name, method) in [
        ("200 sweeps of 12 contacts, sor", SolverMethod::Sor(options, SlipRule::Dissipation)),
        ("200 sweeps of 12 contacts, pgs", SolverMethod::Pgs(options)),
    ] {
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| {
                let (usual, mut warm) = (SolverOptions::default(), WarmStart::default());
                method.solve(&problem, &fit.velocity, &usual, &mut warm, &mut workspace, &mut sweeps)
            });
        });
    }
}

criterion_group!(kernels, detection, k_means, solving);
criterion_main!(kernels);
