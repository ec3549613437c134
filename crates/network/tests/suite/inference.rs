//! Compares the fast kernels with double precision, with one another, and between batches.

use tightfit_network::{Activation, Inference, InferenceScratch, Network, Random};
use tightfit_spatial::InstructionSet;

const ACTIVATIONS: [Activation; 6] = [
    Activation::Identity,
    Activation::Relu,
    Activation::LeakyRelu { slope: 0.01 },
    Activation::Tanh,
    Activation::Sigmoid,
    Activation::Silu,
];

fn columns(inputs: usize, points: usize, random: &mut Random) -> Vec<f32> {
    (0..inputs * points).map(|_| random.uniform(-1.0, 1.0) as f32).collect()
}

fn evaluate(network: &Network, set: InstructionSet, inputs: &[f32], points: usize) -> (Vec<f32>, Vec<f32>) {
    let inference = Inference::with_instruction_set(network, set).unwrap();
    let (mut values, mut gradients) = (vec![0.0; points], vec![0.0; inputs.len()]);
    let mut scratch = InferenceScratch::default();
    inference.values_and_gradients(inputs, &mut values, &mut gradients, &mut scratch).unwrap();
    (values, gradients)
}

/// A millionth of the range: 5 nm on a range of 5 mm. Where rounding moves a sum across zero, the gradient of a
/// network with kinks is that of the other side; at most one such point is allowed.
#[test]
fn values_and_gradients_agree_with_double_precision_to_a_millionth_of_the_range() {
    let mut random = Random::new(7);
    for activation in ACTIVATIONS {
        for sizes in [&[3, 64, 64, 64, 1][..], &[6, 64, 64, 64, 1], &[4, 30, 13, 1], &[2, 1], &[5, 8, 1]] {
            let network = Network::random(sizes, activation, Activation::Tanh, &mut random).unwrap();
            let points = 137;
            let inputs = columns(sizes[0], points, &mut random);
            let truth: Vec<_> = (0..points)
                .map(|p| {
                    let point: Vec<f64> = (0..sizes[0]).map(|k| f64::from(inputs[k * points + p])).collect();
                    network.reference(&point)
                })
                .collect();
            let steepest = truth.iter().flat_map(|(_, g)| g).fold(0.0_f64, |most, g| most.max(g.abs()));
            for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
                let (values, gradients) = evaluate(&network, set, &inputs, points);
                let mut kinks = 0;
                for (p, (value, gradient)) in truth.iter().enumerate() {
                    let error = (f64::from(values[p]) - value).abs();
                    assert!(error <= 2e-6, "{activation:?} {sizes:?} {set:?}: value is wrong by {error:e}");
                    let error = |(k, g): (usize, &f64)| (f64::from(gradients[k * points + p]) - g).abs();
                    let worst = gradient.iter().enumerate().map(error).fold(0.0, f64::max);
                    kinks += usize::from(worst > 4e-6 * steepest);
                }
                let is_kinked = matches!(activation, Activation::Relu | Activation::LeakyRelu { .. });
                assert!(
                    kinks <= usize::from(is_kinked),
                    "{activation:?} {sizes:?} {set:?}: {kinks} gradients"
                );
            }
        }
    }
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let mut random = Random::new(3);
    for activation in ACTIVATIONS {
        let network = Network::random(&[3, 64, 21, 1], activation, Activation::Tanh, &mut random).unwrap();
        let inputs = columns(3, 101, &mut random);
        let portable = evaluate(&network, InstructionSet::Portable, &inputs, 101);
        for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
            assert_eq!(evaluate(&network, set, &inputs, 101), portable, "{activation:?} {set:?}");
            // a point by itself goes another way
            let alone = evaluate(&network, set, &[inputs[7], inputs[108], inputs[209]], 1);
            let gradient = [7, 108, 209].map(|place| portable.1[place]).to_vec();
            assert_eq!(alone, (vec![portable.0[7]], gradient), "{activation:?} {set:?}");
        }
    }
}

#[test]
fn a_point_has_the_same_result_at_every_index_of_a_batch() {
    let mut random = Random::new(5);
    let network =
        Network::random(&[3, 64, 64, 1], Activation::Silu, Activation::Identity, &mut random).unwrap();
    let inference = Inference::new(&network);
    let points = 200;
    let inputs = columns(3, points, &mut random);
    let mut scratch = InferenceScratch::default();
    let (mut values, mut gradients) = (vec![0.0; points], vec![0.0; 3 * points]);
    inference.values_and_gradients(&inputs, &mut values, &mut gradients, &mut scratch).unwrap();
    for start in [0, 1, 47, 48, 100, 199] {
        for count in [1, 15, 16, 17, 33, 48, 49] {
            let count = count.min(points - start);
            let part: Vec<f32> =
                inputs.chunks(points).flat_map(|column| column[start..start + count].to_vec()).collect();
            let (mut v, mut g) = (vec![0.0; count], vec![0.0; 3 * count]);
            inference.values_and_gradients(&part, &mut v, &mut g, &mut scratch).unwrap();
            assert_eq!(v, values[start..start + count]);
            for (part, whole) in g.chunks(count).zip(gradients.chunks(points)) {
                assert_eq!(part, &whole[start..start + count]);
            }
            inference.values(&part, &mut v, &mut scratch).unwrap();
            assert_eq!(v, values[start..start + count], "values alone");
        }
    }
}

#[test]
fn extreme_inputs_reach_the_limits_and_nan_stays_nan() {
    for (activation, at_minus, at_plus) in [
        (Activation::Tanh, -1.0, 1.0),
        (Activation::Sigmoid, 0.0, 1.0),
        (Activation::Silu, -0.0, 500.0),
        (Activation::Relu, 0.0, 500.0),
    ] {
        let layer = tightfit_network::Layer { weights: vec![1.0], biases: vec![0.0], activation };
        let network = Network::new(vec![layer]).unwrap();
        for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
            let (values, slopes) = evaluate(&network, set, &[-500.0, 500.0, f32::NAN], 3);
            assert!((values[0] - at_minus).abs() < 1e-30, "{activation:?} {set:?} {values:?}");
            assert_eq!(values[1], at_plus, "{activation:?} {set:?}");
            assert!(values[2].is_nan() && slopes[0].abs() < 1e-30, "{activation:?} {set:?} {slopes:?}");
        }
    }
}

#[test]
fn mismatched_sizes_are_rejected_with_their_place() {
    let mut random = Random::new(1);
    let network = Network::random(&[3, 8, 1], Activation::Relu, Activation::Identity, &mut random).unwrap();
    let inference = Inference::new(&network);
    let error = inference.values(&[0.0; 5], &mut [0.0; 2], &mut InferenceScratch::default()).unwrap_err();
    assert_eq!(error.to_string(), "inputs: length is 5; expected 3 columns of 2 values");
    let mut layers = network.layers().to_vec();
    layers[1].weights.push(1.0);
    let error = Network::new(layers).unwrap_err();
    assert_eq!(error.to_string(), "layer 1: number of inputs is 9; expected 8");
    let mut layers = network.layers().to_vec();
    layers[0].biases[2] = f32::NAN;
    let error = Network::new(layers).unwrap_err();
    assert_eq!(error.to_string(), "layer 0, bias 2: NaN is not allowed; allowed: finite numbers");
    assert!(Network::random(&[3, 8, 2], Activation::Relu, Activation::Identity, &mut random).is_err());
    assert!(Network::new(vec![]).is_err());
}
