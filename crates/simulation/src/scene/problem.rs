//! Problems of a scene under construction, each with the dotted key of the builder.

use tightfit_spatial::Vector3;

use super::SceneProblem;

/// Dotted key and remedy.
pub(super) type Problem = (String, String);

/// Farthest coordinate [m]: beyond it a double resolves no more than 0.1 nm.
pub(super) const FARTHEST: f64 = 1e6;

/// Everything that is wrong, in the order in which it was found.
#[derive(Default)]
pub(super) struct Problems(pub(super) Vec<SceneProblem>);

impl Problems {
    pub(super) fn add(&mut self, key: &str, remedy: String) {
        self.0.push(SceneProblem { line: None, key: key.to_string(), value: None, remedy });
    }

    /// A value from `least` to `most`.
    pub(super) fn range(&mut self, key: &str, value: f64, [least, most]: [f64; 2], unit: &str) {
        if !(least..=most).contains(&value) {
            self.value(key, value.to_string(), format!("allowed: {least} to {most}{}", spaced(unit)));
        }
    }

    /// A value above 0 and up to `most`.
    pub(super) fn positive(&mut self, key: &str, value: f64, most: f64, unit: &str) {
        if !(value > 0.0 && value <= most) {
            self.value(key, value.to_string(), format!("allowed: above 0 up to {most}{}", spaced(unit)));
        }
    }

    /// Coordinates that a double still resolves.
    pub(super) fn position(&mut self, key: &str, position: Vector3<f64>) {
        if !position.iter().all(|x| x.abs() <= FARTHEST) {
            let value = format!("[{}, {}, {}]", position.x, position.y, position.z);
            self.value(key, value, "allowed: coordinates within 1000 km (1e9 mm) of the origin".into());
        }
    }

    fn value(&mut self, key: &str, value: String, remedy: String) {
        self.0.push(SceneProblem { line: None, key: key.to_string(), value: Some(value), remedy });
    }
}

fn spaced(unit: &str) -> String {
    if unit.is_empty() { String::new() } else { format!(" {unit}") }
}
