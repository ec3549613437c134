//! CMA-ES on functions with known minima, compared with the evaluations of another implementation
//! (`experiments/cma-es`); interrupted searches repeat the same draws.

use tightfit_interaction_training::cma_es::{CmaOptions, Covariance, Search};

const DIMENSION: usize = 20;
const TARGET: f64 = 1e-10;

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|pair| 100.0 * (pair[1] - pair[0] * pair[0]).powi(2) + (1.0 - pair[0]).powi(2)).sum()
}

/// Axes from 1 to 1000, condition 1e6, turned by two reflections.
fn rotated_ellipsoid(x: &[f64]) -> f64 {
    let mut turned = x.to_vec();
    for wave in [0.9, 1.7] {
        let mirror: Vec<f64> = (0..x.len()).map(|i| (wave * (i as f64 + 1.0)).sin()).collect();
        let square: f64 = mirror.iter().map(|m| m * m).sum();
        let along: f64 = mirror.iter().zip(&turned).map(|(m, t)| m * t).sum();
        turned.iter_mut().zip(&mirror).for_each(|(t, m)| *t -= 2.0 * along / square * m);
    }
    ellipsoid(&turned)
}

fn ellipsoid(x: &[f64]) -> f64 {
    let last = (x.len() - 1) as f64;
    x.iter().enumerate().map(|(i, t)| 1e6_f64.powf(i as f64 / last) * t * t).sum()
}

/// Evaluations until a value is at most the target; `None` beyond `most`.
fn evaluations(
    function: fn(&[f64]) -> f64,
    start: Vec<f64>,
    sigma: f64,
    options: CmaOptions,
    most: u64,
) -> Option<u64> {
    let options = CmaOptions { value_tolerance: 1e-300, width_tolerance: 1e-300, ..options };
    let mut search = Search::new(start, sigma, options, 0).expect("valid options");
    while search.evaluations() < most {
        let values: Vec<f64> = search.ask().iter().map(|x| function(x)).collect();
        search.tell(&values).expect("as many values as candidates");
        if search.best().is_some_and(|(value, _)| value <= TARGET) {
            return Some(search.evaluations());
        }
    }
    None
}

/// Median evaluations of the reference for a function, from its committed table.
fn reference(function: &str) -> f64 {
    let table = include_str!("../../../../experiments/cma-es/results.csv");
    let row = table.lines().find(|row| row.split(',').next() == Some(function)).expect("a row of the table");
    row.split(',').nth(4).and_then(|median| median.parse().ok()).expect("a number")
}

#[test]
fn reaches_the_minimum_within_1_5_times_the_evaluations_of_the_reference() {
    type Function = fn(&[f64]) -> f64;
    let cases: [(&str, Function, f64, f64); 3] = [
        ("sphere", sphere, 3.0, 1.0),
        ("rosenbrock", rosenbrock, 0.0, 0.5),
        ("rotated-ellipsoid", rotated_ellipsoid, 3.0, 1.0),
    ];
    for (name, function, start, sigma) in cases {
        let own = |seed| {
            let options = CmaOptions { seed, ..CmaOptions::default() };
            // Rosenbrock's function has a second valley, where about one descent in twenty ends: it counts as the
            // longest.
            evaluations(function, vec![start; DIMENSION], sigma, options, 100_000).unwrap_or(u64::MAX)
        };
        let mut counts: Vec<u64> = (1..=11).map(own).collect();
        counts.sort_unstable();
        let (median, reference) = (counts[5] as f64, reference(name));
        println!("{name}: {median} evaluations, reference {reference}, most {}", counts[10]);
        assert!(counts[9] < u64::MAX, "{name}: {counts:?}");
        assert!(median <= 1.5 * reference, "{name}: {median} against {reference}");
    }
}

#[test]
fn diagonal_and_directions_have_their_advantages() {
    // The diagonal adapts to an axis-parallel ellipsoid in fewer evaluations than the full covariance.
    let of = |covariance, function: fn(&[f64]) -> f64, dimension: usize, most| {
        let options = CmaOptions { covariance, ..CmaOptions::default() };
        evaluations(function, vec![3.0; dimension], 1.0, options, most)
    };
    let diagonal = of(Covariance::Separable, ellipsoid, DIMENSION, 100_000).expect("reached");
    let whole = of(Covariance::Full, ellipsoid, DIMENSION, 100_000).expect("reached");
    assert!(diagonal < whole, "{diagonal} against {whole}");
    // Few directions, many parameters.
    let sphere_500 = of(Covariance::LowRank, sphere, 500, 200_000).expect("reached");
    println!("low rank, sphere in dimension 500: {sphere_500}");
    let rosenbrock = of(Covariance::LowRank, rosenbrock, DIMENSION, 1_000_000);
    println!("low rank, Rosenbrock: {rosenbrock:?}");
    assert!(rosenbrock.is_some());
}

#[test]
fn a_resumed_search_gives_the_same_bits() {
    for covariance in [Covariance::Full, Covariance::Separable, Covariance::LowRank] {
        let options = CmaOptions { covariance, seed: 7, ..CmaOptions::default() };
        let advance = |search: &mut Search, generations: u32| {
            for _ in 0..generations {
                let values: Vec<f64> = search.ask().iter().map(|x| rosenbrock(x)).collect();
                search.tell(&values).expect("as many values as candidates");
            }
        };
        let mut whole = Search::new(vec![0.0; 9], 0.5, options, 0).expect("valid options");
        advance(&mut whole, 40);
        let path = std::env::temp_dir().join(format!("search-{}-{covariance:?}", std::process::id()));
        let purpose = serde_json::json!({ "why": "test" });
        whole.save(&path, &purpose).expect("written");
        let (mut resumed, found) = Search::resume(&path).expect("read");
        std::fs::remove_file(&path).expect("removed");
        assert_eq!(purpose, found);
        advance(&mut whole, 40);
        advance(&mut resumed, 40);
        assert_eq!(whole.descent().mean(), resumed.descent().mean());
        assert_eq!(whole.best(), resumed.best());
    }
}

#[test]
fn restarts_double_the_population_and_keep_the_best() {
    // Rastrigin's function has many valleys.
    let rastrigin =
        |x: &[f64]| x.iter().map(|x| x * x + 10.0 * (1.0 - (std::f64::consts::TAU * x).cos())).sum::<f64>();
    let options = CmaOptions { seed: 3, ..CmaOptions::default() };
    let mut search = Search::new(vec![2.3; 5], 1.0, options, 6).expect("valid options");
    let first = search.descent().population();
    while search.stopped().is_none() && search.evaluations() < 200_000 {
        let values: Vec<f64> = search.ask().iter().map(|x| rastrigin(x)).collect();
        search.tell(&values).expect("as many values as candidates");
    }
    let (best, _) = search.best().expect("a value");
    assert!(search.descent().population() > first);
    assert!(best < 1e-8, "{best}");
}

#[test]
fn invalid_searches_are_rejected() {
    let options = CmaOptions::default();
    assert!(Search::new(vec![], 1.0, options, 0).is_err());
    assert!(Search::new(vec![f64::NAN], 1.0, options, 0).is_err());
    let refused = Search::new(vec![0.0], -1.0, options, 0).unwrap_err().to_string();
    assert_eq!(refused, "sigma is -1; allowed: a positive number");
    let mut search = Search::new(vec![0.0; 3], 1.0, options, 0).expect("valid options");
    search.ask();
    assert!(search.tell(&[1.0]).is_err());
}
