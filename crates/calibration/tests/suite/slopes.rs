//! Slopes from the contacts against differences of the simulated forces.

use tightfit_calibration::{Experiment, Fit, FitOptions, Follower, Setup, Unknown};

use crate::pressed_peg::{experiment, motion, recorded, words};

/// Median over samples of |slope from contacts − difference| relative to the rms difference, for one unknown.
fn disagreement(experiment: &Experiment, word: &str, index: usize, step: f64) -> f64 {
    let path = motion(3, 3.0);
    let (unknowns, _) = experiment.unknowns(&words(word), std::slice::from_ref(&path), [None, None]).unwrap();
    let at = |shift: f64| {
        let mut x = vec![0.0; unknowns.len()];
        x[index] = shift;
        let setup = Setup::new(experiment, &unknowns, None, &x, true).unwrap();
        Follower::default().follow(experiment, &setup, 0, &path)
    };
    let (here, above, below) = (at(0.0), at(step), at(-step));
    let setup = Setup::new(experiment, &unknowns, None, &vec![0.0; unknowns.len()], true).unwrap();
    let mut errors = Vec::new();
    let mut square = 0.0;
    for ((here, above), below) in here.iter().zip(&above).zip(&below) {
        let slopes = tightfit_calibration::slopes(experiment, &setup, &unknowns, None, 0, here);
        let [mut error, mut size] = [0.0, 0.0];
        for axis in 0..6 {
            let unit = if axis < 3 { 1.0 } else { 1.0 / experiment.lever };
            let difference = unit * (above.wrench[axis] - below.wrench[axis]) / (2.0 * step);
            error += (unit * slopes[(axis, index)] - difference).powi(2);
            size += difference * difference;
        }
        errors.push(error.sqrt());
        square += size;
    }
    errors.sort_by(f64::total_cmp);
    errors[errors.len() / 2] / (square / errors.len() as f64).sqrt()
}

#[test]
fn slopes_from_contacts_are_those_of_the_simulated_forces() {
    let experiment = experiment();
    for (word, index, step, most) in [
        ("peg.diameter", 0, 1e-6, 0.1),
        ("hole.diameter", 0, 1e-6, 0.1),
        ("stiffness", 0, 1e-3, 0.3),
        ("bias", 4, 0.1, 1e-9),
        ("load", 2, 1e-2, 0.02),
    ] {
        let found = disagreement(&experiment, word, index, step);
        println!("{word} {index}: {found}");
        assert!(found < most, "{word} {index}: {found}");
    }
}

/// A fit of nothing, or to nothing, is refused.
#[test]
fn a_fit_needs_unknowns_and_data() {
    let experiment = experiment();
    let none: Vec<Unknown> = Vec::new();
    assert!(Fit::new(&experiment, none, None, &[], FitOptions::default()).is_err());
    let (unknowns, _) = experiment.unknowns(&words("friction"), &[], [None, None]).unwrap();
    let short = recorded(&experiment, &unknowns, &[0.0], 1..2, 0.05, [0.0; 2]);
    assert!(Fit::new(&experiment, unknowns, None, &short, FitOptions::default()).is_err());
    let error = experiment.unknowns(&words("nonsense"), &[], [None, None]).unwrap_err().to_string();
    assert!(error.contains("nonsense") && error.contains("friction"), "{error}");
    let error = experiment.unknowns(&words("peg.flank_angle"), &[], [None, None]).unwrap_err().to_string();
    assert!(error.contains("diameter_mm"), "{error}");
}
