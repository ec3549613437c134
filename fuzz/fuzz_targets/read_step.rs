//! Any bytes, read as a STEP file, give bodies or an error; the bodies of small files are built and queried.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tightfit_cad::File;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = File::parse(bytes) else { return };
    for name in file.names().iter().take(4) {
        if let Ok(solid) = file.solid(Some(name)) {
            assert!(!solid.sample([1e-3, 2e-3, 3e-3].into()).distance.is_nan());
        }
    }
});
