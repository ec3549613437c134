//! Known truths are found within their ranges, and what forces cannot tell is refused by name.

use tightfit_calibration::{Fit, FitOptions, Quantity};

use crate::pressed_peg::{experiment, recorded, words};

#[test]
fn a_wrong_drawing_a_soft_hold_and_a_bias_are_found_within_their_ranges() {
    let experiment = experiment();
    let (unknowns, _) =
        experiment.unknowns(&words("peg.diameter,stiffness,friction,bias"), &[], [None, None]).unwrap();
    let truth: Vec<f64> = unknowns
        .iter()
        .map(|own| match own.quantity {
            Quantity::Dimension { .. } => -25e-6,
            Quantity::Stiffness(axis) if axis < 3 => -0.7,
            Quantity::Stiffness(_) => 0.3,
            Quantity::Friction => 0.4,
            Quantity::Bias(2) => 0.5,
            _ => 0.0,
        })
        .collect();
    let trials = recorded(&experiment, &unknowns, &truth, 1..4, 3.0, [0.05, 0.002]);
    let fit = Fit::new(&experiment, unknowns, None, &trials, FitOptions::default()).unwrap();
    let found = fit.solve(|_| ()).unwrap();
    for (own, truth) in found.estimates.iter().zip(&truth) {
        let value = own.unknown.value(*truth);
        let name = own.unknown.quantity.name();
        // nothing but friction turns a round peg about its axis
        if own.unknown.quantity == Quantity::Stiffness(5) {
            assert!(own.refusal.as_ref().is_some_and(|reason| reason.contains("friction alone")), "{own:?}");
        }
        if own.refusal.is_none() {
            let near = (own.unknown.coordinate(own.value) - truth).abs() < 4.0 * own.sigma;
            assert!(near, "{name}: {} to {:?}, truth {value}", own.value, own.range);
        }
        if let Quantity::Dimension { .. } = own.unknown.quantity {
            assert!((own.value - value).abs() < 3e-6, "{name}: {} against {value}", own.value);
        }
    }
}

#[test]
fn two_sizes_whose_difference_alone_is_felt_are_refused_together() {
    let experiment = experiment();
    let (unknowns, _) = experiment.unknowns(&words("peg.diameter,hole.diameter"), &[], [None, None]).unwrap();
    let trials = recorded(&experiment, &unknowns, &[-10e-6, 10e-6], 1..3, 2.0, [0.05, 0.002]);
    let options = FitOptions { scan: false, ..FitOptions::default() };
    let found = Fit::new(&experiment, unknowns, None, &trials, options).unwrap().solve(|_| ()).unwrap();
    for own in &found.estimates {
        let reason = own.refusal.as_ref().unwrap_or_else(|| panic!("{own:?}"));
        assert!(reason.contains("peg.diameter, hole.diameter"), "{reason}");
    }
    let play = (found.estimates[1].value - found.estimates[0].value) - 65e-6;
    assert!((play - 20e-6).abs() < 2e-6, "the difference is known: {play}");
}
