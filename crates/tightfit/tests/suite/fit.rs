//! `tightfit fit`: two STEP files, from their faces to the verdict of the insertion.

use crate::support::{folder, tightfit};

#[test]
fn a_peg_and_its_hole_are_fitted_and_judged() {
    let folder = folder("fit");
    for part in ["peg-50", "hole-50"] {
        let written = tightfit(&folder, &["part", part, "--export", &format!("{part}.step")]);
        assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    }
    let fitted = tightfit(
        &folder,
        &["fit", "peg-50.step", "hole-50.step", "--tolerance", "H7/g6", "--draws", "1", "--offset-mm", "0.5"],
    );
    let text = String::from_utf8_lossy(&fitted.stdout).into_owned();
    assert!(fitted.status.success(), "{text}\n{}", String::from_utf8_lossy(&fitted.stderr));
    for part in [
        "clearance     65.0 um",
        "9.0 to 50.0 um; the files are looser",
        "tightest  50.0000   49.9910           9.0  certified",
        "loosest   50.0250   49.9750          50.0  certified",
    ] {
        assert!(text.contains(part), "no `{part}` in\n{text}");
    }
    let drawn = text.lines().find(|line| line.starts_with("drawn 1")).unwrap_or_default();
    assert!(drawn.contains("certified"), "{text}");
    assert!(std::fs::read_to_string(folder.join("fit.toml")).unwrap().contains("parts.shaft.undersize_um"));
    // a press fit: some of its pairs do not go in, and the exit code says so
    let pressed = tightfit(
        &folder,
        &[
            "fit",
            "peg-50.step",
            "hole-50.step",
            "--tolerance",
            "H7/k6",
            "--draws",
            "0",
            "--scene",
            "pressed.toml",
        ],
    );
    let text = String::from_utf8_lossy(&pressed.stdout).into_owned();
    assert!(!pressed.status.success() && text.contains("interference"), "{text}");
    // a drive that is too soft for the friction does not bring it in, and the verdict says so
    let scene = std::fs::read_to_string(folder.join("fit.toml")).unwrap();
    let stuck = scene.replace("offset_mm = 0.5", "offset_mm = 5");
    std::fs::write(folder.join("stuck.toml"), stuck).unwrap();
    assert!(!tightfit(&folder, &["run", "stuck.toml"]).status.success());
    let swapped = tightfit(&folder, &["fit", "hole-50.step", "peg-50.step"]);
    let text = String::from_utf8_lossy(&swapped.stderr).into_owned();
    assert!(!swapped.status.success() && text.contains("give the shaft first"), "{text}");
}
