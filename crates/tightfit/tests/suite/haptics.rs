//! `tightfit haptics` with a virtual person, and what it refuses.

use crate::support::{folder, json, tightfit};

#[test]
fn a_virtual_person_stays_within_all_limits_in_simulated_time() {
    let folder = folder("haptics");
    let arguments = ["haptics", "--simulated", "--seconds", "1", "--json", "--report", "page.html"];
    let output = tightfit(&folder, &arguments);
    let report = json(&output);
    assert!(output.status.success(), "{report}");
    assert_eq!(report["ticks"], 1000);
    assert_eq!(report["watchdog_trips"], 0);
    assert!(report["lowest_port_energy_j"].as_f64().unwrap() >= -1e-6);
    assert!(report["audited_um"].as_f64().unwrap() <= 5.0);
    let page = std::fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(page.contains("within all limits") && page.contains("Force to the hand [N]"));
    assert_eq!(report["hash"], json(&tightfit(&folder, &arguments))["hash"], "the same bits");
}

#[test]
fn wrong_options_are_refused_by_name() {
    let folder = folder("haptics-refused");
    for (arguments, word) in [
        (&["haptics", "--seconds", "0"][..], "--seconds is 0"),
        (&["haptics", "--delay-ms", "1e9"], "--delay-ms is 1000000000"),
        (&["haptics", "--device", "udp", "--simulated"], "--device human"),
        (&["haptics", "balls-on-slab"], "exactly one"),
        (&["haptics", "attic"], "attic"),
    ] {
        let output = tightfit(&folder, arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && text.contains(word), "{arguments:?}: {text}");
    }
}
