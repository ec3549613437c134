//! Depth networks of parts: named by a scene, or embedded in the program.

use std::path::Path;
use std::sync::Arc;

use tightfit_network::{FieldFile, NetworkError};
use tightfit_pipeline::detection::DepthNetwork;
use tightfit_shape::Part;
use tightfit_shape::preset::preset;

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        [$((
            $name,
            include_bytes!(concat!("../../assets/networks/", $name, "-depth.safetensors")),
        )),*]
    };
}

/// Name and file of every embedded network: that of the preset part of the same name.
static NETWORKS: [(&str, &[u8]); 2] = embedded!["hole-50", "m48x5-bolt"];

/// The network of a file.
pub(super) fn network_of(part: &Part, path: &Path) -> Result<Arc<DepthNetwork>, String> {
    fitted(FieldFile::load(path), part)
}

/// The embedded network of a preset part, if there is one.
pub(super) fn embedded_network(part: &Part) -> Result<Option<Arc<DepthNetwork>>, String> {
    let is_same = |name: &str| preset(name).is_ok_and(|known| known == *part);
    let embedded = NETWORKS.iter().find(|(name, _)| is_same(name));
    embedded.map(|(name, bytes)| fitted(FieldFile::from_bytes(bytes, name), part)).transpose()
}

fn fitted(file: Result<FieldFile, NetworkError>, part: &Part) -> Result<Arc<DepthNetwork>, String> {
    let field = file.map_err(|error| error.to_string())?.field;
    DepthNetwork::new(field, part).map(Arc::new).map_err(|error| error.to_string())
}
