//! Volume, centre and inertia against closed forms.

use nalgebra::Vector3;
use tightfit_cad::File;

use crate::support::BORED_BLOCK;

/// A block of 20 × 10 × 5 mm less a cylinder of 4 mm diameter on its axis.
#[test]
fn a_bored_block_has_the_mass_of_block_less_cylinder() {
    let solid = File::parse(BORED_BLOCK.as_bytes()).unwrap().solid(None).unwrap();
    let mass = solid.mass_properties().unwrap();
    let pi = std::f64::consts::PI;
    let volume = 1e-9 * (1000.0 - 20.0 * pi);
    assert!((mass.volume / volume - 1.0).abs() < 1e-12);
    assert!((mass.centre - Vector3::new(10e-3, 5e-3, 2.5e-3)).norm() < 1e-15);
    // ∫ x² of the block: V a²/12; of the cylinder: V r²/4 across, V h²/12 along
    let expected = [
        1000.0 * 400.0 / 12.0 - 20.0 * pi,
        1000.0 * 100.0 / 12.0 - 20.0 * pi,
        (1000.0 - 20.0 * pi) * 25.0 / 12.0,
    ];
    for (k, value) in expected.into_iter().enumerate() {
        assert!((mass.second_moment[(k, k)] / (value * 1e-15) - 1.0).abs() < 1e-9, "axis {k}");
    }
    assert!(mass.second_moment[(0, 1)].abs() < 1e-24);
}
