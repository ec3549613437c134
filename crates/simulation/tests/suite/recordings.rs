//! Recordings of real tosses: what is read, what is refused, and how near the step comes.

use std::path::{Path, PathBuf};

use tightfit_simulation::recordings::{CubeReplay, ReplayOptions, Spread, TossErrors, load_tosses};

const REAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/contactnets_cube");

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Rows as numpy.save writes them.
fn npy(rows: &[[f32; 13]]) -> Vec<u8> {
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, 13), }}\n", rows.len());
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(rows.iter().flatten().flat_map(|value| value.to_le_bytes()));
    bytes
}

/// A cube that flies and turns about its z axis, row by row 6.8 ms later.
fn flight(rows: usize) -> Vec<[f32; 13]> {
    let row = |index: usize| {
        let time = 6.8e-3 * index as f64;
        let (sin, cos) = (2.0 * time).sin_cos();
        let fall = 4.905 * time * time;
        [cos, 0.0, 0.0, sin, 0.3 * time, 0.0, 1.0 - fall, 0.0, 0.0, 4.0, 0.3, 0.0, -9.81 * time]
            .map(|value| value as f32)
    };
    (0..rows).map(row).collect()
}

#[test]
fn a_flight_is_followed_to_the_precision_of_its_recording() {
    let folder = folder("flight");
    std::fs::write(folder.join("tosses.npy"), npy(&flight(40))).unwrap();
    std::fs::write(folder.join("index.csv"), "toss,n_rows,first_row\n0,20,0\n1,20,20\n").unwrap();
    let tosses = load_tosses(&folder).unwrap();
    assert_eq!(tosses.iter().map(|toss| toss.states.len()).collect::<Vec<_>>(), [20, 20]);
    for steps_per_row in [1, 3] {
        let mut replay =
            CubeReplay::new(&ReplayOptions { steps_per_row, ..ReplayOptions::default() }).unwrap();
        for toss in &tosses {
            let errors = replay.errors(toss);
            // single precision, and the Cayley map's share of a turn of 27 mrad a step
            assert!(errors.position < 1e-6 && errors.rotation < 1e-4, "{errors:?}");
        }
    }
}

#[test]
fn wrong_folders_are_answered_with_the_file_and_a_remedy() {
    let folder = folder("wrong");
    let refused = || load_tosses(&folder).unwrap_err().to_string();
    assert!(refused().contains("tosses.npy") && refused().contains("holds tosses.npy and index.csv"));
    std::fs::write(folder.join("tosses.npy"), npy(&flight(5))).unwrap();
    assert!(refused().contains("index.csv"), "{}", refused());
    for (text, answer) in [
        ("toss,rows\n", "no column `first_row`"),
        ("n_rows,first_row\n", "names no toss"),
        ("n_rows,first_row\n3,x\n", "line 2 is `3,x`"),
        ("n_rows,first_row\n\n4,2\n", "line 3 asks for 4 rows from row 2"),
        ("n_rows,first_row\n1,2\n", "at least 2 rows"),
        ("n_rows,first_row\n2,18446744073709551615\n", "line 2 asks for 2 rows"),
    ] {
        std::fs::write(folder.join("index.csv"), text).unwrap();
        assert!(refused().contains(answer) && refused().contains("index.csv"), "{}", refused());
    }
    std::fs::write(folder.join("index.csv"), "n_rows,first_row\n5,0\n").unwrap();
    let with = |column: usize, value: f32| {
        let mut rows = flight(5);
        rows[3][column] = value;
        std::fs::write(folder.join("tosses.npy"), npy(&rows)).unwrap();
        refused()
    };
    assert!(with(5, f32::NAN).contains("row 3 has NaN in column 5"));
    assert!(with(0, 0.9).contains("row 3 has a quaternion of length 0.9"));
    std::fs::write(folder.join("tosses.npy"), b"no array").unwrap();
    assert!(refused().contains("does not begin like a .npy file"));
}

#[test]
fn real_tosses_end_near_where_the_cube_lay() {
    let folder = Path::new(REAL);
    if !folder.exists() {
        eprintln!("skipped: the recordings are not at {REAL}");
        return;
    }
    let tosses = load_tosses(folder).unwrap();
    assert_eq!((tosses.len(), tosses.iter().map(|toss| toss.states.len()).sum::<usize>()), (550, 58362));
    let mut replay = CubeReplay::new(&ReplayOptions::default()).unwrap();
    let errors: Vec<TossErrors> = tosses.iter().step_by(25).map(|toss| replay.errors(toss)).collect();
    assert!(errors.iter().all(|toss| toss.unconverged == 0 && toss.penetration < 1e-6), "{errors:?}");
    let position = Spread::of(errors.iter().map(|toss| toss.position));
    // MuJoCo's median over all tosses, experiments/tosses
    assert!(position.median < 0.0417, "{position:?}");
}
