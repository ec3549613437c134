//! Damaged files end in an error or in a solid, never in a panic or a hang.

use tightfit_cad::File;
use tightfit_spatial::SplitMix;

use crate::support::BORED_BLOCK;

/// Replaces, removes, repeats or swaps bytes and numbers.
fn mutate(text: &[u8], random: &mut SplitMix) -> Vec<u8> {
    let mut bytes = text.to_vec();
    let below = |random: &mut SplitMix, n: usize| (random.unit() * n as f64) as usize;
    for _ in 0..1 + below(random, 4) {
        if bytes.len() < 64 {
            break;
        }
        let at = below(random, bytes.len() - 32);
        let length = 1 + below(random, 24);
        match below(random, 7) {
            0 => bytes[at] = below(random, 256) as u8,
            1 => {
                bytes.drain(at..at + length);
            }
            2 => {
                let copy: Vec<u8> = bytes[at..at + length].to_vec();
                bytes.splice(at..at, copy);
            }
            3 => bytes[at] = b"#$*().,;'0123456789E-+"[below(random, 22)],
            4 => bytes.truncate(at),
            5 => {
                // another number for an instance or a coordinate
                if let Some(digit) = bytes[at..].iter().position(u8::is_ascii_digit) {
                    bytes[at + digit] = b'0' + below(random, 10) as u8;
                }
            }
            _ => {
                let other = below(random, bytes.len() - 32);
                for k in 0..length.min(16) {
                    bytes.swap(at + k, other + k);
                }
            }
        }
    }
    bytes
}

/// Reads damaged files; numbers of those that became solids and of those that were refused.
fn read_damaged(seed: u64, count: u32) -> [u32; 2] {
    let mut random = SplitMix(seed);
    let mut counts = [0; 2];
    for _ in 0..count {
        let damaged = mutate(BORED_BLOCK.as_bytes(), &mut random);
        let solid = File::parse(&damaged).and_then(|file| {
            let name = file.names().first().cloned();
            file.solid(name.as_deref())
        });
        match solid {
            Ok(solid) => {
                let sample = solid.sample([1e-3, 2e-3, 3e-3].into());
                assert!(!sample.distance.is_nan());
                counts[0] += 1;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                counts[1] += 1;
            }
        }
    }
    counts
}

#[test]
fn damaged_files_are_refused_or_read() {
    let [read, refused] = read_damaged(26, 4000);
    println!("{read} read, {refused} refused");
    assert!(read > 100 && refused > 1000);
}

/// `cargo test --release -p tightfit-cad -- --ignored --nocapture million`.
#[test]
#[ignore = "takes many minutes"]
fn a_million_damaged_files_are_refused_or_read() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u32;
    let counts = std::thread::scope(|scope| {
        let start = |thread| {
            scope.spawn(move || read_damaged(1000 + u64::from(thread), 1_000_000_u32.div_ceil(threads)))
        };
        let running: Vec<_> = (0..threads).map(start).collect();
        let ends = running.into_iter().map(|thread| thread.join().expect("no panic"));
        ends.fold([0; 2], |sum, own| [sum[0] + own[0], sum[1] + own[1]])
    });
    println!("{} read, {} refused", counts[0], counts[1]);
    assert!(counts[0] + counts[1] >= 1_000_000);
}

#[test]
fn the_undamaged_file_is_a_block_with_a_bore() {
    let solid = File::parse(BORED_BLOCK.as_bytes()).unwrap().solid(None).unwrap();
    assert_eq!((solid.faces.len(), solid.repairs.len()), (7, 0));
    // on the axis of the bore, halfway up: outside the material, one radius from it
    let sample = solid.sample([10e-3, 5e-3, 2.5e-3].into());
    assert!((sample.distance - 2e-3).abs() < 1e-15, "{}", sample.distance);
    let sample = solid.sample([1e-3, 2e-3, 3e-3].into());
    assert!((sample.distance + 1e-3).abs() < 1e-15);
    assert!((sample.normal - nalgebra::Vector3::new(-1.0, 0.0, 0.0)).norm() < 1e-15);
}

#[test]
fn a_missing_face_is_refused_with_its_edge() {
    let broken = BORED_BLOCK.replacen("(#17,#137,", "(#137,", 1);
    let message = File::parse(broken.as_bytes()).unwrap().solid(None).unwrap_err().to_string();
    assert!(message.contains("do not join exactly two faces"), "{message}");
}
