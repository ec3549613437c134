//! Reference files.

use std::path::PathBuf;

/// The folder of reference STEP files beside the repository, if it is there.
pub(crate) fn reference_folder() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/step");
    if folder.exists() {
        return Some(folder);
    }
    println!("skipped: {} does not exist", folder.display());
    None
}

/// A block of 20 × 10 × 5 mm with a bore of 4 mm diameter along z, as a CAD kernel would write it.
pub(crate) const BORED_BLOCK: &str = include_str!("bored_block.step");
