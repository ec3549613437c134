//! The deepest penetration of the peg in the hole, on recorded poses, with the exact fields and dense edge rings.
//!
//! The poses and their true penetration are part of the detection benchmark; this crate did not compute them.

use std::f64::consts::TAU;
use std::path::Path;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use tightfit_shape::preset::preset;
use tightfit_spatial::Pose;

const POSES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/detection_benchmark/peg_poses.csv");

fn ring(radius: f64, z: f64) -> impl Iterator<Item = Vector3<f64>> {
    (0..720).map(move |index| {
        let (sin, cos) = (TAU * f64::from(index) / 720.0).sin_cos();
        Vector3::new(radius * cos, radius * sin, z)
    })
}

#[test]
fn the_recorded_penetrations_are_reproduced() {
    if !Path::new(POSES).exists() {
        println!("skipped: {POSES} does not exist");
        return;
    }
    let (peg, hole) = (preset("peg-50").unwrap(), preset("hole-50").unwrap());
    let peg_rings: Vec<_> =
        ring(23.985e-3, 0.0).chain(ring(24.985e-3, 1e-3)).chain(ring(24.985e-3, 100e-3)).collect();
    let hole_rings: Vec<_> =
        ring(26.0175e-3, 0.0).chain(ring(25.0175e-3, -1e-3)).chain(ring(25.0175e-3, -50e-3)).collect();
    let text = std::fs::read_to_string(POSES).unwrap();
    let (mut total, mut within, mut worst) = (0, 0, 0.0_f64);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let values: Vec<f64> = line.split(',').map(|field| field.trim().parse().unwrap()).collect();
        let rotation =
            UnitQuaternion::new_normalize(Quaternion::new(values[3], values[4], values[5], values[6]));
        let hole_from_peg = Pose::new(Vector3::new(values[0], values[1], values[2]), rotation);
        let peg_from_hole = hole_from_peg.inverse();
        let forth = peg_rings.iter().map(|point| hole.sample(hole_from_peg.transform_point(*point)).distance);
        let back = hole_rings.iter().map(|point| peg.sample(peg_from_hole.transform_point(*point)).distance);
        let penetration = -forth.chain(back).fold(0.0, f64::min);
        let error = (penetration - values[7]).abs();
        total += 1;
        within += u32::from(error <= 1e-6);
        worst = worst.max(error);
    }
    println!("{within} of {total} poses within 1 um, worst {:.3} um", worst * 1e6);
    assert!(total == 3000 && f64::from(within) >= 0.99 * f64::from(total));
}
