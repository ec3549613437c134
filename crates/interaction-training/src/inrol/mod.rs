//! Import of the folder that the paper's authors published.
//!
//! | published | imported |
//! |---|---|
//! | `W0…W3`, `b0…b3`, `mii`, `mai`, `mio`, `mao` | `depth.safetensors`, a [`Field`] |
//! | `CW0…CW3`, `Cb0…Cb3`, `Cmii`, `Cmai` | `configuration.safetensors`, a [`CspaceField`] |
//! | `pa`, `om`; surface: `po`, `no`, `fo`, `Yo` | `clustering.safetensors`, an [`InteractionFile`] |
//! | `po`, `no`, `Yo` | `nodes.csv`: position, outward normal, embedding |
//! | `fo` | `faces.csv`: corners from 0, counter-clockwise seen from outside |
//! | `pd`, `Rd`, `Rd_gripper` | `set_points.csv`: position and quaternions |
//!
//! Frames are unchanged: the static part's for depth and configuration, the object's with its centre of mass at the
//! origin for nodes. `import.json` summarises the import. Tables are numbers separated by blanks, one row per line.

mod clustering;
mod networks;
mod object;
mod set_points;
mod table;
mod write;

use std::path::{Path, PathBuf};

use tightfit_interaction::{EmbeddedSurface, InteractionFile, InteractionOptions};
use tightfit_network::{CspaceField, Field};

pub use clustering::{ClusteringNetworks, Dense};
pub use object::PublishedObject;
pub use set_points::SetPoint;

use crate::LearningError;

/// Time between two set-points [s].
pub const SET_POINT_INTERVAL: f64 = 0.01;

/// One task of the published folder.
#[derive(Debug)]
pub struct PublishedTask {
    /// Distance from the static part, in its frame [m].
    pub depth: Field,
    /// Whether the object is free.
    pub configuration: CspaceField,
    /// The networks that cluster contacts.
    pub clustering: ClusteringNetworks,
    /// The moving part.
    pub object: PublishedObject,
    /// Set-points of the object.
    pub set_points: Vec<SetPoint>,
}

impl PublishedTask {
    /// Reads a task's folder, the one with `txt` and `des` in it.
    ///
    /// # Errors
    /// When a file is missing, is not a table of numbers, or has the wrong size.
    pub fn read(folder: &Path) -> Result<Self, LearningError> {
        let (txt, des) = (folder.join("txt"), folder.join("des"));
        Ok(Self {
            depth: networks::depth(&txt)?,
            configuration: networks::configuration(&txt)?,
            clustering: ClusteringNetworks::read(&txt)?,
            object: PublishedObject::read(&txt)?,
            set_points: set_points::read(&des)?,
        })
    }

    /// The clustering network with the object's surface and the options of the published program. The inputs of its
    /// nut, the object that a gripper turns, have different axes.
    ///
    /// # Errors
    /// When a number is not finite, or a range is empty.
    pub fn interaction(&self, source: &str) -> Result<InteractionFile, LearningError> {
        let is_nut = self.set_points.iter().any(|point| point.gripper.is_some());
        let options = if is_nut { InteractionOptions::PUBLISHED_NUT } else { InteractionOptions::PUBLISHED };
        let PublishedObject { nodes, normals, faces, embedding, .. } = &self.object;
        let surface = EmbeddedSurface::new(nodes.clone(), normals.clone(), faces.clone(), embedding.clone())?;
        let recipe = serde_json::json!({ "imported_from": source });
        Ok(InteractionFile { network: self.clustering.network(options)?, surface, recipe })
    }
}

/// Task folders of a published folder: itself, or its subfolders in alphabetical order.
///
/// # Errors
/// When there are none.
pub fn task_folders(folder: &Path) -> Result<Vec<PathBuf>, LearningError> {
    let is_task = |folder: &PathBuf| folder.join("txt/W0.txt").is_file();
    if is_task(&folder.to_path_buf()) {
        return Ok(vec![folder.to_path_buf()]);
    }
    let unreadable = |error: std::io::Error| LearningError::File {
        path: folder.display().to_string(),
        problem: error.to_string(),
        remedy: "check the path",
    };
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    let mut tasks: Vec<PathBuf> =
        entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).filter(is_task).collect();
    tasks.sort();
    if tasks.is_empty() {
        return Err(LearningError::File {
            path: folder.display().to_string(),
            problem: "neither it nor a folder in it has the file txt/W0.txt".into(),
            remedy: "give the folder with the authors' `assets`, or that of one task",
        });
    }
    Ok(tasks)
}
