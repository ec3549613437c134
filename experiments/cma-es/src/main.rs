//! Evaluations that the `cmaes` crate needs to bring three functions in dimension 20 below 1e-10: median, least and most
//! over 21 seeds, with its own default options. `cargo run --release > results.csv`.
//!
//! The functions and starts are those of `crates/learning/tests/cma_es.rs`.

use cmaes::{CMAESOptions, DVector};

const DIMENSION: usize = 20;
const TARGET: f64 = 1e-10;
const SEEDS: u64 = 21;

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
    let last = (x.len() - 1) as f64;
    turned.iter().enumerate().map(|(i, t)| 1e6_f64.powf(i as f64 / last) * t * t).sum()
}

fn main() {
    type Function = fn(&[f64]) -> f64;
    let functions: [(&str, Function, f64, f64); 3] = [
        ("sphere", sphere, 3.0, 1.0),
        ("rosenbrock", rosenbrock, 0.0, 0.5),
        ("rotated-ellipsoid", rotated_ellipsoid, 3.0, 1.0),
    ];
    println!("function,dimension,target,seeds,median_evaluations,least,most,failures");
    for (name, function, start, sigma) in functions {
        let mut counts = Vec::new();
        let mut failures = 0;
        for seed in 1..=SEEDS {
            let mut options = CMAESOptions::new(vec![start; DIMENSION], sigma);
            options.seed = Some(seed);
            options.fun_target = Some(TARGET);
            options.max_function_evals = Some(1_000_000);
            let mut search = options.build(|x: &DVector<f64>| function(x.as_slice())).expect("valid options");
            let result = search.run();
            match result.overall_best.is_some_and(|best| best.value <= TARGET) {
                true => counts.push(search.function_evals()),
                false => failures += 1,
            }
        }
        counts.sort_unstable();
        let (least, most) = (counts[0], counts[counts.len() - 1]);
        let median = counts[counts.len() / 2];
        println!("{name},{DIMENSION},{TARGET:e},{SEEDS},{median},{least},{most},{failures}");
    }
}
