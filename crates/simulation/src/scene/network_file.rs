//! Depth networks of parts: named by a scene, or embedded in the program.

use std::path::Path;
use std::sync::Arc;

use tightfit_network::FieldFile;
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

/// The network of a file, or else the embedded one of the same part, if there is one.
pub(super) fn network_of(part: &Part, file: Option<&Path>) -> Result<Option<Arc<DepthNetwork>>, String> {
    let is_same = |name: &str| preset(name).is_ok_and(|known| known == *part);
    let loaded = match file {
        Some(path) => FieldFile::load(path),
        None => match NETWORKS.iter().find(|(name, _)| is_same(name)) {
            Some((name, bytes)) => FieldFile::from_bytes(bytes, name),
            None => return Ok(None),
        },
    };
    let field = loaded.map_err(|error| error.to_string())?.field;
    DepthNetwork::new(field, part).map(|network| Some(Arc::new(network))).map_err(|error| error.to_string())
}
