//! Training runs learn, are reproducible and survive interruption.

use tightfit_network::training::{Optimizer, Progress, Samples, Stop, Trainer, TrainingOptions};
use tightfit_network::{Activation, Network, NetworkError, Random};

/// Distance from a circle of radius ½ in the square [−1, 1]².
fn circle(count: usize, seed: u64) -> Samples {
    let mut random = Random::new(seed);
    let mut column = || (0..count).map(|_| random.uniform(-1.0, 1.0) as f32).collect::<Vec<f32>>();
    let (x, y) = (column(), column());
    let distance = |(x, y): (&f32, &f32)| x.hypot(*y) - 0.5;
    let targets = x.iter().zip(&y).map(distance).collect();
    Samples::new([x, y].concat(), targets, vec![1.0; count]).unwrap()
}

fn trainer(options: TrainingOptions) -> Trainer {
    let network =
        Network::random(&[2, 32, 32, 1], Activation::Relu, Activation::Identity, &mut Random::new(4))
            .unwrap();
    Trainer::new(network, options).unwrap()
}

fn options() -> TrainingOptions {
    TrainingOptions { batch: 1000, steps: 400, check_every: 50, learning_rate: 5e-3, ..Default::default() }
}

fn always(_: &Trainer, _: &Progress) -> Result<bool, NetworkError> {
    Ok(true)
}

/// The targets have a spread of 0.3; with a wrong gradient a network of this size stays near 0.1.
#[test]
fn a_circle_is_learnt() {
    let mut last = [f64::INFINITY; 2];
    for (optimizer, last) in [Optimizer::Adam, Optimizer::Soap].into_iter().zip(&mut last) {
        let mut trainer = trainer(TrainingOptions { steps: 1500, optimizer, ..options() });
        let stop = trainer.train(&circle(20_000, 1), &circle(2_000, 2), |_, progress: &Progress| {
            *last = progress.best_error;
            Ok::<_, NetworkError>(true)
        });
        assert_eq!(stop.unwrap(), Stop::Finished);
    }
    assert!(last[0] < 1e-2, "root mean square error {last:?}");
    assert!(last[1] < 0.5 * last[0], "SOAP should have at most half the error of Adam: {last:?}");
}

#[test]
fn a_run_is_reproducible_to_the_bit_on_any_number_of_threads() {
    let (samples, others) = (circle(5_000, 1), circle(500, 2));
    let run = |threads| {
        let optimizer = Optimizer::Soap;
        let mut trainer = trainer(TrainingOptions { threads, steps: 120, optimizer, ..options() });
        trainer.train(&samples, &others, always).unwrap();
        trainer.best_network()
    };
    let one = run(1);
    assert_eq!(run(1), one);
    assert_eq!(run(2), one);
    assert_eq!(run(7), one);
}

#[test]
fn an_interrupted_run_resumes_to_the_same_bits() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("killed.safetensors");
    let (samples, others) = (circle(5_000, 1), circle(500, 2));
    for optimizer in [Optimizer::Adam, Optimizer::Soap] {
        let options = TrainingOptions { optimizer, ..options() };
        let mut whole = trainer(options.clone());
        whole.train(&samples, &others, always).unwrap();

        let mut first = trainer(options.clone());
        let purpose = serde_json::json!({ "part": "circle" });
        let stop = first.train(&samples, &others, |trainer, progress: &Progress| {
            trainer.save(&path, &purpose)?;
            Ok::<_, NetworkError>(progress.step < 150)
        });
        assert_eq!(stop.unwrap(), Stop::Asked);
        drop(first);
        let (mut second, found) = Trainer::resume(&path).unwrap();
        assert_eq!((second.step(), found), (150, purpose));
        second.train(&samples, &others, always).unwrap();
        assert_eq!(second.network(), whole.network());
        assert_eq!(second.best_network(), whole.best_network());
    }

    std::fs::write(&path, b"nothing").unwrap();
    let error = Trainer::resume(&path).unwrap_err().to_string();
    assert!(error.contains("killed.safetensors") && error.ends_with("delete it to restart"), "{error}");
}

#[test]
fn a_run_that_no_longer_improves_stops_early() {
    let samples = Samples::new(vec![0.5; 200], vec![0.25; 100], vec![1.0; 100]).unwrap();
    // At a learning rate near zero nothing improves after the first validation.
    let mut trainer = trainer(TrainingOptions {
        learning_rate: 1e-9,
        steps: 100_000,
        patience: 3,
        check_every: 5,
        ..options()
    });
    let stop = trainer.train(&samples, &samples, always).unwrap();
    assert!(stop == Stop::EarlyStop || trainer.step() == 100_000);
    assert!(trainer.step() < 100_000, "{}", trainer.step());
}

#[test]
fn invalid_samples_and_options_are_rejected() {
    let error = Samples::new(vec![0.0, f32::INFINITY], vec![0.0], vec![1.0]).unwrap_err();
    assert_eq!(error.to_string(), "samples, input 1: inf is not allowed; allowed: finite numbers");
    assert!(Samples::new(vec![], vec![], vec![]).is_err());
    let network =
        Network::random(&[3, 4, 1], Activation::Relu, Activation::Identity, &mut Random::new(1)).unwrap();
    let options = TrainingOptions { batch: 0, ..Default::default() };
    let error = Trainer::new(network.clone(), options).unwrap_err();
    assert_eq!(error.to_string(), "training option `batch`: 0 is not allowed; allowed: 1 to 10000000");
    let mut trainer = Trainer::new(network, TrainingOptions::default()).unwrap();
    let error = trainer.advance(&circle(10, 1)).unwrap_err();
    assert_eq!(error.to_string(), "samples: inputs of a point is 2; expected 3");
}
