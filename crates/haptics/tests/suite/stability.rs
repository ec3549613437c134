//! The stiffest wall at 1 kHz against the theory.

use tightfit_haptics::{Handle, z_width};

#[test]
fn the_stiffest_wall_is_within_a_tenth_of_the_bound() {
    for handle in [Handle { mass: 1.0, damping: 1.0 }, Handle { mass: 2.0, damping: 5.0 }] {
        let width = z_width(handle, 1e-3).unwrap();
        println!("{handle:?}: stable up to {:.0} N/m, bound {:.0} N/m", width.found, width.bound);
        assert!((width.found / width.bound - 1.0).abs() < 0.1, "{handle:?}: {width:?}");
    }
}
