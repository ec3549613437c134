//! Scenes of a nut on a bolt for any size.

use tightfit_simulation::{Scene, SceneError};

/// The scene `bolting-engaged` with the parts of a pair of the paper's Table II, such as (47.2, 5.0) [mm]; (48, 5) is
/// M48x5.
///
/// # Errors
/// When there is no such pair.
pub fn thread_scene(diameter_mm: f64, pitch_mm: f64) -> Result<Scene, SceneError> {
    let pair = match (diameter_mm, pitch_mm) {
        (48.0, 5.0) => "m48x5".to_string(),
        _ => format!("paper-{diameter_mm}x{pitch_mm}"),
    };
    // In phase where z = P (k + turns), about two turns engaged.
    let height = pitch_mm * ((37.5 / pitch_mm - 0.5).round() + 0.5);
    Scene::find_with(
        "bolting-engaged",
        &[
            format!("name=bolting-{pair}"),
            format!("parts.bolt.shape.name={pair}-bolt"),
            format!("parts.nut.shape.name={pair}-nut"),
            format!(
                "drive.waypoints=[{{ time_s = 0.0, position_mm = [0, 0, {height}], turns = 0.5 }}, \
                 {{ time_s = 3.0, position_mm = [0, 0, {height}], turns = -2.5 }}]"
            ),
        ],
    )
}
