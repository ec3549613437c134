//! The truths of `tightfit validate`.

use tightfit_simulation::validation_cases;

#[test]
fn every_truth_is_met_within_its_tolerance() {
    let mut failing = Vec::new();
    for case in validation_cases() {
        let verdicts = case.run().expect("the case's scene is valid");
        assert!(!verdicts.is_empty(), "{} measures nothing", case.name);
        failing.extend(verdicts.into_iter().filter(|verdict| !verdict.pass));
    }
    assert!(failing.is_empty(), "{failing:#?}");
}

#[test]
fn names_of_cases_are_unique_and_begin_their_verdicts_names() {
    let mut names: Vec<_> = validation_cases().iter().map(|case| case.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), validation_cases().len());
    let case = &validation_cases()[0];
    let verdicts = case.run().expect("the case's scene is valid");
    assert!(verdicts.iter().all(|verdict| verdict.name.starts_with(case.name)));
}
