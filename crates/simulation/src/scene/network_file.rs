//! Depth networks of parts: named by a scene, or embedded in the program in two forms, ours and the paper's.

use std::path::Path;
use std::sync::Arc;

use tightfit_network::{FieldFile, NetworkError};
use tightfit_pipeline::detection::DepthNetwork;
use tightfit_shape::Part;
use tightfit_shape::preset::preset;

use super::DetectionMethod;

macro_rules! embedded {
    ($ending:literal, $($name:literal),* $(,)?) => {
        [$((
            $name,
            include_bytes!(concat!("../../assets/networks/", $name, $ending)),
        )),*]
    };
}

/// Name and file of every embedded network: that of the preset part of the same name.
static NETWORKS: [(&str, &[u8]); 2] = embedded!["-depth.safetensors", "hole-50", "m48x5-bolt"];

/// Those of the paper's form: x, y, z in, tanh out, valid in the whole bounding volume.
static PAPER_NETWORKS: [(&str, &[u8]); 4] =
    embedded!["-depth-paper.safetensors", "peg-50", "hole-50", "m48x5-nut", "m48x5-bolt"];

/// The network of a file.
pub(super) fn network_of(
    part: &Part,
    path: &Path,
    detection: DetectionMethod,
) -> Result<Arc<DepthNetwork>, String> {
    fitted(FieldFile::load(path), part, detection)
}

/// The embedded network of a preset part, if there is one.
pub(super) fn embedded_network(
    part: &Part,
    detection: DetectionMethod,
) -> Result<Option<Arc<DepthNetwork>>, String> {
    let networks = match detection {
        DetectionMethod::NeuralPaper => PAPER_NETWORKS.as_slice(),
        _ => NETWORKS.as_slice(),
    };
    let is_same = |name: &str| preset(name).is_ok_and(|known| known == *part);
    let embedded = networks.iter().find(|(name, _)| is_same(name));
    embedded.map(|(name, bytes)| fitted(FieldFile::from_bytes(bytes, name), part, detection)).transpose()
}

fn fitted(
    file: Result<FieldFile, NetworkError>,
    part: &Part,
    detection: DetectionMethod,
) -> Result<Arc<DepthNetwork>, String> {
    let field = file.map_err(|error| error.to_string())?.field;
    let network = match detection {
        DetectionMethod::NeuralPaper => DepthNetwork::everywhere(field, part),
        _ => DepthNetwork::new(field, part),
    };
    network.map(Arc::new).map_err(|error| error.to_string())
}
