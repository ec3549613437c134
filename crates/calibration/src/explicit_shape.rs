//! Presets of a scene written out as dimensions, so that each of them can be changed.

use tightfit_shape::fit::{FitSection, HoleDimensions, PegDimensions};
use tightfit_shape::preset::{PresetDimensions, preset_dimensions};
use tightfit_simulation::SceneSource;
use toml::{Table, Value};

use crate::CalibrationError;

/// The text of a scene with every preset shape replaced by its dimensions.
///
/// # Errors
/// When the text is no TOML.
pub fn explicit_shapes(name: &str, source: &SceneSource) -> Result<SceneSource, CalibrationError> {
    let wrong = |problem: String| CalibrationError::Unsuitable {
        scene: name.to_string(),
        problem,
        remedy: "calibrate a scene that was read from a file or is built in".into(),
    };
    let mut table: Table = source.text.parse().map_err(|error: toml::de::Error| wrong(error.to_string()))?;
    let parts = table.get_mut("parts").and_then(Value::as_table_mut);
    let parts = parts.ok_or_else(|| wrong("has no table `parts`".into()))?;
    for (_, part) in parts.iter_mut() {
        let Some(shape) = part.get_mut("shape").and_then(Value::as_table_mut) else { continue };
        let is_preset = shape.get("kind").and_then(Value::as_str) == Some("preset");
        let preset = shape.get("name").and_then(Value::as_str).filter(|_| is_preset);
        if let Some(dimensions) = preset.and_then(preset_dimensions) {
            *shape = table_of(&dimensions);
        }
    }
    let text = toml::to_string(&table).map_err(|error| wrong(error.to_string()))?;
    Ok(SceneSource { text, folder: source.folder.clone() })
}

/// A length in millimetres, without the noise of the last bits.
fn mm(metres: f64) -> Value {
    Value::Float((metres * 1e12).round() * 1e-9)
}

fn table_of(dimensions: &PresetDimensions) -> Table {
    let section = |table: &mut Table, section: FitSection| {
        if let FitSection::Polygon { sides, corner_radius } = section {
            table.insert("sides".into(), Value::Integer(i64::from(sides)));
            table.insert("corner_radius_mm".into(), mm(corner_radius));
        }
    };
    let mut table = Table::new();
    let (kind, lengths): (&str, Vec<(&str, f64)>) = match *dimensions {
        PresetDimensions::Peg(PegDimensions {
            section: own,
            diameter,
            length,
            tip_chamfer,
            tail_chamfer,
        }) => {
            section(&mut table, own);
            let lengths = vec![
                ("diameter_mm", diameter),
                ("length_mm", length),
                ("tip_chamfer_mm", tip_chamfer),
                ("tail_chamfer_mm", tail_chamfer),
            ];
            ("peg", lengths)
        }
        PresetDimensions::Hole(HoleDimensions {
            section: own,
            diameter,
            depth,
            floor,
            chamfer,
            outer_diameter,
        }) => {
            section(&mut table, own);
            let mut lengths = vec![
                ("diameter_mm", diameter),
                ("depth_mm", depth),
                ("outer_diameter_mm", outer_diameter),
                ("chamfer_mm", chamfer),
            ];
            lengths.extend(floor.map(|floor| ("floor_mm", floor)));
            ("hole", lengths)
        }
        PresetDimensions::Bolt { diameter, pitch, length, radial_clearance, start_diameter } => {
            let lengths = vec![
                ("diameter_mm", diameter),
                ("pitch_mm", pitch),
                ("length_mm", length),
                ("radial_clearance_mm", radial_clearance),
                ("start_diameter_mm", start_diameter),
            ];
            ("bolt", lengths)
        }
        PresetDimensions::Nut { diameter, pitch, height, across_flats, start_diameter } => {
            let lengths = vec![
                ("diameter_mm", diameter),
                ("pitch_mm", pitch),
                ("height_mm", height),
                ("across_flats_mm", across_flats),
                ("start_diameter_mm", start_diameter),
            ];
            ("nut", lengths)
        }
    };
    table.insert("kind".into(), Value::String(kind.into()));
    for (key, length) in lengths {
        table.insert(key.into(), mm(length));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use tightfit_simulation::Scene;
    use tightfit_spatial::Vector3;

    /// The written dimensions make the same parts, to a nanometre of the distance.
    #[test]
    fn presets_written_out_are_the_same_parts() {
        for name in ["bolting-engaged", "peg-in-hole"] {
            let preset = Scene::find(name).expect("built in");
            let source = explicit_shapes(name, &preset.source).expect("written out");
            let written = Scene::from_source_with(&source, name, &[]).expect("a scene");
            for (one, other) in preset.bodies.iter().zip(&written.bodies) {
                for k in 0..200 {
                    let (sin, cos) = libm::sincos(0.37 * f64::from(k));
                    let point = Vector3::new(0.0236 * cos, 0.0236 * sin, 1e-4 * f64::from(k) - 4e-3);
                    let [a, b] = [one, other].map(|body| body.part.sample(point).distance);
                    assert!((a - b).abs() < 1e-9, "{name} {}: {a} against {b}", one.name);
                }
            }
        }
    }
}
