//! Logs of screwdrivers: torque over angle. They are recognised to say why nothing can be identified from them.
//!
//! The torque of a screw is T = F (P/2π + μ_t r_t + μ_h r_h): preload F times lead and friction at thread and head. One number per
//! moment does not separate them, and without a pose or an axial force no further equation is measured.

use std::path::{Path, PathBuf};

use tightfit_network::read_whole;

/// What is wrong with such logs.
pub(super) const FOUND: &str = "holds torque over angle only: no pose, no force along the screw; its torque is the product of \
                                friction, radius and preload, so neither friction nor pitch follows from it";
/// What to do about it.
pub(super) const REMEDY: &str = "record the pose of the screw and a wrench on it, or the preload";

/// Whether a file, or the first JSON file of a folder, is such a log.
pub(super) fn is_torque_angle(path: &Path) -> bool {
    let is_json = |file: &PathBuf| file.extension().is_some_and(|own| own.eq_ignore_ascii_case("json"));
    let file = if path.is_dir() {
        let entries = std::fs::read_dir(path).into_iter().flatten();
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_json).min()
    } else {
        Some(path.to_path_buf()).filter(is_json)
    };
    let text = file.and_then(|file| read_whole(&file).ok());
    let text = text.map(|bytes| String::from_utf8_lossy(&bytes).to_lowercase()).unwrap_or_default();
    text.contains("\"torque") && text.contains("\"angle") && !text.contains("\"position")
}

#[cfg(test)]
mod tests {
    use crate::recordings::{load_recordings, read_trials};

    #[test]
    fn torque_over_angle_is_refused_by_what_it_lacks() {
        let folder = std::env::temp_dir().join(format!("tightfit-torque-angle-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("screw.json");
        std::fs::write(&file, r#"{ "graph": { "angle values": [0, 5.3], "torque values": [0.03, 0.004] } }"#)
            .expect("a file");
        let messages = [&folder, &file].map(|path| {
            [
                read_trials(path, None).expect_err("refused").to_string(),
                load_recordings(path).expect_err("refused").to_string(),
            ]
        });
        std::fs::remove_dir_all(&folder).expect("the folder");
        for message in messages.iter().flatten() {
            assert!(message.contains("no pose") && message.contains("preload"), "{message}");
        }
    }
}
