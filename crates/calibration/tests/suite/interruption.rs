//! A fit that is killed goes on to the same bits.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tightfit_calibration::{Fit, FitOptions};

use crate::pressed_peg::{experiment, recorded, words};

#[test]
fn a_killed_fit_ends_in_the_same_bits() {
    let experiment = experiment();
    let (unknowns, _) = experiment.unknowns(&words("peg.diameter,stiffness"), &[], [None, None]).unwrap();
    let mut truth = vec![-0.5; unknowns.len()];
    truth[0] = -20e-6;
    let trials = recorded(&experiment, &unknowns, &truth, 1..3, 1.5, [0.05, 0.002]);
    let folder = std::env::temp_dir().join(format!("tightfit-calibration-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("fit.checkpoint");
    let options = FitOptions { scan: false, ..FitOptions::default() };
    let whole = Fit::new(&experiment, unknowns.clone(), None, &trials, options.clone()).unwrap();
    let whole = whole.solve(|_| ()).unwrap();
    let options = FitOptions { checkpoint: Some(path.clone()), ..options };
    let fit = Fit::new(&experiment, unknowns.clone(), None, &trials, options.clone()).unwrap();
    for stop in [1, 2] {
        let killed = catch_unwind(AssertUnwindSafe(|| {
            fit.solve(|now| assert!(now.iteration < stop, "killed")).map(|_| ())
        }));
        assert!(killed.is_err(), "the fit ended before it was killed");
    }
    let resumed = fit.solve(|_| ()).unwrap();
    let bits = |x: &[f64]| x.iter().map(|own| own.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&resumed.coordinates), bits(&whole.coordinates));
    assert_eq!(resumed.covariance, whole.covariance);
    // another task does not take it
    let other = &trials[..1];
    let other = Fit::new(&experiment, unknowns, None, other, options).unwrap();
    assert!(other.solve(|_| ()).unwrap_err().to_string().contains("another fit"));
    std::fs::remove_dir_all(&folder).unwrap();
}
