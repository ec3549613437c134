//! Times value and gradient of a network for a full batch, one vector of points and one point: `cargo bench -p
//! tightfit-network`.
#![allow(missing_docs, reason = "criterion's macros generate undocumented functions")]
#![allow(clippy::unwrap_used, reason = "a bench may fail")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tightfit_network::{Activation, Inference, InferenceScratch, Network, Random};

fn inference(criterion: &mut Criterion) {
    let mut random = Random::new(1);
    let network =
        Network::random(&[6, 64, 64, 64, 1], Activation::Relu, Activation::Identity, &mut random).unwrap();
    let inference = Inference::new(&network);
    let mut scratch = InferenceScratch::default();
    let mut group = criterion.benchmark_group("value and gradient, 6-64-64-64-1");
    for points in [960, 16, 1] {
        let inputs: Vec<f32> = (0..6 * points).map(|place| (place as f32 * 0.7).sin()).collect();
        let (mut values, mut gradients) = (vec![0.0; points], vec![0.0; 6 * points]);
        group.throughput(Throughput::Elements(points as u64));
        group.bench_function(format!("{points} points"), |bencher| {
            bencher.iter(|| {
                inference.values_and_gradients(black_box(&inputs), &mut values, &mut gradients, &mut scratch)
            });
        });
    }
    group.finish();
}

criterion_group!(kernels, inference);
criterion_main!(kernels);
