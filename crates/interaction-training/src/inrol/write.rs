//! Writes a published task in the formats of this program.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;
use tightfit_interaction::EMBEDDING;
use tightfit_network::{CspaceFile, FieldFile};

use super::{PublishedTask, SET_POINT_INTERVAL};
use crate::LearningError;

impl PublishedTask {
    /// Writes all files of a task into a folder, which is created if missing; returns the content of `import.json`.
    /// `source` is recorded in the recipes.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(self, folder: &Path, source: &str) -> Result<serde_json::Value, LearningError> {
        std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        let put = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            std::fs::write(&path, bytes).map_err(|error| unwritable(&path, &error))
        };
        self.interaction(source)?.save(&folder.join("clustering.safetensors"))?;
        put("nodes.csv", self.nodes_csv().as_bytes())?;
        put("faces.csv", self.faces_csv().as_bytes())?;
        put("set_points.csv", self.set_points_csv().as_bytes())?;
        let recipe = json!({ "imported_from": source });
        let summary = json!({
            "source": source,
            "nodes": self.object.nodes.len(),
            "faces": self.object.faces.len(),
            "faces_were_turned": self.object.faces_were_turned,
            "set_points": self.set_points.len(),
            "set_point_interval_s": SET_POINT_INTERVAL,
            "depth_range_m": self.depth.output_range(),
            "depth_box_m": self.depth.input_ranges(),
            "configuration_ranges_m_rad": self.configuration.ranges(),
        });
        FieldFile { field: self.depth, recipe: recipe.clone() }.save(&folder.join("depth.safetensors"))?;
        CspaceFile { field: self.configuration, recipe }.save(&folder.join("configuration.safetensors"))?;
        let text = serde_json::to_string_pretty(&summary).map_err(|error| LearningError::File {
            path: folder.join("import.json").display().to_string(),
            problem: error.to_string(),
            remedy: "report this",
        })?;
        put("import.json", text.as_bytes())?;
        Ok(summary)
    }

    fn nodes_csv(&self) -> String {
        let embedding: Vec<String> = (1..=EMBEDDING).map(|k| format!("embedding_{k}")).collect();
        let mut text = format!("x_m,y_m,z_m,normal_x,normal_y,normal_z,{}\n", embedding.join(","));
        let object = &self.object;
        for ((node, normal), embedding) in object.nodes.iter().zip(&object.normals).zip(&object.embedding) {
            row(&mut text, node.iter().chain(normal.iter()).chain(embedding));
        }
        text
    }

    fn faces_csv(&self) -> String {
        let mut text = String::from("node_a,node_b,node_c\n");
        for [a, b, c] in &self.object.faces {
            let _ = writeln!(text, "{a},{b},{c}");
        }
        text
    }

    fn set_points_csv(&self) -> String {
        let has_gripper = self.set_points.iter().any(|point| point.gripper.is_some());
        let mut text = String::from("time_s,x_m,y_m,z_m,quaternion_x,quaternion_y,quaternion_z,quaternion_w");
        if has_gripper {
            for axis in ["x", "y", "z", "w"] {
                let _ = write!(text, ",gripper_quaternion_{axis}");
            }
        }
        text.push('\n');
        for (index, point) in self.set_points.iter().enumerate() {
            // The first set-point applies at the end of the first step.
            let time = [(index + 1) as f64 * SET_POINT_INTERVAL];
            let gripper = point.gripper.map(|gripper| gripper.coords);
            let gripper = gripper.iter().flat_map(|coords| coords.iter());
            let numbers = time.iter().chain(point.position.iter()).chain(point.rotation.coords.iter());
            row(&mut text, numbers.chain(gripper));
        }
        text
    }
}

/// Appends comma-separated numbers without loss of precision.
fn row<'a>(text: &mut String, numbers: impl Iterator<Item = &'a f64>) {
    for (index, number) in numbers.enumerate() {
        let comma = if index > 0 { "," } else { "" };
        let _ = write!(text, "{comma}{number}");
    }
    text.push('\n');
}

fn unwritable(path: &Path, error: &std::io::Error) -> LearningError {
    LearningError::File {
        path: path.display().to_string(),
        problem: error.to_string(),
        remedy: "check that the folder is writable and has space",
    }
}
