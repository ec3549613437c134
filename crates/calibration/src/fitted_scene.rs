//! The fitted scene as a file that runs, with its uncertainty as ranges to draw from.

use tightfit_simulation::Motion;
use tightfit_spatial::Pose;
use toml::{Table, Value};

use crate::{CalibrationError, Estimated, Experiment, Quantity, Setup, Solution, Unknown, WearChart};

/// Text of the scene with every determined value in place of the old one, and `[[uncertainty]]` ranges that batches and
/// environments draw from. Refused values stay as they were and have no range. `source` is the scene that was calibrated.
///
/// # Errors
/// When the scene's text cannot be changed.
pub fn fitted_scene(experiment: &Experiment, solution: &Solution) -> Result<String, CalibrationError> {
    let wrong = |problem: String| CalibrationError::Unsuitable {
        scene: experiment.scene.name.clone(),
        problem,
        remedy: "calibrate a scene that was read from a file or is built in".into(),
    };
    let mut table: Table =
        experiment.source.text.parse().map_err(|error: toml::de::Error| wrong(error.to_string()))?;
    let mut ranges: Vec<Value> = Vec::new();
    let mut range = |key: String, [low, high]: [f64; 2]| {
        let mut own = Table::new();
        own.insert("key".into(), Value::String(key));
        own.insert("low".into(), Value::Float(low));
        own.insert("high".into(), Value::Float(high));
        ranges.push(Value::Table(own));
    };
    let mut is_moved = false;
    let mut told_stiffness = [false; 6];
    for Estimated { unknown, value, range: [low, high], .. } in
        solution.quantities().filter(|own| own.refusal.is_none())
    {
        match &unknown.quantity {
            Quantity::Dimension { part, key } => {
                let factor = if key.ends_with("_mm") { 1e3 } else { 1.0 };
                let shape = table.get_mut("parts").and_then(|own| own.get_mut(part.as_str()));
                let shape = shape.and_then(|own| own.get_mut("shape")).and_then(Value::as_table_mut);
                shape
                    .ok_or_else(|| wrong(format!("has no shape of `{part}`")))?
                    .insert(key.clone(), Value::Float(value * factor));
                range(format!("parts.{part}.shape.{key}"), [low * factor, high * factor]);
            }
            Quantity::Friction => {
                table.insert("friction".into(), Value::Float(*value));
                range("friction".into(), [*low, *high]);
                // pairs with a friction of their own keep their proportion
                let factor = value / unknown.start;
                for pair in table.get_mut("contacts").and_then(Value::as_array_mut).into_iter().flatten() {
                    let own = pair.get("friction").and_then(Value::as_float);
                    if let (Some(own), Some(pair)) = (own, pair.as_table_mut()) {
                        pair.insert("friction".into(), Value::Float(own * factor));
                    }
                }
            }
            Quantity::FixedPose(_) => is_moved = true,
            Quantity::Stiffness(axis) => told_stiffness[*axis] = true,
            _ => {}
        }
    }
    if is_moved {
        let told = without_refused(experiment, solution)?;
        for body in experiment.fixed() {
            let Pose { translation, rotation } = told.scene.bodies[body].world_from_part;
            let (roll, pitch, yaw) = rotation.euler_angles();
            let name = &experiment.scene.bodies[body].name;
            let part = table.get_mut("parts").and_then(|own| own.get_mut(name.as_str()));
            if let Some(part) = part.and_then(Value::as_table_mut) {
                part.insert("position_mm".into(), numbers(translation.iter().map(|own| own * 1e3)));
                part.insert("rotation_deg".into(), numbers([roll, pitch, yaw].map(f64::to_degrees)));
            }
            debug_assert_eq!(experiment.scene.bodies[body].motion, Motion::Fixed);
        }
    }
    // A drive that holds the part by springs holds it by those of the hold; one in series with a softer drive would be that drive.
    if let Some(drive) = table.get_mut("drive").and_then(Value::as_table_mut) {
        let spring = solution.setup.spring();
        let [along, about] = [0, 3].map(|first| [0, 1, 2].map(|axis| told_stiffness[first + axis]));
        let softer = |drive: &Table, key: &str, hold: [f64; 3], is_told: [bool; 3]| {
            let own: Vec<f64> = drive
                .get(key)
                .and_then(Value::as_array)
                .map(|own| {
                    own.iter().filter_map(|k| k.as_float().or(k.as_integer().map(|k| k as f64))).collect()
                })
                .unwrap_or_default();
            let in_series = |axis: usize| {
                let k = own.get(axis).copied().unwrap_or(0.0);
                if k > 0.0 && is_told[axis] { k * hold[axis] / (k + hold[axis]) } else { k }
            };
            numbers((0..3).map(in_series))
        };
        for (key, hold, is_told) in [
            ("stiffness_n_m", spring.stiffness, along),
            ("turning_stiffness_nm_rad", spring.turning_stiffness, about),
        ] {
            if drive.contains_key(key) && is_told.contains(&true) {
                let value = softer(drive, key, hold, is_told);
                drive.insert(key.into(), value);
            }
        }
    }
    if let Some(WearChart { body, chart }) = solution.wear
        && let Some(field) = solution.setup.gap_field(body)
    {
        let count = chart.angles * chart.heights;
        let side =
            |which: usize| numbers(field.coefficients()[which * count..][..count].iter().map(|c| c * 1e6));
        let mut own = Table::new();
        own.insert("axial_mm".into(), numbers(chart.axial.map(|z| z * 1e3)));
        own.insert("angles".into(), Value::Integer(chart.angles as i64));
        own.insert("heights".into(), Value::Integer(chart.heights as i64));
        for (which, key) in ["up_um", "down_um", "side_um"].into_iter().enumerate() {
            own.insert(key.into(), side(which));
        }
        let name = &experiment.scene.bodies[body].name;
        let part = table.get_mut("parts").and_then(|own| own.get_mut(name.as_str()));
        if let Some(part) = part.and_then(Value::as_table_mut) {
            part.insert("gap_field".into(), Value::Table(own));
        }
    }
    if !ranges.is_empty() {
        table.insert("uncertainty".into(), Value::Array(ranges));
    }
    let description = format!("{}, calibrated from recordings", experiment.scene.description);
    table.insert("description".into(), Value::String(description));
    toml::to_string(&table).map_err(|error| wrong(error.to_string()))
}

/// The fitted experiment with every refused quantity at its start.
fn without_refused(experiment: &Experiment, solution: &Solution) -> Result<Setup, CalibrationError> {
    let unknowns: Vec<Unknown> = solution.estimates.iter().map(|own| own.unknown.clone()).collect();
    Setup::new(experiment, &unknowns, solution.wear, &solution.determined(), false)
}

fn numbers(all: impl IntoIterator<Item = f64>) -> Value {
    // a thousandth of a micrometre is enough
    Value::Array(all.into_iter().map(|own| Value::Float((own * 1e6).round() * 1e-6)).collect())
}
